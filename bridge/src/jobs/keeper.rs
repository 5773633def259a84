//! Starts jobs, and asks computers what became of them. Lua is never sent a second time: a job is written down before it
//! is sent, the computer writes it down before it runs it, and after that both only ask.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::asks::Asks;
use super::record::{Record, State};
use super::store::{Store, StoreError};
use crate::computer::{Computer, SendError};
use crate::link::frame::{Answer, CallParams, Incoming, JobParams, text_of};
use crate::link::returned;
use crate::registry::Registry;
use crate::request::Request;
use crate::sources::millis;
use crate::text::{Stranger, cut, label};

/// How long a computer may take to answer a question about a job: it answers from its disk, between two chunks.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often jobs that run are looked after, so that a result is here soon after it is there.
const EVERY: Duration = Duration::from_secs(2);

/// Pages of output that are taken in one turn: `mcp-computer` keeps seven. One that always has more has its next turn when
/// others have had theirs.
const PAGES: usize = 64;

/// Characters of an error that are kept: enough for a Lua error with its traceback. A hundred of them are one list.
const ERROR_CHARS: usize = 4096;

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
    /// What it asks its client.
    #[serde(default)]
    asks: Option<Box<RawValue>>,
}

/// Why a computer did not say anything of use.
#[derive(Debug)]
enum NoAnswer {
    /// The link is gone, or it did not answer in time.
    Silent,
    /// It was not even asked.
    NotSent(SendError),
    Said(String),
}

/// The jobs of this bridge, and who looks after them.
#[derive(Debug)]
pub struct Keeper {
    pub store: Store,
    pub asks: Asks,
    registry: Arc<Registry>,
    /// One question at a time for each computer, so that no output is taken twice.
    turns: Mutex<BTreeMap<u64, Arc<tokio::sync::Mutex<()>>>>,
}

impl Keeper {
    pub fn new(store: Store, registry: Arc<Registry>) -> Arc<Self> {
        Arc::new(Self { store, asks: Asks::default(), registry, turns: Mutex::default() })
    }

