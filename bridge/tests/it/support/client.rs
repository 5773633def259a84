//! An MCP client that shows what is on the wire, in either era. The SDKs' own clients run in `just conformance`.

use futures_util::StreamExt as _;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};

use super::within;

/// How a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// With a handshake, of this protocol version.
    Handshake(&'static str),
    /// 2026-07-28: every request stands alone.
    Stateless,
}

const STATELESS: &str = "2026-07-28";

/// A client.
pub struct Client {
    http: reqwest::Client,
    url: String,
    era: Era,
    session: Option<String>,
    next: std::sync::atomic::AtomicU64,
    capabilities: Value,
    /// What `initialize` answered.
    pub server: Value,
}

/// What a tool answered.
#[derive(Debug)]
pub struct Called {
    pub text: String,
    pub is_error: bool,
    pub structured: Option<Value>,
    /// The notifications that came before the result, in order.
    pub notifications: Vec<Value>,
}

impl Client {
    pub async fn connect(url: &str, era: Era) -> Self {
        Self::connect_with(url, era, json!({})).await
    }

    /// Connects as a client that can do this.
    pub async fn connect_with(url: &str, era: Era, capabilities: Value) -> Self {
        let mut client = Self { capabilities, ..Self::without_session(url, era) };
        if let Era::Handshake(version) = era {
            let response = client.handshake(version).await;
            assert_eq!(response.status(), StatusCode::OK);
            client.session = Some(header(&response, "mcp-session-id").expect("a session"));
            client.server = Messages::new(response).last().await["result"].take();
            let done = client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
            assert_eq!(done.status(), StatusCode::ACCEPTED);
        }
        client
    }

    /// Says `initialize` with this version, and no more.
    pub async fn initialize(url: &str, version: &'static str) -> Value {
        let client = Self::without_session(url, Era::Handshake(version));
        Messages::new(client.handshake(version).await).last().await
    }

    fn without_session(url: &str, era: Era) -> Self {
        Self {
            http: reqwest::Client::builder().no_proxy().build().expect("a client without TLS"),
            url: url.to_owned(),
            era,
            session: None,
            next: 1.into(),
            capabilities: json!({}),
            server: Value::Null,
        }
    }

    async fn handshake(&self, version: &str) -> Response {
        let params = json!({
            "protocolVersion": version, "capabilities": self.capabilities,
            "clientInfo": { "name": "test", "version": "0" },
        });
        self.post("initialize", params).await.1
    }

    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn headers(&self, message: &Value) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut add = |name: &'static str, value: &str| {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).expect("ASCII"));
        };
        add("accept", "application/json, text/event-stream");
        match self.era {
            Era::Handshake(version) if self.session.is_some() => add("mcp-protocol-version", version),
            Era::Handshake(_) => {}
            Era::Stateless => {
                add("mcp-protocol-version", STATELESS);
                add("mcp-method", message["method"].as_str().unwrap_or_default());
                let params = &message["params"];
                let name = ["name", "uri", "taskId"].iter().find_map(|field| params[field].as_str());
                if let Some(name) = name {
                    add("mcp-name", name);
                }
            }
        }
        if let Some(session) = &self.session {
            add("mcp-session-id", session);
        }
        headers
    }

    /// Sends one message as it is.
    pub async fn send(&self, message: &Value) -> Response {
        let request = self.http.post(&self.url).headers(self.headers(message)).json(message);
        within("an HTTP answer", request.send()).await.expect("the bridge answers")
    }

    async fn post(&self, method: &str, params: Value) -> (u64, Response) {
        let (id, message) = self.message(method, params);
        (id, self.send(&message).await)
    }

    /// A request as lines of its head, and its body: for what no HTTP client would do with it.
    pub fn as_text(&self, method: &str, params: Value) -> (String, String) {
        let (_, message) = self.message(method, params);
        let mut head = "Content-Type: application/json\r\n".to_owned();
        for (name, value) in &self.headers(&message) {
            head.extend([name.as_str(), ": ", value.to_str().expect("plain text"), "\r\n"]);
        }
        (head, message.to_string())
    }

    fn message(&self, method: &str, mut params: Value) -> (u64, Value) {
        let id = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if self.era == Era::Stateless {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = STATELESS.into();
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "0" });
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        (id, json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    /// Sends a request and gives what it answers, result or error.
    pub async fn request(&self, method: &str, params: Value) -> Value {
        let (id, response) = self.post(method, params).await;
        let answer = Messages::new(response).last().await;
        assert_eq!(answer["id"], id);
        answer
    }

    /// Starts a call and gives its messages as they come.
    pub async fn start(&self, tool: &str, arguments: Value, progress: Option<&str>) -> (u64, Messages) {
        let mut params = json!({ "name": tool, "arguments": arguments });
        if let Some(token) = progress {
            params["_meta"]["progressToken"] = token.into();
        }
        let (id, response) = self.post("tools/call", params).await;
        assert_eq!(response.status(), StatusCode::OK);
        (id, Messages::new(response))
    }

    /// Sends a request and gives its messages as they come.
    pub async fn stream(&self, method: &str, params: Value) -> Messages {
        let (_, response) = self.post(method, params).await;
        Messages::new(response)
    }

    /// Calls a tool and waits for its result.
    pub async fn call(&self, tool: &str, arguments: Value) -> Called {
        let (_, mut messages) = self.start(tool, arguments, None).await;
        messages.result().await
    }

    pub async fn probe(&self) -> Vec<String> {
        let called = self.call("probe-computers", json!({})).await;
        assert!(!called.is_error, "{}", called.text);
        called.text.lines().map(Into::into).collect()
    }

    pub async fn exec(&self, id: u64, code: &str) -> Called {
        self.call("exec-lua", json!({ "computerId": id, "code": code })).await
    }

    /// Tells the server that a request is no longer wanted.
    pub async fn cancel(&self, request: u64) {
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": request } });
        assert_eq!(self.send(&note).await.status(), StatusCode::ACCEPTED);
    }

    /// Ends the session.
    pub async fn delete(&self) -> StatusCode {
        let request = self.http.delete(&self.url).headers(self.headers(&Value::Null));
        within("an HTTP answer", request.send()).await.expect("the bridge answers").status()
    }

    /// Opens the stream that belongs to no request, or one that broke after this event.
    pub async fn listen(&self, last_event: Option<&str>) -> Messages {
        let mut request = self.http.get(&self.url).headers(self.headers(&Value::Null));
        if let Some(id) = last_event {
            request = request.header("last-event-id", id);
        }
        let response = within("an HTTP answer", request.send()).await.expect("the bridge answers");
        assert_eq!(response.status(), StatusCode::OK);
        Messages::new(response)
    }

    /// Opens the stream of the stateless era that tells of changes.
    pub async fn subscribe(&self) -> Messages {
        self.subscribe_to(json!({ "resourcesListChanged": true })).await
    }

    /// Opens the stream of the stateless era that tells of this.
    pub async fn subscribe_to(&self, notifications: Value) -> Messages {
        let params = json!({ "notifications": notifications });
        let (_, response) = self.post("subscriptions/listen", params).await;
        Messages::new(response)
    }
}

