//! The trace: everything that happened in a scenario, on one clock, one JSON object a line. These types write it and read
//! it; docs/REPORTS.md shows what they look like.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Since the scenario began.
    pub at_ms: f64,
    pub what: What,
}

/// What it was. The keys of an object say which of these it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum What {
    /// A step begins; 0 is the boot before the first.
    Step {
        step: usize,
        title: String,
    },
    /// A JSON-RPC message between the client and the bridge.
    Mcp {
        mcp: Receiver,
        message: Value,
    },
    Link {
        computer: String,
        /// Counted from 1 for each computer.
        link: usize,
        event: Event,
    },
    /// What a computer has printed so far.
    Screen {
        computer: String,
        screen: String,
    },
    /// How a computer ended.
    Exit {
        computer: String,
        exit: String,
    },
    /// A call of a server other than the bridge.
    Call {
        server: String,
        call: String,
        arguments: Value,
    },
    /// What such a server answered.
    Answer {
        server: String,
        answer: Value,
    },
    Log {
        log: String,
        line: String,
    },
    /// The scenario could not be played further.
    Failed {
        failed: String,
    },
    /// What this version does not know, as it stands.
    Other(Value),
}

/// Who gets an MCP message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Receiver {
    ToBridge,
    ToClient,
}

/// Which way a frame goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    ToBridge,
    ToComputer,
}

/// What the harness did to a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note {
    #[serde(rename = "held back")]
    HeldBack,
    #[serde(rename = "from the harness")]
    FromTheHarness,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HeldBack => "held back",
            Self::FromTheHarness => "from the harness",
        })
    }
}

/// Something that happened on a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub enum Event {
    Opened,
    /// The bridge did not upgrade the connection.
    Refused(u16),
    Frame {
        direction: Direction,
        text: String,
        note: Option<Note>,
    },
    /// A frame that is no text: its size, and the beginning of the hash of its bytes.
    Binary {
        direction: Direction,
        bytes: usize,
        sha256: String,
        note: Option<Note>,
    },
    /// The bridge closed the link.
    Closed {
        code: u16,
        reason: String,
    },
    /// The computer's side ended.
    Left,
    /// The harness cut the link.
    Cut,
}

/// An event in the shape that it has in the file, where the direction of a frame is a key.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Word(Word),
    Refused { refused: u16 },
    Closed { closed: u16, reason: String },
    ToBridge { to_bridge: Payload, note: Option<Note> },
    ToComputer { to_computer: Payload, note: Option<Note> },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Opened,
    Left,
    Cut,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Payload {
    Text(String),
    Binary { bytes: usize, sha256: String },
}

impl From<Event> for Written {
    fn from(event: Event) -> Self {
        let sent = |direction, payload, note| match direction {
            Direction::ToBridge => Self::ToBridge { to_bridge: payload, note },
            Direction::ToComputer => Self::ToComputer { to_computer: payload, note },
        };
        match event {
            Event::Opened => Self::Word(Word::Opened),
            Event::Left => Self::Word(Word::Left),
            Event::Cut => Self::Word(Word::Cut),
            Event::Refused(refused) => Self::Refused { refused },
            Event::Closed { code, reason } => Self::Closed { closed: code, reason },
            Event::Frame { direction, text, note } => sent(direction, Payload::Text(text), note),
            Event::Binary { direction, bytes, sha256, note } => {
                sent(direction, Payload::Binary { bytes, sha256 }, note)
            }
        }
    }
}

impl From<Written> for Event {
    fn from(written: Written) -> Self {
        let sent = |direction, payload, note| match payload {
            Payload::Text(text) => Self::Frame { direction, text, note },
            Payload::Binary { bytes, sha256 } => Self::Binary { direction, bytes, sha256, note },
        };
        match written {
            Written::Word(Word::Opened) => Self::Opened,
            Written::Word(Word::Left) => Self::Left,
            Written::Word(Word::Cut) => Self::Cut,
            Written::Refused { refused } => Self::Refused(refused),
            Written::Closed { closed, reason } => Self::Closed { code: closed, reason },
            Written::ToBridge { to_bridge, note } => sent(Direction::ToBridge, to_bridge, note),
            Written::ToComputer { to_computer, note } => sent(Direction::ToComputer, to_computer, note),
        }
    }
}

impl Moment {
    /// The line of the file, with its end.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("a moment has text keys and finite numbers only") + "\n"
    }
}

/// Reads every line that is a moment. A run that was stopped may leave half a line.
pub fn read(trace: &str) -> Vec<Moment> {
    trace.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let link = |event| What::Link { computer: text("12"), link: 1, event };
        let sent = |direction, note| link(Event::Frame { direction, text: text("{}"), note });
        let binary = |direction, note| link(Event::Binary { direction, bytes: 3, sha256: text("0a"), note });
        let all = [
            What::Step { step: 1, title: text("probe") },
            What::Mcp { mcp: Receiver::ToBridge, message: json!({ "id": 1 }) },
            What::Mcp { mcp: Receiver::ToClient, message: json!({ "id": 1 }) },
            link(Event::Opened),
            link(Event::Left),
            link(Event::Cut),
            link(Event::Refused(502)),
            link(Event::Closed { code: 4000, reason: text("replaced") }),
            sent(Direction::ToBridge, None),
            sent(Direction::ToBridge, Some(Note::HeldBack)),
            sent(Direction::ToComputer, Some(Note::FromTheHarness)),
            binary(Direction::ToBridge, Some(Note::HeldBack)),
            binary(Direction::ToComputer, None),
            What::Screen { computer: text("12"), screen: text("hello") },
            What::Exit { computer: text("12"), exit: text("exit 0") },
            What::Call { server: text("other"), call: text("echo"), arguments: Value::Null },
            What::Answer { server: text("other"), answer: json!({ "result": {} }) },
            What::Log { log: text("bridge"), line: text("a line") },
            What::Failed { failed: text("no") },
            What::Other(json!({ "something": "new" })),
        ];
        let moments: Vec<Moment> = all.into_iter().map(|what| Moment { at_ms: 1.5, what }).collect();
        let trace: String = moments.iter().map(Moment::to_line).collect();
        assert_eq!(trace.lines().count(), moments.len());
        assert_eq!(read(&format!("{trace}{{\"at_ms\":2,\"wh")), moments);
    }

    /// Each example of the document, in its own words.
    #[test]
    fn the_lines_that_the_document_shows_are_what_is_written() {
        let document = include_str!("../../../docs/REPORTS.md");
        let (_, about) = document.split_once("## The trace").expect("the document has that part");
        let examples: Vec<Value> = about
            .split('`')
            .skip(1)
            .step_by(2)
            .map(|example| example.replace("{…}", "{}").replace("\"event\":…", "\"event\":\"opened\""))
            .filter_map(|example| serde_json::from_str(&example).ok())
            .collect();
        let is_event = |example: &Value| serde_json::from_value::<Event>(example.clone()).is_ok();
        let (events, others): (Vec<Value>, Vec<Value>) = examples.into_iter().partition(is_event);
        let whats: Vec<Value> = others.into_iter().filter(Value::is_object).collect();
        assert!(events.len() >= 7 && whats.len() >= 9, "{events:?} {whats:?}");
        for example in events {
            let event: Event = serde_json::from_value(example.clone()).expect("it was one before");
            assert_eq!(serde_json::to_value(event).expect("it is JSON"), example);
        }
        for example in whats {
            let what: What = serde_json::from_value(example.clone()).expect("anything is one");
            assert!(!matches!(what, What::Other(_)), "{example}");
            assert_eq!(serde_json::to_value(what).expect("it is JSON"), example);
        }
    }
}
