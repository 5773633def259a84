//! What went over the links: for each computer its links, for each link its frames, in order.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::sync::watch;
use tokio::time::Instant;

pub use crate::report::trace::{Direction, Event};
use crate::report::trace::{Moment, What};

/// Nobody reads a log that is longer; a thousand computers that link and leave need a tenth of it.
const LOG_BYTES: usize = 4 * 1024 * 1024;

/// What is kept of a link where nobody compares anything: enough to see the greeting.
const BRIEF_EVENTS: usize = 8;

/// How many events each link of each computer had at some moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mark(BTreeMap<String, Vec<usize>>);

/// The record of all links. Whoever waits for a condition on a computer watches that computer.
#[derive(Debug)]
pub struct Record {
    computers: Mutex<BTreeMap<String, Arc<Links>>>,
    started: Instant,
    /// Everything with its time, one JSON object a line.
    trace: Mutex<String>,
    /// What is being done at present.
    step: Mutex<String>,
    /// The logs that are kept beside the trace, by name.
    logs: Mutex<BTreeMap<String, String>>,
    is_brief: bool,
}

/// The links of one computer.
#[derive(Debug)]
struct Links {
    links: Mutex<Vec<Vec<Event>>>,
    changes: watch::Sender<u64>,
}

impl Links {
    fn read<T>(&self, look: impl FnOnce(&[Vec<Event>]) -> T) -> T {
        look(&held(&self.links))
    }
}

impl Default for Record {
    fn default() -> Self {
        Self {
            computers: Mutex::default(),
            started: Instant::now(),
            trace: Mutex::default(),
            step: Mutex::default(),
            logs: Mutex::default(),
            is_brief: false,
        }
    }
}

impl Record {
    /// A record for a stage that may stand for days: who is linked is known, what was said is not kept.
    pub fn brief() -> Self {
        Self { is_brief: true, ..Self::default() }
    }

    fn of(&self, computer: &str) -> Arc<Links> {
        let mut computers = held(&self.computers);
        if let Some(links) = computers.get(computer) {
            return links.clone();
        }
        let links = Arc::new(Links { links: Mutex::default(), changes: watch::channel(0).0 });
        computers.insert(computer.to_owned(), links.clone());
        links
    }

    /// Begins a link of a computer; gives its number.
    pub fn begin(&self, computer: &str) -> usize {
        let of = self.of(computer);
        let mut links = held(&of.links);
        if self.is_brief
            && let Some(before) = links.last_mut()
        {
            *before = Vec::new();
        }
        links.push(Vec::new());
        links.len() - 1
    }

    pub fn add(&self, computer: &str, link: usize, event: Event) {
        self.note(What::Link { computer: computer.to_owned(), link: link + 1, event: event.clone() });
        let of = self.of(computer);
        if let Some(events) = held(&of.links).get_mut(link) {
            let is_talk = matches!(event, Event::Frame { .. } | Event::Binary { .. });
            if !(self.is_brief && is_talk && events.len() >= BRIEF_EVENTS) {
                events.push(event);
            }
        }
        of.changes.send_modify(|count| *count += 1);
    }

    /// Puts something into the trace.
    pub fn note(&self, what: What) {
        if self.is_brief {
            return;
        }
        let mut trace = held(&self.trace);
        // Asked for once the trace is held, so that its times never go back.
        let at = self.started.elapsed().as_secs_f64() * 1000.0;
        trace.push_str(&Moment { at_ms: (at * 1000.0).round() / 1000.0, what }.to_line());
    }

    /// Says what is being done from now on.
    pub fn step(&self, number: usize, title: &str) {
        self.note(What::Step { step: number, title: title.to_owned() });
        title.clone_into(&mut held(&self.step));
    }

    /// What is being done at present.
    pub fn present(&self) -> String {
        held(&self.step).clone()
    }

    /// Puts a line of a log into the trace, and into that log.
    pub fn log_line(&self, log: &str, line: &str) {
        self.note(What::Log { log: log.to_owned(), line: line.to_owned() });
        self.keep_log(log, &format!("{line}\n"));
    }

