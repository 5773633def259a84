//! Writes the transcript: the story of the steps, then each computer with its links, its screen and its end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::file::Greetings;
use super::names::{Names, canonical};
use super::shown::{self, shorten};
use crate::client::{Answer, Called};
use crate::computer::{Exit, Spec};
use crate::record::{Direction, Event};
use crate::report::trace::Note;

/// Stands for the id of each of many computers.
const ID: &str = "{id}";

/// Indents every line below a heading.
pub fn indent(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") };
    text.lines().map(line).collect()
}

/// What a tool answered: readable, and unlike for any two answers that differ.
pub fn answer(answer: &Answer, show_progress: bool) -> String {
    match answer {
        Answer::Error { code, message, data } => {
            let data = data.as_ref().map_or_else(String::new, |data| format!("data: {}\n", canonical(data)));
            format!("protocol error {code}: {}\n{data}", shown::one_line(message))
        }
        Answer::Result(called) => result(called, show_progress),
    }
}

fn result(called: &Called, show_progress: bool) -> String {
    let mut text = String::new();
    if show_progress {
        let _ = writeln!(text, "progress: {}", Value::from(shorten(&called.progress)));
    }
    if called.is_error {
        text.push_str("error\n");
    }
    // One text that repeats the structured content is for clients that know no other.
    let repeats = |structured: &Value| match &called.content[..] {
        [block] => *block == json!({ "type": "text", "text": structured.to_string() }),
        _ => false,
    };
    if !called.structured.as_ref().is_some_and(repeats) {
        if called.content.is_empty() {
            text.push_str("no content\n");
        }
        let is_alone = called.content.len() == 1;
        for block in &called.content {
            let _ = writeln!(text, "{}", shown::block(block, is_alone));
        }
    }
    if let Some(value) = &called.structured {
        let _ = writeln!(text, "structured: {}", canonical(value));
    }
    if let Some(value) = &called.meta {
        let _ = writeln!(text, "meta: {}", canonical(value));
    }
    text
}

/// One computer's part.
pub fn computer(
    spec: &Spec,
    links: &[Vec<Event>],
    ended: &(Exit, String),
    odd_lines: &[usize],
    how: How,
) -> String {
    let mut names = Names::new(how.port);
    let label = spec.label.as_deref().unwrap_or("null").escape_debug();
    let mut text = if spec.name == spec.id.to_string() {
        format!("== computer {} (Label: {label})\n", spec.id)
    } else {
        format!("== computer {} called {} (Label: {label})\n", spec.id, spec.name)
    };
    for (number, link) in links.iter().enumerate() {
        let _ = writeln!(text, "link {}:", number + 1);
        let greetings = if how.greetings == Greetings::Full { BTreeMap::new() } else { greetings(link) };
        for (place, event) in link.iter().enumerate() {
            match greetings.get(&place) {
                Some(Some(greeting)) => {
                    let _ = writeln!(text, "  {greeting}");
                }
                Some(None) => {}
                None => {
                    let _ = writeln!(text, "  {}", line(event, &mut names));
                }
            }
        }
        for (direction, unfinished) in names.unfinished() {
            let _ = writeln!(text, "  {} {unfinished}", arrow(direction));
        }
    }
    let (exit, printed) = ended;
    let printed = names.screen(shown::screen(printed).trim_end_matches('\n'));
    let odd = shown::odd_lines(odd_lines).map_or_else(String::new, |odd| format!(", {odd}"));
    let _ = write!(text, "screen{odd}:\n{}", indent(&printed));
    let _ = writeln!(text, "{exit}");
    text
}

/// How a computer's part is told.
#[derive(Debug, Clone, Copy)]
pub struct How {
    /// That of the proxy, which is another in every run.
    pub port: Option<u16>,
    pub greetings: Greetings,
}

/// The greetings of a link: what is told in the place of each hello, and nothing in that of its answer. A hello whose
/// answer is not the next frame of the bridge is none.
fn greetings(link: &[Event]) -> BTreeMap<usize, Option<String>> {
    let mut greetings = BTreeMap::new();
    let mut hello: Option<(usize, String)> = None;
    for (place, event) in link.iter().enumerate() {
        let Event::Frame { direction, text, note: None } = event else { continue };
        let Ok(frame) = serde_json::from_str::<Value>(text) else { continue };
        match (direction, frame["type"].as_str()) {
            (Direction::ToBridge, Some("hello")) => hello = greeted(&frame).map(|told| (place, told)),
            (Direction::ToComputer, Some("hello-ok")) => {
                if let Some((from, told)) = hello.take() {
                    greetings.extend([(from, Some(told)), (place, None)]);
                }
            }
            (Direction::ToComputer, _) => hello = None,
            (Direction::ToBridge, _) => {}
        }
    }
    greetings
}

