//! What a server tells by itself: that its tools have changed, how far a call is. It asks this host for nothing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rmcp::model::{ClientConfig, Implementation, ProgressNotificationParam, ProgressToken, ProtocolVersion};
use rmcp::service::NotificationContext;
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::mpsc::UnboundedSender;

use crate::settings::Settings;

/// Calls whose progress may be kept before they say so; a server that makes up calls fills no memory.
const FOLLOWED: usize = 256;

/// What has been told, for those who ask.
#[derive(Debug)]
pub struct Told {
    changed: AtomicBool,
    progress: Mutex<HashMap<ProgressToken, Vec<String>>>,
    /// Hears progress as it comes.
    listener: Option<UnboundedSender<String>>,
    /// What is kept of one call, in messages and in bytes.
    kept: (usize, usize),
}

impl Told {
    pub fn new(settings: &Settings) -> Self {
        Self {
            changed: AtomicBool::default(),
            progress: Mutex::default(),
            listener: settings.progress.clone(),
            kept: settings.kept_progress,
        }
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

    pub(super) fn keep_progress(&self, note: &ProgressNotificationParam) {
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
        let (most_messages, most_bytes) = self.kept;
        if messages.len() < most_messages && bytes + message.len() <= most_bytes {
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
