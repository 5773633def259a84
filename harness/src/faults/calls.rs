//! Makes the calls of a plan: several clients, each of which connects again where its bridge has gone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::{Call, Kind, Plan, Then};
use crate::client::{Answer, Client, ClientError};
use crate::record::Record;
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
    /// The client cancelled it, or went away.
    GivenUp,
    /// The connection to the bridge was lost, or never came to be.
    Lost(String),
    /// Nothing, for longer than the call may take.
    Nothing,
}

/// A call that was made.
#[derive(Debug)]
pub struct Made {
    pub call: Call,
    /// What its chunk writes and returns.
    pub token: String,
    pub heard: Heard,
}

/// One of the clients.
#[derive(Debug, Default)]
struct Caller {
    client: Mutex<Option<Arc<Client>>>,
    /// Every message that it sent and got, over all its connections.
    records: std::sync::Mutex<Vec<Arc<Record>>>,
}

/// Makes all calls; gives what was heard of each, and what went over each connection.
pub async fn make(
    stage: &Stage,
    plan: &Plan,
    version: &str,
    start: Instant,
) -> (Vec<Made>, Vec<Arc<Record>>) {
    let callers: BTreeMap<u64, Caller> =
        plan.calls.iter().map(|call| (call.client, Caller::default())).collect();
    let grace = if plan.has(Kind::KillBridge) { GRACE_OF_A_NEW_BRIDGE } else { GRACE };
    let making = plan.calls.iter().enumerate().map(|(number, call)| {
        let caller = &callers[&call.client];
        async move {
            sleep_until(start + Duration::from_millis(call.at_ms)).await;
            let token = format!("call-{number}");
            let limit = Duration::from_millis(call.timeout_ms) + grace;
            let heard = timeout(limit, caller.make(stage, version, call, &token)).await;
            let heard = heard.unwrap_or(Heard::Nothing);
            Made { call: call.clone(), token, heard }
        }
    });
    let made = join_all(making).await;
    let mut records = Vec::new();
    for caller in callers.into_values() {
        records.extend(caller.records.into_inner().unwrap_or_default());
        if let Some(client) = caller.client.into_inner().and_then(Arc::into_inner) {
            client.close().await;
        }
    }
    (made, records)
}

impl Caller {
    async fn make(&self, stage: &Stage, version: &str, call: &Call, token: &str) -> Heard {
        let client = match self.client(stage, version).await {
            Ok(client) => client,
            Err(reason) => return Heard::Lost(reason),
        };
        let Ok(id) = stage.id_of(&call.computer) else { return Heard::Lost("no such computer".to_owned()) };
        let arguments = json!({ "computerId": id, "code": chunk(call, token), "timeoutMs": call.timeout_ms });
        let cancel = match call.then {
            Then::Cancel(after) => Some(sleep(Duration::from_millis(after))),
            _ => None,
        };
        let calling = client.call("exec-lua", arguments, cancel);
        let answer = match call.then {
            Then::Leave(after) => match timeout(Duration::from_millis(after), calling).await {
                Ok(answer) => answer,
                Err(_) => {
                    self.client.lock().await.take();
                    return Heard::GivenUp;
                }
            },
            _ => calling.await,
        };
        match answer {
            Ok(Some(answer)) => Heard::Answer(answer),
            Ok(None) => Heard::GivenUp,
            Err(error) => {
                self.client.lock().await.take();
                Heard::Lost(chain(&error))
            }
        }
    }

    /// The connection; a new one where the last was lost.
    async fn client(&self, stage: &Stage, version: &str) -> Result<Arc<Client>, String> {
        let mut client = self.client.lock().await;
        if let Some(client) = &*client {
            return Ok(client.clone());
        }
        let url = stage.mcp_url().await.map_err(|error| error.to_string())?;
        let record = Arc::new(Record::default());
        self.records.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(record.clone());
        let connecting =
            Client::connect_on(&url, version, stage.mcp_token(), Some(&record), stage.net.dialer());
        let connected = Arc::new(connecting.await.map_err(|error| chain(&error))?);
        *client = Some(connected.clone());
        Ok(connected)
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
        let (seconds, end) = (call.sleep_ms, write(&format!("{token} end")));
        lua += &format!(" sleep({seconds} / 1000) do {end} end");
    }
    lua + &format!(" return \"{token}\"")
}
