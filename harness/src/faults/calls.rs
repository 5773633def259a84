//! Makes the calls of a plan: several clients, each of which connects again where its bridge has gone.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use mcp_host::client::Meddler;
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::watch::Watch;
use super::{Call, Kind, Plan, Then, invariants};
use crate::client::{Answer, Client, ClientError, Equipment};
use crate::record::{Record, held};
use crate::report::trace::What;
use crate::stage::Stage;

/// How much longer than its own limit a call may take: the bridge's turn, frames that are late, a handshake.
const GRACE: Duration = Duration::from_secs(10);

/// The same where the bridge may be killed: the client asks a new one for the rest of its stream, at growing intervals.
const GRACE_OF_A_NEW_BRIDGE: Duration = Duration::from_secs(60);

/// Where a chunk writes down that it ran.
pub const RAN: &str = "ran.log";

/// What a client heard of a call.
#[derive(Debug)]
pub enum Heard {
    Answer(Answer),
    /// The client cancelled it, or went away after it.
    GivenUp,
    /// The client went away after another of its calls.
    Gone,
    /// The connection to the bridge was lost, or never came to be.
    Lost(String),
    /// Nothing, for longer than the call may take.
    Nothing,
}

impl fmt::Display for Heard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(Answer::Result(called)) if called.is_error => {
                write!(f, "it failed: {}", called.text)
            }
            Self::Answer(Answer::Result(called)) => write!(f, "answered: {}", called.text),
            Self::Answer(Answer::Error { code, message, .. }) => write!(f, "refused: {message} ({code})"),
            Self::GivenUp => f.write_str("given up"),
            Self::Gone => f.write_str("the client went away"),
            Self::Lost(reason) => write!(f, "the connection is lost: {reason}"),
            Self::Nothing => f.write_str("no answer"),
        }
    }
}

/// A call that was made.
#[derive(Debug)]
pub struct Made {
    pub call: Call,
    /// What its chunk writes and returns.
    pub token: String,
    pub heard: Heard,
    /// How long after the call that was heard.
    pub after_ms: u64,
}

/// One of the clients.
#[derive(Debug, Default)]
struct Caller {
    connection: Mutex<Option<Connection>>,
    /// Every message that it sent and got, over all its connections.
    records: std::sync::Mutex<Vec<Arc<Record>>>,
}

/// One connection of a client, which all of its calls share.
#[derive(Debug, Clone)]
struct Connection {
    client: Arc<Client>,
    /// The client has gone away, with all calls that are under way.
    left: CancellationToken,
}

/// What all clients have in common.
#[derive(Debug)]
pub struct Callers<'a> {
    pub stage: &'a Stage,
    /// That of MCP.
    pub version: &'a str,
    pub meddler: Option<Meddler>,
    pub watch: &'a Watch<'a>,
}

impl Callers<'_> {
    /// Makes all calls; tells the watch what was heard of each, and gives what went over each connection.
    pub async fn make(&self, plan: &Plan, start: Instant) -> Vec<Arc<Record>> {
        let callers: BTreeMap<u64, Caller> =
            plan.calls.iter().map(|call| (call.client, Caller::default())).collect();
        let grace = if plan.has(Kind::KillBridge) { GRACE_OF_A_NEW_BRIDGE } else { GRACE };
        let making = plan.calls.iter().enumerate().map(|(number, call)| {
            let caller = &callers[&call.client];
            async move {
                sleep_until(start + Duration::from_millis(call.at_ms)).await;
                for (attempt, call) in attempts(call).into_iter().enumerate() {
                    let again = if attempt > 0 { format!("-again-{attempt}") } else { String::new() };
                    let made = self.call(caller, call, format!("call-{number}{again}"), grace).await;
                    let is_done = made.is_right() || matches!(made.heard, Heard::Gone);
                    self.watch.heard(made);
                    if is_done {
                        break;
                    }
                }
            }
        });
        join_all(making).await;
        // Before the clients say that they leave, which ends everything of theirs.
        self.watch.find(invariants::nothing_waits(self.stage).await);
        let mut records = Vec::new();
        for caller in callers.into_values() {
            records.extend(caller.records.into_inner().unwrap_or_default());
            let connection = caller.connection.into_inner();
            if let Some(client) = connection.and_then(|connection| Arc::into_inner(connection.client)) {
                client.close().await;
            }
        }
        records
    }

    /// Tells of a call in the trace, which has no messages of these clients.
    fn note(&self, line: String) {
        self.stage.record.note(What::Log { log: "calls".to_owned(), line });
    }

    async fn call(&self, caller: &Caller, call: Call, token: String, grace: Duration) -> Made {
        let (begun, limit) = (Instant::now(), Duration::from_millis(call.timeout_ms) + grace);
        let (client, computer) = (call.client, &call.computer);
        self.note(format!("client {client} calls `{token}` on {computer}"));
        let heard = timeout(limit, caller.make(self, &call, &token)).await.unwrap_or(Heard::Nothing);
        self.note(format!("client {client}, `{token}`: {heard}"));
        let after_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Made { call, token, heard, after_ms }
    }
}

