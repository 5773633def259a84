//! The MCP client, on the official SDK, in either era; the way to a server is the host's.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_host::ServerSpec;
use mcp_host::client::era::lifecycle;
use mcp_host::spec::TransportSpec;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientConfig, ClientRequest, Implementation, JsonRpcMessage,
    ProtocolVersion, ServerNotification, ServerResult,
};
use rmcp::service::{
    ClientInitializeError, ClientServiceExt as _, PeerRequestOptions, RunningService, RxJsonRpcMessage,
    TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::{ClientHandler, RoleClient, ServiceError};
use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::record::{Record, held};
use crate::report::trace::{Receiver, What};

/// Longer than any handshake on loopback; a server that takes longer is not one.
const HANDSHAKE: Duration = Duration::from_secs(15);

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
    #[error("the arguments of a tool are a JSON object, not `{0}`")]
    Arguments(Value),
    #[error("no answer to the call of `{tool}`")]
    Call { tool: String, source: Box<ServiceError> },
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
    /// What came as progress, one after the other.
    pub progress: String,
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
    },
}

#[derive(Debug, Clone)]
struct Handler {
    version: ProtocolVersion,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        info.protocol_version = self.version.clone();
        info.client_info = Implementation::new("craftos-harness", env!("CARGO_PKG_VERSION"));
        info
    }
}

/// What client and server have agreed on, as their messages say.
#[derive(Debug, Default)]
struct Spoken {
    /// The id of the client's `initialize`, where it sent one: only the eras with a handshake have it.
    initialize: Option<Value>,
    /// The version in the server's answer to that.
    agreed: Option<String>,
}

impl Spoken {
    fn sent(&mut self, message: &Value) {
        if message["method"] == "initialize" {
            self.initialize = Some(message["id"].clone());
        }
    }

    fn received(&mut self, message: &Value) {
        if self.initialize.as_ref().is_some_and(|id| message["id"] == *id)
            && let Some(version) = message["result"]["protocolVersion"].as_str()
        {
            self.agreed = Some(version.to_owned());
        }
    }

    /// The version that was agreed on, where it is another than the one that was asked for. Without a handshake there is
    /// nothing to agree on: a server of another era refuses the first request.
    fn otherwise_than(&self, wanted: &str) -> Option<String> {
        self.agreed.clone().filter(|agreed| agreed != wanted)
    }
}

/// A transport whose messages are put into a record, and whose progress is kept in the order in which it came: rmcp gives
/// each notification to a task of its own, which may run after the answer.
struct Tapped<T> {
    inner: T,
    spoken: Arc<Mutex<Spoken>>,
    progress: Arc<Mutex<Vec<(String, String)>>>,
    record: Option<Arc<Record>>,
}

impl<T> Tapped<T> {
    fn note(&self, mcp: Receiver, message: &impl Serialize) {
        let Ok(message) = serde_json::to_value(message) else { return };
        match mcp {
            Receiver::ToBridge => held(&self.spoken).sent(&message),
            Receiver::ToClient => held(&self.spoken).received(&message),
        }
        if let Some(record) = &self.record {
            record.note(What::Mcp { mcp, message });
        }
    }
}

impl<T: Transport<RoleClient> + 'static> Transport<RoleClient> for Tapped<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.note(Receiver::ToBridge, &item);
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        self.note(Receiver::ToClient, &message);
        if let JsonRpcMessage::Notification(notification) = &message
            && let ServerNotification::ProgressNotification(progress) = &notification.notification
        {
            let token = serde_json::to_string(&progress.params.progress_token).unwrap_or_default();
            let message = progress.params.message.clone().unwrap_or_default();
            held(&self.progress).push((token, message));
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// A connected client.
#[derive(Debug)]
pub struct Client {
    service: RunningService<RoleClient, Handler>,
    progress: Arc<Mutex<Vec<(String, String)>>>,
}

/// The versions of the protocol that a client can be asked to speak.
pub const VERSIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// The version without a handshake.
const STATELESS: &str = "2026-07-28";

/// What the harness speaks unless told otherwise: what most clients of today do.
pub const DEFAULT_VERSION: &str = "2025-11-25";

fn protocol(version: &str) -> ProtocolVersion {
    match version {
        "2025-03-26" => ProtocolVersion::V_2025_03_26,
        "2025-06-18" => ProtocolVersion::V_2025_06_18,
        "2026-07-28" => ProtocolVersion::V_2026_07_28,
        _ => ProtocolVersion::V_2025_11_25,
    }
}

/// What a server speaks that was asked what it is, and does not speak the era without a handshake.
fn versions_of(error: &ClientInitializeError) -> Option<String> {
    match error {
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<&str> = server_supported.iter().map(ProtocolVersion::as_str).collect();
            Some(versions.join(", "))
        }
        // A server of an era with a handshake does not know the question.
        ClientInitializeError::JsonRpcError(error) => Some(format!(
            "versions with a handshake: `server/discover` has the answer {}: {}",
            error.code.0, error.message
        )),
        _ => None,
    }
}

