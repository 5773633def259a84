//! A bridge on stdio that found its link port taken: it passes its client's words on to the bridge that has the port, and
//! takes that bridge's place when it ends. The client notices nothing but the error of what was under way.

use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::desk;
use crate::bridge::{Bridge, StartError};
use crate::config::{Config, McpTransport};

/// Lines of the client that wait to be passed on.
const UNREAD: usize = 16;

/// How long it may take until somebody has the port after its bridge has ended: that one closes its links first.
const TAKE_OVER: Duration = Duration::from_secs(10);

/// Between two attempts.
const AGAIN: Duration = Duration::from_millis(50);

/// JSON-RPC's code for what is nobody's fault here.
const INTERNAL_ERROR: i32 = -32603;

/// Why a call that was under way has no result.
const ENDED: &str = "the bridge that had the computers ended during this call; whether it ran is not known";

/// What a message is, as far as it matters here.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(default)]
    params: Option<Value>,
}

/// What was said, as far as another bridge has to know it.
#[derive(Debug, Default)]
struct Conversation(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The id and the text of the client's `initialize`.
    initialize: Option<(String, Vec<u8>)>,
    initialized: Option<Vec<u8>>,
    /// The requests that have no answer yet, by their ids as they are written.
    open: HashSet<String>,
}

/// Who ended a connection.
#[derive(Debug, PartialEq, Eq)]
enum Ended {
    Client,
    Bridge,
}

/// Speaks for its client until the client has no more to say.
pub async fn speak(first: TcpStream, config: Config) -> anyhow::Result<()> {
    let (sender, mut lines) = mpsc::channel(UNREAD);
    tokio::spawn(read_lines(tokio::io::stdin(), sender));
    let conversation = Conversation::default();
    let (mut stream, mut own) = (first, None);
    while conversation.pass(stream, &mut lines).await? == Ended::Bridge {
        tracing::warn!("the bridge that had the link port has ended: this one takes its place");
        conversation.fail_open().await?;
        (stream, own) = take_over(&config).await?;
        conversation.resume(&mut stream).await?;
    }
    if let Some(bridge) = own {
        bridge.shutdown().await;
    }
    Ok(())
}

async fn read_lines(from: impl AsyncRead + Unpin, to: mpsc::Sender<Vec<u8>>) {
    let mut from = BufReader::new(from);
    loop {
        let mut line = Vec::new();
        match from.read_until(b'\n', &mut line).await {
            Ok(1..) if to.send(line).await.is_ok() => {}
            _ => return,
        }
    }
}

/// Gets the link port, or joins whoever was quicker.
async fn take_over(config: &Config) -> anyhow::Result<(TcpStream, Option<Bridge>)> {
    let folder = config.desk.as_deref().expect("it was joined there");
    let until = Instant::now() + TAKE_OVER;
    loop {
        let started = Bridge::start(Config { mcp: McpTransport::Desk, ..config.clone() }).await;
        let (own, error) = match started {
            Ok(bridge) => (Some(bridge), None),
            Err(error) => (None, Some(error)),
        };
        let is_taken = matches!(error, None | Some(StartError::PortInUse { .. }));
        if is_taken && let Some(stream) = desk::join(folder, config.link.port, &config.sources).await {
            return Ok((stream, own));
        }
        match error {
            Some(error) if Instant::now() >= until => return Err(error.into()),
            None => anyhow::bail!("failed to speak to the bridge of this process"),
            Some(_) => sleep(AGAIN).await,
        }
    }
}

impl Conversation {
    /// Notes what the client says.
    fn heard(&self, line: &[u8]) {
        let Ok(Head { id, method: Some(method), params }) = serde_json::from_slice(line) else { return };
        let mut state = self.0.lock();
        match (id, &*method) {
            (Some(id), "initialize") => state.initialize = Some((id.get().to_owned(), line.to_owned())),
            (None, "notifications/initialized") => state.initialized = Some(line.to_owned()),
            (None, "notifications/cancelled") => {
                // It is not answered any more.
                let request = params.map(|params| params["requestId"].to_string()).unwrap_or_default();
                state.open.remove(&request);
            }
            _ => {}
        }
        if let Some(id) = id {
            state.open.insert(id.get().to_owned());
        }
    }

    /// Notes what the bridge says.
    fn told(&self, line: &[u8]) {
        if let Ok(Head { id: Some(id), method: None, .. }) = serde_json::from_slice(line) {
            self.0.lock().open.remove(id.get());
        }
    }

    /// Passes both sides' words on until one of them ends.
    async fn pass(&self, stream: TcpStream, lines: &mut mpsc::Receiver<Vec<u8>>) -> std::io::Result<Ended> {
        let (read, mut write) = stream.into_split();
        let mut client_ended = false;
        let there = async {
            while let Some(line) = lines.recv().await {
                self.heard(&line);
                if write.write_all(&line).await.is_err() {
                    break;
                }
            }
            client_ended = lines.is_closed() && lines.is_empty();
            let _ = write.shutdown().await;
            // What the bridge still says to it.
            std::future::pending::<std::io::Result<()>>().await
        };
        let outcome = tokio::select! {
            outcome = there => outcome,
            outcome = self.pass_back(read) => outcome,
        };
        outcome?;
        Ok(if client_ended { Ended::Client } else { Ended::Bridge })
    }

    async fn pass_back(&self, read: OwnedReadHalf) -> std::io::Result<()> {
        let (mut read, mut line) = (BufReader::new(read), Vec::new());
        // A bridge that was killed resets the connection: that is an end like any other.
        while matches!(read.read_until(b'\n', &mut line).await, Ok(1..)) {
            self.told(&line);
            write(&line).await?;
            line.clear();
        }
        Ok(())
    }

    /// Answers what was under way: Lua may have run, so that nothing is sent a second time.
    async fn fail_open(&self) -> std::io::Result<()> {
        let open: Vec<String> = {
            let mut state = self.0.lock();
            // The next bridge answers it.
            let kept = state.initialize.as_ref().map(|(id, _)| id.clone());
            let lost = state.open.iter().filter(|id| Some(*id) != kept.as_ref()).cloned().collect();
            state.open.retain(|id| Some(id) == kept.as_ref());
            lost
        };
        for id in open {
            let id: Value = serde_json::from_str(&id).unwrap_or_default();
            let error = json!({ "code": INTERNAL_ERROR, "message": ENDED });
            write(format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "error": error })).as_bytes()).await?;
        }
        Ok(())
    }

    /// Tells the next bridge who the client is. The client has had its answer, unless the first bridge did not give it.
    async fn resume(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        let (initialize, initialized) = {
            let state = self.0.lock();
            (state.initialize.clone(), state.initialized.clone())
        };
        let Some((id, line)) = initialize else { return Ok(()) };
        stream.write_all(&line).await?;
        let answer = read_one(stream).await?;
        let was_open = self.0.lock().open.remove(&id);
        if was_open {
            write(&answer).await?;
        }
        match initialized {
            Some(line) => stream.write_all(&line).await,
            None => Ok(()),
        }
    }
}

/// Reads one line and not a byte more. The answer to `initialize` is the first, and short.
async fn read_one(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    use tokio::io::AsyncReadExt as _;
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') {
        line.push(stream.read_u8().await?);
    }
    Ok(line)
}

async fn write(line: &[u8]) -> std::io::Result<()> {
    let mut stdout = tokio::io::stdout();
    stdout.write_all(line).await?;
    stdout.flush().await
}
