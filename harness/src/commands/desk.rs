//! `probe` and `call`, and what `exec` shares with them: a connection to a bridge that runs, or to any other MCP server.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use mcp_host::server::ServerError;
use mcp_host::{Called, Configuration, Host, HostError, ServerSpec, Settings, StartError};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::mcp::{configuration, settings, tell};
use super::running::Running;
use super::words::split;
use crate::cli_mcp::ServerArgs;

/// The bridge has its own timeout for a chunk, which may be long and says more.
const CALL: Duration = Duration::from_secs(3600);

/// The name of a server that has none.
const BRIDGE: &str = "bridge";

/// Where a bridge listens unless it is told otherwise.
const USUAL_URL: &str = "http://127.0.0.1:3000/mcp";

/// Calls a tool and prints the text of its answer.
pub async fn call(server: &ServerArgs, tool: &str, arguments: &Value) -> anyhow::Result<ExitCode> {
    let desk = Desk::open(server, None, None).await?;
    let called = desk.call(tool, arguments.clone()).await;
    desk.close().await;
    tell(&called?, server.whole, None)
}

/// A host with the one server that the arguments name.
#[derive(Debug)]
pub struct Desk {
    host: Host,
    server: String,
    /// The address, where neither a command nor a server of the configuration was named.
    url: Option<String>,
}

impl Desk {
    /// Finds the server: the one that was named, otherwise the `up` that runs for this folder, otherwise the usual address.
    /// `progress` hears what a call reports as it comes, and a call may take `longest` at least.
    pub async fn open(
        server: &ServerArgs,
        progress: Option<UnboundedSender<String>>,
        longest: Option<Duration>,
    ) -> anyhow::Result<Self> {
        let (configuration, name, url) = match (&server.server, &server.stdio) {
            (Some(name), _) => (configuration(server.config.as_deref())?, name.as_str(), None),
            (None, Some(command)) => {
                (Configuration::of([ServerSpec::local(BRIDGE, split(command)?)]), BRIDGE, None)
            }
            (None, None) => {
                let (url, token) = address(server).await;
                (Configuration::of([remote(&url, token.as_deref())]), BRIDGE, Some(url))
            }
        };
        let longest = longest.map_or(CALL, |longest| CALL.max(longest.saturating_add(CALL)));
        let settings = Settings {
            protocol: server.protocol.clone(),
            call_timeout: server.server.is_none().then_some(longest),
            call_in_all: longest,
            progress,
            ..settings()
        };
        Ok(Self { host: Host::new(configuration, settings), server: name.to_owned(), url })
    }

    /// Calls a tool and waits for its answer.
    pub async fn call(&self, tool: &str, arguments: Value) -> anyhow::Result<Called> {
        match (self.host.call_on(&self.server, tool, arguments).await, &self.url) {
            (Ok(called), _) => Ok(called),
            (Err(error), Some(url)) if is_unreachable(&error) => Err(error).with_context(|| {
                format!(
                    "failed to reach the MCP server at `{url}`\nhint: `craftos-harness up` starts a bridge; `--url` names the address of another"
                )
            }),
            (Err(error), _) => Err(error.into()),
        }
    }

    pub async fn close(self) {
        self.host.shutdown().await;
    }
}

/// The address of the bridge, and its token. A token that was given counts over that of an `up`.
async fn address(server: &ServerArgs) -> (String, Option<String>) {
    if let Some(url) = &server.url {
        return (url.clone(), server.mcp_token.clone());
    }
    match Running::find().await {
        Some(up) => (up.mcp_url, server.mcp_token.clone().or(up.mcp_token)),
        None => (USUAL_URL.to_owned(), server.mcp_token.clone()),
    }
}

fn remote(url: &str, token: Option<&str>) -> ServerSpec {
    let spec = ServerSpec::remote(BRIDGE, url);
    match token {
        Some(token) => spec.with_header("Authorization", format!("Bearer {token}")),
        None => spec,
    }
}

fn is_unreachable(error: &HostError) -> bool {
    let HostError::Server(error) = error else { return false };
    matches!(&**error, ServerError::Start { source: StartError::Unreachable { .. }, .. })
}