impl Client {
    /// Connects, and greets in the way of this version.
    pub async fn connect(url: &str, version: &str, token: Option<&str>) -> Result<Self, ClientError> {
        Self::connect_on(url, version, token, None).await
    }

    /// The same, with every message of either side put into a record.
    pub async fn connect_on(
        url: &str,
        version: &str,
        token: Option<&str>,
        record: Option<&Arc<Record>>,
    ) -> Result<Self, ClientError> {
        let failed = |reason: String| ClientError::Connect { url: url.to_owned(), reason };
        let otherwise =
            |found: String| ClientError::Era { url: url.to_owned(), wanted: version.to_owned(), found };
        let mut server = ServerSpec::remote("bridge", url);
        if let Some(token) = token {
            server = server.with_header("authorization", format!("Bearer {token}"));
        }
        let TransportSpec::Remote(remote) = &server.transport else { unreachable!("it is an address") };
        let inner = mcp_host::http::transport(remote).map_err(|error| failed(error.to_string()))?;
        let progress = Arc::new(Mutex::new(Vec::new()));
        let spoken = Arc::new(Mutex::new(Spoken::default()));
        let transport =
            Tapped { spoken: spoken.clone(), inner, progress: progress.clone(), record: record.cloned() };
        let (wanted, version) = (version, protocol(version));
        let lifecycle = lifecycle(&version);
        let handler = Handler { version };
        let serving = handler.serve_with_lifecycle(transport, lifecycle);
        match tokio::time::timeout(HANDSHAKE, serving).await {
            Ok(Ok(service)) => match held(&spoken).otherwise_than(wanted) {
                None => Ok(Self { service, progress }),
                Some(found) => Err(otherwise(found)),
            },
            Ok(Err(error)) => Err(match versions_of(&error) {
                Some(found) if wanted == STATELESS => otherwise(found),
                _ => failed(mcp_host::text::chain(&error)),
            }),
            Err(_) => Err(ClientError::Handshake { url: url.to_owned(), seconds: HANDSHAKE.as_secs() }),
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
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments = Some(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let failed =
            |source: ServiceError| ClientError::Call { tool: tool.to_owned(), source: Box::new(source) };
        let handle = self
            .service
            .send_cancellable_request(request, PeerRequestOptions::no_options())
            .await
            .map_err(failed)?;
        let token = serde_json::to_string(&handle.progress_token).unwrap_or_default();
        let mut handle = handle;
        let answer = match cancel {
            None => (&mut handle.rx).await,
            Some(cancel) => {
                tokio::select! {
                    answer = &mut handle.rx => answer,
                    () = cancel => {
                        handle.cancel(Some("cancelled by the scenario".to_owned())).await.map_err(failed)?;
                        return Ok(None);
                    }
                }
            }
        };
        match answer.unwrap_or(Err(ServiceError::TransportClosed)) {
            Ok(ServerResult::CallToolResult(result)) => {
                let text: Vec<&str> = result
                    .content
                    .iter()
                    .filter_map(|block| block.as_text().map(|text| text.text.as_str()))
                    .collect();
                let block = |block| serde_json::to_value(block).unwrap_or_default();
                Ok(Some(Answer::Result(Called {
                    content: result.content.iter().map(block).collect(),
                    text: text.join("\n"),
                    is_error: result.is_error.unwrap_or(false),
                    structured: result.structured_content,
                    progress: self.progress_of(&token),
                })))
            }
            Ok(_) => Err(failed(ServiceError::UnexpectedResponse)),
            Err(ServiceError::McpError(error)) => {
                Ok(Some(Answer::Error { code: error.code.0, message: error.message.into_owned() }))
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn progress_of(&self, token: &str) -> String {
        let all = held(&self.progress);
        all.iter().filter(|(of, _)| of == token).map(|(_, message)| message.as_str()).collect()
    }

    /// Ends the session.
    pub async fn close(self) {
        let _ = tokio::time::timeout(HANDSHAKE, self.service.cancel()).await;
    }
}
