//! What has to hold, whatever goes wrong.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_bridge::Held;
use mcp_bridge::limits::WAITING_REQUESTS;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::calls::{Heard, Made, RAN};
use super::plan::LONG_MS;
use super::{Invariant, Kind, Plan, Then, When};
use crate::client::Answer;
use crate::record::Record;
use crate::report::trace::{self, Receiver, What};
use crate::stage::Stage;

/// The ways in which a call may fail, each with the words that it begins with. `{}` is the computer's id.
const NAMED: [&str; 3] = ["computer {} is not connected", "timeout from {} ", "disconnected from {} "];

/// The same for a computer that no request was sent to: nothing may have run there.
const NEVER_SENT: &str = "computer {} is not connected";

/// What a chunk says on a disk that is full.
const OUT_OF_SPACE: &str = "Out of space";

/// What a chunk says whose computer has its time limit over too soon: limits follow its calendar.
const DEADLINE: &str = "\"error\":\"deadline: still running ";

/// A chunk whose call failed so long before its end has to be stopped before it: longer than several faults in a row.
const TIME_TO_STOP_MS: u64 = 30_000;

/// What the bridge may take to notice that a link or a client is gone: three pings without an answer.
const NOTICED: Duration = Duration::from_secs(60);

const WITHIN_LIMITS: &str = "memory stays within its limits";

/// What Lua may hold on a computer where nothing runs but the program: some times what it does after its boot.
const MEMORY_KIB: u32 = 4096;

/// What did not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub invariant: String,
    pub found: String,
}

impl Violation {
    pub fn of(invariant: &str, found: impl Into<String>) -> Self {
        Self { invariant: invariant.to_owned(), found: found.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "violated: {}: {}", self.invariant, self.found)
    }
}

/// What the chunks of a computer have written down: how often each has begun, and which have ended after a sleep.
#[derive(Debug, Default)]
pub struct Ran(BTreeMap<String, usize>);

impl Ran {
    pub fn read(stage: &Stage, computer: &str) -> Self {
        let mut counts = BTreeMap::new();
        let computer = stage.computer(computer).ok();
        let bytes = computer.and_then(|computer| computer.folder().read(RAN).ok().flatten());
        for line in String::from_utf8_lossy(&bytes.unwrap_or_default()).lines() {
            *counts.entry(line.to_owned()).or_default() += 1;
        }
        Self(counts)
    }

    fn begun(&self, token: &str) -> usize {
        self.0.get(token).copied().unwrap_or(0)
    }

    fn has_ended(&self, token: &str) -> bool {
        self.0.contains_key(&format!("{token} end"))
    }

    /// A chunk that ran more than once.
    pub fn twice(&self, computer: &str) -> Option<Violation> {
        let (line, count) = self.0.iter().find(|(_, count)| **count > 1)?;
        Some(Violation::of("a chunk runs at most once", format!("`{line}` ran {count} times on {computer}")))
    }
}

/// A chunk that ran to its end though nobody waited for it.
pub fn not_cancelled(made: &Made, ran: &Ran) -> Option<Violation> {
    let in_time = made.after_ms + TIME_TO_STOP_MS <= LONG_MS;
    if made.is_right() || made.call.sleep_ms < LONG_MS || !in_time || !ran.has_ended(&made.token) {
        return None;
    }
    let found = format!("`{}` ran to its end though nobody waited", made.token);
    Some(Violation::of("a call that is given up is cancelled", found))
}

