//! One link, from either end: frames with patience, and everything that is odd about what the other side sends.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use http::{HeaderName, HeaderValue};
use jsonschema::Validator;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};
use tokio_tungstenite::{WebSocketStream, accept_async_with_config, client_async_with_config};

use super::report::{Check, wrong};

/// The largest WebSocket message in either direction: the game and CraftOS-PC refuse more.
pub const FRAME_BYTES: usize = 128 * 1024;

/// What the kit itself takes in one message: more than is allowed, so that it sees who sends too much.
const MOST_BYTES: usize = 64 * FRAME_BYTES;

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let text = include_str!("../../../docs/link/frames.schema.json");
    let schema: Value = serde_json::from_str(text).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is a schema")
});

/// What was odd about frames, on all links together.
#[derive(Debug, Clone, Default)]
pub struct Odd(Arc<Mutex<BTreeSet<String>>>);

impl Odd {
    fn note(&self, what: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(what);
    }

    /// Fails where anything was odd.
    pub fn verdict(&self) -> Check {
        let odd = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match odd.first() {
            Some(first) => Err(wrong("text messages of at most 131072 bytes that fit the schema", first)),
            None => Ok(()),
        }
    }
}

/// Why there is no link.
#[derive(Debug)]
pub enum NoLink {
    /// The upgrade was answered with this status.
    Status(u16),
    Other(String),
}

impl std::fmt::Display for NoLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status(status) => write!(f, "HTTP {status}"),
            Self::Other(problem) => f.write_str(problem),
        }
    }
}

/// What came next on a link.
#[derive(Debug)]
pub enum Came {
    Frame(Value),
    /// A WebSocket pong.
    Pong,
    /// A WebSocket ping, which was answered.
    Ping,
    Close(u16, String),
    /// The connection ended without a close.
    End,
    /// Nothing, for as long as was waited.
    Nothing,
}

impl std::fmt::Display for Came {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Frame(frame) => write!(f, "{frame}"),
            Self::Pong => f.write_str("a WebSocket pong"),
            Self::Ping => f.write_str("a WebSocket ping"),
            Self::Close(code, reason) => write!(f, "a close with {code} `{reason}`"),
            Self::End => f.write_str("the end of the connection, without a close"),
            Self::Nothing => f.write_str("nothing"),
        }
    }
}

/// One end of a link.
#[derive(Debug)]
pub struct Wire {
    socket: WebSocketStream<TcpStream>,
    odd: Odd,
    patience: Duration,
}

