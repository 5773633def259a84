//! What a scenario waits for on a link: a frame by what it means, seen since a mark.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::names::{REQUEST, request_of};
use crate::record::{Direction, Event, Mark, Record};
use crate::report::trace::Note;

/// Fields of a block that say what it is, or have data that is no text.
const NO_TEXTS: [&str; 4] = ["type", "mimeType", "data", "blob"];

/// A frame by what it means.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    pub computer: Option<String>,
    /// A request with this method, since the step began.
    pub request: Option<String>,
    /// With `request`: it contains this.
    pub contains: Option<String>,
    /// The answer to a request: to the computer's Nth, as the transcript counts them, or to one with this id.
    pub response: Option<Which>,
    /// With `response`: whether it reports success.
    pub ok: Option<bool>,
    /// Output with this in it, since the step began.
    pub output: Option<String>,
    /// So many greetings of the computer, over all its links.
    pub greeted: Option<usize>,
}

/// Which request.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Which {
    Number(usize),
    Id(String),
}

/// What was seen so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    NotYet,
    Yes,
    /// It came, and is not what was expected.
    Otherwise(String),
}

impl Carried {
    /// What is wrong with it, as far as its file says.
    pub fn check(&self) -> Result<(), String> {
        let kinds =
            [self.request.is_some(), self.response.is_some(), self.output.is_some(), self.greeted.is_some()];
        if kinds.iter().filter(|given| **given).count() != 1 {
            return Err("it waits for one of `request`, `response`, `output` and `greeted`".to_owned());
        }
        if self.ok.is_some() && self.response.is_none() {
            return Err("`ok` belongs to `response`".to_owned());
        }
        if self.contains.is_some() && self.request.is_none() {
            return Err("`contains` belongs to `request`".to_owned());
        }
        if self.greeted == Some(0) || matches!(self.response, Some(Which::Number(0))) {
            return Err("0 is there from the beginning: count from 1".to_owned());
        }
        if [&self.output, &self.contains].into_iter().flatten().any(String::is_empty) {
            return Err("an empty text is in everything".to_owned());
        }
        Ok(())
    }

    /// What it waits for, in words.
    pub fn title(&self, computer: &str) -> String {
        if let Some(method) = &self.request {
            let with = self.contains.as_ref().map_or_else(String::new, |text| format!(": {text}"));
            return format!("{computer} has been asked {method}{with}");
        }
        if let Some(which) = &self.response {
            let ok = self.ok.map_or("", |ok| if ok { ", ok" } else { ", not ok" });
            return match which {
                Which::Number(number) => format!("{computer} has answered request {number}{ok}"),
                Which::Id(id) => format!("{computer} has answered request {id}{ok}"),
            };
        }
        if let Some(text) = &self.output {
            return format!("{computer} has sent output: {text}");
        }
        format!("{computer} has been greeted, times: {}", self.greeted.unwrap_or_default())
    }

    /// Whether the links of a computer have carried it.
    pub fn seen(&self, record: &Record, computer: &str, since: &Mark) -> Seen {
        let is = |holds: bool| if holds { Seen::Yes } else { Seen::NotYet };
        if let Some(method) = &self.request {
            let frames = frames(&record.since(computer, since), Direction::ToComputer);
            let contains = |frame: &Value, text: &str| {
                self.contains.as_ref().is_none_or(|part| text.contains(part) || says(frame, part))
            };
            return is(frames.iter().any(|(frame, text)| {
                frame["type"] == "request" && frame["method"] == method.as_str() && contains(frame, text)
            }));
        }
        if let Some(part) = &self.output {
            let frames = frames(&record.since(computer, since), Direction::ToBridge);
            let has = |frame: &Value| frame["data"].as_str().is_some_and(|data| data.contains(part));
            return is(frames.iter().any(|(frame, _)| frame["type"] == "output" && has(frame)));
        }
        let all: Vec<Event> = record.links(computer).into_iter().flatten().collect();
        if let Some(count) = self.greeted {
            let greetings = frames(&all, Direction::ToComputer);
            return is(greetings.iter().filter(|(frame, _)| frame["type"] == "hello-ok").count() >= count);
        }
        self.answered(&all)
    }

    fn answered(&self, all: &[Event]) -> Seen {
        let id = match &self.response {
            Some(Which::Id(id)) => Some(id.clone()),
            Some(Which::Number(number)) => requests(all).into_iter().nth(number - 1),
            None => None,
        };
        let Some(id) = id else { return Seen::NotYet };
        let from_computer = frames(all, Direction::ToBridge);
        let is_answer = |frame: &Value| frame["type"] == "response" && frame["id"] == id.as_str();
        let Some((frame, _)) = from_computer.iter().find(|(frame, _)| is_answer(frame)) else {
            return Seen::NotYet;
        };
        match (self.ok, frame["ok"].as_bool()) {
            (Some(wanted), Some(found)) if wanted != found => {
                Seen::Otherwise(format!("the answer has `ok` = {found}, not {wanted}"))
            }
            _ => Seen::Yes,
        }
    }
}

/// Whether a text of a value, also of one that is written as JSON in such a text, contains this.
pub fn says(value: &Value, part: &str) -> bool {
    match value {
        Value::String(text) => {
            text.contains(part)
                || serde_json::from_str::<Value>(text)
                    .is_ok_and(|inner| !inner.is_string() && says(&inner, part))
        }
        Value::Array(items) => items.iter().any(|item| says(item, part)),
        Value::Object(fields) => {
            fields.iter().any(|(key, field)| !NO_TEXTS.contains(&key.as_str()) && says(field, part))
        }
        _ => false,
    }
}

/// The frames of one direction, each with its text; one that was sent in parts is there whole, with its last part.
fn frames(events: &[Event], wanted: Direction) -> Vec<(Value, String)> {
    let (mut frames, mut parts) = (Vec::new(), BTreeMap::<String, String>::new());
    for event in events {
        let Event::Frame { direction, text, .. } = event else { continue };
        let Ok(frame) = serde_json::from_str::<Value>(text) else { continue };
        if *direction != wanted {
            continue;
        }
        if frame["type"] != "part" {
            frames.push((frame, text.clone()));
            continue;
        }
        let id = frame["id"].to_string();
        parts.entry(id.clone()).or_default().push_str(frame["data"].as_str().unwrap_or_default());
        if frame["last"] == true
            && let Some(whole) = parts.remove(&id)
            && let Ok(frame) = serde_json::from_str(&whole)
        {
            frames.push((frame, whole));
        }
    }
    frames
}

/// The ids of a computer's requests, in the order in which the transcript counts them.
fn requests(events: &[Event]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for event in events {
        let Event::Frame { direction, text, note } = event else { continue };
        let Ok(frame) = serde_json::from_str::<Value>(text) else { continue };
        let is_bridges = *direction == Direction::ToComputer && *note != Some(Note::FromTheHarness);
        let asked = request_of(&frame).filter(|_| is_bridges);
        if let Some(id) = asked.or_else(|| frame["id"].as_str().filter(|id| id.starts_with(REQUEST)))
            && !ids.iter().any(|known| known == id)
        {
            ids.push(id.to_owned());
        }
    }
    ids
}
