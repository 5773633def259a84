//! Calls that wait for input of a client of the stateless era: it goes away with the questions, and comes back with
//! answers and the name of the call, which nobody can guess.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::time::sleep_until;

use super::ask::Question;
use super::call::ToolCall;
use crate::sources::Sources;
use crate::tools::LuaTool;

/// Calls that may wait at once; each holds a place at its computer.
const MOST: usize = 256;

type Waiting = BTreeMap<String, (ToolCall, Vec<Question>)>;

/// All calls that wait for input, by the `requestState` that the client has.
#[derive(Debug)]
pub struct Parked {
    waiting: Arc<Mutex<Waiting>>,
    sources: Sources,
}

impl Parked {
    pub fn new(sources: Sources) -> Self {
        Self { waiting: Arc::default(), sources }
    }

    /// Puts a call aside until its deadline, at which it is cancelled; nothing where there is no room.
    pub fn park(&self, call: ToolCall, questions: Vec<Question>) -> Option<String> {
        let mut waiting = self.waiting.lock();
        if waiting.len() >= MOST {
            return None;
        }
        let state = self.sources.id().to_string();
        tokio::spawn(forget_at(call.call.deadline, Arc::downgrade(&self.waiting), state.clone()));
        waiting.insert(state.clone(), (call, questions));
        Some(state)
    }

    /// Takes a call of this tool back up.
    pub fn take(&self, state: &str, tool: &LuaTool) -> Option<(ToolCall, Vec<Question>)> {
        let mut waiting = self.waiting.lock();
        if waiting.get(state)?.0.tool.listed.name != tool.listed.name {
            return None;
        }
        waiting.remove(state)
    }
}

async fn forget_at(deadline: tokio::time::Instant, waiting: Weak<Mutex<Waiting>>, state: String) {
    sleep_until(deadline).await;
    let Some(waiting) = waiting.upgrade() else { return };
    let forgotten = waiting.lock().remove(&state);
    // Dropped here, without the lock: it tells the computer.
    drop(forgotten);
}
