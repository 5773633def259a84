//! Results for people: a line for each test, and what failed with a diff, the lines of the file, and the screen.

use std::fmt::Write as _;

use similar::{ChangeTag, TextDiff};

use crate::results::{Counts, Failure, Outcome, TestResult};

/// Lines of a diff around a change.
const CONTEXT: usize = 3;

/// Lines of a screen that a failure shows: all that a computer has.
const SCREEN_LINES: usize = 19;

/// The word for how a test ended.
pub fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed ",
        Outcome::Failed(_) => "FAILED ",
        Outcome::Pending => "pending",
    }
}

/// The rest of the line for a test, behind its word.
pub fn line(result: &TestResult) -> String {
    let round = if result.round > 1 { format!(" (round {})", result.round) } else { String::new() };
    let name = harmless(&result.full_name()).replace('\n', "\\n");
    format!("{:<11}  {}: {name}{round}", result.emulator, result.file.display())
}

/// A text whose control characters are shown, not done: a test's name or message must not move the cursor, or clear the
/// terminal.
fn harmless(text: &str) -> String {
    let is_harmful = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        if is_harmful(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
        shown
    })
}

/// What failed, for a person at the terminal.
pub fn failure(failure: &Failure) -> String {
    let mut text = String::new();
    for line in failure.message.lines() {
        let _ = writeln!(text, "  {line}");
    }
    if let Some(place) = &failure.place {
        let _ = writeln!(text, "  at {}:{}", place.file.display(), place.line);
    }
    if let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual) {
        text.push_str("  - expected, + actual:\n");
        text.push_str(&diff(expected, actual));
    }
    if failure.traceback.lines().count() > 1 {
        text.push_str("  called from:\n");
        for line in failure.traceback.lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    if !failure.screen.trim().is_empty() {
        text.push_str("  its screen:\n");
        for line in failure.screen.lines().take(SCREEN_LINES) {
            let _ = writeln!(text, "    {line}");
        }
    }
    harmless(&text)
}

fn diff(expected: &str, actual: &str) -> String {
    let diff = TextDiff::from_lines(expected, actual);
    let mut text = String::new();
    for group in diff.grouped_ops(CONTEXT) {
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let _ = writeln!(text, "  {sign} {}", change.value().trim_end_matches('\n'));
        }
    }
    text
}

/// The counts of a run in a sentence.
pub fn counts(counts: Counts) -> String {
    let Counts { passed, failed, pending } = counts;
    let pending = if pending == 0 { String::new() } else { format!(", {pending} pending") };
    format!("{passed} passed, {failed} failed{pending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_not_done() {
        let failed = Failure { message: "\u{1b}[2J\u{7} ü".to_owned(), ..Failure::default() };
        assert_eq!(failure(&failed), "  \\u{1b}[2J\\u{7} ü\n");
        let result = TestResult {
            file: "a_spec.lua".into(),
            name: vec!["red \u{1b}[31m".to_owned(), "two\nlines".to_owned()],
            line: None,
            emulator: "embedded".to_owned(),
            round: 1,
            outcome: Outcome::Passed,
            ms: 0.0,
        };
        assert_eq!(line(&result), "embedded     a_spec.lua: red \\u{1b}[31m › two\\nlines");
    }

    #[test]
    fn a_failure_shows_the_lines_that_differ() {
        let failed = Failure {
            message: "the values differ".to_owned(),
            expected: Some("{\n  1,\n  2,\n}".to_owned()),
            actual: Some("{\n  1,\n  3,\n}".to_owned()),
            ..Failure::default()
        };
        let expected =
            "  the values differ\n  - expected, + actual:\n    {\n      1,\n  -   2,\n  +   3,\n    }\n";
        assert_eq!(failure(&failed), expected);
    }
}
