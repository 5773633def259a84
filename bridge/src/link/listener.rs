//! Accepts the computers' sockets, a bounded number of them, and gives each a task of its own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::session::{Shared, serve};
use super::upgrade::{Gate, upgrade};
use crate::accept::Accept;
use crate::limits::REFUSALS;
use crate::room::Room;

/// How long to hold off when the machine has no socket to give: long enough not to spin, short enough that
/// nobody's own retry is slower.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(50);

/// How long one for whom there is no room may take to hear of it.
const REFUSAL: Duration = Duration::from_secs(2);

/// Accepts until the shutdown token fires; each link ends by itself after that.
pub async fn listen(mut listener: impl Accept, shared: Arc<Shared>, room: Arc<Room>, tasks: TaskTracker) {
    let refusals = Arc::new(Semaphore::new(REFUSALS));
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
        match room.enter(peer.ip()) {
            Ok(seat) => {
                let shared = shared.clone();
                tasks.spawn(async move { serve(stream, &peer.to_string(), &shared, &seat).await });
            }
            // Only so many are told why; a flood of the others is closed without a word.
            Err(refused) => {
                let Ok(permit) = refusals.clone().try_acquire_owned() else { continue };
                tasks.spawn(async move {
                    refuse(stream, peer, &refused.to_string()).await;
                    drop(permit);
                });
            }
        }
    }
}

/// Answers the upgrade with why it cannot be: CraftOS-PC and the game show HTTP's own words to their user.
async fn refuse<S>(stream: S, peer: SocketAddr, why: &str)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let _ = timeout(REFUSAL, upgrade(stream, Gate::Full(why))).await;
    tracing::debug!(%peer, "no link: {why}");
}
