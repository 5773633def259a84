//! The checked configuration: a flag counts over the environment, the environment over the default. clap reads
//! both, in [`crate::cli`]; the system's own variables are read here, and `RUST_LOG` by its filter.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::cli::Cli;
use crate::limits::MAX_TIMEOUT_MS;
use crate::secret::Secret;
use crate::sources::Sources;

/// What a bridge is started with.
#[derive(Debug, Clone)]
pub struct Config {
    pub mcp: McpTransport,
    pub mcp_token: Option<Secret>,
    pub link: Address,
    pub link_token: Option<Secret>,
    pub probe_timeout: Duration,
    pub exec_timeout: Duration,
    pub ready_file: Option<PathBuf>,
    /// The folders whose `_index.yaml` files declare tools.
    pub tools: Vec<PathBuf>,
    /// The folder that jobs are kept in; none where they may go with the bridge.
    pub state: Option<PathBuf>,
    /// The folder in which bridges of this user find each other; none where they need not.
    pub desk: Option<PathBuf>,
    /// How many computers may be linked, where that is less than the process may open files for.
    pub link_places: Option<usize>,
    pub timings: Timings,
    /// The time of day and the randomness; the system's, unless a simulation gives its own.
    pub sources: Sources,
}

/// Where MCP clients reach the bridge.
#[derive(Debug, Clone)]
pub enum McpTransport {
    Http {
        address: Address,
        hosts: Allowed,
        origins: Allowed,
    },
    Stdio,
    /// Only through the desk: the client of this process speaks as any other agent there.
    Desk,
}

/// A host and a port, with the variable that sets the port, for messages.
#[derive(Debug, Clone)]
pub struct Address {
    pub host: String,
    pub port: u16,
    pub variable: &'static str,
}

/// Which values of a header are served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    Any,
    Only(Vec<String>),
}

/// How long the bridge waits for things that have no flag. Tests shorten them; nobody else needs to.
#[derive(Debug, Clone, Copy)]
pub struct Timings {
    /// From the accepted socket to the hello.
    pub hello: Duration,
    /// Between two WebSocket pings: often enough that a router's table keeps the connection.
    pub ping: Duration,
    /// Three pings without a sign of life: the peer is gone.
    pub silent: Duration,
    /// What a peer has to answer a close.
    pub close: Duration,
    /// Between two signs of life of a call that prints nothing: well below a client's usual 60 s.
    pub heartbeat: Duration,
    /// Between two list-changed notifications: a thousand computers that link at once are one change.
    pub list_changed: Duration,
}

impl Default for Timings {
    fn default() -> Self {
        Self {
            hello: Duration::from_secs(10),
            ping: Duration::from_secs(15),
            silent: Duration::from_secs(45),
            close: Duration::from_secs(1),
            heartbeat: Duration::from_secs(10),
            list_changed: Duration::from_millis(250),
        }
    }
}

/// What is wrong with the command line or the environment.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ConfigError {
    #[error("`{variable}` must be from 1 to {MAX_TIMEOUT_MS} milliseconds, not {value}")]
    Timeout { variable: &'static str, value: u64 },
    #[error(
        "`{0}` is not an origin for `MCP_ALLOWED_ORIGINS`\nhint: write it as `https://example.com:443`, with `:*` for any port"
    )]
    Origin(String),
}

const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
const LOOPBACK_ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

impl TryFrom<Cli> for Config {
    type Error = ConfigError;

    fn try_from(cli: Cli) -> Result<Self, ConfigError> {
        let mcp = if cli.stdio {
            McpTransport::Stdio
        } else {
            // A host that the listener was given by name is one that clients will say.
            let mut hosts: Vec<String> = LOOPBACK_HOSTS.map(Into::into).into();
            if !is_wildcard(&cli.mcp_host) {
                hosts.push(cli.mcp_host.clone());
            }
            let origins = LOOPBACK_ORIGINS.map(Into::into).into();
            McpTransport::Http {
                hosts: allowed(hosts, cli.mcp_allowed_hosts),
                origins: checked_origins(allowed(origins, cli.mcp_allowed_origins))?,
                address: Address { host: cli.mcp_host, port: cli.mcp_port, variable: "MCP_PORT" },
            }
        };
        Ok(Self {
            mcp,
            mcp_token: cli.mcp_token.and_then(Secret::new),
            link: Address { host: cli.cc_link_host, port: cli.cc_link_port, variable: "CC_LINK_PORT" },
            link_token: cli.cc_link_token.and_then(Secret::new),
            probe_timeout: timeout("CC_PROBE_TIMEOUT_MS", cli.cc_probe_timeout_ms)?,
            exec_timeout: timeout("CC_EXEC_TIMEOUT_MS", cli.cc_exec_timeout_ms)?,
            ready_file: cli.ready_file,
            // A variable that is set to nothing names no folder.
            tools: cli.tools.into_iter().filter(|folder| !folder.is_empty()).map(PathBuf::from).collect(),
            state: cli.state.filter(|folder| !folder.as_os_str().is_empty()),
            desk: Some(desk_folder()),
            link_places: None,
            timings: Timings::default(),
            sources: Sources::of_system(),
        })
    }
}

