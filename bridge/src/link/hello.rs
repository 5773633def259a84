//! The hello: who a computer says it is, what it can do, and whether it may link.

use std::borrow::Cow;

use serde_json::value::RawValue;
use thiserror::Error;

use super::frame::{Incoming, Outgoing, text_of, whole_number};
use crate::limits::CAPABILITIES;
use crate::secret::Secret;
use crate::text::Stranger;

/// What the bridge calls itself in `hello-ok`.
const BRIDGE: &str = concat!("mcp-bridge/", env!("CARGO_PKG_VERSION"));

/// The negotiated parts of the protocol, in the order in which `hello-ok` names them.
const KNOWN: [&str; 6] = ["exec-lua", "cancel", "output", "parts", "tools", "bye"];

/// What was agreed with a computer. All false for one of the first version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one flag for each capability of the protocol")]
pub struct Agreed {
    /// `timeoutMs` may stand in the parameters of `exec-lua`.
    pub exec: bool,
    pub cancel: bool,
    pub output: bool,
    pub parts: bool,
    /// Tools may be called, and their handlers kept there.
    pub tools: bool,
    /// The computer asks for the close of its link.
    pub bye: bool,
}

/// Who a computer is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub id: u64,
    pub label: Option<Stranger>,
    pub version: Option<Stranger>,
    /// As the computer named them, also those that the bridge does not know.
    pub capabilities: Vec<Stranger>,
    /// The hello has fields that the first version does not.
    negotiates: bool,
    pub agreed: Agreed,
}

/// Why a hello is refused. The text goes to the computer, whose user reads it.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum HelloError {
    #[error("`computerId` must be a whole number from 0")]
    BadId,
    #[error("this bridge wants a token: start `mcp-computer` with `--token`")]
    NoToken,
    #[error("the token is wrong")]
    WrongToken,
    #[error("this link belongs to computer {0}")]
    OtherComputer(u64),
}

impl Identity {
    /// Reads a hello. `admitted` tells that the upgrade carried the token already.
    pub fn from_hello(
        frame: &Incoming<'_>,
        token: Option<&Secret>,
        admitted: bool,
    ) -> Result<Self, HelloError> {
        if let (Some(secret), false) = (token, admitted) {
            let given = frame.token.and_then(text_of).ok_or(HelloError::NoToken)?;
            if !secret.matches(&given) {
                return Err(HelloError::WrongToken);
            }
        }
        let id = frame.computer_id.and_then(whole_number).ok_or(HelloError::BadId)?;
        let capabilities: Vec<Stranger> = frame
            .capabilities
            .and_then(|raw| serde_json::from_str::<Vec<&RawValue>>(raw.get()).ok())
            .unwrap_or_default()
            .into_iter()
            .filter_map(text_of)
            .take(CAPABILITIES)
            .map(|name| Stranger::short(&name))
            .collect();
        Ok(Self {
            id,
            label: short(frame.computer_label),
            version: short(frame.version),
            negotiates: frame.capabilities.is_some() || frame.version.is_some(),
            agreed: agree(&capabilities),
            capabilities,
        })
    }

    /// Writes the answer to the hello: for a computer of the first version the bare frame, and no more.
    pub fn hello_ok(&self) -> String {
        if !self.negotiates {
            return Outgoing::HelloOk { bridge: None, capabilities: None }.to_text();
        }
        let has = |name: &&str| self.capabilities.iter().any(|own| own.is(name));
        let agreed: Vec<&'static str> = KNOWN.into_iter().filter(has).collect();
        Outgoing::HelloOk { bridge: Some(BRIDGE), capabilities: Some(&agreed) }.to_text()
    }
}

