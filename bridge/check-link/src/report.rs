//! What was found: a verdict for each requirement, as lines for people or as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::requirement::Side;

/// Characters of what was seen that the report shows.
const SHOWN_CHARS: usize = 256;

/// Why a requirement was not seen to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    Wrong {
        expected: String,
        seen: String,
    },
    /// It cannot be checked here; says why.
    NotApplicable(String),
}

/// What a check gives.
pub type Check<T = ()> = Result<T, Miss>;

/// A check that failed.
pub fn wrong(expected: impl Into<String>, seen: impl Into<String>) -> Miss {
    Miss::Wrong { expected: expected.into(), seen: seen.into() }
}

/// A check that does not apply.
pub fn not_applicable(why: impl Into<String>) -> Miss {
    Miss::NotApplicable(why.into())
}

/// Fails unless it holds.
pub fn ensure(holds: bool, expected: &str, seen: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(wrong(expected, seen())) }
}

/// The verdicts on one side.
#[derive(Debug)]
pub struct Report {
    side: Side,
    verdicts: BTreeMap<&'static str, Check>,
}

/// What stands for a requirement that no check came to.
const NOT_REACHED: &str = "the run did not come to it";

impl Report {
    pub fn new(side: Side) -> Self {
        Self { side, verdicts: BTreeMap::new() }
    }

    /// Keeps the verdict on a requirement.
    pub fn add(&mut self, id: &'static str, verdict: Check) {
        self.verdicts.insert(id, verdict);
    }

    fn all(&self) -> impl Iterator<Item = (&'static str, &'static str, Check)> + '_ {
        self.side.requirements().iter().map(|requirement| {
            let verdict = self.verdicts.get(requirement.id).cloned();
            let verdict = verdict.unwrap_or_else(|| Err(not_applicable(NOT_REACHED)));
            (requirement.id, requirement.text, verdict)
        })
    }

    /// The ids of what failed.
    pub fn failed(&self) -> Vec<&'static str> {
        let failed = self.all().filter(|(_, _, verdict)| matches!(verdict, Err(Miss::Wrong { .. })));
        failed.map(|(id, _, _)| id).collect()
    }

    /// The ids of what passed.
    pub fn passed(&self) -> Vec<&'static str> {
        self.all().filter(|(_, _, verdict)| verdict.is_ok()).map(|(id, _, _)| id).collect()
    }

    /// Writes a line for each requirement, two more for each that failed, and a count.
    pub fn write_lines(&self, out: &mut impl Write) -> io::Result<()> {
        let (mut passed, mut failed, mut other) = (0, 0, 0);
        for (id, text, verdict) in self.all() {
            match verdict {
                Ok(()) => {
                    passed += 1;
                    writeln!(out, "passed          {id:<13} {text}")?;
                }
                Err(Miss::Wrong { expected, seen }) => {
                    failed += 1;
                    writeln!(out, "failed          {id:<13} {text}")?;
                    writeln!(out, "                expected: {}", shown(&expected))?;
                    writeln!(out, "                seen:     {}", shown(&seen))?;
                }
                Err(Miss::NotApplicable(why)) => {
                    other += 1;
                    writeln!(out, "not applicable  {id:<13} {text}: {why}")?;
                }
            }
        }
        writeln!(out, "the {}: {passed} passed, {failed} failed, {other} not applicable", self.side.name())
    }

    /// The same as data.
    pub fn to_json(&self) -> Value {
        let requirements: Vec<Value> = self
            .all()
            .map(|(id, text, verdict)| match verdict {
                Ok(()) => json!({ "id": id, "text": text, "verdict": "passed" }),
                Err(Miss::Wrong { expected, seen }) => {
                    json!({ "id": id, "text": text, "verdict": "failed", "expected": expected, "seen": shown(&seen) })
                }
                Err(Miss::NotApplicable(why)) => {
                    json!({ "id": id, "text": text, "verdict": "not applicable", "why": why })
                }
            })
            .collect();
        json!({ "checked": self.side.name(), "failed": self.failed().len(), "requirements": requirements })
    }
}

/// Shows a text in a line: a stranger's, so that what moves the cursor or cannot be seen is escaped, and the rest is cut.
fn shown(text: &str) -> String {
    let mut line = String::new();
    for character in text.chars().take(SHOWN_CHARS) {
        match character {
            '"' | '\'' | '\\' => line.push(character),
            other => line.extend(other.escape_debug()),
        }
    }
    line
}
