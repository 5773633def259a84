//! Both sides together: bound, started, and ended.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::accept::Accept;
use crate::budget::Budget;
use crate::computer::Ending;
use crate::config::{Address, Allowed, Config, McpTransport};
use crate::jobs::{Keeper, Store, StoreError};
use crate::limits::{
    COMPUTERS, HTTP_CONNECTIONS, LINK_RESERVE, LINK_SOCKETS, PARTS_BYTES, REFUSALS, SHUTDOWN,
};
use crate::link::life::Shared;
use crate::link::listener;
use crate::mcp::away::Away;
use crate::mcp::desk::Desk;
use crate::mcp::http::HttpServer;
use crate::mcp::server::{McpServer, Settings};
use crate::mcp::sessions::Sessions;
use crate::mcp::stdio;
use crate::ready::{self, Ready};
use crate::registry::Registry;
use crate::room::Room;
use crate::tools::toolbox::{Toolbox, ToolboxError};
use crate::tools::watch::watch;
use crate::view::View;

/// Files that the process needs beside its sockets: standard streams, epoll, the ready file, name look-ups, watched
/// folders, and those who are told that there is no room.
const OTHER_FILES: u64 = 64 + REFUSALS as u64;

/// The address of a bridge without ports.
const NOWHERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED), 0);

