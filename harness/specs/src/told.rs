//! What the runner on the computer tells: one JSON object in a line. Texts are bytes, each a character up to `\u00ff`.

use serde::{Deserialize, Deserializer};

use crate::others::Question;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Told {
    /// The file is being loaded.
    Loading,
    /// The next test; they are numbered from 1. Those of a group are found when its turn comes.
    Found {
        test: Test,
    },
    /// The file cannot be loaded.
    Unreadable(Problem),
    Begin {
        number: usize,
    },
    End {
        number: usize,
        outcome: Outcome,
        #[serde(default)]
        ms: f64,
        error: Option<Problem>,
    },
    /// A teardown failed behind this test.
    Teardown {
        number: usize,
        error: Problem,
    },
    /// A test wants something of another computer.
    Ask {
        question: Question,
    },
    /// Every test has ended.
    Done,
}

/// A test before it runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Test {
    /// The names of the groups around it, and its own.
    #[serde(deserialize_with = "texts")]
    pub name: Vec<String>,
    #[serde(default)]
    pub line: Option<u64>,
    /// Whether the filters of the run leave it out.
    #[serde(default)]
    pub left_out: bool,
}

/// How a test ended, as the computer sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Passed,
    Failed,
    Pending,
}

/// What went wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Problem {
    #[serde(deserialize_with = "text")]
    pub message: String,
    #[serde(deserialize_with = "maybe_text")]
    pub expected: Option<String>,
    #[serde(deserialize_with = "maybe_text")]
    pub actual: Option<String>,
    /// The file of the user's that failed, as the computer names it.
    #[serde(deserialize_with = "maybe_text")]
    pub file: Option<String>,
    pub line: Option<u64>,
    #[serde(deserialize_with = "maybe_text")]
    pub traceback: Option<String>,
    #[serde(deserialize_with = "maybe_text")]
    pub screen: Option<String>,
}

/// Reads the lines that are whole. The last one may still be on its way.
pub fn read(bytes: &[u8]) -> Result<Vec<Told>, serde_json::Error> {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = bytes[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(serde_json::from_slice).collect()
}

/// The text that bytes are, given as a character each.
fn from_bytes(characters: &str) -> String {
    String::from_utf8_lossy(&to_bytes(characters)).into_owned()
}

/// The bytes that are given as a character each.
pub fn to_bytes(characters: &str) -> Vec<u8> {
    characters.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(from_bytes(&String::deserialize(deserializer)?))
}

fn maybe_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(|text| from_bytes(&text)))
}

fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    Ok(texts.iter().map(|text| from_bytes(text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_are_read_and_bytes_are_text() {
        let lines = concat!(
            r#"{"event":"found","test":{"name":["t\u00c3\u00bcr","x"],"line":3,"left_out":false}}"#,
            "\n",
            r#"{"event":"begin","number":1}"#,
            "\n",
            r#"{"event":"end","num"#
        );
        let told = read(lines.as_bytes()).expect("the lines are whole");
        let test = Test { name: vec!["tür".to_owned(), "x".to_owned()], line: Some(3), left_out: false };
        assert_eq!(told, [Told::Found { test }, Told::Begin { number: 1 }]);
    }

    #[test]
    fn what_is_no_line_of_the_runner_is_an_error() {
        assert!(read(b"hello\n").is_err());
        assert!(read(b"").expect("nothing was told").is_empty());
    }
}
