//! A bridge in this process, on free ports of loopback, with short pauses.

use std::sync::Arc;
use std::time::Duration;

use mcp_bridge::config::{Address, Allowed, Config, McpTransport, Timings};
use mcp_bridge::registry::Registry;
use mcp_bridge::secret::Secret;
use mcp_bridge::sources::Sources;
use mcp_bridge::{Bridge, Held};

use super::{Client, Era, FakeComputer, within};

/// A running bridge; it ends with the test.
pub struct TestBridge {
    bridge: Bridge,
}

/// The configuration of a test: loopback, free ports, times that do not bore.
pub fn config() -> Config {
    let address = |variable| Address { host: "127.0.0.1".into(), port: 0, variable };
    let loopback = |list: &[&str]| Allowed::Only(list.iter().map(ToString::to_string).collect());
    Config {
        mcp: McpTransport::Http {
            address: address("MCP_PORT"),
            hosts: loopback(&["127.0.0.1", "localhost"]),
            origins: loopback(&["http://localhost:*"]),
        },
        mcp_token: None,
        link: address("CC_LINK_PORT"),
        link_token: None,
        // Whoever wants to see a timeout makes it shorter: on a busy machine an answer takes its time.
        probe_timeout: super::PATIENCE,
        exec_timeout: Duration::from_secs(15),
        ready_file: None,
        tools: Vec::new(),
        state: None,
        desk: None,
        link_places: None,
        timings: Timings { list_changed: Duration::from_millis(5), ..Timings::default() },
        sources: Sources::of_system(),
    }
}

impl TestBridge {
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let mut config = config();
        change(&mut config);
        Self { bridge: Bridge::start(config).await.expect("free ports on loopback") }
    }

    pub async fn with_tokens(link: Option<&str>, mcp: Option<&str>) -> Self {
        Self::with(|config| {
            config.link_token = link.and_then(Secret::new);
            config.mcp_token = mcp.and_then(Secret::new);
        })
        .await
    }

    pub fn mcp_url(&self) -> String {
        self.bridge.mcp_url()
    }

    pub fn base_url(&self) -> String {
        self.mcp_url().trim_end_matches("/mcp").to_owned()
    }

    pub fn link_address(&self) -> std::net::SocketAddr {
        self.bridge.link
    }

    pub fn registry(&self) -> Arc<Registry> {
        self.bridge.view().registry
    }

    pub fn held(&self) -> Held {
        self.bridge.view().held()
    }

    /// Waits until exactly so many computers are linked.
    pub async fn linked(&self, count: usize) {
        let registry = self.registry();
        let mut changes = registry.watch();
        within("computers to link or leave", async {
            while registry.count() != count {
                changes.changed().await.expect("the registry outlives the test");
            }
        })
        .await;
    }

    /// A client of the handshake era.
    pub async fn client(&self) -> Client {
        Client::connect(&self.mcp_url(), Era::Handshake("2025-11-25")).await
    }

    /// A computer of the first version that answers by itself.
    pub async fn computer(&self, id: u64, label: &str) {
        FakeComputer::link(self.link_address(), &hello(id, label)).await.serve();
    }

    pub async fn shutdown(self) {
        self.bridge.shutdown().await;
    }
}

/// A hello of the first version.
pub fn hello(id: u64, label: &str) -> String {
    serde_json::json!({ "type": "hello", "computerId": id, "computerLabel": label }).to_string()
}

/// A hello that asks for everything.
pub fn full_hello(id: u64, label: &str) -> String {
    serde_json::json!({
        "type": "hello", "computerId": id, "computerLabel": label, "version": "0.2.0",
        "capabilities": ["exec-lua", "cancel", "output", "parts"],
    })
    .to_string()
}
