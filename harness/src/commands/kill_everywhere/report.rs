//! What is told of the kills: for people, and as JSON.

use std::fmt::Write as _;

use console::style;
use serde::Serialize;

use super::kill::{Problem, Verdict};
use super::stage::Yield;
use super::subject::Subject;

/// One result as a line of JSON.
#[derive(Serialize)]
struct Row<'a> {
    outcome: &'static str,
    #[serde(rename = "yield")]
    number: u64,
    /// Virtual time since the first boot.
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    screen: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<String>,
}

/// What results are shown with.
#[derive(Debug)]
pub struct Report<'a> {
    pub subject: &'a Subject,
    /// How many yields the run without a kill has.
    pub yields: u64,
    /// The command without `--at`.
    pub command: String,
}

impl Report<'_> {
    /// A result as a line of JSON.
    pub fn json(&self, verdict: &Verdict) -> String {
        let at = &verdict.at;
        let is_failed = verdict.problem.is_some();
        let row = Row {
            outcome: if is_failed { "failed" } else { "passed" },
            number: at.number,
            seconds: at.time.as_secs_f64(),
            file: at.line.as_ref().map(|line| self.subject.shown(&line.path)),
            line: at.line.as_ref().map(|line| line.line),
            problem: verdict.problem.as_ref().map(Problem::told),
            screen: is_failed.then_some(verdict.screen.as_str()),
            replay: is_failed.then(|| self.replay(at)),
        };
        serde_json::to_string(&row).expect("it holds texts and numbers only")
    }

    /// The failures, those of one line with one message, but for its numbers, together.
    pub fn failures(&self, verdicts: &[Verdict]) -> String {
        let mut groups: Vec<Vec<&Verdict>> = Vec::new();
        for verdict in verdicts.iter().filter(|verdict| verdict.problem.is_some()) {
            let alike = |group: &&mut Vec<&Verdict>| {
                group[0].at.line == verdict.at.line && kind(group[0]) == kind(verdict)
            };
            match groups.iter_mut().find(alike) {
                Some(group) => group.push(verdict),
                None => groups.push(vec![verdict]),
            }
        }
        groups.iter().map(|group| self.failure(group)).collect()
    }

    fn failure(&self, group: &[&Verdict]) -> String {
        let (first, rest) = group.split_first().expect("a group has a first one");
        let mut text = format!("{}  {}\n", style("FAILED").for_stderr().red().bold(), self.place(&first.at));
        for line in first
            .problem
            .iter()
            .flat_map(|problem| problem.told().lines().map(str::to_owned).collect::<Vec<_>>())
        {
            let _ = writeln!(text, "        {line}");
        }
        if first.screen.trim().is_empty() {
            text.push_str("        its screen is empty\n");
        } else {
            for line in first.screen.lines() {
                let _ = writeln!(text, "        | {line}");
            }
        }
        let _ = writeln!(text, "        replay: {}", self.replay(&first.at));
        if !rest.is_empty() {
            let numbers: Vec<String> = rest.iter().map(|verdict| verdict.at.number.to_string()).collect();
            let _ = writeln!(text, "        alike at {} more: yield {}", rest.len(), numbers.join(", "));
        }
        text
    }

    /// Where a kill was.
    pub fn place(&self, at: &Yield) -> String {
        let line = at.line.as_ref().map_or_else(
            || "in no line of the program".to_owned(),
            |line| format!("at {}:{}", self.subject.shown(&line.path), line.line),
        );
        format!(
            "killed at yield {} of {}, after {:.3} s, {line}",
            at.number,
            self.yields,
            at.time.as_secs_f64()
        )
    }

    fn replay(&self, at: &Yield) -> String {
        format!("{} --at {}", self.command, at.number)
    }
}

/// What a failure is about: its message without numbers.
fn kind(verdict: &Verdict) -> Option<String> {
    let told = verdict.problem.as_ref()?.told();
    Some(told.chars().filter(|letter| !letter.is_ascii_digit()).collect())
}
