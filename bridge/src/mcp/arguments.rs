//! What a tool was given, checked, with an error that says what to change.

use std::time::Duration;

use rmcp::model::JsonObject;
use serde_json::Value;
use thiserror::Error;

use crate::limits::{CODE_BYTES, MAX_TIMEOUT_MS};
use crate::link::frame;
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

/// The arguments of a call, taken out one by one.
#[derive(Debug)]
pub struct Given(pub JsonObject);

impl Given {
    /// Takes an argument that may be missing. A client that fills in every property says null for one that it leaves out.
    pub fn take<T>(
        &mut self,
        name: &str,
        read: impl Fn(Value) -> Option<T>,
        wrong: ArgumentError,
    ) -> Result<Option<T>, ArgumentError> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or(wrong),
        }
    }

    /// Checks that nothing else was given; `known` says what there is.
    pub fn end(self, known: &'static str) -> Result<(), ArgumentError> {
        match self.0.into_iter().find(|(_, value)| !value.is_null()) {
            None => Ok(()),
            Some((name, _)) => Err(ArgumentError::Unknown { name, known }),
        }
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
        let mut given = Given(given);
        let computer = given.take("computerId", whole, ArgumentError::ComputerId)?;
        let code = given.take("code", text, ArgumentError::Code)?.ok_or(ArgumentError::Code);
        let in_range = |value| whole(value).filter(|millis| (1..=MAX_TIMEOUT_MS).contains(millis));
        let timeout = given.take("timeoutMs", in_range, ArgumentError::Timeout)?.map(Duration::from_millis);
        given.end("there are `computerId`, `code` and `timeoutMs`")?;
        let (computer, code) = (computer.ok_or(ArgumentError::ComputerId)?, code?);
        if code.len() > CODE_BYTES {
            return Err(ArgumentError::CodeTooLarge(code.len()));
        }
        Ok(Self { computer, code, timeout })
    }
}

/// The arguments of `list-computers`: which, and how many of them.
#[derive(Debug, PartialEq, Eq)]
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
        let mut given = Given(given);
        let label = given.take("label", text, ArgumentError::Label)?.map(|label| label.to_lowercase());
        let capability = given.take("capability", text, ArgumentError::Capability)?;
        let positive = |value| whole(value).filter(|limit| *limit > 0);
        let limit = given.take("limit", positive, ArgumentError::Limit)?;
        let limit = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let cursor = |value| text(value)?.parse().ok();
        let first = given.take("cursor", cursor, ArgumentError::Cursor)?.unwrap_or(0);
        given.end("there are `label`, `capability`, `limit` and `cursor`")?;
        Ok(Self { label, capability, limit, first })
    }
}

/// A text.
pub fn text(value: Value) -> Option<String> {
    if let Value::String(text) = value { Some(text) } else { None }
}

/// A whole number from 0, also when it is written as `12.0`.
#[expect(clippy::needless_pass_by_value, reason = "arguments are taken out")]
pub fn whole(value: Value) -> Option<u64> {
    value.as_number().and_then(frame::whole)
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
