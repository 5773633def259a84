//! A computer in Rust: says what a test tells it to, or answers by itself.

use std::net::SocketAddr;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::within;

/// One end of a link.
pub struct FakeComputer {
    pub socket: WebSocketStream<TcpStream>,
    pub id: u64,
    pub label: Option<String>,
    /// The frame that answered the hello.
    pub greeting: Value,
}

impl FakeComputer {
    /// Connects without saying anything.
    pub async fn connect(address: SocketAddr) -> WebSocketStream<TcpStream> {
        Self::connect_to(address, "/").await.expect("the bridge upgrades any path")
    }

    /// Connects to a path; the bridge may refuse.
    pub async fn connect_to(
        address: SocketAddr,
        path: &str,
    ) -> Result<WebSocketStream<TcpStream>, tokio_tungstenite::tungstenite::Error> {
        let stream = TcpStream::connect(address).await.expect("the bridge listens");
        stream.set_nodelay(true).expect("a TCP socket");
        let config = WebSocketConfig::default().read_buffer_size(4096);
        let url = format!("ws://{address}{path}");
        client_async_with_config(url, stream, Some(config)).await.map(|(socket, _)| socket)
    }

    /// Connects, says this hello, and waits for its answer.
    pub async fn link(address: SocketAddr, hello: &str) -> Self {
        let socket = Self::connect(address).await;
        Self::greet(socket, hello).await
    }

    /// Says this hello on a socket, and waits for its answer.
    pub async fn greet(mut socket: WebSocketStream<TcpStream>, hello: &str) -> Self {
        socket.send(Message::text(hello)).await.expect("the bridge reads");
        let said: Value = serde_json::from_str(hello).expect("a hello is JSON");
        let mut computer = Self {
            socket,
            id: said["computerId"].as_u64().unwrap_or_default(),
            label: said["computerLabel"].as_str().map(Into::into),
            greeting: Value::Null,
        };
        computer.greeting = computer.frame().await;
        computer
    }

    /// The next frame; pings are answered on the way.
    pub async fn frame(&mut self) -> Value {
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }

    pub async fn text(&mut self) -> String {
        loop {
            match within("a frame", self.socket.next()).await {
                Some(Ok(Message::Text(text))) => return text.to_string(),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("a frame was expected, not {other:?}"),
            }
        }
    }

    /// The close frame that ends the link; what comes before it is passed over.
    pub async fn closed(&mut self) -> Option<CloseFrame> {
        loop {
            match within("the close", self.socket.next()).await {
                Some(Ok(Message::Close(frame))) => return frame,
                Some(Ok(_)) => {}
                other => panic!("a close frame was expected, not {other:?}"),
            }
        }
    }

    pub async fn send(&mut self, frame: &Value) {
        self.send_text(&frame.to_string()).await;
    }

    pub async fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.expect("the bridge reads");
    }

    /// Answers a request with this result.
    pub async fn answer(&mut self, request: &Value, result: &Value) {
        self.send(&json!({ "type": "response", "id": request["id"], "ok": true, "result": result })).await;
    }

    pub fn pong(&self) -> String {
        format!("pong from {} (Label: {})", self.id, self.label.as_deref().unwrap_or("null"))
    }

    /// Answers pings, and `return <n>`, until the link ends.
    pub fn serve(mut self) {
        tokio::spawn(async move {
            while let Some(Ok(message)) = self.socket.next().await {
                let Message::Text(text) = message else { continue };
                let request: Value = serde_json::from_str(&text).expect("the bridge sends JSON");
                if request["type"] != "request" {
                    continue;
                }
                let result = match request["method"].as_str() {
                    Some("ping") => json!(self.pong()),
                    _ => json!({ "returns": returned(&request), "output": "" }),
                };
                let answer = json!({ "type": "response", "id": request["id"], "ok": true, "result": result });
                if self.socket.send(Message::text(answer.to_string())).await.is_err() {
                    return;
                }
            }
        });
    }
}

fn returned(request: &Value) -> Value {
    let code = request["params"]["code"].as_str().unwrap_or_default();
    match code.strip_prefix("return ").and_then(|number| number.parse::<f64>().ok()) {
        Some(number) => json!([{ "type": "number", "value": number }]),
        None => json!([]),
    }
}
