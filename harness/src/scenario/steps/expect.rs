//! What is expected of a step, beside it: a reader sees what matters, and a failure names it.

use serde::Deserialize;
use serde_json::Value;

use super::act::Done;
use crate::client::Answer;
use crate::scenario::marks::says;
use crate::scenario::shown::{self, shorten};
use crate::stage::{Stage, StageError};

/// The expectations of a step; all that are given have to hold.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The answer's text, or its structured content as JSON, contains this.
    pub text: Option<String>,
    /// Neither of them contains this.
    pub without: Option<String>,
    /// Whether the answer is an error; a text is an error that contains it.
    pub error: Option<ErrorExpected>,
    /// What the computer of the step has printed since it was last booted contains this; of the step `screen`, what is on
    /// the screen.
    pub screen: Option<String>,
    /// How the computer ended, such as `exit 1`.
    pub exit: Option<String>,
    /// The content of the file, exactly; `false`: there is none.
    pub file: Option<FileExpected>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum ErrorExpected {
    Is(bool),
    Says(String),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum FileExpected {
    IsThere(bool),
    Holds(String),
}

impl Expect {
    /// Whether nothing is expected.
    pub fn is_empty(&self) -> bool {
        let Self { text, without, error, screen, exit, file } = self;
        [text, without, screen, exit].into_iter().all(Option::is_none) && error.is_none() && file.is_none()
    }

    /// Whether each expectation is one that the step can have.
    pub fn fits(&self, allowed: &[&str]) -> Result<(), String> {
        let given = [
            ("text", self.text.is_some() || self.without.is_some()),
            ("error", self.error.is_some()),
            ("screen", self.screen.is_some()),
            ("exit", self.exit.is_some()),
            ("file", self.file.is_some()),
        ];
        let says = match &self.error {
            Some(ErrorExpected::Says(text)) => Some(text),
            _ => None,
        };
        if [self.text.as_ref(), self.screen.as_ref(), says].into_iter().flatten().any(String::is_empty) {
            return Err("an empty text is in everything".to_owned());
        }
        if self.without.as_ref().is_some_and(String::is_empty) {
            return Err("no text is without an empty one".to_owned());
        }
        match given.iter().find(|(name, is_given)| *is_given && !allowed.contains(name)) {
            Some((name, _)) => Err(format!("this step has no `{name}` to expect")),
            None => Ok(()),
        }
    }

    /// Compares what a step left with what is expected of it.
    pub fn check(&self, done: &Done, computer: Option<&str>, stage: &Stage) -> Result<(), StageError> {
        let failed = |what: &'static str, expected: String, found: String| {
            Err(StageError::Expected { what, expected, found: shorten(&found) })
        };
        let (is_error, said) = done.answer.as_ref().map_or((false, String::new()), said);
        if let Some(text) = &self.text
            && !said.contains(text)
        {
            return failed("text", text.clone(), said);
        }
        if let Some(text) = &self.without
            && done.answer.as_ref().is_some_and(|answer| has_anywhere(answer, text))
        {
            return failed("a text without", text.clone(), said);
        }
        match &self.error {
            Some(ErrorExpected::Is(wanted)) if *wanted != is_error => {
                return failed("error", wanted.to_string(), format!("{is_error}: {said}"));
            }
            Some(ErrorExpected::Says(text)) if !is_error || !said.contains(text) => {
                return failed("error", text.clone(), said);
            }
            _ => {}
        }
        if let (Some(text), Some(name)) = (&self.screen, computer) {
            let printed = match &done.screen {
                Some(screen) => screen.clone(),
                // What an earlier boot has printed is not what this one did.
                None => stage.computer(name)?.printed_by_boot().this_boot().to_owned(),
            };
            if !printed.contains(text) {
                return failed("screen", text.clone(), printed);
            }
        }
        if let Some(wanted) = &self.exit
            && done.exit.as_ref() != Some(wanted)
        {
            return failed("exit", wanted.clone(), done.exit.clone().unwrap_or_else(|| "none".to_owned()));
        }
        let file = done.file.as_ref().and_then(Option::as_deref);
        // Two files that differ look different: a missing one, and one that ends in a line break.
        let expected = match &self.file {
            Some(FileExpected::IsThere(wanted)) if *wanted != file.is_some() => wanted.to_string(),
            Some(FileExpected::Holds(text)) if file != Some(text.as_bytes()) => {
                shown::file(Some(text.as_bytes()))
            }
            _ => return Ok(()),
        };
        Err(StageError::Expected { what: "file", expected, found: shown::file(file) })
    }
}

/// Whether a text is anywhere in an answer: as it is shown, or as a text in it is. JSON has other signs for some characters.
fn has_anywhere(answer: &Answer, text: &str) -> bool {
    let whole = match answer {
        Answer::Error { data, .. } => data.clone().into_iter().collect(),
        Answer::Result(called) => {
            let own = called.content.iter().chain(&called.structured).chain(&called.meta);
            own.cloned().collect()
        }
    };
    said(answer).1.contains(text) || says(&Value::Array(whole), text)
}

/// Whether an answer is an error, and all that it says.
fn said(answer: &Answer) -> (bool, String) {
    match answer {
        Answer::Error { message, .. } => (true, message.clone()),
        Answer::Result(called) => {
            let structured = called.structured.as_ref().map(|value| format!("\n{value}")).unwrap_or_default();
            (called.is_error, format!("{}{structured}", called.text))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::client::Called;

    #[test]
    fn what_an_answer_says_is_its_text_and_its_structured_content() {
        let called = |structured| Called {
            content: Vec::new(),
            text: "five doors".to_owned(),
            is_error: false,
            structured,
            meta: None,
            progress: String::new(),
        };
        let (_, told) = said(&Answer::Result(called(Some(json!({ "doors": 5 })))));
        assert_eq!(told, "five doors\n{\"doors\":5}");
        assert_eq!(said(&Answer::Result(called(None))).1, "five doors");
    }

    #[test]
    fn what_must_not_be_there_is_found_however_it_is_written() {
        let answer = Answer::Result(Called {
            content: vec![
                json!({ "type": "text", "text": r#"{"output":"a \"key\"\nend"}"# }),
                json!({ "type": "resource", "resource": { "uri": "x://y", "text": "a secret" } }),
            ],
            text: r#"{"output":"a \"key\"\nend"}"#.to_owned(),
            is_error: false,
            structured: Some(json!({ "returns": [{ "value": "two\nlines" }] })),
            meta: None,
            progress: String::new(),
        });
        for there in ["a \"key\"", "\"key\"\nend", "two\nlines", "a secret", "returns", "output"] {
            assert!(has_anywhere(&answer, there), "{there}");
        }
        assert!(!has_anywhere(&answer, "another") && !has_anywhere(&answer, "resource"));
        let data = Some(json!({ "why": "a secret" }));
        assert!(has_anywhere(&Answer::Error { code: 1, message: String::new(), data }, "secret"));
    }
}
