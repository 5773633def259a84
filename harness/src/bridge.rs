//! The bridge of a run: inside this process on free ports, or any command that takes `--ready-file`.

mod inside;
mod simulated;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_bridge::config::{Address, Allowed, Config, McpTransport, Timings};
use mcp_bridge::secret::Secret;
use mcp_bridge::sources::Sources;
use mcp_bridge::{Held, View};
use thiserror::Error;
use tokio::process::Command;

use self::inside::Inside;
pub(crate) use self::inside::logged;
use self::simulated::Simulated;
use crate::computer::{Process, Status};
use crate::net::Net;
use crate::record::Record;
use crate::scratch::Scratch;

/// What a bridge of somebody else's may take to listen.
const READY: Duration = Duration::from_secs(15);

/// What a bridge may take to close its links when it is asked to end.
const ENDING: Duration = Duration::from_secs(3);

/// The signal that asks a process to end.
const SIGTERM: i32 = 15;

/// What a bridge reads besides its ports.
const BRIDGE_VARIABLES: [&str; 8] = [
    "CC_EXEC_TIMEOUT_MS",
    "CC_LINK_TOKEN",
    "CC_PROBE_TIMEOUT_MS",
    "CC_TOOLS",
    "MCP_ALLOWED_HOSTS",
    "MCP_ALLOWED_ORIGINS",
    "MCP_HOST",
    "MCP_TOKEN",
];

/// How often the ready file is looked for.
const LOOK: Duration = Duration::from_millis(5);

/// Why there is no bridge.
#[derive(Debug, Error)]
pub enum BridgeError {
    #[error("failed to start the bridge")]
    Start(#[from] mcp_bridge::StartError),
    #[error("failed to listen for the bridge")]
    Listen(#[source] std::io::Error),
    #[error("failed to start a thread for the bridge")]
    Thread(#[source] std::io::Error),
    #[error("failed to start the bridge `{command}`")]
    Command { command: String, source: std::io::Error },
    #[error(
        "the bridge `{command}` ended before it was ready: {exit}\n{output}hint: it must take `--ready-file F`, write `{{\"mcp\":…,\"link\":…}}` to it, and run until SIGTERM"
    )]
    Ended { command: String, exit: Status, output: String },
    #[error(
        "the bridge `{command}` wrote no ready file within {seconds} s\n{output}hint: it must take `--ready-file F` and write `{{\"mcp\":…,\"link\":…}}` to it"
    )]
    NotReady { command: String, seconds: u64, output: String },
    #[error("the bridge `{command}` died: {exit}\n{output}")]
    Died { command: String, exit: Status, output: String },
    #[error("the bridge `{command}` did not end within {seconds} s of SIGTERM\n{output}")]
    Hung { command: String, seconds: u64, output: String },
    #[error("the bridge `{command}` crashed at its end: {exit}\n{output}")]
    BadEnd { command: String, exit: Status, output: String },
}

/// What a bridge is started with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BridgeSpec {
    /// A command of the user's; none for the bridge inside this process.
    pub command: Option<Vec<String>>,
    /// Ports of the bridge inside this process; 0 for any that is free.
    pub mcp_port: u16,
    pub link_port: u16,
    pub probe_timeout_ms: Option<u64>,
    pub exec_timeout_ms: Option<u64>,
    /// How long the bridge inside this process waits for the hello of a computer; its own limit without it.
    pub hello_timeout: Option<Duration>,
    pub link_token: Option<String>,
    pub mcp_token: Option<String>,
    /// Folders that declare tools in Lua.
    pub tools: Vec<PathBuf>,
}

/// A running bridge; it ends when dropped.
#[derive(Debug)]
#[must_use]
pub struct RunningBridge {
    pub mcp_url: String,
    pub link: SocketAddr,
    inside: Option<Inside>,
    simulated: Option<Simulated>,
    /// A command of the user's, with its process.
    process: Option<(String, Process)>,
    record: Arc<Record>,
}

impl RunningBridge {
    /// Starts it, and puts what it logs into a record.
    pub async fn start(spec: &BridgeSpec, record: &Arc<Record>, net: &Net) -> Result<Self, BridgeError> {
        match (&spec.command, net) {
            (Some(words), _) => Self::start_command(words, spec, record).await,
            (None, Net::Loopback) => Self::start_inside(spec, record).await,
            (None, Net::Simulated(simulation)) => {
                let sources = Sources::seeded(simulation.draw());
                let simulated = Simulated::start(&Config { sources, ..config(spec) }, net).await?;
                let (mcp_url, link, record) = (simulated.mcp_url.clone(), simulated.link, record.clone());
                Ok(Self { mcp_url, link, inside: None, simulated: Some(simulated), process: None, record })
            }
        }
    }

    async fn start_inside(spec: &BridgeSpec, record: &Arc<Record>) -> Result<Self, BridgeError> {
        let inside = Inside::start(config(spec), record.clone()).await?;
        let (mcp_url, link, record) = (inside.mcp_url.clone(), inside.link, record.clone());
        Ok(Self { mcp_url, link, inside: Some(inside), simulated: None, process: None, record })
    }

