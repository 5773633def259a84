//! Writes the transcript: the story of the steps, then each computer with its links, its screen and its end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::names::{Names, canonical, shorten};
use crate::client::{Answer, Called};
use crate::computer::Spec;
use crate::record::{Direction, Event};

/// Stands for the id of each of many computers.
const ID: &str = "{id}";

/// So many lines that go on counting are told by their first and their last.
const COUNTING: usize = 20;

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
        let _ = writeln!(text, "{}", shorten(&counted(&called.text)));
    }
    if let Some(value) = &called.structured {
        let _ = writeln!(text, "{}", canonical(value));
    }
    names.text(&text)
}

/// A text in which many lines that differ only by a number, each one more than in the line before, are told as two.
fn counted(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (mut told, mut from) = (Vec::new(), 0);
    while from < lines.len() {
        let first = number(lines[from]);
        let goes_on = |line: &str, by: usize| {
            let next = first.and_then(|first| Some((first, first.checked_add(by)?)));
            next.is_some_and(|(first, next)| {
                lines[from].replace(&first.to_string(), ID) == line.replace(&next.to_string(), ID)
            })
        };
        let run = 1 + (1..lines.len() - from).take_while(|by| goes_on(lines[from + by], *by)).count();
        if run < COUNTING {
            told.push(lines[from].to_owned());
            from += 1;
        } else {
            let last = from + run - 1;
            told.extend([
                lines[from].to_owned(),
                format!("… [{} lines that go on counting]", run - 2),
                lines[last].to_owned(),
            ]);
            from += run;
        }
    }
    told.join("\n")
}

/// The first number in a line.
fn number(line: &str) -> Option<usize> {
    let digits = line.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?;
    digits.parse().ok()
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

/// Leaves out the `output` frames that no step waits for: whether a chunk that prints sends any before it ends, and in how
/// many pieces, is a matter of how fast the machine is.
pub fn drop_unawaited_output(link: &mut Vec<Event>, awaited: &[&str]) {
    link.retain(|event| {
        let Event::Frame { direction: Direction::ToBridge, text, .. } = event else { return true };
        let is_output = || {
            serde_json::from_str::<Value>(text).is_ok_and(|frame| frame["type"].as_str() == Some("output"))
        };
        awaited.iter().any(|awaited| text.contains(awaited)) || !is_output()
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

    #[test]
    fn lines_that_go_on_counting_are_told_as_two_and_a_gap_is_seen() {
        let line = |id: u32| format!("pong from {id} (Label: node-{id})");
        let all: Vec<String> = (5..105).map(line).collect();
        let told = counted(&all.join("\n"));
        assert_eq!(told, format!("{}\n… [98 lines that go on counting]\n{}", line(5), line(104)));
        let gap: Vec<String> = (5..105).filter(|id| *id != 50).map(line).collect();
        assert!(counted(&gap.join("\n")).contains(&line(51)));
        assert_eq!(counted("pong from 1\npong from 2"), "pong from 1\npong from 2");
    }
}