fn greeted(hello: &Value) -> Option<String> {
    let id = hello["computerId"].as_u64()?;
    let label = match &hello["computerLabel"] {
        Value::Null => "null".to_owned(),
        Value::String(label) => label.escape_debug().to_string(),
        _ => return None,
    };
    let token = if hello["token"].is_null() { "" } else { ", with a token" };
    Some(format!("greeted as {id} (Label: {label}){token}"))
}

/// Leaves out the `output` frames that no step waits for: whether a chunk that prints sends any before it ends, and in how
/// many pieces, is a matter of how fast the machine is.
pub fn drop_unawaited_output(link: &mut Vec<Event>, awaited: &[&str]) {
    link.retain(|event| {
        let Event::Frame { direction: Direction::ToBridge, text, .. } = event else { return true };
        match serde_json::from_str::<Value>(text) {
            Ok(frame) if frame["type"] == "output" => {
                let data = frame["data"].as_str().unwrap_or_default();
                awaited.iter().any(|awaited| data.contains(awaited))
            }
            _ => true,
        }
    });
}

/// Puts what the bridge sent before what the computer sent.
pub fn part_sides(link: &mut [Event]) {
    link.sort_by_key(|event| match event {
        Event::Opened | Event::Refused(_) => 0,
        Event::Frame { direction, .. } | Event::Binary { direction, .. } => match direction {
            Direction::ToComputer => 1,
            Direction::ToBridge => 2,
        },
        Event::Closed { .. } | Event::Left | Event::Cut => 3,
    });
}

/// The parts of computers that a scenario declares at once: those that differ only in their id are told as one.
pub fn crowd(parts: &[(&Spec, String)]) -> String {
    let one_by_one = |parts: &[(&Spec, String)]| {
        parts.iter().fold(String::new(), |text, (_, part)| format!("{text}\n{part}"))
    };
    if parts.len() < 2 {
        return one_by_one(parts);
    }
    // The id of some is a number that their part has for another reason: what most have in common is the pattern.
    let mut patterns: BTreeMap<String, usize> = BTreeMap::new();
    for (spec, part) in parts {
        *patterns.entry(part.replace(&spec.id.to_string(), ID)).or_default() += 1;
    }
    let pattern = patterns.into_iter().max_by_key(|(_, count)| *count).map(|(pattern, _)| pattern);
    let pattern = pattern.unwrap_or_default();
    let is_alike = |(spec, part): &&(&Spec, String)| pattern.replace(ID, &spec.id.to_string()) == *part;
    let (alike, others): (Vec<_>, Vec<_>) = parts.iter().partition(is_alike);
    let others: Vec<_> = others.into_iter().cloned().collect();
    let [(first, _), .., (last, _)] = &alike[..] else { return one_by_one(parts) };
    let (count, first, last) = (alike.len(), first.id, last.id);
    let heading = format!("{count} computers alike, from {first} to {last}, where {ID} is the id of each:");
    format!("\n{heading}\n{pattern}{}", one_by_one(&others))
}

fn line(event: &Event, names: &mut Names) -> String {
    match event {
        Event::Opened => "opened".to_owned(),
        Event::Refused(status) => format!("refused: HTTP {status}"),
        Event::Frame { direction, text, note } => {
            let is_bridges = *direction == Direction::ToComputer && *note != Some(Note::FromTheHarness);
            format!("{} {}{}", arrow(*direction), names.frame(*direction, text, is_bridges), noted(*note))
        }
        Event::Binary { direction, bytes, sha256, note } => {
            format!("{} binary, {bytes} bytes, sha256 {sha256}{}", arrow(*direction), noted(*note))
        }
        Event::Closed { code, reason } => {
            format!("the bridge closed it: {code} {}", shown::one_line(reason)).trim_end().to_owned()
        }
        Event::Left => "the computer left".to_owned(),
        Event::Cut => "cut by the harness".to_owned(),
    }
}

fn noted(note: Option<Note>) -> String {
    note.map_or_else(String::new, |note| format!(" ({note})"))
}

