//! Writes the transcript: the story of the steps, then each computer with its links, its screen and its end.

use std::fmt::Write as _;

use serde_json::Value;

use super::names::{Names, canonical, shorten};
use crate::client::{Answer, Called};
use crate::computer::Spec;
use crate::record::{Direction, Event};

/// Indents every line below a heading.
pub fn indent(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") };
    text.lines().map(line).collect()
}

/// What a tool answered, as a reader wants it.
pub fn answer(answer: &Answer, names: &Names, show_progress: bool) -> String {
    match answer {
        Answer::Error { code, message } => {
            format!("protocol error {code}: {}\n", names.text(&shorten(message)))
        }
        Answer::Result(called) => result(called, names, show_progress),
    }
}

fn result(called: &Called, names: &Names, show_progress: bool) -> String {
    let mut text = String::new();
    if show_progress {
        let _ = writeln!(text, "progress: {}", Value::from(shorten(&called.progress)));
    }
    if called.is_error {
        text.push_str("error\n");
    }
    // The text repeats the structured content for clients that know no other; it is shown where it does not.
    let repeated = called
        .structured
        .as_ref()
        .is_some_and(|value| serde_json::from_str::<Value>(&called.text).is_ok_and(|said| said == *value));
    if !repeated {
        let _ = writeln!(text, "{}", shorten(&called.text));
    }
    if let Some(value) = &called.structured {
        let _ = writeln!(text, "{}", canonical(value));
    }
    names.text(&text)
}

/// One computer's part.
pub fn computer(spec: &Spec, links: &[Vec<Event>], ended: &(String, String), port: u16) -> String {
    let mut names = Names::new(Some(port));
    let label = spec.label.as_deref().unwrap_or("null").escape_debug();
    let mut text = if spec.name == spec.id.to_string() {
        format!("== computer {} (Label: {label})\n", spec.id)
    } else {
        format!("== computer {} called {} (Label: {label})\n", spec.id, spec.name)
    };
    for (number, link) in links.iter().enumerate() {
        let _ = writeln!(text, "link {}:", number + 1);
        for event in link {
            let _ = writeln!(text, "  {}", line(event, &mut names));
        }
    }
    let (exit, printed) = ended;
    let printed = names.text(printed.trim_end());
    let _ = write!(text, "screen:\n{}", indent(&printed));
    let _ = writeln!(text, "{exit}");
    text
}

fn line(event: &Event, names: &mut Names) -> String {
    match event {
        Event::Opened => "opened".to_owned(),
        Event::Refused(status) => format!("refused: HTTP {status}"),
        Event::Frame { direction, text, note } => {
            let arrow = arrow(*direction);
            let note = note.map_or_else(String::new, |note| format!(" ({note})"));
            format!("{arrow} {}{note}", names.frame(text))
        }
        Event::Binary { direction, bytes } => format!("{} binary, {bytes} bytes", arrow(*direction)),
        Event::Closed { code, reason } => {
            format!("the bridge closed it: {code} {reason}").trim_end().to_owned()
        }
        Event::Left => "the computer left".to_owned(),
        Event::Cut => "cut by the harness".to_owned(),
    }
}

fn arrow(direction: Direction) -> &'static str {
    match direction {
        Direction::ToBridge => "computer:",
        Direction::ToComputer => "bridge:  ",
    }
}
