//! What a server tells by itself: that its tools have changed, how far a call is. It asks this host for nothing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rmcp::model::{
    ClientConfig, Implementation, JsonRpcMessage, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ServerNotification,
};
use rmcp::service::{NotificationContext, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::mpsc::UnboundedSender;

/// The progress that is kept of one call: a call that reports more is reporting to nobody.
const PROGRESS_MESSAGES: usize = 1000;
const PROGRESS_BYTES: usize = 1024 * 1024;

/// Calls whose progress may be kept before they say so; a server that makes up calls fills no memory.
const FOLLOWED: usize = 256;

/// What has been told, for those who ask.
#[derive(Debug, Default)]
pub struct Told {
    changed: AtomicBool,
    progress: Mutex<HashMap<ProgressToken, Vec<String>>>,
    listener: Option<UnboundedSender<String>>,
}

impl Told {
    /// The listener hears progress as it comes.
    pub fn new(listener: Option<UnboundedSender<String>>) -> Self {
        Self { listener, ..Self::default() }
    }

    /// Tells whether the tools have changed since this was asked the last time.
    pub fn take_change(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    pub fn change(&self) {
        self.changed.store(true, Ordering::Release);
    }

    pub fn has_changed(&self) -> bool {
        self.changed.load(Ordering::Acquire)
    }

    /// Begins to keep the progress of a call.
    pub fn follow(&self, token: ProgressToken) {
        self.progress
            .lock()
            .expect("the lock is never poisoned: no code panics while holding it")
            .entry(token)
            .or_default();
    }

    fn keep_progress(&self, note: &ProgressNotificationParam) {
        let mut progress =
            self.progress.lock().expect("the lock is never poisoned: no code panics while holding it");
        // It may come before the call has said that it is followed.
        if !progress.contains_key(&note.progress_token) && progress.len() >= FOLLOWED {
            return;
        }
        let Some(message) = &note.message else { return };
        if let Some(listener) = &self.listener {
            let _ = listener.send(message.clone());
        }
        let messages = progress.entry(note.progress_token.clone()).or_default();
        let bytes: usize = messages.iter().map(String::len).sum();
        if messages.len() < PROGRESS_MESSAGES && bytes + message.len() <= PROGRESS_BYTES {
            messages.push(message.clone());
        }
    }

    /// Ends it, and gives what has come.
    pub fn take_progress(&self, token: &ProgressToken) -> Vec<String> {
        self.progress
            .lock()
            .expect("the lock is never poisoned: no code panics while holding it")
            .remove(token)
            .unwrap_or_default()
    }
}

/// The host's side of a connection.
#[derive(Debug, Clone)]
pub struct Handler {
    pub name: String,
    pub version: String,
    pub protocol: ProtocolVersion,
    pub told: Arc<Told>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        info.protocol_version = self.protocol.clone();
        info.client_info = Implementation::new(self.name.clone(), self.version.clone());
        info
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.told.change();
    }
}

/// A transport whose progress is heard as it comes in: rmcp gives each notification to a task of its own, which may run
/// after those that follow it, and after the answer.
#[derive(Debug)]
pub struct Heard<T> {
    pub inner: T,
    pub told: Arc<Told>,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Heard<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        if let JsonRpcMessage::Notification(notification) = &message
            && let ServerNotification::ProgressNotification(progress) = &notification.notification
        {
            self.told.keep_progress(&progress.params);
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
