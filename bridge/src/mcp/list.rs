//! The tool `list-computers`, and the entry that it and a computer's resource give.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;

use crate::computer::Computer;
use crate::registry::Registry;
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
    pub fn of(computer: &Computer) -> Self {
        let identity = computer.identity();
        Self {
            id: computer.id,
            label: identity.label.clone(),
            version: identity.version.clone(),
            capabilities: identity.capabilities.clone(),
            connected_for_ms: u64::try_from(computer.connected_for().as_millis()).unwrap_or(u64::MAX),
            last_seen_at: humantime::format_rfc3339_millis(computer.last_seen()).to_string(),
        }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("it holds text and numbers only")
    }
}

#[derive(Debug, Serialize)]
struct Computers {
    computers: Vec<Entry>,
}

pub fn list(registry: &Registry) -> CallToolResult {
    let all = Computers { computers: registry.all().iter().map(|computer| Entry::of(computer)).collect() };
    let text = serde_json::to_string(&all).expect("it holds text and numbers only");
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(serde_json::to_value(&all).expect("it holds text and numbers only"));
    result
}