/// A label or a version: missing, empty or not a string is none.
fn short(raw: Option<&RawValue>) -> Option<Stranger> {
    let text = raw.and_then(text_of).filter(|text: &Cow<'_, str>| !text.is_empty())?;
    Some(Stranger::short(&text))
}

fn agree(capabilities: &[Stranger]) -> Agreed {
    let [exec, cancel, output, parts, tools, bye] =
        KNOWN.map(|name| capabilities.iter().any(|own| own.is(name)));
    Agreed { exec, cancel, output, parts, tools, bye }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::LABEL_CHARS;

    fn read(text: &str, token: Option<&str>, admitted: bool) -> Result<Identity, HelloError> {
        let secret = token.and_then(Secret::new);
        Identity::from_hello(&Incoming::parse(text).expect("a frame"), secret.as_ref(), admitted)
    }

    #[test]
    fn the_first_version_is_answered_in_the_first_version() {
        let identity = read(r#"{"type":"hello","computerId":12,"computerLabel":"base-turtle"}"#, None, false);
        let identity = identity.expect("a hello");
        assert_eq!((identity.id, identity.label.clone()), (12, Some(Stranger::new("base-turtle"))));
        assert_eq!(identity.agreed, Agreed::default());
        assert_eq!(identity.hello_ok(), r#"{"type":"hello-ok"}"#);
    }

    #[test]
    fn a_label_that_is_missing_empty_or_no_string_is_null() {
        for label in ["", r#","computerLabel":"""#, r#","computerLabel":null"#, r#","computerLabel":7"#] {
            let identity = read(&format!(r#"{{"type":"hello","computerId":0{label}}}"#), None, false);
            assert_eq!(identity.expect("a hello").label, None, "{label}");
        }
    }

    #[test]
    fn only_what_both_know_is_agreed() {
        let identity = read(
            r#"{"type":"hello","computerId":1,"version":"0.2.0","capabilities":["parts","fly",3,"cancel"]}"#,
            None,
            false,
        )
        .expect("a hello");
        assert_eq!(identity.agreed, Agreed { cancel: true, parts: true, ..Agreed::default() });
        assert_eq!(
            identity.hello_ok(),
            format!(r#"{{"type":"hello-ok","bridge":"{BRIDGE}","capabilities":["cancel","parts"]}}"#)
        );
        assert_eq!(identity.capabilities.len(), 3);
    }

    #[test]
    fn an_id_must_be_a_whole_number_from_0() {
        for id in ["-1", "1.5", "\"12\"", "null", "[]", "1e99"] {
            let refused = read(&format!(r#"{{"type":"hello","computerId":{id}}}"#), None, false);
            assert_eq!(refused, Err(HelloError::BadId), "{id}");
        }
        assert_eq!(read(r#"{"type":"hello"}"#, None, false), Err(HelloError::BadId));
    }

    #[test]
    fn the_token_is_taken_from_the_hello_or_from_the_upgrade() {
        let hello = |token: &str| format!(r#"{{"type":"hello","computerId":1{token}}}"#);
        assert_eq!(read(&hello(""), Some("s"), false), Err(HelloError::NoToken));
        assert_eq!(read(&hello(r#","token":"x""#), Some("s"), false), Err(HelloError::WrongToken));
        assert!(read(&hello(r#","token":"s""#), Some("s"), false).is_ok());
        assert!(read(&hello(""), Some("s"), true).is_ok());
        assert!(read(&hello(r#","token":"anything""#), None, false).is_ok());
    }

    #[test]
    fn what_is_kept_of_a_hello_is_bounded() {
        let long = "x".repeat(1000);
        let names = vec![format!("\"{long}\""); 100].join(",");
        let text = format!(
            r#"{{"type":"hello","computerId":1,"computerLabel":"{long}","version":"{long}","capabilities":[{names}]}}"#
        );
        let identity = read(&text, None, false).expect("a hello");
        assert!(identity.label.is_some_and(|label| label.is(&"x".repeat(LABEL_CHARS))));
        assert!(identity.version.is_some_and(|version| version.is(&"x".repeat(LABEL_CHARS))));
        assert_eq!(identity.capabilities.len(), CAPABILITIES);
    }
}
