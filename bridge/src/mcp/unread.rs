//! What the answers to HTTP requests take until their clients have read them, out of a budget that all share.

use std::io;
use std::sync::{Arc, Weak};

use axum::http::request::Parts;
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde::Serialize;

use super::sessions::Sessions;
use crate::budget::{Budget, Share};

/// What a client hears whose answer has no room.
pub const NO_ROOM: &str = "too many large answers wait for clients that do not read them; try again";

/// How often an answer is in memory, as bytes of JSON: as values and their text, and written out as events.
const COPIES: usize = 3;

/// The room of one request's answer. It goes to the tool in the extensions of the request's head, and is given back when
/// neither the connection nor the session has a use for the answer any more.
#[derive(Debug, Clone)]
pub struct Unread(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    share: Mutex<Share>,
    sessions: Weak<Sessions>,
}

impl Unread {
    pub fn new(budget: &Arc<Budget>, sessions: &Arc<Sessions>) -> Self {
        Self(Arc::new(Inner { share: Mutex::new(budget.share()), sessions: Arc::downgrade(sessions) }))
    }

    /// That of a request; nothing where it came another way than over HTTP.
    pub fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        context.extensions.get::<Parts>()?.extensions.get::<Self>().cloned()
    }

    /// Takes room for an answer. Where there is none, answers that are only kept for clients that may come back make it.
    pub fn takes(&self, answer: &impl Serialize) -> bool {
        let mut counted = Counted(0);
        serde_json::to_writer(&mut counted, answer).expect("an answer is JSON, and counting never fails");
        let bytes = counted.0 * COPIES;
        if self.0.share.lock().take(bytes) {
            return true;
        }
        if let Some(sessions) = self.0.sessions.upgrade() {
            sessions.forget_answers();
        }
        self.0.share.lock().take(bytes)
    }
}

/// Counts what is written to it.
struct Counted(usize);

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
