//! What a computer says about a request while it runs: output, progress, a line for the log, or a question.

use serde::Deserialize;
use serde_json::Value;

use super::frame::{Incoming, text_of};
use crate::text::Stranger;

/// Something that a computer said before its answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// What was printed since the last one.
    Output(Stranger),
    Progress {
        progress: f64,
        total: Option<f64>,
        message: Option<Stranger>,
    },
    Log {
        level: String,
        data: Value,
    },
    /// Something that the tool asks the client; it waits for the answer with this number.
    Ask {
        ask: u64,
        /// What the tool calls it, if it does.
        key: Option<String>,
        method: String,
        params: Value,
    },
}

#[derive(Deserialize)]
struct ProgressData {
    progress: f64,
    #[serde(default)]
    total: Option<f64>,
    #[serde(default)]
    message: Option<String>,
}

#[derive(Deserialize)]
struct LogData {
    level: String,
    #[serde(default)]
    data: Value,
}

#[derive(Deserialize)]
struct AskData {
    ask: u64,
    #[serde(default)]
    key: Option<String>,
    method: String,
    #[serde(default)]
    params: Value,
}

impl Note {
    /// Reads a note; nothing for any other frame, and for one that is malformed.
    pub fn read(frame: &Incoming<'_>) -> Option<Self> {
        let data = frame.data?;
        match &*frame.kind {
            "output" => text_of(data).map(|text| Self::Output(Stranger::new(&text))),
            "progress" => {
                let ProgressData { progress, total, message } = serde_json::from_str(data.get()).ok()?;
                let message = message.as_deref().map(Stranger::new);
                Some(Self::Progress { progress, total, message })
            }
            "log" => {
                let LogData { level, data } = serde_json::from_str(data.get()).ok()?;
                Some(Self::Log { level, data })
            }
            "ask" => {
                let AskData { ask, key, method, params } = serde_json::from_str(data.get()).ok()?;
                Some(Self::Ask { ask, key, method, params })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(kind: &str, data: &str) -> Option<Note> {
        let text = format!(r#"{{"type":"{kind}","id":"req-1","data":{data}}}"#);
        Note::read(&Incoming::parse(&text).expect("a frame"))
    }

    #[test]
    fn each_kind_is_read() {
        assert_eq!(read("output", r#""a\n""#), Some(Note::Output(Stranger::new("a\n"))));
        assert_eq!(
            read("progress", r#"{"progress":1,"total":4,"message":"x"}"#),
            Some(Note::Progress { progress: 1.0, total: Some(4.0), message: Some(Stranger::new("x")) })
        );
        assert_eq!(
            read("log", r#"{"level":"info","data":{"a":1}}"#),
            Some(Note::Log { level: "info".into(), data: json!({ "a": 1 }) })
        );
        let params = json!({ "message": "?" });
        assert_eq!(
            read("ask", r#"{"ask":1,"method":"elicitation/create","params":{"message":"?"}}"#),
            Some(Note::Ask { ask: 1, key: None, method: "elicitation/create".into(), params })
        );
    }

    #[test]
    fn what_is_malformed_is_no_note() {
        for (kind, data) in [
            ("output", "1"),
            ("progress", "{}"),
            ("progress", "1"),
            ("log", "{}"),
            ("ask", r#"{"ask":-1}"#),
            ("x", "{}"),
        ] {
            assert_eq!(read(kind, data), None, "{kind} {data}");
        }
    }
}
