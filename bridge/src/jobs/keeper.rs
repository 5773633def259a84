//! Starts jobs, and asks computers what became of them. Lua is never sent a second time: a job is written down before it
//! is sent, the computer writes it down before it runs it, and after that both only ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use rmcp::transport::common::server_side_http::session_id;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::record::{Record, State};
use super::store::{Store, StoreError};
use crate::computer::{Computer, Request, SendError};
use crate::link::frame::{Answer, CallParams, Incoming, JobParams, text_of};
use crate::registry::Registry;

/// How long a computer may take to answer a question about a job: it answers from its disk, between two chunks.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often jobs that run are looked after, so that a result is here soon after it is there.
const EVERY: Duration = Duration::from_secs(2);

/// What a computer says of a job that it does not have.
const UNKNOWN_JOB: &str = "unknown job";

/// What a computer says whose program knows nothing of jobs. Nothing has run then.
const UNKNOWN_METHOD: &str = "unknown method";

/// What a computer says whose program knows jobs, but no tools in them. Nothing has run then.
const NO_TOOLS: &str = "malformed request: `params.code` is not a string";

/// What a job is.
#[derive(Debug, Clone, Copy)]
pub enum Work<'a> {
    Code(&'a str),
    Tool(CallParams<'a>),
}

/// Why a job was not started on such a computer.
pub const TOO_OLD: &str = "its `mcp-computer` is too old for jobs; update it";

/// What a computer says of one of its jobs.
#[derive(Debug, Deserialize)]
struct Told {
    state: String,
    next: u64,
    more: bool,
    output: String,
    /// The response frame that an `exec-lua` would have had.
    #[serde(default)]
    answer: Option<String>,
}

/// Why a computer did not say anything of use.
#[derive(Debug)]
enum NoAnswer {
    /// The link is gone, or it did not answer in time.
    Silent,
    Said(String),
}

/// The jobs of this bridge, and who looks after them.
#[derive(Debug)]
pub struct Keeper {
    pub store: Store,
    registry: Arc<Registry>,
    /// One question at a time for each computer, so that no output is taken twice.
    turns: Mutex<HashMap<u64, Arc<tokio::sync::Mutex<()>>>>,
}

impl Keeper {
    pub fn new(store: Store, registry: Arc<Registry>) -> Arc<Self> {
        Arc::new(Self { store, registry, turns: Mutex::default() })
    }

    fn turn(&self, computer: u64) -> Arc<tokio::sync::Mutex<()>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner).entry(computer).or_default().clone()
    }

    /// Starts a job. Where the computer does not answer, it is `starting` until it does.
    pub async fn start(
        &self,
        computer: &Arc<Computer>,
        work: Work<'_>,
        timeout_ms: Option<u64>,
    ) -> Result<Record, StoreError> {
        let label = computer.identity().label.as_ref().map(ToString::to_string);
        let mut record = Record::new(session_id().to_string(), computer.id, label);
        let (code, tool) = match work {
            Work::Code(code) => (Some(code), None),
            Work::Tool(call) => (None, Some(call)),
        };
        record.tool = tool.map(|call| call.tool.to_owned());
        let turn = self.turn(computer.id);
        let _turn = turn.lock().await;
        self.store.add(&record)?;
        let id = record.id.clone();
        let params = JobParams { job: &id, code, tool, timeout_ms, from: None };
        match self.ask(computer, "start-job", params).await {
            Ok(_) => record.set_state(State::Running, None),
            Err(NoAnswer::Silent) => return Ok(record),
            Err(NoAnswer::Said(error)) => record.set_state(State::Failed, Some(too_old(error))),
        }
        record.forgotten = record.state == State::Failed;
        self.store.put(&record)?;
        Ok(record)
    }

    /// Asks for a job to be stopped; where its computer is not linked, as soon as it is.
    pub async fn cancel(&self, id: &str) -> Result<Option<Record>, StoreError> {
        let Some(mut record) = self.store.get(id) else { return Ok(None) };
        if !record.state.is_end() && !record.cancel {
            record.cancel = true;
            self.store.put(&record)?;
        }
        self.refresh(id).await
    }

    /// Asks the computer of a job what became of it, if it is linked, and keeps that.
    pub async fn refresh(&self, id: &str) -> Result<Option<Record>, StoreError> {
        let Some(record) = self.store.get(id) else { return Ok(None) };
        let Some(computer) = self.registry.get(record.computer) else { return Ok(Some(record)) };
        let turn = self.turn(computer.id);
        let _turn = turn.lock().await;
        // Another one may have asked meanwhile.
        let Some(mut record) = self.store.get(id) else { return Ok(None) };
        if !record.state.is_end() {
            self.ask_about(&computer, &mut record).await?;
        }
        if record.state.is_end() && !record.forgotten {
            let params = JobParams { job: id, ..JobParams::default() };
            if self.ask(&computer, "forget-job", params).await.is_ok() {
                record.forgotten = true;
                self.store.put(&record)?;
            }
        }
        Ok(Some(record))
    }

    async fn ask_about(&self, computer: &Arc<Computer>, record: &mut Record) -> Result<(), StoreError> {
        let id = record.id.clone();
        if record.cancel {
            let params = JobParams { job: &id, ..JobParams::default() };
            let _ = self.ask(computer, "cancel-job", params).await;
        }
        loop {
            let params = JobParams { job: &id, from: Some(record.fetched), ..JobParams::default() };
            let told = match self.ask(computer, "read-job", params).await {
                Ok(result) => result.and_then(|raw| serde_json::from_str::<Told>(raw.get()).ok()),
                Err(NoAnswer::Said(error)) if error == UNKNOWN_JOB => {
                    record.set_state(State::Lost, Some("the computer does not know this job".to_owned()));
                    record.forgotten = true;
                    return self.store.put(record);
                }
                Err(_) => return Ok(()),
            };
            let Some(told) = told else { return Ok(()) };
            if record.state == State::Starting {
                record.set_state(State::Running, None);
            }
            let moved = told.next > record.fetched;
            record.fetched = told.next;
            self.store.append(record, &told.output)?;
            if told.more && moved {
                continue;
            }
            match told.state.as_str() {
                "interrupted" => {
                    let why = "the computer stopped while the job was running".to_owned();
                    record.set_state(State::Interrupted, Some(why));
                }
                "ended" => finish(record, told.answer.as_deref().unwrap_or_default()),
                _ => return Ok(()),
            }
            return self.store.put(record);
        }
    }

    async fn ask(
        &self,
        computer: &Arc<Computer>,
        method: &'static str,
        params: JobParams<'_>,
    ) -> Result<Option<Box<RawValue>>, NoAnswer> {
        let sent: Result<Request, SendError> = computer.job(self.registry.next_request(), method, params);
        let mut request = match sent {
            Ok(request) => request,
            Err(SendError::TooLarge { bytes }) => {
                return Err(NoAnswer::Said(SendError::TooLarge { bytes }.to_string()));
            }
            Err(_) => return Err(NoAnswer::Silent),
        };
        match timeout(PATIENCE, request.answer()).await {
            Ok(Ok(Answer::Done { result })) => Ok(result),
            Ok(Ok(Answer::Failed { error, .. })) => {
                let text = error.as_deref().and_then(text_of).unwrap_or_default();
                Err(NoAnswer::Said(crate::text::Stranger::new(&text).to_string()))
            }
            Ok(Ok(Answer::Broken(_)) | Err(_)) | Err(_) => Err(NoAnswer::Silent),
        }
    }

    /// Looks after all jobs, until the shutdown token fires.
    pub async fn watch(self: Arc<Self>, shutdown: CancellationToken) {
        let this = &*self;
        let mut changes = this.registry.watch();
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(EVERY) => {}
                news = changes.changed() => if news.is_err() { return },
            }
            let open = this.store.all().into_iter().filter(|record| {
                let settled = record.state.is_end() && record.forgotten;
                !settled && this.registry.get(record.computer).is_some()
            });
            // Together, so that a computer that does not answer holds up none of the others.
            let asked = join_all(open.map(|record| async move { this.refresh(&record.id).await }));
            let outcomes = tokio::select! {
                () = shutdown.cancelled() => return,
                outcomes = asked => outcomes,
            };
            for error in outcomes.into_iter().filter_map(Result::err) {
                tracing::error!("a job could not be kept: {error}");
            }
        }
    }
}

fn too_old(error: String) -> String {
    if error == UNKNOWN_METHOD || error == NO_TOOLS { TOO_OLD.to_owned() } else { error }
}

/// Takes over how a job ended, from the frame that the computer would have answered with.
fn finish(record: &mut Record, answer: &str) {
    match Incoming::parse(answer).map(|frame| frame.answer()) {
        Some(Answer::Done { result }) => {
            let result = result.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
            record.returns = if record.tool.is_some() {
                result
            } else {
                let returns = result.and_then(|mut result| result.get_mut("returns").map(Value::take));
                // Lua cannot tell an empty list from an empty object.
                Some(returns.filter(Value::is_array).unwrap_or_else(|| Value::Array(Vec::new())))
            };
            record.set_state(State::Done, None);
        }
        Some(Answer::Failed { error, .. }) => {
            let error = error.as_deref().and_then(text_of).map(std::borrow::Cow::into_owned);
            let state = if record.cancel { State::Cancelled } else { State::Failed };
            record.set_state(state, Some(error.unwrap_or_else(|| "no reason given".to_owned())));
        }
        _ => record.set_state(State::Failed, Some("the computer's answer cannot be read".to_owned())),
    }
}
