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
    Progress(Progress),
    Log(Log),
    /// A question, and how many bytes of JSON it has.
    Ask {
        asked: Asked,
        bytes: usize,
    },
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Progress {
    pub progress: f64,
    #[serde(default)]
    pub total: Option<f64>,
    #[serde(default)]
    pub message: Option<Stranger>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Log {
    pub level: String,
    #[serde(default)]
    pub data: Value,
}

/// Something that a tool asks the client.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Asked {
    /// The number that the tool waits for.
    pub ask: u64,
    /// What the tool calls it, if it does.
    #[serde(default)]
    pub key: Option<String>,
    pub method: String,
    #[serde(default)]
    pub params: Value,
    /// Whether another question follows at once; older computers do not say.
    #[serde(default)]
    pub more: Option<bool>,
}

impl Note {
    /// Reads a note; nothing for any other frame, and for one that is malformed.
    pub fn read(frame: &Incoming<'_>) -> Option<Self> {
        let data = frame.data?;
        match &*frame.kind {
            "output" => text_of(data).map(|text| Self::Output(Stranger::new(&text))),
            "progress" => serde_json::from_str(data.get()).map(Self::Progress).ok(),
            "log" => serde_json::from_str(data.get()).map(Self::Log).ok(),
            "ask" => {
                let asked = serde_json::from_str(data.get()).ok()?;
                Some(Self::Ask { asked, bytes: data.get().len() })
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
            Some(Note::Progress(Progress {
                progress: 1.0,
                total: Some(4.0),
                message: Some(Stranger::new("x"))
            }))
        );
        assert_eq!(
            read("log", r#"{"level":"info","data":{"a":1}}"#),
            Some(Note::Log(Log { level: "info".into(), data: json!({ "a": 1 }) }))
        );
        let params = json!({ "message": "?" });
        let question = r#"{"ask":1,"method":"elicitation/create","more":true,"params":{"message":"?"}}"#;
        let asked =
            Asked { ask: 1, key: None, method: "elicitation/create".into(), params, more: Some(true) };
        assert_eq!(read("ask", question), Some(Note::Ask { asked, bytes: question.len() }));
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