/// The calls that a client makes where each fails: one, or for a client that tries again one after the other.
fn attempts(call: &Call) -> Vec<Call> {
    let Then::Retry(after) = call.then else { return vec![call.clone()] };
    let then = |then| Call { then, ..call.clone() };
    vec![then(Then::Cancel(after)), then(Then::Cancel(after)), then(Then::Wait)]
}

impl Made {
    /// Whether it was answered, and did not fail.
    pub fn is_right(&self) -> bool {
        matches!(&self.heard, Heard::Answer(Answer::Result(called)) if !called.is_error)
    }
}

impl Caller {
    async fn make(&self, all: &Callers<'_>, call: &Call, token: &str) -> Heard {
        let connection = match self.connection(all).await {
            Ok(connection) => connection,
            Err(reason) => return Heard::Lost(reason),
        };
        let Ok(id) = all.stage.id_of(&call.computer) else {
            return Heard::Lost("no such computer".to_owned());
        };
        let arguments = json!({ "computerId": id, "code": chunk(call, token), "timeoutMs": call.timeout_ms });
        let cancel = match call.then {
            Then::Cancel(after) => Some(sleep(Duration::from_millis(after))),
            _ => None,
        };
        let leaving = async {
            match call.then {
                Then::Leave(after) => sleep(Duration::from_millis(after)).await,
                _ => std::future::pending().await,
            }
        };
        let answer = tokio::select! {
            biased;
            answer = connection.client.call("exec-lua", arguments, cancel) => answer,
            () = leaving => {
                connection.left.cancel();
                self.forget(&connection).await;
                return Heard::GivenUp;
            }
            () = connection.left.cancelled() => return Heard::Gone,
        };
        match answer {
            Ok(Some(answer)) => Heard::Answer(answer),
            Ok(None) => Heard::GivenUp,
            Err(error) => {
                self.forget(&connection).await;
                Heard::Lost(chain(&error))
            }
        }
    }

    /// The connection; a new one where the last was lost.
    async fn connection(&self, all: &Callers<'_>) -> Result<Connection, String> {
        let mut connection = self.connection.lock().await;
        if let Some(connection) = &*connection {
            return Ok(connection.clone());
        }
        let url = all.stage.mcp_url().await.map_err(|error| error.to_string())?;
        let record = Arc::new(Record::default());
        held(&self.records).push(record.clone());
        let equipment = Equipment { meddler: all.meddler.clone(), ..all.stage.equipment(&record) };
        let connecting = Client::connect_with(&url, all.version, equipment);
        let client = Arc::new(connecting.await.map_err(|error| chain(&error))?);
        Ok(connection.insert(Connection { client, left: CancellationToken::new() }).clone())
    }

    /// Has the next call connect again, unless another has done so meanwhile.
    async fn forget(&self, connection: &Connection) {
        let mut current = self.connection.lock().await;
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(&current.client, &connection.client)) {
            current.take();
        }
    }
}

fn chain(error: &ClientError) -> String {
    crate::suite::chain(error).trim_end().replace('\n', "; ")
}

/// Writes down that it began, sleeps, writes down that it ended where it slept, and returns what no other chunk does.
fn chunk(call: &Call, token: &str) -> String {
    let write = |text: &str| format!("local f = fs.open(\"{RAN}\", \"a\") f.write(\"{text}\\n\") f.close()");
    let mut lua = format!("do {} end print(\"{token}\")", write(token));
    if call.sleep_ms > 0 {
        let (milliseconds, end) = (call.sleep_ms, write(&format!("{token} end")));
        let _ = write!(lua, " sleep({milliseconds} / 1000) do {end} end");
    }
    let _ = write!(lua, " return \"{token}\"");
    lua
}
