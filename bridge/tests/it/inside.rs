//! A bridge inside another program: links and MCP over streams in memory, on a clock that stands still until all wait.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use mcp_bridge::Bridge;
use mcp_bridge::accept::{Dialer, in_memory};
use mcp_bridge::limits::{BODIES_BYTES, BODY_BYTES, CODE_BYTES, OUTBOX_BYTES};
use mcp_bridge::sources::Sources;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::support::bridge::config;
use crate::support::tools::{ToolFolder, tools_hello};
use crate::support::{Era, within};

const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 7);

/// What a client waits for an answer; many wait no longer.
const CLIENTS_LIMIT: Duration = Duration::from_secs(60);

/// How long the job takes.
const JOB: Duration = Duration::from_secs(300);

/// A bridge without ports.
struct Inside {
    bridge: Bridge,
    link: Dialer,
    mcp: Dialer,
}

impl Inside {
    fn start(seed: u64) -> Self {
        let (link, computers) = in_memory();
        let (mcp, clients) = in_memory();
        let mut config = config();
        config.sources = Sources::seeded(seed);
        config.exec_timeout = JOB * 2;
        let bridge = Bridge::serve(&config, computers, clients).expect("it needs nothing of the machine");
        Self { bridge, link, mcp }
    }

    /// Links a computer that answers requests like this; nothing for one that it does not answer.
    async fn computer(&self, id: u64, mut answer: impl FnMut(&Value) -> Option<Value> + Send + 'static) {
        let mut socket = linked(&self.link, id).await;
        tokio::spawn(async move {
            while let Some(Ok(message)) = socket.next().await {
                let Message::Text(text) = message else { continue };
                let frame: Value = serde_json::from_str(&text).expect("JSON");
                if let Some(mut said) = answer(&frame) {
                    (said["type"], said["id"]) = ("response".into(), frame["id"].clone());
                    socket.send(Message::text(said.to_string())).await.expect("the bridge reads");
                }
            }
        });
    }
}

/// Links a computer.
async fn linked(link: &Dialer, id: u64) -> WebSocketStream<DuplexStream> {
    let stream = link.connect(PEER).await.expect("the bridge accepts");
    let (mut socket, _) = client_async("ws://localhost/", stream).await.expect("upgraded");
    socket.send(Message::text(tools_hello(id, "inside"))).await.expect("the bridge reads");
    let greeting = socket.next().await.expect("an answer").expect("a frame");
    assert!(greeting.to_text().expect("text").contains("hello-ok"), "{greeting}");
    socket
}

/// The next frame of a computer.
async fn frame(socket: &mut WebSocketStream<DuplexStream>) -> Value {
    loop {
        let message = within("a frame", socket.next()).await.expect("the link lasts").expect("a message");
        if let Message::Text(text) = message {
            return serde_json::from_str(&text).expect("JSON");
        }
    }
}

/// A client of the handshake era.
struct Client<'a> {
    mcp: &'a Dialer,
    session: Option<String>,
    next: u64,
}

