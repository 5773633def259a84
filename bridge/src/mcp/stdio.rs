//! MCP on stdin and stdout, for clients that start the bridge themselves.

use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio_pipes;
use tokio_util::sync::CancellationToken;

use super::server::McpServer;

/// Serves the one client there is until stdin ends, then says so.
pub async fn serve(server: McpServer, shutdown: CancellationToken, ended: CancellationToken) {
    let _ended = ended.drop_guard();
    let client = async {
        match server.serve_with_ct(stdio_pipes(), shutdown.child_token()).await {
            Ok(running) => drop(running.waiting().await),
            Err(error) => tracing::warn!(%error, "the client on stdin did not begin as MCP does"),
        }
    };
    tokio::select! {
        () = client => {}
        () = shutdown.cancelled() => {}
    }
}
