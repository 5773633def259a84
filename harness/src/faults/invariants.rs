//! What has to hold, whatever goes wrong; and what of it did not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::calls::{Heard, Made, RAN};
use super::plan::LONG_MS;
use super::{Kind, Plan, Then};
use crate::client::Answer;
use crate::record::Record;
use crate::report::trace::{self, Receiver, What};
use crate::stage::Stage;

/// The ways in which a call may fail, each with the words that it begins with. `{}` is the computer's id.
const NAMED: [&str; 3] = ["computer {} is not connected", "timeout from {} ", "disconnected from {} "];

/// The same for a computer that no request was sent to: nothing may have run there.
const NEVER_SENT: &str = "computer {} is not connected";

/// What did not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub invariant: &'static str,
    pub found: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "violated: {}: {}", self.invariant, self.found)
    }
}

/// How often each line is in the file where the chunks of a computer write down that they ran.
pub fn ran(stage: &Stage, computer: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let bytes = stage.computer(computer).ok().and_then(|computer| computer.folder().read(RAN).ok().flatten());
    for line in String::from_utf8_lossy(&bytes.unwrap_or_default()).lines() {
        *counts.entry(line.to_owned()).or_default() += 1;
    }
    counts
}

/// What was violated by what was heard of the calls, and by what ran.
pub fn check_calls(stage: &Stage, plan: &Plan, made: &[Made]) -> Vec<Violation> {
    let mut found = Vec::new();
    let computers: BTreeSet<&str> = made.iter().map(|made| made.call.computer.as_str()).collect();
    let ran: BTreeMap<&str, BTreeMap<String, usize>> =
        computers.into_iter().map(|computer| (computer, ran(stage, computer))).collect();
    for made in made {
        let count = |line: &str| ran[made.call.computer.as_str()].get(line).copied().unwrap_or(0);
        let begun = count(&made.token);
        if begun > 1 {
            let found_text = format!("`{}` ran {begun} times on {}", made.token, made.call.computer);
            found.push(Violation { invariant: "a chunk runs at most once", found: found_text });
        }
        let id = stage.id_of(&made.call.computer).unwrap_or_default();
        found.extend(judge(made, id, begun, plan.has(Kind::KillBridge)));
        if !is_right(&made.heard)
            && made.call.sleep_ms >= LONG_MS
            && count(&format!("{} end", made.token)) > 0
        {
            let found_text = format!("`{}` ran to its end though nobody waited", made.token);
            found.push(Violation { invariant: "a call that is given up is cancelled", found: found_text });
        }
    }
    found
}

fn is_right(heard: &Heard) -> bool {
    matches!(heard, Heard::Answer(Answer::Result(called)) if !called.is_error)
}

/// What was violated by the answer to one call.
fn judge(made: &Made, id: u32, begun: usize, bridge_dies: bool) -> Option<Violation> {
    let (token, limit) = (&made.token, made.call.timeout_ms);
    let wrong = |invariant, found: String| Some(Violation { invariant, found });
    let named = |text: &str| NAMED.iter().any(|name| text.starts_with(&name.replace("{}", &id.to_string())));
    match &made.heard {
        Heard::Nothing => {
            wrong("every call has an answer", format!("`{token}` has none, with a limit of {limit} ms"))
        }
        Heard::GivenUp if made.call.then == Then::Wait => {
            wrong("every call has an answer", format!("`{token}` was given up by nobody"))
        }
        Heard::GivenUp => None,
        Heard::Lost(_) if bridge_dies => None,
        Heard::Lost(reason) => wrong("a client keeps its bridge", format!("`{token}`: {reason}")),
        Heard::Answer(Answer::Error { .. }) if bridge_dies => None,
        Heard::Answer(Answer::Error { code, message, .. }) => {
            wrong("an answer is right or a named failure", format!("`{token}`: {message} ({code})"))
        }
        Heard::Answer(Answer::Result(called)) if called.is_error && !named(&called.text) => {
            wrong("an answer is right or a named failure", format!("`{token}`: {}", called.text))
        }
        Heard::Answer(Answer::Result(called)) if called.is_error => {
            let never_sent = called.text.starts_with(&NEVER_SENT.replace("{}", &id.to_string()));
            if never_sent && begun > 0 {
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
            if begun == 0 {
                return wrong("what is answered has run", format!("`{token}` was answered and never ran"));
            }
            None
        }
    }
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
            found.push(Violation { invariant: "every call has exactly one answer", found: found_text });
        }
    }
    found
}
