//! A bridge of a simulation: on the one thread of everybody, reached in memory.

use std::net::SocketAddr;

use mcp_bridge::config::Config;
use mcp_bridge::{Bridge, View};
use tokio_util::sync::CancellationToken;

use super::BridgeError;
use crate::net::Net;

/// A running bridge. Dropping it kills it: it says nothing more to anyone.
#[derive(Debug)]
pub struct Simulated {
    pub mcp_url: String,
    pub link: SocketAddr,
    pub view: View,
    bridge: Option<Bridge>,
    cut: CancellationToken,
}

impl Simulated {
    pub async fn start(config: &Config, net: &Net) -> Result<Self, BridgeError> {
        let cut = CancellationToken::new();
        let (link, computers) = net.listen(cut.clone()).await.map_err(BridgeError::Listen)?;
        let (mcp, clients) = net.listen(cut.clone()).await.map_err(BridgeError::Listen)?;
        let bridge = Bridge::serve(config, computers, clients)?;
        let (mcp_url, view) = (format!("http://{mcp}/mcp"), bridge.view());
        Ok(Self { mcp_url, link, view, bridge: Some(bridge), cut })
    }

    /// Closes every link and ends the bridge.
    pub async fn shutdown(mut self) {
        if let Some(bridge) = self.bridge.take() {
            bridge.shutdown().await;
        }
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        self.cut.cancel();
    }
}