pub fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name).map(|value| value.to_str().expect("ASCII").to_owned())
}

/// The messages of one HTTP response, JSON or a stream of events.
pub struct Messages {
    response: Response,
    streamed: bool,
    buffer: String,
    /// The id of the last event that was read.
    pub last_event: Option<String>,
}

impl Messages {
    pub fn new(response: Response) -> Self {
        let kind = header(&response, "content-type").unwrap_or_default();
        Self {
            response,
            streamed: kind.starts_with("text/event-stream"),
            buffer: String::new(),
            last_event: None,
        }
    }

    /// The next message; nothing at the end.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            if self.streamed {
                while let Some(end) = self.buffer.find("\n\n") {
                    let event: String = self.buffer.drain(..end + 2).collect();
                    if let Some(message) = self.read_event(&event) {
                        return Some(message);
                    }
                }
            }
            match within("a piece of the answer", self.response.chunk()).await {
                Ok(Some(bytes)) => self.buffer.push_str(std::str::from_utf8(&bytes).expect("UTF-8")),
                _ if !self.streamed && !self.buffer.is_empty() => {
                    let text = std::mem::take(&mut self.buffer);
                    return Some(
                        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}")),
                    );
                }
                _ => return None,
            }
        }
    }

    fn read_event(&mut self, event: &str) -> Option<Value> {
        for line in event.lines() {
            if let Some(id) = line.strip_prefix("id:") {
                self.last_event = Some(id.trim().to_owned());
            }
        }
        let data: String =
            event.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim_start).collect();
        (!data.is_empty()).then(|| serde_json::from_str(&data).expect("events hold JSON"))
    }

    /// The last message, which is the answer.
    pub async fn last(&mut self) -> Value {
        let mut last = None;
        while let Some(message) = self.next().await {
            last = Some(message);
        }
        last.expect("an answer")
    }

    /// The result of a tool, with the notifications before it.
    pub async fn result(&mut self) -> Called {
        let mut notifications = Vec::new();
        while let Some(mut message) = self.next().await {
            if message.get("method").is_some() {
                notifications.push(message);
                continue;
            }
            let result = message.get_mut("result").unwrap_or_else(|| panic!("no result")).take();
            return Called {
                text: result["content"][0]["text"].as_str().expect("text content").to_owned(),
                is_error: result["isError"] == true,
                structured: result.get("structuredContent").cloned(),
                notifications,
            };
        }
        panic!("the answer ended without a result")
    }

    /// Waits until the other side has nothing more to say.
    pub async fn ended(&mut self) {
        while self.next().await.is_some() {}
    }
}

/// All bodies of a plain HTTP exchange on a raw socket, for what no client would send.
pub async fn raw_http(address: std::net::SocketAddr, request: &[u8]) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut stream = tokio::net::TcpStream::connect(address).await.expect("the bridge listens");
    stream.write_all(request).await.expect("the bridge reads");
    let mut answer = Vec::new();
    let _ = within("an answer", stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// Runs futures together and gives what they gave, in order.
pub async fn together<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut all = futures_util::stream::iter(futures).buffered(64);
    let mut outputs = Vec::new();
    while let Some(output) = all.next().await {
        outputs.push(output);
    }
    outputs
}
