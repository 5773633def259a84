//! Reads a trace: everything that happened in a scenario, on one clock. docs/REPORTS.md describes its lines.

use serde_json::Value;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Since the scenario began.
    pub at_ms: f64,
    pub what: What,
}

/// What it was.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    Step {
        number: u64,
        title: String,
    },
    Mcp {
        to_bridge: bool,
        message: Value,
    },
    Link {
        computer: String,
        link: u64,
        event: LinkEvent,
    },
    Log {
        log: String,
        line: String,
    },
    Screen {
        computer: String,
        text: String,
    },
    Exit {
        computer: String,
        exit: String,
    },
    Failed(String),
    /// What this reader does not know, as it stands.
    Other(Value),
}

/// What happened on a link.
#[derive(Debug, Clone, PartialEq)]
pub enum LinkEvent {
    Opened,
    Left,
    Cut,
    Refused(u64),
    Closed { code: u64, reason: String },
    Frame { to_bridge: bool, text: String, note: Option<String> },
    Binary { to_bridge: bool, bytes: u64 },
}

/// Reads every line that is one.
pub fn read(trace: &str) -> Vec<Moment> {
    trace.lines().flat_map(moments).collect()
}

/// The last line of a computer may have its screen and its exit at once.
fn moments(line: &str) -> Vec<Moment> {
    let Ok(mut line) = serde_json::from_str::<Value>(line) else { return Vec::new() };
    let Some(at_ms) = line["at_ms"].as_f64() else { return Vec::new() };
    let what = line["what"].take();
    let last = what["exit"].is_string().then(|| screen(&what)).flatten();
    let known = known(&what).unwrap_or(What::Other(what));
    last.into_iter().chain([known]).map(|what| Moment { at_ms, what }).collect()
}

fn screen(what: &Value) -> Option<What> {
    let (computer, text) = (what["computer"].as_str()?.to_owned(), what["screen"].as_str()?.to_owned());
    Some(What::Screen { computer, text })
}

fn known(what: &Value) -> Option<What> {
    let text = |key: &str| what[key].as_str().map(ToOwned::to_owned);
    if let Some(number) = what["step"].as_u64() {
        return Some(What::Step { number, title: text("title")? });
    }
    if let Some(to) = what["mcp"].as_str() {
        return Some(What::Mcp { to_bridge: to == "to_bridge", message: what["message"].clone() });
    }
    if let Some(log) = text("log") {
        return Some(What::Log { log, line: text("line")? });
    }
    if let Some(message) = text("failed") {
        return Some(What::Failed(message));
    }
    let computer = text("computer")?;
    if let Some(link) = what["link"].as_u64() {
        return Some(What::Link { computer, link, event: event(&what["event"])? });
    }
    if let Some(exit) = text("exit") {
        return Some(What::Exit { computer, exit });
    }
    screen(what)
}

fn event(event: &Value) -> Option<LinkEvent> {
    match event.as_str() {
        Some("opened") => return Some(LinkEvent::Opened),
        Some("left") => return Some(LinkEvent::Left),
        Some("cut") => return Some(LinkEvent::Cut),
        _ => {}
    }
    if let Some(status) = event["refused"].as_u64() {
        return Some(LinkEvent::Refused(status));
    }
    if let Some(code) = event["closed"].as_u64() {
        let reason = event["reason"].as_str().unwrap_or_default().to_owned();
        return Some(LinkEvent::Closed { code, reason });
    }
    let to_bridge = !event["to_bridge"].is_null();
    let sent = &event[if to_bridge { "to_bridge" } else { "to_computer" }];
    if let Some(bytes) = sent["bytes"].as_u64() {
        return Some(LinkEvent::Binary { to_bridge, bytes });
    }
    let note = event["note"].as_str().map(ToOwned::to_owned);
    Some(LinkEvent::Frame { to_bridge, text: sent.as_str()?.to_owned(), note })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Direction, Event, Record};

    #[test]
    fn what_a_record_writes_is_read_in_order_on_one_clock() {
        let record = Record::default();
        let link = record.begin("12");
        record.step(1, "probe");
        record.add("12", link, Event::Opened);
        let (direction, text) = (Direction::ToBridge, "{\"type\":\"hello\"}".to_owned());
        record.add("12", link, Event::Frame { direction, text: text.clone(), note: None });
        record.add("12", link, Event::Binary { direction: Direction::ToComputer, bytes: 3 });
        record.add("12", link, Event::Closed { code: 4000, reason: "replaced".to_owned() });
        record.log_line("bridge", "a line");
        record.note(&serde_json::json!({ "computer": "12", "screen": "hello" }));
        record.note(&serde_json::json!({ "computer": "12", "exit": "exit 0", "screen": "bye" }));
        record.note(&serde_json::json!({ "something": "new" }));
        let moments = read(&record.trace());
        assert!(moments.windows(2).all(|pair| pair[0].at_ms <= pair[1].at_ms), "{moments:?}");
        let on_link = |event| What::Link { computer: "12".to_owned(), link: 1, event };
        let read: Vec<What> = moments.into_iter().map(|moment| moment.what).collect();
        assert_eq!(
            read,
            [
                What::Step { number: 1, title: "probe".to_owned() },
                on_link(LinkEvent::Opened),
                on_link(LinkEvent::Frame { to_bridge: true, text, note: None }),
                on_link(LinkEvent::Binary { to_bridge: false, bytes: 3 }),
                on_link(LinkEvent::Closed { code: 4000, reason: "replaced".to_owned() }),
                What::Log { log: "bridge".to_owned(), line: "a line".to_owned() },
                What::Screen { computer: "12".to_owned(), text: "hello".to_owned() },
                What::Screen { computer: "12".to_owned(), text: "bye".to_owned() },
                What::Exit { computer: "12".to_owned(), exit: "exit 0".to_owned() },
                What::Other(serde_json::json!({ "something": "new" })),
            ]
        );
    }
}