fn arrow(direction: Direction) -> &'static str {
    match direction {
        Direction::ToBridge => "computer:",
        Direction::ToComputer => "bridge:  ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computers_that_differ_only_in_their_id_are_told_as_one() {
        let specs: Vec<Spec> = [8, 9, 10, 11].into_iter().map(Spec::new).collect();
        let part = |spec: &Spec| match spec.id {
            9 => "== computer 9\nreq-1 lost\n".to_owned(),
            id => format!("== computer {id}\nreq-1\n"),
        };
        let parts: Vec<_> = specs.iter().map(|spec| (spec, part(spec))).collect();
        assert_eq!(
            crowd(&parts),
            "\n3 computers alike, from 8 to 11, where {id} is the id of each:\n== computer {id}\nreq-1\n\n== computer 9\nreq-1 lost\n"
        );
        assert_eq!(crowd(&parts[..1]), "\n== computer 8\nreq-1\n");
    }

    fn frame(direction: Direction, text: &str) -> Event {
        Event::Frame { direction, text: text.to_owned(), note: None }
    }

    #[test]
    fn a_greeting_is_one_line_that_a_new_capability_does_not_change() {
        let told = |capabilities: &str| {
            let hello = format!(
                r#"{{"type":"hello","computerId":12,"computerLabel":"a","version":"9","capabilities":[{capabilities}]}}"#
            );
            let ok = format!(r#"{{"type":"hello-ok","bridge":"x/1","capabilities":[{capabilities}]}}"#);
            let link = [Event::Opened, frame(Direction::ToBridge, &hello), frame(Direction::ToComputer, &ok)];
            greetings(&link)
        };
        assert_eq!(told("\"a\""), told("\"a\",\"b\""));
        assert_eq!(told("")[&1].as_deref(), Some("greeted as 12 (Label: a)"));
        let refused = [
            frame(Direction::ToBridge, r#"{"type":"hello","computerId":12}"#),
            frame(Direction::ToComputer, r#"{"type":"hello-error","error":"no"}"#),
        ];
        assert!(greetings(&refused).is_empty());
    }

    #[test]
    fn answers_that_differ_look_different() {
        let called = |content: Value, structured: Option<Value>, is_error: bool| {
            let content = content.as_array().cloned().unwrap_or_default();
            let (text, progress) = (String::new(), String::new());
            let meta = None;
            answer(&Answer::Result(Called { content, text, is_error, structured, meta, progress }), false)
        };
        let (text, value) = (json!({ "type": "text", "text": "{\"a\":1}" }), json!({ "a": 1 }));
        let shown = [
            called(json!([]), None, false),
            called(json!([text]), None, false),
            called(json!([text]), Some(value.clone()), false),
            called(json!([]), Some(value.clone()), false),
            called(json!([text]), Some(json!({ "a": 2 })), false),
            called(json!([text]), None, true),
            called(json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]), None, false),
            called(json!([{ "type": "text", "text": "a\nb" }]), None, false),
            called(json!([{ "type": "text", "text": "a\nb\n" }]), None, false),
            called(json!([{ "type": "text", "text": "structured: {\"a\":1}" }]), None, false),
        ];
        let with_meta = Called {
            content: vec![text.clone()],
            text: String::new(),
            is_error: false,
            structured: None,
            meta: Some(json!({ "a": 1 })),
            progress: String::new(),
        };
        let failed = |data: Option<Value>| {
            answer(&Answer::Error { code: -32602, message: "no".to_owned(), data }, false)
        };
        let shown = [
            &shown[..],
            &[answer(&Answer::Result(with_meta), false), failed(None), failed(Some(json!("why")))],
        ]
        .concat();
        let different: std::collections::BTreeSet<&String> = shown.iter().collect();
        assert_eq!(different.len(), shown.len(), "{shown:#?}");
    }

    #[test]
    fn output_frames_are_told_where_a_step_waits_for_them() {
        let frame = |text: &str| {
            let (direction, text) = (Direction::ToBridge, text.to_owned());
            Event::Frame { direction, text, note: None }
        };
        let early = r#"{"type":"output","id":"req-1","data":"early\n"}"#;
        let late = r#"{"data":"late\n","id":"req-1","type":"output"}"#;
        let response = r#"{"type":"response","id":"req-1","ok":true,"result":"\"type\":\"output\""}"#;
        let mut link = vec![Event::Opened, frame(early), frame(late), frame(response)];
        drop_unawaited_output(&mut link, &["early", "elsewhere"]);
        let told: Vec<String> = link.iter().map(|event| line(event, &mut Names::default())).collect();
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[1].contains("early") && told[2].contains("response"), "{told:?}");
    }

    #[test]
    fn sides_are_told_each_in_its_own_order() {
        let frame = |direction, text: &str| Event::Frame { direction, text: text.to_owned(), note: None };
        let to_bridge = |text| frame(Direction::ToBridge, text);
        let to_computer = |text| frame(Direction::ToComputer, text);
        let ends = [Event::Opened, Event::Left];
        let [opened, left] = &ends;
        let parted = |mut link: Vec<Event>| {
            part_sides(&mut link);
            link
        };
        let one = [opened.clone(), to_bridge("a"), to_computer("b"), to_bridge("c"), left.clone()];
        let other = [opened.clone(), to_bridge("a"), to_bridge("c"), to_computer("b"), left.clone()];
        let swapped = [opened.clone(), to_bridge("c"), to_bridge("a"), to_computer("b"), left.clone()];
        assert_eq!(parted(one.to_vec()), parted(other.to_vec()));
        assert_ne!(parted(one.to_vec()), parted(swapped.to_vec()));
    }
}
