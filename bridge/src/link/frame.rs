//! The frames of the link protocol, as they are read from and written to the wire.
//! What they do to a link is decided in [`super::life`]; docs/LINK-PROTOCOL.md is their specification.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::tools::handler::File;

/// The number of a request; on the wire `req-<number>`.
pub type RequestId = u64;

const REQUEST_PREFIX: &str = "req-";

/// One frame from a computer, with every field that any type may have. Fields whose type is not fixed by the
/// first version of the protocol are kept raw, so that one odd value does not cost the whole frame.
#[derive(Debug, Deserialize)]
pub struct Incoming<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub ok: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub seq: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub last: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "computerId")]
    pub computer_id: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "computerLabel")]
    pub computer_label: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub version: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub capabilities: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub token: Option<&'a RawValue>,
}

impl<'a> Incoming<'a> {
    /// Reads a frame; nothing when the text is not a JSON object with a `type`.
    pub fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The request that this frame is about; nothing when the id is none of this bridge's.
    pub fn request_id(&self) -> Option<RequestId> {
        let id = text_of(self.id?)?;
        let digits = id.strip_prefix(REQUEST_PREFIX)?;
        whole_digits(digits)
    }

    /// The answer that a `response` frame carries.
    pub fn answer(&self) -> Answer {
        let owned = |value: Option<&RawValue>| value.map(ToOwned::to_owned);
        if self.ok.is_some_and(|ok| ok.get() == "true") {
            Answer::Done { result: owned(self.result) }
        } else {
            Answer::Failed { error: owned(self.error), output: owned(self.output) }
        }
    }
}

/// Reads a number in the one spelling that the bridge itself uses: `007` and `+7` are not 7.
pub fn whole_digits(digits: &str) -> Option<u64> {
    let canonical =
        digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|_| canonical)
}

/// A raw value as text, when it is a string.
pub fn text_of(value: &RawValue) -> Option<Cow<'_, str>> {
    let raw = value.get();
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str::<String>(raw).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

/// A raw value as a whole number from 0, also when it is written as `12.0`; up to 2^53, which is what a Lua
/// number holds exactly.
pub fn whole_number(value: &RawValue) -> Option<u64> {
    whole(&serde_json::from_str(value.get()).ok()?).filter(|whole| *whole <= 1 << 53)
}

/// A number of JSON as a whole number from 0, also when it is written as `12.0`.
pub fn whole(number: &serde_json::Number) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range and the fraction are checked in the same expression"
    )]
    let from_float =
        |float: f64| (float.fract() == 0.0 && (0.0..=EXACT).contains(&float)).then_some(float as u64);
    number.as_u64().or_else(|| number.as_f64().and_then(from_float))
}

/// What a computer answered to a request.
#[derive(Debug)]
pub enum Answer {
    /// `"ok":true`.
    Done { result: Option<Box<RawValue>> },
    /// `"ok":false`, or no `ok` at all.
    Failed { error: Option<Box<RawValue>>, output: Option<Box<RawValue>> },
    /// The parts of the answer did not fit together; says how.
    Broken(String),
}

/// One frame to a computer.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Outgoing<'a> {
    HelloOk {
        #[serde(skip_serializing_if = "Option::is_none")]
        bridge: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        capabilities: Option<&'a [&'static str]>,
    },
    HelloError {
        error: &'a str,
    },
    Request {
        id: WireId,
        method: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        params: Option<Params<'a>>,
    },
    Cancel {
        id: WireId,
    },
    /// What the client said to what a tool asked it.
    Answer {
        id: WireId,
        ask: u64,
        ok: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<&'a Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a str>,
    },
    Part {
        id: WireId,
        seq: u64,
        last: bool,
        data: &'a str,
    },
}

