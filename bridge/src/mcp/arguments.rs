//! What a tool was given, checked, with an error that says what to change.

use std::time::Duration;

use rmcp::model::JsonObject;
use serde_json::Value;
use thiserror::Error;

use crate::limits::{CODE_BYTES, MAX_TIMEOUT_MS};
use crate::text::shown;

/// What is wrong with a call's arguments.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ArgumentError {
    #[error("unknown argument `{}`; {known}", shown(.name))]
    Unknown { name: String, known: &'static str },
    #[error("`computerId` must be a whole number from 0")]
    ComputerId,
    #[error("`code` must be a string of Lua")]
    Code,
    #[error("`code` has {0} bytes; {CODE_BYTES} is the most")]
    CodeTooLarge(usize),
    #[error("`jobId` must be the id of a job, as `start-lua` gave it")]
    Job,
    #[error("`from` must be a whole number from 0, the `next` of the page before")]
    From,
    #[error("`label` must be a part of a label")]
    Label,
    #[error("`capability` must be the name of one, such as `tools`")]
    Capability,
    #[error("`limit` must be a whole number from 1")]
    Limit,
    #[error("`cursor` must be a `nextCursor` that this tool gave")]
    Cursor,
    #[error("`timeoutMs` must be a whole number from 1 to {MAX_TIMEOUT_MS}")]
    Timeout,
}

/// Checks that a tool without arguments was given none.
pub fn none(given: &JsonObject) -> Result<(), ArgumentError> {
    match given.keys().next() {
        None => Ok(()),
        Some(name) => Err(ArgumentError::Unknown { name: name.clone(), known: "there are none" }),
    }
}

/// The arguments of `exec-lua`.
#[derive(Debug, PartialEq, Eq)]
pub struct Exec {
    pub computer: u64,
    pub code: String,
    pub timeout: Option<Duration>,
}

impl Exec {
    pub fn read(given: JsonObject) -> Result<Self, ArgumentError> {
        let (mut computer, mut code, mut timeout) = (None, None, None);
        for (name, value) in given {
            match name.as_str() {
                "computerId" => computer = Some(whole(&value).ok_or(ArgumentError::ComputerId)?),
                "code" => match value {
                    Value::String(text) if text.len() > CODE_BYTES => {
                        return Err(ArgumentError::CodeTooLarge(text.len()));
                    }
                    Value::String(text) => code = Some(text),
                    _ => return Err(ArgumentError::Code),
                },
                // A client that fills in every property says null for one that it leaves out.
                "timeoutMs" if value.is_null() => {}
                "timeoutMs" => {
                    let millis = whole(&value).filter(|millis| (1..=MAX_TIMEOUT_MS).contains(millis));
                    timeout = Some(Duration::from_millis(millis.ok_or(ArgumentError::Timeout)?));
                }
                _ => {
                    let known = "there are `computerId`, `code` and `timeoutMs`";
                    return Err(ArgumentError::Unknown { name, known });
                }
            }
        }
        Ok(Self {
            computer: computer.ok_or(ArgumentError::ComputerId)?,
            code: code.ok_or(ArgumentError::Code)?,
            timeout,
        })
    }
}

/// The arguments of `list-computers`: which, and how many of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct List {
    /// What must stand in the label, whatever its case.
    pub label: Option<String>,
    pub capability: Option<String>,
    pub limit: Option<usize>,
    /// The first id of the page.
    pub first: u64,
}

impl List {
    pub fn read(given: JsonObject) -> Result<Self, ArgumentError> {
        let mut list = Self::default();
        for (name, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
            match (name.as_str(), value) {
                ("label", Value::String(text)) => list.label = Some(text.to_lowercase()),
                ("label", _) => return Err(ArgumentError::Label),
                ("capability", Value::String(text)) => list.capability = Some(text),
                ("capability", _) => return Err(ArgumentError::Capability),
                ("limit", value) => {
                    let limit = whole(&value).filter(|limit| *limit > 0).ok_or(ArgumentError::Limit)?;
                    list.limit = Some(usize::try_from(limit).unwrap_or(usize::MAX));
                }
                ("cursor", Value::String(text)) => {
                    list.first = text.parse().map_err(|_| ArgumentError::Cursor)?;
                }
                ("cursor", _) => return Err(ArgumentError::Cursor),
                _ => {
                    let known = "there are `label`, `capability`, `limit` and `cursor`";
                    return Err(ArgumentError::Unknown { name, known });
                }
            }
        }
        Ok(list)
    }
}

/// A whole number from 0, also when it is written as `12.0`.
fn whole(value: &Value) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let float = value.as_f64()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range and the fraction are checked in the same expression"
    )]
    (float.fract() == 0.0 && (0.0..=EXACT).contains(&float)).then_some(float as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Result<Exec, ArgumentError> {
        let Value::Object(object) = value else { panic!("arguments are an object") };
        Exec::read(object)
    }

    #[test]
    fn the_required_ones_are_enough() {
        let expected = Exec { computer: 12, code: "return 1".into(), timeout: None };
        assert_eq!(read(json!({"computerId": 12, "code": "return 1"})), Ok(expected));
        let with_timeout = read(json!({"computerId": 12.0, "code": "", "timeoutMs": 500})).expect("valid");
        assert_eq!(with_timeout.timeout, Some(Duration::from_millis(500)));
        assert_eq!(
            read(json!({"computerId": 1, "code": "", "timeoutMs": null})).map(|e| e.timeout),
            Ok(None)
        );
    }

    #[test]
    fn each_wrong_one_is_named() {
        for id in [json!(-1), json!(1.5), json!("12"), json!(null)] {
            assert_eq!(read(json!({"computerId": id, "code": ""})), Err(ArgumentError::ComputerId));
        }
        assert_eq!(read(json!({"code": ""})), Err(ArgumentError::ComputerId));
        assert_eq!(read(json!({"computerId": 1})), Err(ArgumentError::Code));
        assert_eq!(read(json!({"computerId": 1, "code": 7})), Err(ArgumentError::Code));
        for timeout in [json!(0), json!(-5), json!("5"), json!(MAX_TIMEOUT_MS + 1)] {
            let refused = read(json!({"computerId": 1, "code": "", "timeoutMs": timeout}));
            assert_eq!(refused, Err(ArgumentError::Timeout));
        }
        let refused = read(json!({"computerId": 1, "code": "", "timeout": 5})).expect_err("unknown");
        assert_eq!(
            refused.to_string(),
            "unknown argument `timeout`; there are `computerId`, `code` and `timeoutMs`"
        );
        let large = "x".repeat(CODE_BYTES + 1);
        assert_eq!(
            read(json!({"computerId": 1, "code": large})),
            Err(ArgumentError::CodeTooLarge(CODE_BYTES + 1))
        );
    }
}
