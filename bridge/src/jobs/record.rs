//! What the bridge knows of one job.

use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// How far a job is. The last five are ends: nothing changes after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It was sent, or is about to be; whether the computer has it is not known yet.
    Starting,
    Running,
    Done,
    Failed,
    Cancelled,
    /// The computer stopped while it ran.
    Interrupted,
    /// The computer does not know it: it never arrived there, or the computer's disk is another one.
    Lost,
}

impl State {
    /// Whether nothing will change any more.
    pub fn is_end(self) -> bool {
        !matches!(self, Self::Starting | Self::Running)
    }
}

/// One job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub id: String,
    pub computer: u64,
    pub label: Option<String>,
    pub state: State,
    /// Milliseconds since 1970.
    pub created: u64,
    pub updated: u64,
    /// Bytes of output that are kept here.
    pub bytes: u64,
    /// How far the computer's own record of the output was read.
    pub fetched: u64,
    /// Somebody wants it to be cancelled.
    pub cancel: bool,
    /// The computer was told that it need not keep it.
    pub forgotten: bool,
    /// Bytes of what it returned, which the store keeps beside it.
    #[serde(default)]
    pub returned: u64,
    /// The name of the tool that it is a call of.
    #[serde(default)]
    pub tool: Option<String>,
    pub error: Option<String>,
}

impl Record {
    pub fn new(id: String, computer: u64, label: Option<String>, now: u64) -> Self {
        Self {
            id,
            computer,
            label,
            state: State::Starting,
            created: now,
            updated: now,
            bytes: 0,
            fetched: 0,
            cancel: false,
            forgotten: false,
            returned: 0,
            tool: None,
            error: None,
        }
    }

    /// Changes the state, at this time.
    pub fn set_state(&mut self, state: State, error: Option<String>, now: u64) {
        (self.state, self.error, self.updated) = (state, error, now);
    }

    /// Bytes that are kept for it, beside itself.
    pub fn size(&self) -> u64 {
        self.bytes + self.returned
    }
}

/// A time of a record as RFC 3339 writes it.
pub fn written(millis: u64) -> String {
    humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(millis)).to_string()
}
