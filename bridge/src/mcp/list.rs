//! The tool `list-computers`, and the entry that it and a computer's resource give.

use std::time::UNIX_EPOCH;

use rmcp::model::CallToolResult;
use serde::Serialize;

use super::arguments::List;
use super::server::structured;
use crate::computer::Computer;
use crate::registry::Registry;
use crate::sources::{Sources, millis};
use crate::text::Stranger;

/// What is said of a computer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub id: u64,
    pub label: Option<Stranger>,
    pub version: Option<Stranger>,
    pub capabilities: Vec<Stranger>,
    pub connected_for_ms: u64,
    pub last_seen_at: String,
}

impl Entry {
    pub fn of(computer: &Computer, sources: &Sources) -> Self {
        let last_seen = sources.now().checked_sub(computer.silent_for());
        let identity = computer.identity();
        Self {
            id: computer.id,
            label: identity.label.clone(),
            version: identity.version.clone(),
            capabilities: identity.capabilities.clone(),
            connected_for_ms: millis(computer.connected_for()),
            last_seen_at: humantime::format_rfc3339_millis(last_seen.unwrap_or(UNIX_EPOCH)).to_string(),
        }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("it holds text and numbers only")
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Computers {
    computers: Vec<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// Lists those that are asked for, at most so many; the next page begins where this one ends.
pub fn list(registry: &Registry, sources: &Sources, asked: &List) -> CallToolResult {
    let fits = |computer: &Computer| {
        let identity = computer.identity();
        let has = |wanted: &String| identity.capabilities.iter().any(|own| own.is(wanted));
        let named = |part: &String| identity.label.as_ref().is_some_and(|label| label.contains(part));
        asked.label.as_ref().is_none_or(named) && asked.capability.as_ref().is_none_or(has)
    };
    let mut found = registry.page(asked.first, usize::MAX);
    found.retain(|computer| fits(computer));
    let limit = asked.limit.unwrap_or(usize::MAX);
    let next_cursor = found.get(limit).map(|computer| computer.id.to_string());
    found.truncate(limit);
    let computers = found.iter().map(|computer| Entry::of(computer, sources)).collect();
    let page = Computers { computers, next_cursor };
    structured(serde_json::to_value(page).expect("it holds text and numbers only"), false)
}
