//! A small MCP client of the handshake era, which makes a bridge send requests to the computer that the kit plays.

use std::time::Duration;

use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A version that every client and server of the handshake era knows.
const PROTOCOL: &str = "2025-06-18";

/// Longer than any call here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Why the bridge's MCP side cannot be used.
#[derive(Debug, Error)]
pub enum McpError {
    #[error("`{0}` is not the address of an MCP server\nhint: write it as `http://127.0.0.1:3000/mcp`")]
    Address(String),
    #[error("the MCP server does not answer: {0}")]
    Silent(String),
    #[error("the MCP server answers with HTTP {0}")]
    Status(u16),
}

/// A session with the bridge's MCP side.
#[derive(Debug, Clone)]
pub struct Mcp {
    /// Host and port.
    authority: String,
    path: String,
    token: Option<String>,
    session: Option<String>,
    /// The tools that it lists.
    tools: Vec<Value>,
}

/// What a tool returned.
#[derive(Debug)]
pub struct Called {
    pub is_error: bool,
    pub text: String,
    pub structured: Value,
}

impl Mcp {
    /// Opens a session.
    pub async fn open(url: &str, token: Option<String>) -> Result<Self, McpError> {
        let rest = url.strip_prefix("http://").ok_or_else(|| McpError::Address(url.to_owned()))?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let path = if path.is_empty() { "/mcp" } else { path };
        let mut mcp = Self {
            authority: authority.to_owned(),
            path: path.to_owned(),
            token,
            session: None,
            tools: Vec::new(),
        };
        let client = json!({ "name": "check-link", "version": env!("CARGO_PKG_VERSION") });
        let params = json!({ "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client });
        let (_, session) = mcp.post("initialize", Some(0), params).await?;
        mcp.session = session;
        mcp.post("notifications/initialized", None, json!({})).await?;
        let (listed, _) = mcp.post("tools/list", Some(1), json!({})).await?;
        mcp.tools = listed["result"]["tools"].as_array().cloned().unwrap_or_default();
        Ok(mcp)
    }

    /// Whether it lists this tool.
    pub fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool["name"] == name)
    }

    /// Whether a tool takes this argument.
    pub fn takes(&self, name: &str, argument: &str) -> bool {
        let tool = self.tools.iter().find(|tool| tool["name"] == name);
        tool.is_some_and(|tool| tool["inputSchema"]["properties"].get(argument).is_some())
    }

    /// Calls a tool, each time on a connection of its own.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Called, McpError> {
        let params = json!({ "name": tool, "arguments": arguments });
        let (mut answer, _) = self.post("tools/call", Some(2), params).await?;
        if let Some(error) = answer.get("error") {
            let text = error["message"].as_str().unwrap_or_default().to_owned();
            return Ok(Called { is_error: true, text, structured: Value::Null });
        }
        let result = &mut answer["result"];
        let text =
            result["content"].as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
        Ok(Called {
            is_error: result["isError"] == true,
            text: text.collect::<Vec<_>>().join("\n"),
            structured: result["structuredContent"].take(),
        })
    }

    /// Sends a message; gives the answer to it, and the session where it begins one.
    async fn post(
        &self,
        method: &str,
        id: Option<u64>,
        params: Value,
    ) -> Result<(Value, Option<String>), McpError> {
        let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        if let Some(id) = id {
            message["id"] = id.into();
        }
        match timeout(PATIENCE, self.exchange(&message)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(McpError::Silent(format!("nothing within {} s", PATIENCE.as_secs()))),
        }
    }

    async fn exchange(&self, message: &Value) -> Result<(Value, Option<String>), McpError> {
        let silent = |error: &dyn std::fmt::Display| McpError::Silent(error.to_string());
        let stream = TcpStream::connect(&self.authority).await.map_err(|error| silent(&error))?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| silent(&error))?;
        let driver = tokio::spawn(connection);
        let response = sender.send_request(self.request(message)).await.map_err(|error| silent(&error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(McpError::Status(status.as_u16()));
        }
        let session =
            response.headers().get("mcp-session-id").and_then(|id| id.to_str().ok()).map(ToOwned::to_owned);
        let answer = read(response.into_body(), &message["id"]).await.map_err(|error| silent(&error))?;
        driver.abort();
        Ok((answer, session))
    }

    fn request(&self, message: &Value) -> Request<Full<Bytes>> {
        let mut request = Request::post(&self.path)
            .header(header::HOST, &self.authority)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream");
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some(session) = &self.session {
            request = request.header("mcp-session-id", session).header("mcp-protocol-version", PROTOCOL);
        }
        let body = Full::from(message.to_string());
        request.body(body).expect("a token and a session are ASCII, or there would be no session")
    }
}

/// Reads a body, JSON or a stream of events, until it has the answer to this request.
async fn read(mut body: Incoming, id: &Value) -> Result<Value, hyper::Error> {
    let mut bytes = Vec::new();
    loop {
        let answer = find_answer(&String::from_utf8_lossy(&bytes), id);
        if let Some(answer) = answer {
            return Ok(answer);
        }
        match body.frame().await {
            Some(frame) => bytes.extend(frame?.into_data().unwrap_or_default()),
            None => return Ok(Value::Null),
        }
    }
}

fn find_answer(text: &str, id: &Value) -> Option<Value> {
    let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let messages =
        std::iter::once(text).chain(events).filter_map(|text| serde_json::from_str::<Value>(text).ok());
    messages.into_iter().find(|message| message.get("id") == Some(id) && message.get("method").is_none())
}
