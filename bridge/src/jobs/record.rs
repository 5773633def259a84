//! What the bridge knows of one job.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    /// What a chunk returned, described; of a tool, its whole result.
    pub returns: Option<Value>,
    /// The name of the tool that it is a call of.
    #[serde(default)]
    pub tool: Option<String>,
    pub error: Option<String>,
}

impl Record {
    pub fn new(id: String, computer: u64, label: Option<String>) -> Self {
        Self {
            id,
            computer,
            label,
            state: State::Starting,
            created: now(),
            updated: now(),
            bytes: 0,
            fetched: 0,
            cancel: false,
            forgotten: false,
            returns: None,
            tool: None,
            error: None,
        }
    }

    /// Changes the state.
    pub fn set_state(&mut self, state: State, error: Option<String>) {
        (self.state, self.error, self.updated) = (state, error, now());
    }
}

/// A time of a record as RFC 3339 writes it.
pub fn written(millis: u64) -> String {
    humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(millis)).to_string()
}

pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
