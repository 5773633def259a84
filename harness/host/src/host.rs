//! Many servers under one roof: their tools by one name each, a call to the right one, all of them ended together.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use rmcp::model::Tool;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::client::{CallError, Called, Connection};
use crate::config::{ConfigError, Configuration, Entry, Problem, Surroundings};
use crate::server::{Server, ServerError, State, Status};
use crate::settings::Settings;
use crate::text::nearest;

/// What stands between a server's name and a tool's.
pub const SEPARATOR: &str = "__";

/// Why a host has no answer.
#[derive(Debug, Clone, Error)]
pub enum HostError {
    #[error("no server is called `{name}`{}", hint(.near.as_deref()))]
    NoServer { name: String, near: Option<String> },
    #[error(
        "`{name}` does not begin with the name of a server\nhint: a tool is called `<server>__<tool>`; there are {servers}"
    )]
    NoSuchName { name: String, servers: String },
    #[error("`{server}` has no tool `{tool}`{}", hint(.near.as_deref()))]
    NoTool { server: String, tool: String, near: Option<String> },
    #[error("`{0}` is disabled in its configuration")]
    Disabled(String),
    #[error("`{id}` is wrongly configured: {problem}")]
    Config { id: String, problem: Box<Problem> },
    #[error(transparent)]
    Server(#[from] Arc<ServerError>),
    #[error(transparent)]
    Call(Arc<CallError>),
}

impl From<CallError> for HostError {
    fn from(error: CallError) -> Self {
        Self::Call(Arc::new(error))
    }
}

fn hint(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!("\nhint: did you mean `{near}`?"))
}

/// A tool, with the server that has it.
#[derive(Debug, Clone)]
pub struct HostTool {
    pub server: String,
    pub tool: Tool,
}

impl HostTool {
    /// The name that it is called by.
    pub fn name(&self) -> String {
        format!("{}{SEPARATOR}{}", self.server, self.tool.name)
    }
}

/// What is there of all servers, and what is not.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// In the order of the configuration, and in each server's own.
    pub tools: Vec<HostTool>,
    /// The servers that could not say what they have, and why.
    pub failures: Vec<(String, HostError)>,
}

#[derive(Debug)]
enum Guest {
    Server(Server),
    Disabled(String),
    Broken(String, Box<Problem>),
}

impl Guest {
    fn id(&self) -> &str {
        match self {
            Self::Server(server) => server.id(),
            Self::Disabled(id) | Self::Broken(id, _) => id,
        }
    }

    async fn connection(&self) -> Result<Arc<Connection>, HostError> {
        match self {
            Self::Server(server) => Ok(server.connection().await?),
            Self::Disabled(id) => Err(HostError::Disabled(id.clone())),
            Self::Broken(id, problem) => Err(HostError::Config { id: id.clone(), problem: problem.clone() }),
        }
    }
}

/// Servers, each started when it is first needed. Dropping it kills them; [`Host::shutdown`] asks first.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use mcp_host::{Configuration, Host, ServerSpec, Settings};
/// use serde_json::json;
///
/// let servers = [ServerSpec::local("none", ["no-such-program", "--stdio"])];
/// let host = Host::new(Configuration::of(servers), Settings::default());
/// assert_eq!(host.statuses()[0].state.word(), "idle");
///
/// // The first call starts the server; what is wrong with it is told by the call, and by its status.
/// let error = host.call("none__echo", json!({ "text": "hello" })).await.unwrap_err();
/// assert_eq!(error.to_string(), "failed to start `none`");
/// assert_eq!(host.statuses()[0].state.word(), "broken");
/// host.shutdown().await;
/// # }
/// ```
#[derive(Debug)]
pub struct Host {
    guests: Vec<Guest>,
}

impl Host {
    /// The servers of a configuration; none is started.
    pub fn new(configuration: Configuration, settings: Settings) -> Self {
        let settings = Arc::new(settings);
        let guest = |entry| match entry {
            Entry::Server(spec) => Guest::Server(Server::new(spec, settings.clone())),
            Entry::Disabled { id } => Guest::Disabled(id),
            Entry::Broken { id, problem } => Guest::Broken(id, problem),
        };
        Self { guests: configuration.entries.into_iter().map(guest).collect() }
    }

    /// The servers of the file that was named, or of the one that counts for the current folder.
    pub fn from_config(file: Option<&Path>) -> Result<Self, ConfigError> {
        let surroundings = Surroundings::here().map_err(ConfigError::Folder)?;
        Ok(Self::new(Configuration::resolve(&surroundings, file)?, Settings::default()))
    }

    /// The names of the servers that are not switched off, in the order of the configuration.
    pub fn servers(&self) -> Vec<&str> {
        let enabled = self.guests.iter().filter(|guest| !matches!(guest, Guest::Disabled(_)));
        enabled.map(Guest::id).collect()
    }

