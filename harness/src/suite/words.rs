//! What a failure prints: the chain of its causes, and the screens that it does not show itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::record::Record;
use crate::report::trace::{self, What};

/// Screens that a failure prints; a thousand are of use on a page only.
const SCREENS: usize = 10;

/// Lines of each: what a person looks at first.
const SCREEN_LINES: usize = 12;

/// The last screens of the computers that an error does not show itself.
pub fn other_screens(why: &str, record: &Record) -> String {
    let mut screens: BTreeMap<String, String> = BTreeMap::new();
    for moment in trace::read(&record.trace()) {
        if let What::Screen { computer, screen } = moment.what {
            screens.insert(computer, screen);
        }
    }
    let shows = |name: &str| {
        ["computer {}:\n", "computer {} ended", "computer {}: not "]
            .iter()
            .any(|words| why.contains(&words.replace("{}", name)))
    };
    screens.retain(|name, _| !shows(name));
    let mut text = String::new();
    for (name, screen) in screens.iter().take(SCREENS) {
        let lines: Vec<&str> = screen.trim_end().lines().collect();
        let last = &lines[lines.len().saturating_sub(SCREEN_LINES)..];
        let _ = writeln!(text, "computer {name}:\n  its screen:");
        for line in last {
            let _ = writeln!(text, "    {line}");
        }
    }
    if screens.len() > SCREENS {
        let _ = writeln!(text, "and the screens of {} more computers, on the page", screens.len() - SCREENS);
    }
    text
}

/// An error with its causes, and its hints at the end.
pub fn chain(error: &dyn std::error::Error) -> String {
    let (mut text, mut hints) = (String::new(), String::new());
    let mut next = Some(error);
    let mut depth = 0;
    while let Some(cause) = next {
        let message = cause.to_string();
        let (message, hint) = message.split_once("hint: ").unwrap_or((&message, ""));
        let before = if depth == 0 { "" } else { "caused by: " };
        let _ = writeln!(text, "{before}{}", message.trim_end());
        if !hint.is_empty() {
            let _ = writeln!(hints, "hint: {}", hint.trim_end());
        }
        next = cause.source();
        depth += 1;
    }
    text + &hints
}