    /// Adds to a log, beside the trace.
    pub fn keep_log(&self, log: &str, text: &str) {
        let mut logs = held(&self.logs);
        let kept = logs.entry(log.to_owned()).or_default();
        if kept.len() < LOG_BYTES && !self.is_brief {
            kept.push_str(text);
        }
    }

    /// The logs so far.
    pub fn logs(&self) -> BTreeMap<String, String> {
        held(&self.logs).clone()
    }

    /// The trace so far: frames, calls, answers and screens on one clock.
    pub fn trace(&self) -> String {
        held(&self.trace).clone()
    }

    /// The links of a computer, each with its events.
    pub fn links(&self, computer: &str) -> Vec<Vec<Event>> {
        self.of(computer).read(<[_]>::to_vec)
    }

    /// How many links a computer has had.
    pub fn count_links(&self, computer: &str) -> usize {
        self.of(computer).read(<[_]>::len)
    }

    /// Marks this moment: what is asked for since then is what came later.
    pub fn mark(&self) -> Mark {
        let computers = held(&self.computers);
        let counts = |links: &Arc<Links>| links.read(|links| links.iter().map(Vec::len).collect());
        Mark(computers.iter().map(|(name, links)| (name.clone(), counts(links))).collect())
    }

    /// What happened on the links of a computer since a mark.
    pub fn since(&self, computer: &str, mark: &Mark) -> Vec<Event> {
        let counts = mark.0.get(computer).map(Vec::as_slice).unwrap_or_default();
        self.of(computer).read(|links| {
            let fresh = links.iter().enumerate().map(|(link, events)| {
                let count = counts.get(link).copied().unwrap_or(0);
                events.get(count..).unwrap_or_default()
            });
            fresh.flatten().cloned().collect()
        })
    }

    /// Tells of every change of a computer's links from now on.
    pub fn watch(&self, computer: &str) -> watch::Receiver<u64> {
        self.of(computer).changes.subscribe()
    }

    /// How many links of a computer were greeted.
    pub fn greetings(&self, computer: &str) -> usize {
        self.of(computer).read(|links| links.iter().filter(|link| was_greeted(link)).count())
    }

    /// Whether the newest link of a computer was greeted and has not ended.
    pub fn is_linked(&self, computer: &str) -> bool {
        self.of(computer).read(|links| links.last().is_some_and(|link| was_greeted(link) && !has_ended(link)))
    }

    /// How many links of a computer have ended.
    pub fn ended_links(&self, computer: &str) -> usize {
        self.of(computer).read(|links| links.iter().filter(|link| has_ended(link)).count())
    }

    /// Whether the last link of a computer has ended, or there never was one.
    pub fn has_left(&self, computer: &str) -> bool {
        self.of(computer).read(|links| links.last().is_none_or(|link| has_ended(link)))
    }
}

/// Holds a lock. No code panics while it holds one, and where one did, what it guards is still of use.
pub fn held<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn was_greeted(link: &[Event]) -> bool {
    link.iter().any(is_greeting)
}

fn has_ended(link: &[Event]) -> bool {
    link.last().is_some_and(|last| {
        matches!(last, Event::Left | Event::Closed { .. } | Event::Cut | Event::Refused(_))
    })
}

/// Whether this is the bridge's answer to a hello. A label may have the same words in it.
fn is_greeting(event: &Event) -> bool {
    let Event::Frame { direction: Direction::ToComputer, text, .. } = event else { return false };
    let frame = Some(text).filter(|text| text.contains("hello-ok"));
    let frame = frame.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    frame.is_some_and(|frame| frame["type"] == "hello-ok")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_greeted_by_the_bridge_alone() {
        let frame = |direction, text: &str| Event::Frame { direction, text: text.to_owned(), note: None };
        let hello = frame(Direction::ToBridge, r#"{"type":"hello","computerLabel":"hello-ok"}"#);
        let other = frame(Direction::ToComputer, r#"{"type":"request","params":{"code":"hello-ok"}}"#);
        let greeting = frame(Direction::ToComputer, r#"{"type":"hello-ok"}"#);
        assert!(!was_greeted(&[Event::Opened, hello.clone(), other]));
        assert!(was_greeted(&[Event::Opened, hello, greeting]));
    }
}