impl Wire {
    /// Connects as a computer does.
    pub async fn connect(
        address: &str,
        path: &str,
        headers: &[(&'static str, String)],
        odd: &Odd,
        patience: Duration,
    ) -> Result<Self, NoLink> {
        let other = |problem: &dyn std::fmt::Display| NoLink::Other(problem.to_string());
        let mut request =
            format!("ws://{address}{path}").into_client_request().map_err(|error| other(&error))?;
        for (name, value) in headers {
            let value = HeaderValue::from_str(value).map_err(|error| other(&error))?;
            request.headers_mut().insert(HeaderName::from_static(name), value);
        }
        let connecting = async {
            let stream = TcpStream::connect(address).await.map_err(|error| other(&error))?;
            let _ = stream.set_nodelay(true);
            match client_async_with_config(request, stream, Some(config())).await {
                Ok((socket, _)) => Ok(Self { socket, odd: odd.clone(), patience }),
                Err(Error::Http(response)) => Err(NoLink::Status(response.status().as_u16())),
                Err(error) => Err(other(&error)),
            }
        };
        timeout(patience, connecting).await.unwrap_or_else(|_| Err(NoLink::Other("no answer".to_owned())))
    }

    /// Upgrades a connection as a bridge does.
    pub async fn accept(stream: TcpStream, odd: &Odd, patience: Duration) -> Option<Self> {
        let _ = stream.set_nodelay(true);
        let socket = timeout(patience, accept_async_with_config(stream, Some(config()))).await.ok()?.ok()?;
        Some(Self { socket, odd: odd.clone(), patience })
    }

    /// What comes next, within the patience of this link.
    pub async fn next(&mut self) -> Came {
        self.next_within(self.patience).await
    }

    /// What comes next, within this time.
    pub async fn next_within(&mut self, time: Duration) -> Came {
        let waiting = async {
            loop {
                match self.socket.next().await {
                    Some(Ok(Message::Text(text))) => {
                        if text.len() > FRAME_BYTES {
                            self.odd.note(format!("a message of {} bytes", text.len()));
                        }
                        let Ok(frame) = serde_json::from_str::<Value>(&text) else {
                            self.odd.note(format!("a message that is not JSON: {text}"));
                            continue;
                        };
                        if !SCHEMA.is_valid(&frame) {
                            self.odd.note(format!("a frame that does not fit the schema: {frame}"));
                        }
                        return Came::Frame(frame);
                    }
                    Some(Ok(Message::Binary(bytes))) => {
                        self.odd.note(format!("a binary message of {} bytes", bytes.len()));
                    }
                    Some(Ok(Message::Ping(_))) => return Came::Ping,
                    Some(Ok(Message::Pong(_))) => return Came::Pong,
                    Some(Ok(Message::Close(frame))) => {
                        let frame =
                            frame.unwrap_or(CloseFrame { code: CloseCode::Status, reason: "".into() });
                        return Came::Close(frame.code.into(), frame.reason.to_string());
                    }
                    Some(Ok(Message::Frame(_))) => {}
                    Some(Err(_)) | None => return Came::End,
                }
            }
        };
        timeout(time, waiting).await.unwrap_or(Came::Nothing)
    }

    /// The next frame; WebSocket's own pings and pongs are passed over.
    pub async fn frame(&mut self, expected: &str) -> Check<Value> {
        loop {
            match self.next().await {
                Came::Frame(frame) => return Ok(frame),
                Came::Ping | Came::Pong => {}
                other => return Err(wrong(expected, other.to_string())),
            }
        }
    }

    /// The next frame of this type; others are passed over.
    pub async fn frame_of(&mut self, kind: &str) -> Check<Value> {
        loop {
            let frame = self.frame(&format!("a frame `{kind}`")).await?;
            if frame["type"] == kind {
                return Ok(frame);
            }
        }
    }

    /// Waits for a close with this code, and this reason where one is given. Frames before it are passed over.
    pub async fn closed(&mut self, code: u16, reason: Option<&str>) -> Check {
        let expected = match reason {
            Some(reason) => format!("a close with {code} `{reason}`"),
            None => format!("a close with {code}"),
        };
        loop {
            match self.next().await {
                Came::Close(got, said) if got == code && reason.is_none_or(|reason| said == reason) => {
                    return Ok(());
                }
                Came::Frame(_) | Came::Ping | Came::Pong => {}
                other => return Err(wrong(expected, other.to_string())),
            }
        }
    }

    pub async fn send(&mut self, frame: &Value) {
        self.send_message(Message::text(frame.to_string())).await;
    }

    /// Sends this message. One that cannot be sent is noticed by what does not come back.
    pub async fn send_message(&mut self, message: Message) {
        let _ = timeout(self.patience, self.socket.send(message)).await;
    }

    pub async fn ping(&mut self) {
        self.send_message(Message::Ping(Bytes::new())).await;
    }

    /// Answers a request.
    pub async fn answer(&mut self, request: &Value, result: Value) {
        self.send(&json!({ "type": "response", "id": request["id"], "ok": true, "result": result })).await;
    }

    /// Sends a frame's text in parts of this many bytes; `text` is ASCII.
    pub async fn send_parts(&mut self, id: &Value, text: &str, bytes: usize) {
        let slices: Vec<&[u8]> = text.as_bytes().chunks(bytes).collect();
        for (seq, slice) in slices.iter().enumerate() {
            let data = String::from_utf8_lossy(slice);
            let last = seq + 1 == slices.len();
            self.send(&json!({ "type": "part", "id": id, "seq": seq, "last": last, "data": data })).await;
        }
    }

    /// Closes the link with this code, and waits until the other side has gone.
    pub async fn say_close(&mut self, code: u16, reason: &'static str) {
        let frame = CloseFrame { code: code.into(), reason: reason.into() };
        self.send_message(Message::Close(Some(frame))).await;
        while !matches!(self.next().await, Came::End | Came::Nothing) {}
    }

    /// Ends the connection without a word of WebSocket.
    pub async fn cut(&mut self) {
        let _ = self.socket.get_mut().shutdown().await;
    }

    /// The connection below the link, for what is no WebSocket.
    pub fn raw(&mut self) -> &mut TcpStream {
        self.socket.get_mut()
    }

    /// Gives up the link, and keeps the connection.
    pub fn into_raw(self) -> TcpStream {
        self.socket.into_inner()
    }
}

fn config() -> WebSocketConfig {
    WebSocketConfig::default().max_message_size(Some(MOST_BYTES)).max_frame_size(Some(MOST_BYTES))
}

/// Collects the parts of one frame, and says where they do not follow each other.
pub fn join_part(so_far: &mut (u64, String), part: &Value) -> Check<Option<Value>> {
    let expected = format!("part {} of its frame", so_far.0);
    let (Some(seq), Some(last), Some(data)) =
        (part["seq"].as_u64(), part["last"].as_bool(), part["data"].as_str())
    else {
        return Err(wrong(expected, part.to_string()));
    };
    if seq != so_far.0 {
        return Err(wrong(expected, format!("part {seq}")));
    }
    so_far.0 += 1;
    so_far.1.push_str(data);
    if !last {
        return Ok(None);
    }
    match serde_json::from_str(&so_far.1) {
        Ok(frame) => Ok(Some(frame)),
        Err(error) => {
            Err(wrong("parts that together are a frame", format!("{error} in {} bytes", so_far.1.len())))
        }
    }
}