/// What was violated by the answer to one call.
pub fn judge(made: &Made, id: u32, ran: &Ran, plan: &Plan) -> Option<Violation> {
    let (token, limit) = (&made.token, made.call.timeout_ms);
    let wrong = |invariant, found: String| Some(Violation::of(invariant, found));
    let begins = |text: &str, name: &str| text.starts_with(&name.replace("{}", &id.to_string()));
    let is_named = |text: &str| {
        NAMED.iter().any(|name| begins(text, name))
            || plan.has(Kind::FullDisk) && text.contains(OUT_OF_SPACE)
            || plan.has(Kind::ClockJump) && text.contains(DEADLINE)
    };
    match &made.heard {
        Heard::Nothing => {
            wrong("every call has an answer", format!("`{token}` has none, with a limit of {limit} ms"))
        }
        Heard::GivenUp if made.call.then == Then::Wait => {
            wrong("every call has an answer", format!("`{token}` was given up by nobody"))
        }
        Heard::GivenUp | Heard::Gone => None,
        Heard::Lost(_) | Heard::Answer(Answer::Error { .. }) if plan.has(Kind::KillBridge) => None,
        Heard::Lost(reason) => wrong("a client keeps its bridge", format!("`{token}`: {reason}")),
        Heard::Answer(Answer::Error { code, message, .. }) => {
            wrong("an answer is right or a named failure", format!("`{token}`: {message} ({code})"))
        }
        Heard::Answer(Answer::Result(called)) if called.is_error && !is_named(&called.text) => {
            wrong("an answer is right or a named failure", format!("`{token}`: {}", called.text))
        }
        Heard::Answer(Answer::Result(called)) if called.is_error => {
            if begins(&called.text, NEVER_SENT) && ran.begun(token) > 0 {
                return wrong("what is not connected runs nothing", format!("`{token}` ran on {id}"));
            }
            None
        }
        Heard::Answer(Answer::Result(called)) => {
            let returned = called.structured.as_ref().map(|content| &content["returns"][0]["value"]);
            if returned != Some(&Value::String(token.clone())) {
                let found = format!("`{token}` was answered with {}", called.text);
                return wrong("an answer reaches its own request and no other", found);
            }
            if ran.begun(token) == 0 {
                return wrong("what is answered has run", format!("`{token}` was answered and never ran"));
            }
            None
        }
    }
}

/// What the bridge holds though everybody has heard of their calls.
pub async fn nothing_waits(stage: &Stage) -> Option<Violation> {
    let deadline = Instant::now() + NOTICED;
    while !stage.held().await.is_nothing() && Instant::now() < deadline {
        sleep(Duration::from_millis(100)).await;
    }
    let held = stage.held().await;
    let found = format!("after {} s the bridge still holds {held:?}", NOTICED.as_secs());
    (!held.is_nothing()).then(|| Violation::of("nothing waits for ever", found))
}

/// A bridge that holds more for one computer than it promises.
pub fn too_much(held: Held) -> Option<Violation> {
    let found = format!("{} requests wait at one computer", held.most_waiting);
    (held.most_waiting > WAITING_REQUESTS).then(|| Violation::of(WITHIN_LIMITS, found))
}

/// The memory of a computer after everything that was done on it.
pub fn computers_memory() -> Invariant {
    let lua = format!(
        "collectgarbage() local kib = collectgarbage('count')
        return kib < {MEMORY_KIB}, ('its Lua holds %d KiB'):format(kib)"
    );
    Invariant { about: WITHIN_LIMITS.to_owned(), computer: None, lua, when: When::After }
}

/// What was violated on the wire: no request may have two answers.
pub fn check_connections(records: &[Arc<Record>]) -> Vec<Violation> {
    let mut found = Vec::new();
    for record in records {
        let mut answers: BTreeMap<String, usize> = BTreeMap::new();
        for moment in trace::read(&record.trace()) {
            if let What::Mcp { mcp: Receiver::ToClient, message } = moment.what
                && (message.get("result").is_some() || message.get("error").is_some())
            {
                *answers.entry(message["id"].to_string()).or_default() += 1;
            }
        }
        for (id, count) in answers.into_iter().filter(|(_, count)| *count > 1) {
            let found_text = format!("request {id} has {count} answers");
            found.push(Violation::of("every call has exactly one answer", found_text));
        }
    }
    found
}
