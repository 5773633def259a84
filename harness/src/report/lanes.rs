//! The lanes of a sequence diagram: who takes part, and in which column.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::trace::{Direction, Event, Moment, What};

/// Computers that have a lane of their own; with more, a page is wider than any screen.
const OWN_LANES: usize = 8;

/// The lanes of a diagram, from left to right.
#[derive(Debug)]
pub struct Lanes {
    /// The column of each computer; many share the last one.
    computers: BTreeMap<String, usize>,
    /// The name of each lane, and what stands below it.
    pub heads: Vec<(String, String)>,
}

/// The columns that are always there.
pub const CLIENT: usize = 1;
pub const BRIDGE: usize = 2;

impl Lanes {
    /// Gives everyone who takes part a column.
    pub fn of(moments: &[Moment]) -> Self {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut labels: BTreeMap<&str, String> = BTreeMap::new();
        for moment in moments {
            match &moment.what {
                What::Link { computer, event, .. } => {
                    seen.insert(computer);
                    if let Event::Frame { direction: Direction::ToBridge, text, .. } = event
                        && let Some(label) = label(text)
                    {
                        labels.entry(computer).or_insert(label);
                    }
                }
                What::Screen { computer, .. } | What::Exit { computer, .. } => {
                    seen.insert(computer);
                }
                _ => {}
            }
        }
        let mut names: Vec<&str> = seen.into_iter().collect();
        names.sort_by_key(|name| (name.parse().unwrap_or(u64::MAX), *name));
        let own = if names.len() > OWN_LANES { OWN_LANES - 1 } else { names.len() };
        let mut heads = vec![("client".to_owned(), "MCP".to_owned()), ("bridge".to_owned(), String::new())];
        for name in &names[..own] {
            heads.push(((*name).to_owned(), labels.get(name).cloned().unwrap_or_default()));
        }
        if own < names.len() {
            heads.push((format!("{} more", names.len() - own), "computers".to_owned()));
        }
        let column = |place: usize| BRIDGE + 1 + place.min(own);
        let computers =
            names.iter().enumerate().map(|(place, name)| ((*name).to_owned(), column(place))).collect();
        Self { computers, heads }
    }

    pub fn column(&self, computer: &str) -> usize {
        self.computers.get(computer).copied().unwrap_or(BRIDGE)
    }

    /// Whether some computers have no lane of their own.
    pub fn is_crowd(&self) -> bool {
        self.computers.len() > OWN_LANES
    }

    /// Whether a computer has to be named beside what it does.
    pub fn is_shared(&self, computer: &str) -> bool {
        self.is_crowd() && self.column(computer) == BRIDGE + OWN_LANES
    }
}

/// The label in a hello; nothing, where it is another frame.
pub fn label(hello: &str) -> Option<String> {
    if !hello.contains("\"hello\"") {
        return None;
    }
    let hello: Value = serde_json::from_str(hello).ok()?;
    (hello["type"] == "hello").then(|| hello["computerLabel"].as_str().unwrap_or_default().to_owned())
}
