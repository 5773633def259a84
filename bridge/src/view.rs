//! What a program sees of a bridge that it has inside it: who is linked, and what is held for whom.

use std::sync::Arc;

use crate::budget::Budget;
use crate::mcp::sessions::Sessions;
use crate::registry::Registry;

/// A look into a running bridge; it may outlive it.
#[derive(Debug, Clone)]
pub struct View {
    pub registry: Arc<Registry>,
    pub(crate) parts: Arc<Budget>,
    pub(crate) sessions: Arc<Sessions>,
}

/// What a bridge holds. All of it belongs to a call: when nobody waits for one any more, it is nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Held {
    /// Requests that wait for a computer's answer, of all computers and of the one that has most.
    pub waiting: usize,
    pub most_waiting: usize,
    /// Bytes that wait to be sent to computers.
    pub queued_bytes: usize,
    /// Bytes of answers that have come in part, and of what running chunks have printed.
    pub parts_bytes: usize,
    /// Sessions of clients that have a call under way.
    pub busy_sessions: usize,
}

impl Held {
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }
}

impl View {
    pub fn held(&self) -> Held {
        let all = self.registry.all();
        let waiting = all.iter().map(|computer| computer.waiting());
        Held {
            most_waiting: waiting.clone().max().unwrap_or(0),
            waiting: waiting.sum(),
            queued_bytes: all.iter().map(|computer| computer.queued_bytes()).sum(),
            parts_bytes: self.parts.used(),
            busy_sessions: self.sessions.busy(),
        }
    }
}
