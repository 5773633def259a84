//! MCP on stdin and stdout, for clients that start the bridge themselves.

use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::io::stdio_pipes;
use rmcp::transport::{IntoTransport, Transport};
use rmcp::{RoleServer, ServiceExt as _};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::server::McpServer;

/// Messages that wait for a client that does not read. With so many, what it says next is not taken up: a client that
/// never reads costs these and no more.
const UNREAD: usize = 256;

/// Serves the one client there is until stdin ends, then says so.
pub async fn serve(server: McpServer, shutdown: CancellationToken, ended: CancellationToken) {
    let _ended = ended.drop_guard();
    serve_pipes(server, stdio_pipes(), &shutdown).await;
}

/// Serves a client that speaks one message in each line, until it has no more to say.
pub async fn serve_pipes<P, E, A>(server: McpServer, pipes: P, shutdown: &CancellationToken)
where
    P: IntoTransport<RoleServer, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let transport = Patient { inner: pipes.into_transport(), room: Arc::new(Semaphore::new(UNREAD)) };
    let client = async {
        match server.serve_with_ct(transport, shutdown.child_token()).await {
            Ok(running) => drop(running.waiting().await),
            Err(error) => tracing::warn!(%error, "the client did not begin as MCP does"),
        }
    };
    tokio::select! {
        () = client => {}
        () = shutdown.cancelled() => {}
    }
}

/// A transport that takes nothing up from a peer that does not read what it was told.
struct Patient<T> {
    inner: T,
    /// A permit for each message that may wait to be written.
    room: Arc<Semaphore>,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        // What is to be sent is sent in any case; only with room is more taken up.
        let waiting = self.room.clone().try_acquire_owned();
        let sent = self.inner.send(message);
        async move {
            let outcome = sent.await;
            drop(waiting);
            outcome
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        drop(self.room.acquire().await);
        self.inner.receive().await
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}