/// A folder of this user for as long as the machine runs; where the system has none, one below that for temporary files.
fn desk_folder() -> PathBuf {
    let own = std::env::var_os("XDG_RUNTIME_DIR").or_else(|| std::env::var_os("LOCALAPPDATA"));
    let user = || std::env::var("USER").unwrap_or_else(|_| "user".to_owned());
    own.map_or_else(|| std::env::temp_dir().join(format!("mcp-bridge-{}", user())), PathBuf::from)
        .join("mcp-bridge")
}

fn timeout(variable: &'static str, value: u64) -> Result<Duration, ConfigError> {
    if (1..=MAX_TIMEOUT_MS).contains(&value) {
        Ok(Duration::from_millis(value))
    } else {
        Err(ConfigError::Timeout { variable, value })
    }
}

fn is_wildcard(host: &str) -> bool {
    matches!(host, "0.0.0.0" | "::" | "[::]")
}

fn allowed(mut defaults: Vec<String>, more: Vec<String>) -> Allowed {
    let more = more.into_iter().map(|entry| entry.trim().to_owned()).filter(|entry| !entry.is_empty());
    defaults.extend(more);
    if defaults.iter().any(|entry| entry == "*") { Allowed::Any } else { Allowed::Only(defaults) }
}

fn checked_origins(origins: Allowed) -> Result<Allowed, ConfigError> {
    let Allowed::Only(list) = origins else {
        return Ok(origins);
    };
    let checked = list.into_iter().map(|origin| {
        let is_origin = |text: &str| {
            let uri = text.strip_suffix(":*").unwrap_or(text).parse::<http::Uri>().ok();
            uri.is_some_and(|uri| uri.scheme().is_some() && uri.authority().is_some())
        };
        if origin == "null" || is_origin(&origin) { Ok(origin) } else { Err(ConfigError::Origin(origin)) }
    });
    Ok(Allowed::Only(checked.collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    fn config(arguments: &[&str]) -> Result<Config, ConfigError> {
        Config::try_from(Cli::parse_from([&["mcp-bridge"], arguments].concat()))
    }

    #[test]
    fn the_defaults_are_the_promised_ones() {
        let config = config(&[]).expect("valid");
        let McpTransport::Http { address, hosts, .. } = config.mcp else { panic!("HTTP is the default") };
        assert_eq!((address.host.as_str(), address.port), ("127.0.0.1", 3000));
        assert_eq!((config.link.host.as_str(), config.link.port), ("0.0.0.0", 3001));
        assert_eq!(config.probe_timeout, Duration::from_secs(2));
        assert_eq!(config.exec_timeout, Duration::from_secs(30));
        let Allowed::Only(hosts) = hosts else { panic!("not every host") };
        assert!(hosts.contains(&"localhost".to_owned()));
    }

    #[test]
    fn hosts_and_origins_are_added_to_those_of_loopback() {
        let config =
            config(&["--mcp-allowed-hosts", "a.example, b.example:8080", "--mcp-allowed-origins", "*"]);
        let McpTransport::Http { hosts: Allowed::Only(hosts), origins, .. } = config.expect("valid").mcp
        else {
            panic!("a list of hosts")
        };
        assert_eq!(&hosts[hosts.len() - 2..], ["a.example", "b.example:8080"]);
        assert_eq!(origins, Allowed::Any);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = config(&["--cc-exec-timeout-ms", "0"]).expect_err("0 ms is no time");
        assert!(error.to_string().contains("`CC_EXEC_TIMEOUT_MS`"), "{error}");
        let error = config(&["--mcp-allowed-origins", "example.com"]).expect_err("no scheme");
        assert_eq!(error, ConfigError::Origin("example.com".into()));
    }

    #[test]
    fn an_empty_token_is_none() {
        assert!(config(&["--mcp-token", ""]).expect("valid").mcp_token.is_none());
    }
}
