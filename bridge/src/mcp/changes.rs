//! Who hears that computers joined or left: clients of both eras, each in its way, and not too often.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::server::Settings;

/// Tells a client of the handshake era of every change, until its session ends.
pub async fn tell(settings: Arc<Settings>, peer: Peer<RoleServer>, ended: CancellationToken) {
    let mut changes = settings.registry.watch();
    let news = async {
        while next(&mut changes, settings.timings.list_changed).await {
            if peer.notify_resource_list_changed().await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = news => {}
        () = ended.cancelled() => {}
        () = settings.shutdown.cancelled() => {}
    }
}

/// Tells a client of the stateless era of every change, until it closes its stream.
pub async fn listen(settings: &Settings, context: SubscriptionContext) {
    let mut changes = settings.registry.watch();
    let wanted = context.accepted().resources_list_changed == Some(true);
    let news = async {
        while wanted && next(&mut changes, settings.timings.list_changed).await {
            if context.sink().notify_resource_list_changed().await.is_err() {
                return;
            }
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = news => {}
        () = context.cancelled() => {}
        () = settings.shutdown.cancelled() => {}
    }
}

/// Waits for a change, and then a little for those that come with it; false when there will be none.
async fn next(changes: &mut watch::Receiver<u64>, together: Duration) -> bool {
    if changes.changed().await.is_err() {
        return false;
    }
    tokio::time::sleep(together).await;
    changes.mark_unchanged();
    true
}
