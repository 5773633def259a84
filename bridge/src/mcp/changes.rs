//! Who hears that computers joined or left, that tools changed, or what became of tasks: clients of both eras, each in its
//! way, and not too often.

use std::sync::{Arc, Weak};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

use super::server::{Client, Settings};
use super::tasks::subscribed;
use crate::computer::named;
use crate::registry::News;

/// All that a client may hear of.
#[derive(Debug)]
pub struct Heard {
    computers: watch::Receiver<u64>,
    tools: watch::Receiver<u64>,
    news: broadcast::Receiver<News>,
}

impl Heard {
    /// Everything that happens from now on.
    pub fn from_now(settings: &Settings) -> Self {
        Self {
            computers: settings.registry.watch(),
            tools: settings.toolbox.watch(),
            news: settings.registry.news(),
        }
    }
}

/// Tells a client of the handshake era of every change, until its session ends; and in words, where it has set a
/// level for its log.
pub async fn tell(
    settings: Arc<Settings>,
    peer: Peer<RoleServer>,
    ended: CancellationToken,
    client: Weak<Client>,
    heard: Heard,
) {
    let Heard { computers, tools, news } = heard;
    let together = settings.timings.list_changed;
    // What comes at one moment is told in one order.
    tokio::select! {
        biased;
        () = each(computers, together, || peer.notify_resource_list_changed()) => {}
        () = each(tools, together, || peer.notify_tool_list_changed()) => {}
        () = log(&peer, &client, news) => {}
        () = ended.cancelled() => {}
        () = settings.shutdown.cancelled() => {}
    }
}

#[expect(deprecated, reason = "logging is deprecated from 2026-07-28 on, and part of the handshake era")]
async fn log(peer: &Peer<RoleServer>, client: &Weak<Client>, mut news: broadcast::Receiver<News>) {
    use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
    loop {
        let news = match news.recv().await {
            Ok(news) => news,
            Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        if !client.upgrade().is_some_and(|client| client.wants(LoggingLevel::Info)) {
            continue;
        }
        let verb = if news.linked { "linked" } else { "left" };
        let text = json!(format!("{} {verb}", named(&news.identity)));
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, text).with_logger("link");
        if peer.notify_logging_message(message).await.is_err() {
            return;
        }
    }
}

/// Tells a client of the stateless era of every change, until it closes its stream.
pub async fn listen(settings: &Settings, context: SubscriptionContext) {
    let (computers, tools) = (settings.registry.watch(), settings.toolbox.watch());
    let (together, sink) = (settings.timings.list_changed, context.sink());
    let wants_computers = context.accepted().resources_list_changed == Some(true);
    let wants_tools = context.accepted().tools_list_changed == Some(true);
    // The client listens on when all of its tasks have ended.
    let tasks = async {
        subscribed::tell(settings, &context).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        biased;
        () = each(computers, together, || sink.notify_resource_list_changed()), if wants_computers => {}
        () = each(tools, together, || sink.notify_tool_list_changed()), if wants_tools => {}
        () = tasks => {}
        () = context.cancelled() => {}
        () = settings.shutdown.cancelled() => {}
    }
}

/// Tells of each change, and of those that come a little after it together with it, until nobody hears it.
async fn each<E, F>(mut changes: watch::Receiver<u64>, together: Duration, tell: impl Fn() -> F)
where
    F: Future<Output = Result<(), E>>,
{
    while changes.changed().await.is_ok() {
        tokio::time::sleep(together).await;
        changes.mark_unchanged();
        if tell().await.is_err() {
            return;
        }
    }
}