    /// The turn of a computer. Those that nobody has or waits for are forgotten.
    fn turn(&self, computer: u64) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock();
        turns.retain(|id, turn| *id == computer || Arc::strong_count(turn) > 1);
        turns.entry(computer).or_default().clone()
    }

    fn set_state(&self, record: &mut Record, state: State, error: Option<&str>) {
        let error = error.map(|error| cut(error, ERROR_CHARS).to_owned());
        record.set_state(state, error, self.store.sources.now_ms());
    }

    /// Writes down that a job has another state.
    fn put_state(&self, record: &mut Record, state: State, error: Option<&str>) -> Result<(), StoreError> {
        self.set_state(record, state, error);
        self.store.put(record)
    }

    /// Starts a job. Where the computer does not answer, it is `starting` until it does.
    pub async fn start(
        &self,
        computer: &Arc<Computer>,
        work: Work<'_>,
        timeout: Option<Duration>,
    ) -> Result<Record, StoreError> {
        let label = computer.identity().label.as_ref().map(ToString::to_string);
        let sources = &self.store.sources;
        let mut record = Record::new(sources.id().to_string(), computer.id, label, sources.now_ms());
        let (code, tool) = match work {
            Work::Code(code) => (Some(code), None),
            Work::Tool(call) => (None, Some(call)),
        };
        record.tool = tool.map(|call| call.tool.to_owned());
        let turn = self.turn(computer.id);
        let _turn = turn.lock().await;
        self.store.add(&record)?;
        let id = record.id.clone();
        let timeout_ms = timeout.map(millis);
        let params = JobParams { job: &id, code, tool, timeout_ms, ..JobParams::default() };
        match self.ask(computer, "start-job", params).await {
            Ok(_) => self.set_state(&mut record, State::Running, None),
            Err(NoAnswer::Silent) => return Ok(record),
            Err(NoAnswer::NotSent(error)) => {
                self.set_state(&mut record, State::Failed, Some(&error.to_string()));
            }
            Err(NoAnswer::Said(error)) => self.set_state(&mut record, State::Failed, Some(too_old(&error))),
        }
        record.forgotten = record.state == State::Failed;
        self.store.put(&record)?;
        Ok(record)
    }

    /// Asks for a job to be stopped; where its computer is not linked, as soon as it is.
    pub async fn cancel(&self, id: &str) -> Result<Option<Record>, StoreError> {
        let Some(record) = self.store.get(id) else { return Ok(None) };
        {
            // Whoever has the turn writes down what it knows of the job, which would undo this.
            let turn = self.turn(record.computer);
            let _turn = turn.lock().await;
            let Some(mut record) = self.store.get(id) else { return Ok(None) };
            if !record.state.is_end() && !record.cancel {
                record.cancel = true;
                self.store.put(&record)?;
            }
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

    /// Answers what a job asks; where its computer does not say that it has the answer, the job goes on asking.
    pub async fn answer(&self, record: &Record, ask: u64, said: Result<&Value, &str>) -> Result<(), String> {
        let Some(computer) = self.registry.get(record.computer) else {
            return Err(format!("computer {} is not connected", record.computer));
        };
        let turn = self.turn(computer.id);
        let _turn = turn.lock().await;
        let (job, ask, answer, error) = (&*record.id, Some(ask), said.ok(), said.err());
        let params = JobParams { job, ask, answer, error, ..JobParams::default() };
        match self.ask(&computer, "answer-job", params).await {
            Ok(_) => Ok(()),
            Err(NoAnswer::Silent) => Err(format!("computer {} did not take it", computer.id)),
            Err(NoAnswer::NotSent(error)) => Err(error.to_string()),
            Err(NoAnswer::Said(error)) => Err(error),
        }
    }

    async fn ask_about(&self, computer: &Arc<Computer>, record: &mut Record) -> Result<(), StoreError> {
        let id = record.id.clone();
        if record.cancel {
            let params = JobParams { job: &id, ..JobParams::default() };
            let _ = self.ask(computer, "cancel-job", params).await;
        }
        for _ in 0..PAGES {
            let params = JobParams { job: &id, from: Some(record.fetched), ..JobParams::default() };
            let told = match self.ask(computer, "read-job", params).await {
                Ok(result) => result.and_then(|raw| serde_json::from_str::<Told>(raw.get()).ok()),
                Err(NoAnswer::Said(error)) if error == UNKNOWN_JOB => {
                    record.forgotten = true;
                    self.asks.set(&id, None);
                    let why = "the computer does not know this job";
                    return self.put_state(record, State::Lost, Some(why));
                }
                Err(_) => return Ok(()),
            };
            let Some(told) = told else { return Ok(()) };
            let has_begun = record.state == State::Starting;
            if has_begun {
                self.set_state(record, State::Running, None);
            }
            let moved = told.next > record.fetched;
            record.fetched = told.next;
            // Nothing new is nothing to write: a turtle may mine for a day.
            if has_begun || moved || !told.output.is_empty() {
                self.store.append(record, &told.output)?;
            }
            if told.more && moved {
                continue;
            }
            if self.asks.set(&id, told.asks.as_deref().map(RawValue::get)) {
                self.store.tell();
            }
            return match told.state.as_str() {
                "interrupted" => {
                    let why = "the computer stopped while the job was running";
                    self.put_state(record, State::Interrupted, Some(why))
                }
                "ended" => self.finish(record, told.answer.as_deref().unwrap_or_default()),
                _ => Ok(()),
            };
        }
        Ok(())
    }

    /// Takes over how a job ended, from the frame that the computer would have answered with.
    fn finish(&self, record: &mut Record, answer: &str) -> Result<(), StoreError> {
        match Incoming::parse(answer).map(|frame| frame.answer()) {
            Some(Answer::Done { result }) => {
                let returns = match what_it_returned(record, result.as_deref()) {
                    Ok(returns) => returns,
                    Err(odd) => {
                        let why = format!("unexpected answer \"{}\"", label(odd));
                        return self.put_state(record, State::Failed, Some(&why));
                    }
                };
                self.set_state(record, State::Done, None);
                let Some(returns) = returns else { return self.store.put(record) };
                match self.store.finish(record, &returns) {
                    Err(StoreError::NoRoom) => {
                        self.put_state(record, State::Failed, Some("there was no room for what it returned"))
                    }
                    outcome => outcome,
                }
            }
            Some(Answer::Failed { error, .. }) => {
                let error = error.as_deref().and_then(text_of);
                let state = if record.cancel { State::Cancelled } else { State::Failed };
                self.put_state(record, state, Some(error.as_deref().unwrap_or("no reason given")))
            }
            _ => self.put_state(record, State::Failed, Some("the computer's answer cannot be read")),
        }
    }

    async fn ask(
        &self,
        computer: &Arc<Computer>,
        method: &'static str,
        params: JobParams<'_>,
    ) -> Result<Option<Box<RawValue>>, NoAnswer> {
        let sent: Result<Request, SendError> = computer.job(self.registry.next_request(), method, params);
        let mut request = sent.map_err(NoAnswer::NotSent)?;
        match timeout(PATIENCE, request.answer()).await {
            Ok(Ok(Answer::Done { result })) => Ok(result),
            Ok(Ok(Answer::Failed { error, .. })) => {
                let text = error.as_deref().and_then(text_of).unwrap_or_default();
                Err(NoAnswer::Said(Stranger::new(&text).to_string()))
            }
            Ok(Ok(Answer::Broken(_)) | Err(_)) | Err(_) => Err(NoAnswer::Silent),
        }
    }

    /// Looks after all jobs, until the shutdown token fires. Each computer has a task of its own, so that one which does
    /// not answer, or has no end of answers, holds up none of the others.
    pub async fn watch(self: Arc<Self>, shutdown: CancellationToken) {
        let (mut changes, mut asked) = (self.registry.watch(), JoinSet::new());
        let mut under_way = BTreeMap::new();
        loop {
            tokio::select! {
                biased;
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(EVERY) => {}
                news = changes.changed() => if news.is_err() { return },
            }
            while asked.try_join_next().is_some() {}
            under_way.retain(|_, task: &mut tokio::task::AbortHandle| !task.is_finished());
            for (computer, jobs) in self.open_jobs() {
                if !under_way.contains_key(&computer) && self.registry.get(computer).is_some() {
                    under_way.insert(computer, asked.spawn(self.clone().look_after(jobs)));
                }
            }
        }
    }

    /// The jobs that are not settled, by their computers.
    fn open_jobs(&self) -> BTreeMap<u64, Vec<String>> {
        let mut open: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for record in self.store.all() {
            if !(record.state.is_end() && record.forgotten) {
                open.entry(record.computer).or_default().push(record.id);
            }
        }
        open
    }

    async fn look_after(self: Arc<Self>, jobs: Vec<String>) {
        for id in jobs {
            if let Err(error) = self.refresh(&id).await {
                tracing::error!("a job could not be kept: {error}");
            }
        }
    }
}

fn too_old(error: &str) -> &str {
    if error == UNKNOWN_METHOD || error == NO_TOOLS { TOO_OLD } else { error }
}

/// What a job returned, as JSON: of a tool its result, of a chunk the list in it; or what it said instead.
fn what_it_returned<'a>(record: &Record, result: Option<&'a RawValue>) -> Result<Option<String>, &'a str> {
    if record.tool.is_some() {
        return Ok(result.map(|result| result.get().to_owned()));
    }
    let (returns, _) = returned::read(result)?;
    Ok(Some(returns.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::computer::Next;
    use crate::limits::WAITING_REQUESTS;
    use crate::link::hello::Identity;
    use crate::sources::Sources;
    use serde_json::json;
    use std::task::{Context, Poll, Waker};

    const HELLO: &str = r#"{"type":"hello","computerId":12,"capabilities":["exec-lua","cancel","tools"]}"#;

    struct World {
        keeper: Arc<Keeper>,
        computer: Arc<Computer>,
    }

    impl World {
        fn new(folder: Option<&std::path::Path>) -> Self {
            let identity = Identity::from_hello(&Incoming::parse(HELLO).expect("a frame"), None, false);
            let registry = Arc::new(Registry::default());
            let computer =
                Computer::new(registry.next_link(), identity.expect("a hello"), Budget::new(1 << 20));
            registry.join(computer.clone());
            let store = Store::open(folder, Sources::of_system()).expect("a store");
            Self { keeper: Keeper::new(store, registry), computer }
        }

        /// The next request that goes out to the computer.
        async fn asked(&self) -> Value {
            loop {
                let next = self.computer.poll_next(&mut Context::from_waker(Waker::noop()), true);
                if let Poll::Ready(Next::Send(text)) = next {
                    return serde_json::from_str(&text).expect("JSON");
                }
                tokio::task::yield_now().await;
            }
        }

        fn answer(&self, request: &Value, result: &Value) {
            let frame = json!({ "type": "response", "id": request["id"], "ok": true, "result": result });
            self.computer.receive(&Incoming::parse(&frame.to_string()).expect("a frame"));
        }

        /// Starts a job, which the computer takes.
        async fn start(&self) -> String {
            let (record, ()) =
                tokio::join!(self.keeper.start(&self.computer, Work::Code("x"), None), async {
                    let request = self.asked().await;
                    assert_eq!(request["method"], "start-job");
                    self.answer(&request, &json!({}));
                });
            record.expect("started").id
        }
    }

    fn running(output: &str, next: u64, more: bool) -> Value {
        json!({ "state": "running", "next": next, "more": more, "output": output })
    }

    #[tokio::test]
    async fn a_cancel_that_comes_while_the_computer_is_asked_is_not_lost() {
        let world = World::new(None);
        let id = world.start().await;
        let looking = tokio::spawn({
            let (keeper, id) = (world.keeper.clone(), id.clone());
            async move { keeper.refresh(&id).await }
        });
        let read = world.asked().await;
        let cancelling = tokio::spawn({
            let (keeper, id) = (world.keeper.clone(), id.clone());
            async move { keeper.cancel(&id).await }
        });
        // It has had its chance to run before the answer comes.
        tokio::task::yield_now().await;
        world.answer(&read, &running("digging\n", 8, false));
        looking.await.expect("no panic").expect("kept");
        let next = world.asked().await;
        assert_eq!(next["method"], "cancel-job");
        world.answer(&next, &json!({}));
        let read = world.asked().await;
        let answer = json!({ "type": "response", "id": "x", "ok": false, "error": "cancelled" }).to_string();
        world.answer(
            &read,
            &json!({ "state": "ended", "next": 8, "more": false, "output": "", "answer": answer }),
        );
        let forget = world.asked().await;
        world.answer(&forget, &json!({}));
        let record = cancelling.await.expect("no panic").expect("kept").expect("there");
        assert_eq!((record.state, record.bytes), (State::Cancelled, 8));
    }

    #[tokio::test]
    async fn a_computer_that_always_has_more_ends_its_turn() {
        let world = World::new(None);
        let id = world.start().await;
        let asked = async {
            for next in 1.. {
                let read = world.asked().await;
                world.answer(&read, &running("", next, true));
            }
        };
        tokio::select! {
            outcome = world.keeper.refresh(&id) => {
                let record = outcome.expect("kept").expect("there");
                assert_eq!((record.state, record.fetched), (State::Running, PAGES as u64));
            }
            () = asked => unreachable!("it goes on for ever"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_computer_that_says_more_and_has_none_is_asked_once() {
        let world = World::new(None);
        let id = world.start().await;
        let began = tokio::time::Instant::now();
        let (record, ()) = tokio::join!(world.keeper.refresh(&id), async {
            let read = world.asked().await;
            world.answer(&read, &running("", 0, true));
        });
        assert_eq!(record.expect("kept").expect("there").state, State::Running);
        assert_eq!(began.elapsed(), Duration::ZERO, "nothing more is waited for");
    }

    #[tokio::test]
    async fn nothing_is_written_where_there_is_nothing_new() {
        let folder = tempfile::tempdir().expect("a folder");
        let world = World::new(Some(folder.path()));
        let id = world.start().await;
        let look = async |told: Value| {
            let (looked, ()) = tokio::join!(world.keeper.refresh(&id), async {
                let read = world.asked().await;
                world.answer(&read, &told);
            });
            looked.expect("kept");
            std::fs::read(folder.path().join("jobs.redb")).expect("the file")
        };
        let first = look(running("digging\n", 8, false)).await;
        assert!(first == look(running("", 8, false)).await, "the file is as it was");
        assert!(first != look(running("on\n", 11, false)).await);
    }

    #[tokio::test]
    async fn a_job_that_could_not_be_sent_has_failed_and_says_why() {
        let world = World::new(None);
        let pings: Vec<Request> =
            (0..WAITING_REQUESTS as u64).map(|id| world.computer.ping(1000 + id).expect("room")).collect();
        let record = world.keeper.start(&world.computer, Work::Code("x"), None).await.expect("kept");
        assert_eq!(record.state, State::Failed);
        assert_eq!(record.error.as_deref(), Some("64 requests are waiting already"));
        drop(pings);
    }

    #[tokio::test]
    async fn an_error_of_megabytes_is_cut() {
        let world = World::new(None);
        let id = world.start().await;
        let error = "x".repeat(1_000_000);
        let answer = json!({ "type": "response", "id": "x", "ok": false, "error": error }).to_string();
        let told = json!({ "state": "ended", "next": 0, "more": false, "output": "", "answer": answer });
        let (record, ()) = tokio::join!(world.keeper.refresh(&id), async {
            let read = world.asked().await;
            world.answer(&read, &told);
            let forget = world.asked().await;
            world.answer(&forget, &json!({}));
        });
        let record = record.expect("kept").expect("there");
        assert_eq!(record.error.map(|error| error.len()), Some(ERROR_CHARS));
    }
}
