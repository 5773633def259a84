//! The MCP client of a scenario: a connection of the host's, whose messages are put into the record.

use std::sync::Arc;
use std::time::Duration;

use mcp_host::client::{Meddler, Opened, Recorder, Way, connect};
use mcp_host::http::connector::Dialer;
use mcp_host::{CallError, Protocol, ServerSpec, Settings, StartError};
use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::record::Record;
use crate::report::trace::{Receiver, What};

/// Longer than any handshake on loopback; a server that takes longer is not one.
const HANDSHAKE: Duration = Duration::from_secs(15);

/// Longer than any run: how long a call may take is the step's and the scenario's.
const CALL: Duration = Duration::from_secs(24 * 60 * 60);

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum ClientError {
    #[error(
        "failed to reach the MCP server at `{url}`: {reason}\nhint: is the bridge running? `--url` names its MCP address"
    )]
    Connect { url: String, reason: String },
    #[error("the MCP server at `{url}` did not finish the handshake within {seconds} s")]
    Handshake { url: String, seconds: u64 },
    #[error(
        "the client asked for MCP {wanted}, and the server at `{url}` speaks {found}\nhint: a scenario names the version with `mcp`"
    )]
    Era { url: String, wanted: String, found: String },
    #[error("the client does not support MCP version `{0}`")]
    Version(String),
    #[error("the arguments of a tool are a JSON object, not `{0}`")]
    Arguments(Value),
    #[error("no answer to the call of `{tool}`")]
    Call { tool: String, source: Box<CallError> },
}

/// What a tool answered.
#[derive(Debug, Clone, Serialize)]
pub struct Called {
    /// The blocks of the result, as they came.
    pub content: Vec<Value>,
    /// The texts among them, with a line break between two.
    pub text: String,
    pub is_error: bool,
    pub structured: Option<Value>,
    /// `_meta` of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
    /// What came as progress, one after the other.
    pub progress: String,
}

impl From<mcp_host::Called> for Called {
    fn from(called: mcp_host::Called) -> Self {
        let blocks = &called.result.content;
        let texts: Vec<&str> =
            blocks.iter().filter_map(|block| block.as_text().map(|text| text.text.as_str())).collect();
        Self {
            content: blocks.iter().map(|block| serde_json::to_value(block).unwrap_or_default()).collect(),
            text: texts.join("\n"),
            is_error: called.is_error(),
            meta: called.result.meta.as_ref().and_then(|meta| serde_json::to_value(meta).ok()),
            structured: called.result.structured_content,
            progress: called.progress.concat(),
        }
    }
}

/// What the server answered to a call.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    Result(Called),
    /// An error of the protocol.
    Error {
        code: i32,
        message: String,
        /// What the server said beside that.
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
}

/// A connected client.
#[derive(Debug)]
pub struct Client {
    opened: Opened,
}

/// What a client has besides the address and the version that it speaks.
#[derive(Debug, Default)]
pub struct Equipment<'a> {
    pub token: Option<&'a str>,
    /// Gets every message of either side.
    pub record: Option<&'a Arc<Record>>,
    /// Connects in another way than over the machine's network.
    pub dialer: Option<Dialer>,
    /// Changes messages on their way, as a wrong bridge would.
    pub meddler: Option<Meddler>,
}

/// The versions of the protocol that a client can be asked to speak.
pub const VERSIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// What the harness speaks unless told otherwise: what most clients of today do.
pub const DEFAULT_VERSION: &str = "2025-11-25";

/// How the host treats the server of a scenario: as one that is asked for exactly what the steps say.
fn settings(version: &str, record: Option<&Arc<Record>>) -> Result<Settings, ClientError> {
    let protocol = match version.parse() {
        Ok(Protocol::Only(version)) => Protocol::Only(version),
        _ => return Err(ClientError::Version(version.to_owned())),
    };
    let recorder = record.cloned().map(|record| {
        Recorder::new(move |way, message| {
            let mcp = match way {
                Way::ToServer => Receiver::ToBridge,
                Way::ToClient => Receiver::ToClient,
            };
            record.note(What::Mcp { mcp, message });
        })
    });
    Ok(Settings {
        client_name: "craftos-harness".to_owned(),
        client_version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol,
        start_timeout: Some(HANDSHAKE),
        call_timeout: Some(CALL),
        call_in_all: CALL,
        // What is compared is whole.
        kept_progress: (usize::MAX, usize::MAX),
        recorder,
        ..Settings::default()
    })
}

impl Client {
    /// Connects, and greets in the way of this version.
    pub async fn connect(url: &str, version: &str, token: Option<&str>) -> Result<Self, ClientError> {
        Self::connect_with(url, version, Equipment { token, ..Equipment::default() }).await
    }

    /// The same, with more than a token.
    pub async fn connect_with(
        url: &str,
        version: &str,
        equipment: Equipment<'_>,
    ) -> Result<Self, ClientError> {
        let Equipment { token, record, dialer, meddler } = equipment;
        let mut server = ServerSpec::remote("bridge", url);
        if let Some(token) = token {
            server = server.with_header("authorization", format!("Bearer {token}"));
        }
        let otherwise = |found: &str| ClientError::Era {
            url: url.to_owned(),
            wanted: version.to_owned(),
            found: found.to_owned(),
        };
        let settings = Settings { dialer, meddler, ..settings(version, record)? };
        match connect(&server, &settings).await {
            Ok(opened) => match opened.connection.era().version() {
                found if found == version => Ok(Self { opened }),
                found => Err(otherwise(found)),
            },
            Err(StartError::Refused { speaks: Some(found), .. }) => Err(otherwise(&found)),
            Err(StartError::Timeout { after, .. }) => {
                Err(ClientError::Handshake { url: url.to_owned(), seconds: after.as_secs() })
            }
            Err(StartError::Unreachable { reason, .. }) => {
                Err(ClientError::Connect { url: url.to_owned(), reason })
            }
            Err(error) => {
                Err(ClientError::Connect { url: url.to_owned(), reason: mcp_host::text::chain(&error) })
            }
        }
    }

    /// Calls a tool and waits for its answer; after `cancel`, tells the server that it is no longer wanted.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Value,
        cancel: Option<impl Future<Output = ()>>,
    ) -> Result<Option<Answer>, ClientError> {
        let arguments: Map<String, Value> = match arguments {
            Value::Object(map) => map,
            Value::Null => Map::new(),
            other => return Err(ClientError::Arguments(other)),
        };
        let cancelled = async {
            match cancel {
                Some(cancel) => cancel.await,
                None => std::future::pending().await,
            }
            "cancelled by the scenario".to_owned()
        };
        match self.opened.connection.call_unless(tool, arguments, cancelled).await {
            Ok(called) => Ok(called.map(|called| Answer::Result(called.into()))),
            Err(CallError::Refused { code, message, data, .. }) => {
                Ok(Some(Answer::Error { code, message, data: data.map(|data| *data) }))
            }
            Err(source) => Err(ClientError::Call { tool: tool.to_owned(), source: Box::new(source) }),
        }
    }

    /// Ends the session.
    pub async fn close(self) {
        self.opened.close().await;
    }
}