/// What a request says.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum Params<'a> {
    /// `exec-lua`.
    Exec {
        code: &'a str,
        /// Left out for a computer that did not announce that it knows it.
        #[serde(rename = "timeoutMs", skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    },
    /// `call-tool`.
    Call(CallParams<'a>),
    /// `start-job`, `read-job`, `answer-job`, `cancel-job` and `forget-job`.
    Job(JobParams<'a>),
    /// `keep-handler`.
    Keep { handler: &'a str, name: &'a str, code: &'a str, modules: &'a BTreeMap<String, File> },
}

/// What a request about a job says.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct JobParams<'a> {
    pub job: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'a str>,
    /// The call of a tool that the job is, instead of code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<CallParams<'a>>,
    #[serde(rename = "timeoutMs", skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The first byte of the output that is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// The number of the question that is answered, and what was said, or why nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<u64>,
    #[serde(rename = "result", skip_serializing_if = "Option::is_none")]
    pub answer: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
}

/// What a `call-tool` request says.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CallParams<'a> {
    pub tool: &'a str,
    /// The hash of the handler, which the computer keeps it by.
    pub handler: &'a str,
    pub method: &'a str,
    pub arguments: &'a Value,
    #[serde(rename = "timeoutMs")]
    pub timeout_ms: u64,
    /// What the client can be asked for.
    pub client: &'a [&'static str],
}

/// A request's number, written as `req-<number>`.
#[derive(Debug, Clone, Copy)]
pub struct WireId(pub RequestId);

impl Serialize for WireId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{REQUEST_PREFIX}{}", self.0))
    }
}

impl Outgoing<'_> {
    /// Writes the frame as it goes over the wire.
    pub fn to_text(&self) -> String {
        // A ping has 50 bytes, and a probe writes a thousand of them.
        let mut text = Vec::with_capacity(96);
        serde_json::to_writer(&mut text, self).expect("frames hold strings and numbers only");
        String::from_utf8(text).expect("JSON is UTF-8")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(text: &str) -> Option<u64> {
        Incoming::parse(text)?.request_id()
    }

    #[test]
    fn only_ids_as_the_bridge_spells_them_are_its_own() {
        assert_eq!(id_of(r#"{"type":"response","id":"req-7"}"#), Some(7));
        assert_eq!(id_of(r#"{"type":"response","id":"req\u002d7"}"#), Some(7));
        for stranger in [r#""req-07""#, r#""req-+7""#, r#""7""#, "7", "null", r#"{"a":1}"#, r#""req-""#] {
            assert_eq!(id_of(&format!(r#"{{"type":"response","id":{stranger}}}"#)), None, "{stranger}");
        }
        assert_eq!(id_of(r#"{"type":"response"}"#), None);
    }

    #[test]
    fn a_frame_without_a_type_is_none() {
        for text in ["", "{}", "[]", "null", "\"hello\"", r#"{"type":5}"#, r#"{"type":"a""#, "\u{0}"] {
            assert!(Incoming::parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn odd_fields_do_not_cost_the_frame() {
        let frame = Incoming::parse(r#"{"type":"response","id":"req-1","ok":"yes","result":1e999,"x":[]}"#);
        assert!(matches!(frame.expect("a frame").answer(), Answer::Failed { error: None, output: None }));
    }

    #[test]
    fn whole_numbers_are_read_in_every_spelling() {
        let read = |text: &str| whole_number(serde_json::from_str::<&RawValue>(text).expect("JSON"));
        assert_eq!(read("12"), Some(12));
        assert_eq!(read("12.0"), Some(12));
        assert_eq!(read("1.2e1"), Some(12));
        assert_eq!(read("0"), Some(0));
        for wrong in ["-1", "1.5", "1e300", "\"12\"", "null", "true", "18446744073709551615"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_old_computer_hears_nothing_that_it_did_not_ask_for() {
        assert_eq!(
            Outgoing::HelloOk { bridge: None, capabilities: None }.to_text(),
            r#"{"type":"hello-ok"}"#
        );
        let ping = Outgoing::Request { id: WireId(123), method: "ping", params: None };
        assert_eq!(ping.to_text(), r#"{"type":"request","id":"req-123","method":"ping"}"#);
        let params = Params::Exec { code: "return 1", timeout_ms: None };
        let exec = Outgoing::Request { id: WireId(1), method: "exec-lua", params: Some(params) };
        assert_eq!(
            exec.to_text(),
            r#"{"type":"request","id":"req-1","method":"exec-lua","params":{"code":"return 1"}}"#
        );
    }

    #[test]
    fn unicode_goes_out_raw_because_surrogate_pairs_do_not_come_back() {
        let params = Params::Exec { code: "return '🐢\u{0}'", timeout_ms: Some(500) };
        let exec = Outgoing::Request { id: WireId(1), method: "exec-lua", params: Some(params) };
        let text = exec.to_text();
        assert!(text.contains("🐢\\u0000"), "{text}");
        assert!(text.ends_with(r#","timeoutMs":500}}"#), "{text}");
    }
}
