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
#[error("{0}")]
pub struct ArgumentError(String);

pub const COMPUTER_ID: &str = "`computerId` must be a whole number from 0";
const CODE: &str = "`code` must be a string of Lua";

impl From<&str> for ArgumentError {
    fn from(problem: &str) -> Self {
        Self(problem.to_owned())
    }
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
        wrong: &str,
    ) -> Result<Option<T>, ArgumentError> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| wrong.into()),
        }
    }

    /// Checks that nothing else was given; `known` says what there is.
    pub fn end(self, known: &'static str) -> Result<(), ArgumentError> {
        match self.0.into_iter().find(|(_, value)| !value.is_null()) {
            None => Ok(()),
            Some((name, _)) => Err(ArgumentError(format!("unknown argument `{}`; {known}", shown(&name)))),
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
        let computer = given.take("computerId", whole, COMPUTER_ID)?;
        let code = given.take("code", text, CODE)?.ok_or(CODE);
        let in_range = |value| whole(value).filter(|millis| (1..=MAX_TIMEOUT_MS).contains(millis));
        let wrong = format!("`timeoutMs` must be a whole number from 1 to {MAX_TIMEOUT_MS}");
        let timeout = given.take("timeoutMs", in_range, &wrong)?.map(Duration::from_millis);
        given.end("there are `computerId`, `code` and `timeoutMs`")?;
        let (computer, code) = (computer.ok_or(COMPUTER_ID)?, code?);
        if code.len() > CODE_BYTES {
            return Err(ArgumentError(format!("`code` has {} bytes; {CODE_BYTES} is the most", code.len())));
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
        let label =
            given.take("label", text, "`label` must be a part of a label")?.map(|label| label.to_lowercase());
        let capability =
            given.take("capability", text, "`capability` must be the name of one, such as `tools`")?;
        let positive = |value| whole(value).filter(|limit| *limit > 0);
        let limit = given.take("limit", positive, "`limit` must be a whole number from 1")?;
        let limit = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let cursor = |value| text(value)?.parse().ok();
        let first =
            given.take("cursor", cursor, "`cursor` must be a `nextCursor` that this tool gave")?.unwrap_or(0);
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
            assert_eq!(read(json!({"computerId": id, "code": ""})), Err(COMPUTER_ID.into()));
        }
        assert_eq!(read(json!({"code": ""})), Err(COMPUTER_ID.into()));
        assert_eq!(read(json!({"computerId": 1})), Err(CODE.into()));
        assert_eq!(read(json!({"computerId": 1, "code": 7})), Err(CODE.into()));
        for timeout in [json!(0), json!(-5), json!("5"), json!(MAX_TIMEOUT_MS + 1)] {
            let refused = read(json!({"computerId": 1, "code": "", "timeoutMs": timeout}));
            let error = refused.expect_err("no timeout").to_string();
            assert_eq!(error, "`timeoutMs` must be a whole number from 1 to 86400000");
        }
        let refused = read(json!({"computerId": 1, "code": "", "timeout": 5})).expect_err("unknown");
        assert_eq!(
            refused.to_string(),
            "unknown argument `timeout`; there are `computerId`, `code` and `timeoutMs`"
        );
        let large = "x".repeat(CODE_BYTES + 1);
        let refused = read(json!({"computerId": 1, "code": large})).expect_err("too large");
        assert_eq!(refused.to_string(), "`code` has 1048577 bytes; 1048576 is the most");
    }
}