/// Why a bridge did not start.
#[derive(Debug, Error)]
pub enum StartError {
    #[error(
        "port {port} on {host} is in use\nhint: set `{variable}` to another port (0 for any that is free), or end the program that has it"
    )]
    PortInUse { host: String, port: u16, variable: &'static str },
    #[error("failed to listen on {host}:{port} (`{variable}`)")]
    Listen { host: String, port: u16, variable: &'static str, source: std::io::Error },
    #[error("failed to write the ready file `{path}`")]
    ReadyFile { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Tools(#[from] ToolboxError),
    #[error(transparent)]
    Jobs(#[from] StoreError),
}

/// A running bridge. Dropping it stops accepting; [`Bridge::shutdown`] also closes what is open.
#[derive(Debug)]
#[must_use]
pub struct Bridge {
    /// Where MCP clients connect; none with stdio.
    pub mcp: Option<SocketAddr>,
    /// Where computers connect.
    pub link: SocketAddr,
    view: View,
    jobs: Arc<Keeper>,
    shutdown: CancellationToken,
    tasks: TaskTracker,
    stdio_ended: CancellationToken,
}

impl Bridge {
    /// Binds both sides, starts them, and writes the ready file.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        let sockets = raise_file_limit();
        let link = bind(&config.link).await?;
        let (mut bridge, server) = Self::open(&config, local(&link, &config.link)?)?;
        match config.mcp.clone() {
            McpTransport::Http { address, hosts, origins } => {
                let listener = bind(&address).await?;
                let bound = local(&listener, &address)?;
                let meaning = "call every tool, and so run Lua on every computer";
                warn_when_open("MCP", bound, config.mcp_token.is_some(), "MCP_TOKEN", meaning);
                bridge.mcp = Some(bound);
                let http = HttpServer { token: config.mcp_token.clone(), hosts, origins };
                bridge.listen_http(http, listener, server, sockets.http);
            }
            transport @ (McpTransport::Stdio | McpTransport::Desk) => {
                bridge.open_desk(&config, &server).await;
                if matches!(transport, McpTransport::Stdio) {
                    let (shutdown, ended) = (bridge.shutdown.clone(), bridge.stdio_ended.clone());
                    bridge.tasks.spawn(stdio::serve(server, shutdown, ended));
                }
            }
        }
        let meaning = "link as any computer, and take its place";
        warn_when_open("link", bridge.link, config.link_token.is_some(), "CC_LINK_TOKEN", meaning);
        let places = config.link_places.map_or(sockets.link, |places| places.min(sockets.link));
        bridge.listen(link, &config, places);
        bridge.announce(config.ready_file)?;
        Ok(bridge)
    }

    /// Serves the computers and the clients that come from these, and binds nothing: for a program that has the bridge
    /// inside it. Where clients come from is not looked at in the configuration; whom of them it admits is.
    pub fn serve(config: &Config, link: impl Accept, mcp: impl Accept) -> Result<Self, StartError> {
        let (bridge, server) = Self::open(config, NOWHERE)?;
        let (hosts, origins) = match config.mcp.clone() {
            McpTransport::Http { hosts, origins, .. } => (hosts, origins),
            McpTransport::Stdio | McpTransport::Desk => (Allowed::Any, Allowed::Any),
        };
        let http = HttpServer { token: config.mcp_token.clone(), hosts, origins };
        bridge.listen_http(http, mcp, server, HTTP_CONNECTIONS);
        bridge.listen(link, config, config.link_places.unwrap_or(LINK_SOCKETS));
        Ok(bridge)
    }

    /// All of a bridge but its two ports: who is linked, the jobs, the tools.
    fn open(config: &Config, link: SocketAddr) -> Result<(Self, McpServer), StartError> {
        let (registry, shutdown) = (Arc::new(Registry::default()), CancellationToken::new());
        let tasks = TaskTracker::new();
        let toolbox = Toolbox::open(config.tools.clone())?;
        let store = Store::open(config.state.as_deref(), config.sources.clone())?;
        let jobs = Keeper::new(store, registry.clone());
        tasks.spawn(jobs.clone().watch(shutdown.clone()));
        if toolbox.is_used() {
            tasks.spawn(watch(toolbox.clone(), shutdown.clone()));
        }
        let server = McpServer::new(Settings {
            registry: registry.clone(),
            probe_timeout: config.probe_timeout,
            exec_timeout: config.exec_timeout,
            timings: config.timings,
            shutdown: shutdown.clone(),
            toolbox,
            away: Away::default(),
            early: Away::default(),
            jobs: jobs.clone(),
            sources: config.sources.clone(),
        });
        let sessions = Arc::new(Sessions::new(config.sources.clone()));
        let view = View { registry, parts: Budget::new(PARTS_BYTES), sessions };
        let stdio_ended = CancellationToken::new();
        Ok((Self { mcp: None, link, view, jobs, shutdown, tasks, stdio_ended }, server))
    }

    /// Lets other agents of this user in, where they may.
    async fn open_desk(&self, config: &Config, server: &McpServer) {
        let Some(folder) = &config.desk else { return };
        match Desk::open(folder, self.link.port(), &config.sources).await {
            Ok(desk) => drop(self.tasks.spawn(desk.serve(server.clone(), self.shutdown.clone()))),
            Err(error) => tracing::warn!("no second agent can join: `{}`: {error}", folder.display()),
        }
    }

    fn listen_http(&self, http: HttpServer, listener: impl Accept, server: McpServer, connections: usize) {
        let (sessions, shutdown) = (self.view.sessions.clone(), self.shutdown.clone());
        self.tasks.spawn(http.listen(listener, server, sessions, connections, shutdown));
    }

    fn listen(&self, listener: impl Accept, config: &Config, places: usize) {
        let shared = Shared {
            registry: self.view.registry.clone(),
            token: config.link_token.clone(),
            timings: config.timings,
            budget: self.view.parts.clone(),
            shutdown: self.shutdown.clone(),
        };
        let room = Room::new("link", places, places - places.div_ceil(LINK_RESERVE));
        self.tasks.spawn(listener::listen(listener, Arc::new(shared), room, self.tasks.clone()));
    }

    fn announce(&self, ready_file: Option<PathBuf>) -> Result<(), StartError> {
        let (mcp, link) = (self.mcp_url(), self.link_url());
        tracing::info!("MCP clients connect to {mcp}");
        tracing::info!(
            "computers connect to {link}: run `mcp-computer ws://HOST:{}` on them",
            self.link.port()
        );
        let Some(path) = ready_file else { return Ok(()) };
        let ready = Ready { mcp: &mcp, link: &link, pid: std::process::id() };
        ready::write(&path, &ready).map_err(|source| StartError::ReadyFile { path, source })
    }

    /// The address of the MCP endpoint, or `stdio`.
    pub fn mcp_url(&self) -> String {
        self.mcp.map_or_else(|| "stdio".to_owned(), |address| format!("http://{}/mcp", reachable(address)))
    }

    /// The address of the link listener.
    pub fn link_url(&self) -> String {
        format!("ws://{}", reachable(self.link))
    }

    /// What it holds, for a program that has the bridge inside it.
    pub fn view(&self) -> View {
        self.view.clone()
    }

    /// Waits until the client on stdin has gone; for ever where MCP is on HTTP.
    pub async fn stdio_ended(&self) {
        self.stdio_ended.cancelled().await;
    }

    /// Stops accepting, closes every link with 1001, and waits for what is under way, but not for ever.
    pub async fn shutdown(self) {
        self.shutdown.cancel();
        self.view.registry.end_all(Ending::GoingAway);
        self.tasks.close();
        if tokio::time::timeout(SHUTDOWN, self.tasks.wait()).await.is_err() {
            tracing::warn!(open = self.tasks.len(), "not everything ended in time");
        }
        self.jobs.store.close();
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.shutdown.cancel();
        self.view.registry.end_all(Ending::GoingAway);
        self.jobs.store.close();
    }
}

async fn bind(address: &Address) -> Result<TcpListener, StartError> {
    let Address { host, port, variable } = address.clone();
    let plain = host.trim_start_matches('[').trim_end_matches(']');
    TcpListener::bind((plain, port)).await.map_err(|source| match source.kind() {
        std::io::ErrorKind::AddrInUse => StartError::PortInUse { host, port, variable },
        _ => StartError::Listen { host, port, variable, source },
    })
}

fn local(listener: &TcpListener, address: &Address) -> Result<SocketAddr, StartError> {
    let Address { host, port, variable } = address.clone();
    listener.local_addr().map_err(|source| StartError::Listen { host, port, variable, source })
}

/// An address that can be connected to: a wildcard is reached through loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        let loopback =
            if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() };
        address.set_ip(loopback);
    }
    address
}

fn warn_when_open(what: &str, bound: SocketAddr, has_token: bool, variable: &str, meaning: &str) {
    if !bound.ip().is_loopback() && !has_token {
        tracing::warn!(
            "the {what} port {bound} is open to the network without a token: whoever reaches it can {meaning}; set `{variable}`, or listen on 127.0.0.1"
        );
    }
}

struct Sockets {
    link: usize,
    http: usize,
}

/// Asks for as many open files as the machine allows, and shares them out so that neither side starves the other.
fn raise_file_limit() -> Sockets {
    let wanted = (LINK_SOCKETS + HTTP_CONNECTIONS) as u64 + OTHER_FILES;
    let given = rlimit::increase_nofile_limit(wanted).unwrap_or(wanted);
    let room = usize::try_from(given.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX);
    let http = HTTP_CONNECTIONS.min(room / 4);
    let link = LINK_SOCKETS.min(room - http);
    if link < COMPUTERS {
        tracing::warn!(
            "only {given} files may be open: {link} link sockets, and {COMPUTERS} are promised; raise `ulimit -n`"
        );
    }
    Sockets { link, http }
}