impl<'a> Client<'a> {
    async fn connect(inside: &'a Inside) -> Self {
        let mut client = Self { mcp: &inside.mcp, session: None, next: 1 };
        let info = json!({ "name": "t", "version": "0" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        client.ask("initialize", params).await;
        client.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    /// Sends a message; gives the text of the answer.
    async fn post(&mut self, message: &Value) -> String {
        let stream = self.mcp.connect(PEER).await.expect("the bridge accepts");
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("HTTP");
        let connection = tokio::spawn(connection);
        let mut request = hyper::Request::post("/mcp")
            .header("Host", "localhost")
            .header("Accept", "application/json, text/event-stream")
            .header("Content-Type", "application/json")
            .header("MCP-Protocol-Version", "2025-11-25");
        if let Some(session) = &self.session {
            request = request.header("Mcp-Session-Id", session);
        }
        let request = request.body(Full::<Bytes>::from(message.to_string())).expect("a request");
        // Ends with this: a client that gives up closes its connection.
        let _closes = AbortOnDrop(connection);
        let response = sender.send_request(request).await.expect("an answer");
        if let Some(session) = response.headers().get("mcp-session-id") {
            self.session = Some(session.to_str().expect("text").to_owned());
        }
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        String::from_utf8(body.to_vec()).expect("UTF-8")
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        let text = self.post(&message).await;
        let lines = text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let mut messages = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut answer = messages.find(|answer| answer["id"] == self.next).expect("an answer");
        answer["result"].take()
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }
}

struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Everything that a client hears in a bridge with this seed.
async fn told(seed: u64) -> Vec<String> {
    let inside = Inside::start(seed);
    for id in [12, 13] {
        inside
            .computer(id, move |frame| match frame["method"].as_str()? {
                "ping" => Some(json!({ "ok": true, "result": format!("pong from {id} (Label: inside)") })),
                "start-job" => Some(json!({ "ok": true, "result": {} })),
                // The other one says nothing.
                "exec-lua" if id == 12 => {
                    Some(json!({ "ok": true, "result": { "returns": [], "output": "" } }))
                }
                _ => None,
            })
            .await;
    }
    let mut client = Client::connect(&inside).await;
    let mut told = vec![client.session.clone().expect("a session")];
    for (tool, arguments) in [
        ("probe-computers", json!({})),
        ("exec-lua", json!({ "computerId": 12, "code": "" })),
        ("exec-lua", json!({ "computerId": 13, "code": "", "timeoutMs": 600_000 })),
        ("start-lua", json!({ "computerId": 12, "code": "" })),
        ("list-computers", json!({})),
    ] {
        told.push(client.call(tool, arguments).await.to_string());
    }
    inside.bridge.shutdown().await;
    told
}

#[tokio::test(start_paused = true)]
async fn a_seed_decides_every_byte_that_a_client_hears() {
    let first = told(7).await;
    assert!(first[1].contains("pong from 12") && first[1].contains("pong from 13"), "{}", first[1]);
    assert!(first[3].contains("after 600000 ms"), "ten minutes have passed on that clock: {}", first[3]);
    assert!(first[5].contains("1970-01-01T00:10:"), "and in the time of day: {}", first[5]);
    assert_eq!(first, told(7).await);
    let other = told(8).await;
    assert_ne!((&first[0], &first[4]), (&other[0], &other[4]), "ids of the session and the job");
}

#[tokio::test(start_paused = true)]
async fn a_client_with_a_limit_of_a_minute_finishes_a_job_of_five() {
    let inside = Inside::start(1);
    let (cancelled, mut cancels) = tokio::sync::mpsc::unbounded_channel();
    let mut started = None;
    inside
        .computer(12, move |frame| match (frame["type"].as_str()?, frame["method"].as_str()) {
            ("cancel", _) => {
                cancelled.send(()).expect("the test waits for it");
                None
            }
            (_, Some("start-job")) => {
                started = Some(Instant::now());
                Some(json!({ "ok": true, "result": {} }))
            }
            (_, Some("read-job")) => {
                let ended = started.is_some_and(|at| at.elapsed() >= JOB);
                let mut told = json!({ "state": "running", "next": 0, "more": false, "output": "" });
                if ended {
                    let result = json!({ "returns": [{ "type": "number", "value": 64 }], "output": "" });
                    let frame = json!({ "type": "response", "id": "job", "ok": true, "result": result });
                    (told["state"], told["answer"]) = ("ended".into(), frame.to_string().into());
                }
                Some(json!({ "ok": true, "result": told }))
            }
            (_, Some("forget-job")) => Some(json!({ "ok": true, "result": {} })),
            _ => None,
        })
        .await;
    let mut client = Client::connect(&inside).await;
    let arguments = json!({ "computerId": 12, "code": "mine()" });
    // As a call it is given up, and the chunk is stopped.
    assert!(timeout(CLIENTS_LIMIT, client.call("exec-lua", arguments.clone())).await.is_err());
    cancels.recv().await.expect("the chunk is cancelled");
    // As a job it goes on between two looks at it.
    let began = Instant::now();
    let job = client.call("start-lua", arguments).await["structuredContent"].take();
    let job = json!({ "jobId": job["jobId"] });
    let mut looks = 0;
    loop {
        let status = timeout(CLIENTS_LIMIT, client.call("job-status", job.clone())).await.expect("in time");
        if status["structuredContent"]["state"] == "done" {
            break;
        }
        assert_eq!(status["structuredContent"]["state"], "running");
        looks += 1;
        sleep(CLIENTS_LIMIT / 2).await;
    }
    assert!(began.elapsed() >= JOB && looks >= 10, "{looks} looks");
    let result = client.call("job-result", job).await;
    assert_eq!(result["structuredContent"]["returns"], json!([{ "type": "number", "value": 64 }]));
}

#[tokio::test(start_paused = true)]
async fn bodies_of_clients_share_one_budget_and_give_it_back() {
    let inside = Inside::start(1);
    let head = format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {BODY_BYTES}\r\n\r\n");
    let body = vec![b' '; BODY_BYTES - 1];
    // Each waits for its last byte with the rest of it: so many fit, and one more does not.
    let fit = BODIES_BYTES / BODY_BYTES;
    let mut open = Vec::new();
    for number in 0..=fit {
        let mut stream = inside.mcp.connect(PEER).await.expect("the bridge accepts");
        stream.write_all(head.as_bytes()).await.expect("the head is taken");
        stream.write_all(&body).await.unwrap_or_else(|error| panic!("body {number}: {error}"));
        open.push(stream);
    }
    let mut answer = vec![0; 4096];
    let last = open.last_mut().expect("there are some");
    let length = last.read(&mut answer).await.expect("an answer");
    let answer = String::from_utf8_lossy(&answer[..length]);
    assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("retry-after: 1"), "{answer}");
    drop(open);
    let mut client = Client::connect(&inside).await;
    let large = "x".repeat(BODY_BYTES / 2);
    let said = client.call("exec-lua", json!({ "computerId": 12, "code": large })).await;
    assert_eq!(said["content"][0]["text"], "`code` has 2097152 bytes; 1048576 is the most");
}

#[tokio::test]
async fn what_the_user_says_reaches_a_computer_that_has_much_to_read() {
    const LEFT: usize = 100_000;
    let folder = ToolFolder::with(&[("greet", &["mcp.computer: any"])]);
    let (mut config, (link, computers)) = (config(), in_memory());
    (config.tools, config.exec_timeout, config.timings.silent) = (folder.paths(), JOB, JOB);
    let clients = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/mcp", clients.local_addr().expect("bound"));
    let bridge = Bridge::serve(&config, computers, clients).expect("it needs nothing of the machine");
    let mut socket = linked(&link, 12).await;
    let (era, can) = (Era::Handshake("2025-11-25"), json!({ "elicitation": {} }));
    let client = crate::support::Client::connect_with(&url, era, can).await;
    let ((_, mut messages), call) = tokio::join!(client.start("greet", json!({}), None), async {
        let call = frame(&mut socket).await;
        let data = json!({ "ask": 1, "method": "elicitation/create", "params": { "message": "?" } });
        let ask = json!({ "type": "ask", "id": call["id"], "data": data });
        socket.send(Message::text(ask.to_string())).await.expect("the bridge reads");
        call
    });
    let request = messages.next().await.expect("a question");
    // The computer reads nothing meanwhile. Quotes are escaped twice: four times their bytes wait for it.
    let queued = || bridge.view().held().queued_bytes;
    let waiting = || bridge.view().held().waiting;
    let mut chunks = futures_util::stream::FuturesUnordered::new();
    for quotes in std::iter::once(CODE_BYTES).chain(std::iter::repeat(LEFT / 5)) {
        let before = waiting();
        chunks.push(client.call("exec-lua", json!({ "computerId": 12, "code": "\"".repeat(quotes) })));
        tokio::select! {
            ended = chunks.next() => panic!("nothing was answered: {ended:?}"),
            () = within("a chunk to wait", async {
                while waiting() == before {
                    tokio::task::yield_now().await;
                }
            }) => {}
        }
        if queued() + LEFT > OUTBOX_BYTES {
            break;
        }
    }
    let content = json!({ "text": "x".repeat(LEFT) });
    let result = json!({ "action": "accept", "content": content });
    client.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).await;
    // It is queued before the link's end of the bridge can send on: nothing is read until here.
    client.request("ping", json!({})).await;
    let said = within("the answer", async {
        loop {
            let said = frame(&mut socket).await;
            if said["type"] == "answer" {
                return said;
            }
        }
    })
    .await;
    assert_eq!((&said["id"], &said["result"]["content"]), (&call["id"], &content));
}