    /// How every server stands. Starts none.
    pub fn statuses(&self) -> Vec<Status> {
        let plain = |id: &str, state| Status {
            id: id.to_owned(),
            place: String::new(),
            state,
            era: None,
            tools: None,
            start_time: None,
            restarts: 0,
        };
        let status = |guest: &Guest| match guest {
            Guest::Server(server) => server.status(),
            Guest::Disabled(id) => plain(id, State::Disabled),
            Guest::Broken(id, problem) => plain(id, State::Broken(problem.to_string())),
        };
        self.guests.iter().map(status).collect()
    }

    /// Starts every server that is not switched off, all at once, and waits until each is up or broken.
    pub async fn start(&self) {
        join_all(self.guests.iter().map(Guest::connection)).await;
    }

    /// The tools of all servers, which are started for it. A broken one takes none of the others' away.
    pub async fn tools(&self) -> Listing {
        let ids = self.servers();
        let listed = join_all(ids.iter().map(|id| self.tools_of(id))).await;
        let mut listing = Listing::default();
        for (id, listed) in ids.into_iter().zip(listed) {
            match listed {
                Ok(tools) => listing.tools.extend(tools),
                Err(error) => listing.failures.push((id.to_owned(), error)),
            }
        }
        listing
    }

    /// The tools of one server.
    pub async fn tools_of(&self, server: &str) -> Result<Vec<HostTool>, HostError> {
        let tools = self.guest(server)?.connection().await?.tools().await?;
        let tool = |tool: &Tool| HostTool { server: server.to_owned(), tool: tool.clone() };
        Ok(tools.iter().map(tool).collect())
    }

    /// Calls a tool by its full name, `<server>__<tool>`, with a JSON object.
    ///
    /// A server that died between two calls is started again; a call during which it dies is not repeated.
    pub async fn call(&self, name: &str, arguments: Value) -> Result<Called, HostError> {
        let (server, tool) = self.find(name).await?;
        self.call_on(server, tool, arguments).await
    }

    /// Calls a tool of a server.
    pub async fn call_on(&self, server: &str, tool: &str, arguments: Value) -> Result<Called, HostError> {
        let arguments = object(arguments)?;
        let connection = self.guest(server)?.connection().await?;
        let tools = connection.tools().await?;
        if !tools.iter().any(|known| known.name == tool) {
            let near = nearest(tool, tools.iter().map(|known| known.name.as_ref()));
            return Err(HostError::NoTool {
                server: server.to_owned(),
                tool: crate::text::line(tool),
                near: near.map(crate::text::line),
            });
        }
        Ok(connection.call(tool, arguments).await?)
    }

    /// Asks a server for a sign of life, and says how long it took.
    pub async fn ping(&self, server: &str) -> Result<Duration, HostError> {
        Ok(self.guest(server)?.connection().await?.ping().await?)
    }

    /// Ends all servers, all at once, each in order: its stdin is closed, then TERM, then a kill of its group.
    pub async fn shutdown(&self) {
        let servers = self.guests.iter().filter_map(|guest| match guest {
            Guest::Server(server) => Some(server),
            Guest::Disabled(_) | Guest::Broken(..) => None,
        });
        join_all(servers.map(Server::shutdown)).await;
    }

    fn guest(&self, id: &str) -> Result<&Guest, HostError> {
        self.guests.iter().find(|guest| guest.id() == id).ok_or_else(|| HostError::NoServer {
            name: crate::text::line(id),
            near: nearest(id, self.guests.iter().map(Guest::id)).map(ToOwned::to_owned),
        })
    }

    /// Splits a full name. Where the names of several servers fit, the one that has the tool counts, the longest first.
    async fn find<'a>(&'a self, name: &'a str) -> Result<(&'a str, &'a str), HostError> {
        let split = |guest: &'a Guest| {
            let tool = name.strip_prefix(guest.id())?.strip_prefix(SEPARATOR)?;
            Some((guest.id(), tool))
        };
        let mut fitting: Vec<(&str, &str)> = self.guests.iter().filter_map(split).collect();
        fitting.sort_by_key(|(id, _)| std::cmp::Reverse(id.len()));
        if fitting.len() > 1 {
            for (server, tool) in &fitting {
                let tools = self.tools_of(server).await.unwrap_or_default();
                if tools.iter().any(|known| known.tool.name == *tool) {
                    return Ok((server, tool));
                }
            }
        }
        fitting.first().copied().ok_or_else(|| {
            let names: Vec<String> = self.servers().iter().map(|id| format!("`{id}`")).collect();
            HostError::NoSuchName { name: crate::text::line(name), servers: names.join(", ") }
        })
    }
}

fn object(arguments: Value) -> Result<Map<String, Value>, CallError> {
    Err(CallError::Arguments(match arguments {
        Value::Object(map) => return Ok(map),
        Value::Null => return Ok(Map::new()),
        Value::Array(_) => "an array",
        Value::String(_) => "a string",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a boolean",
    }))
}
