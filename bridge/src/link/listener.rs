//! Accepts the computers' sockets, a bounded number of them, and gives each a task of its own.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use super::session::{Shared, serve};
use crate::room::Room;

/// How long to hold off when the machine has no socket to give: long enough not to spin, short enough that
/// nobody's own retry is slower.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(50);

/// Accepts until the shutdown token fires; each link ends by itself after that.
pub async fn listen(listener: TcpListener, shared: Arc<Shared>, sockets: usize, tasks: TaskTracker) {
    let room = Room::new("link", sockets);
    loop {
        let accepted = tokio::select! {
            biased;
            () = shared.shutdown.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "failed to accept a link");
                tokio::time::sleep(OUT_OF_SOCKETS).await;
                continue;
            }
        };
        let Some(seat) = room.enter() else { continue };
        let _ = stream.set_nodelay(true);
        let shared = shared.clone();
        tasks.spawn(async move { serve(stream, &peer.to_string(), &shared, &seat).await });
    }
}
