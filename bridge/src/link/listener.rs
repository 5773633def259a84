//! Accepts the computers' sockets, a bounded number of them, and gives each a task of its own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::life::{Shared, serve};
use super::upgrade::{Gate, upgrade};
use crate::accept::{Accept, accept_each};
use crate::limits::REFUSALS;
use crate::room::Room;

/// How long one for whom there is no room may take to hear of it.
const REFUSAL: Duration = Duration::from_secs(2);

/// Accepts until the shutdown token fires; each link ends by itself after that.
pub async fn listen(listener: impl Accept, shared: Arc<Shared>, room: Arc<Room>, tasks: TaskTracker) {
    let (refusals, shutdown) = (Arc::new(Semaphore::new(REFUSALS)), shared.shutdown.clone());
    accept_each(listener, "a link", &shutdown, |stream, peer| match room.enter(peer.ip()) {
        Ok(seat) => {
            let shared = shared.clone();
            tasks.spawn(async move { serve(stream, &peer.to_string(), &shared, &seat).await });
        }
        // Only so many are told why; a flood of the others is closed without a word.
        Err(refused) => {
            let Ok(permit) = refusals.clone().try_acquire_owned() else { return };
            tasks.spawn(async move {
                refuse(stream, peer, &refused.to_string()).await;
                drop(permit);
            });
        }
    })
    .await;
}

/// Answers the upgrade with why it cannot be: CraftOS-PC and the game show HTTP's own words to their user.
async fn refuse<S>(stream: S, peer: SocketAddr, why: &str)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let _ = timeout(REFUSAL, upgrade(stream, Gate::Full(why))).await;
    tracing::debug!(%peer, "no link: {why}");
}