    async fn start_command(
        words: &[String],
        spec: &BridgeSpec,
        record: &Arc<Record>,
    ) -> Result<Self, BridgeError> {
        let shown = words.join(" ");
        let failed = |source| BridgeError::Command { command: shown.clone(), source };
        let folder = Scratch::new("bridge").map_err(failed)?;
        let ready = folder.path().join("ready.json");
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg("--ready-file").arg(&ready);
        command.env("MCP_PORT", "0").env("CC_LINK_PORT", "0").env("CC_LINK_HOST", "127.0.0.1");
        let numbers =
            [("CC_PROBE_TIMEOUT_MS", spec.probe_timeout_ms), ("CC_EXEC_TIMEOUT_MS", spec.exec_timeout_ms)];
        // What is set for the harness, or for a bridge of the user's, is not meant for this one.
        for name in BRIDGE_VARIABLES {
            command.env_remove(name);
        }
        for (name, value) in numbers {
            value.map(|value| command.env(name, value.to_string()));
        }
        for (name, value) in [("CC_LINK_TOKEN", &spec.link_token), ("MCP_TOKEN", &spec.mcp_token)] {
            value.as_ref().map(|value| command.env(name, value));
        }
        for folder in &spec.tools {
            command.arg("--tools").arg(folder);
        }
        let process = Process::spawn(command).map_err(failed)?;
        let deadline = tokio::time::Instant::now() + READY;
        while tokio::time::Instant::now() < deadline {
            if let Some((mcp_url, link)) = std::fs::read(&ready).ok().and_then(|bytes| read_ready(&bytes)) {
                let record = record.clone();
                let process = Some((shown, process));
                return Ok(Self { mcp_url, link, inside: None, simulated: None, process, record });
            }
            if let Some(exit) = process.status() {
                process.drained().await;
                return Err(BridgeError::Ended { command: shown, exit, output: process.output() });
            }
            tokio::time::sleep(LOOK).await;
        }
        Err(BridgeError::NotReady { command: shown, seconds: READY.as_secs(), output: process.output() })
    }

    /// The ids of who is linked, where the bridge is inside this process.
    pub fn linked(&self) -> Vec<(u64, Option<String>)> {
        let all = self.view().map(|view| view.registry.all()).unwrap_or_default();
        all.iter().map(|one| (one.id, one.identity().label.as_ref().map(ToString::to_string))).collect()
    }

    /// What it holds for others, where the bridge is inside this process.
    pub fn held(&self) -> Held {
        self.view().map(View::held).unwrap_or_default()
    }

    fn view(&self) -> Option<&View> {
        let inside = self.inside.as_ref().map(|inside| &inside.view);
        inside.or(self.simulated.as_ref().map(|simulated| &simulated.view))
    }

    /// How the bridge died, if it has: with its status and its last words.
    pub async fn death(&self) -> Option<BridgeError> {
        let (command, process) = self.process.as_ref()?;
        let exit = process.status()?;
        process.drained().await;
        Some(BridgeError::Died { command: command.clone(), exit, output: process.output() })
    }

    /// Closes every link and ends the bridge. One that has ended before, crashes or has to be killed is an error.
    pub async fn shutdown(self) -> Result<(), BridgeError> {
        if let Some(death) = self.death().await {
            return Err(death);
        }
        if let Some(bridge) = self.inside {
            bridge.shutdown().await;
        }
        if let Some(bridge) = self.simulated {
            bridge.shutdown().await;
        }
        let Some((command, process)) = self.process else { return Ok(()) };
        process.terminate_within(ENDING).await;
        process.drained().await;
        let output = process.output();
        self.record.keep_log("bridge", &output);
        match process.status() {
            // Windows has no way to ask: there it is always killed.
            _ if process.was_killed() && cfg!(unix) => {
                Err(BridgeError::Hung { command, seconds: ENDING.as_secs(), output })
            }
            Some(exit) if !process.was_killed() && !is_orderly(exit) => {
                Err(BridgeError::BadEnd { command, exit, output })
            }
            _ => Ok(()),
        }
    }
}

/// Whether a process ended as one does that was asked to: with code 0, or by the signal that asked, which shells give
/// as 143.
fn is_orderly(exit: Status) -> bool {
    matches!(exit, Status::Code(0 | 143) | Status::Signal(SIGTERM))
}

fn config(spec: &BridgeSpec) -> Config {
    let address = |port, variable| Address { host: "127.0.0.1".to_owned(), port, variable };
    let list = |entries: &[&str]| Allowed::Only(entries.iter().map(ToString::to_string).collect());
    let token = |token: &Option<String>| token.clone().and_then(Secret::new);
    Config {
        mcp: McpTransport::Http {
            address: address(spec.mcp_port, "MCP_PORT"),
            hosts: list(&["127.0.0.1", "localhost"]),
            origins: list(&["http://127.0.0.1:*", "http://localhost:*"]),
        },
        mcp_token: token(&spec.mcp_token),
        link: address(spec.link_port, "CC_LINK_PORT"),
        link_token: token(&spec.link_token),
        probe_timeout: Duration::from_millis(spec.probe_timeout_ms.unwrap_or(2000)),
        exec_timeout: Duration::from_millis(spec.exec_timeout_ms.unwrap_or(30_000)),
        ready_file: None,
        tools: spec.tools.clone(),
        state: None,
        desk: None,
        link_places: None,
        timings: Timings {
            hello: spec.hello_timeout.unwrap_or(Timings::default().hello),
            ..Timings::default()
        },
        sources: Sources::of_system(),
    }
}

fn read_ready(bytes: &[u8]) -> Option<(String, SocketAddr)> {
    let ready: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    let link = ready["link"].as_str()?.strip_prefix("ws://")?.trim_end_matches('/').parse().ok()?;
    Some((ready["mcp"].as_str()?.to_owned(), link))
}
