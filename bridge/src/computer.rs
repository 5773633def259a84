//! One linked computer: who it is, what waits to be sent to it, and which requests wait for its answer.
//!
//! Both sides hold it. The MCP side sends requests and waits; the link's task takes what is to be sent, and
//! brings answers. Nothing in here does I/O or waits for a lock longer than it takes to move a value.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::budget::Budget;
use crate::limits::{ARGUMENT_LEVELS, FRAME_BYTES, OUTBOX_BYTES, WAITING_REQUESTS};
use crate::link::frame::{
    Answer, CallParams, Incoming, JobParams, Outgoing, Params, RequestId, WireId, text_of, whole_number,
};
use crate::link::hello::Identity;
use crate::link::note::Note;
use crate::link::parts::{Assembly, PartError, split};
use crate::printed::Printed;
use crate::questions::{Place, TOO_MUCH};
use crate::request::Request;
use crate::sources::millis;
use crate::text::Named;
use crate::tools::Handler;

/// Notes that wait to be passed on. A client that reads slowly loses some: they are progress, or a log, and the whole
/// output stands in the result.
const NOTES: usize = 32;

/// Why a request was not sent.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SendError {
    #[error("{WAITING_REQUESTS} requests are waiting already")]
    Busy,
    #[error("it reads too slowly: {OUTBOX_BYTES} bytes are waiting to be sent")]
    Slow,
    #[error("the request has {bytes} bytes, and its program takes {FRAME_BYTES} at most")]
    TooLarge { bytes: usize },
    #[error("the arguments are nested deeper than {ARGUMENT_LEVELS} levels, which its program does not read")]
    TooDeep,
    #[error("disconnected")]
    Disconnected,
}

/// Why the bridge ends a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Another link said hello with the same id.
    Replaced,
    /// The bridge is shutting down.
    GoingAway,
}

/// A linked computer.
#[derive(Debug)]
pub struct Computer {
    pub id: u64,
    /// Told apart from an earlier or later link of the same computer.
    pub link: u64,
    connected: Instant,
    /// Milliseconds after `connected` at which the computer was last heard.
    seen: AtomicU64,
    budget: Arc<Budget>,
    state: Mutex<State>,
    /// The handlers that were sent to it, each with the number of the first request after that.
    pub handlers: tokio::sync::Mutex<HashMap<String, RequestId>>,
}

#[derive(Debug)]
struct State {
    identity: Arc<Identity>,
    outbox: Outbox,
    /// In the order of their ids. At most 64, so that a search is a walk over two cache lines.
    pending: Vec<Pending>,
    /// The link is ending, or gone: nothing more is sent, nothing more waits.
    closed: bool,
    ending: Option<Ending>,
    waker: Option<Waker>,
}

/// What waits to be sent.
#[derive(Debug, Default)]
struct Outbox {
    frames: VecDeque<Queued>,
    bytes: usize,
}

/// One frame that waits to be sent.
#[derive(Debug)]
struct Queued {
    frame: Utf8Bytes,
    /// The request that it belongs to, where it is not to go out without it.
    owner: Option<RequestId>,
    /// What an answer to a question holds until it has gone out.
    place: Option<Place>,
}

impl Outbox {
    fn push(&mut self, owner: Option<RequestId>, frame: String, place: Option<Place>) {
        self.bytes += frame.len();
        self.frames.push_back(Queued { frame: frame.into(), owner, place });
    }

    fn pop(&mut self) -> Option<Utf8Bytes> {
        let frame = self.frames.pop_front()?.frame;
        self.bytes -= frame.len();
        Some(frame)
    }

    /// Takes back what has not gone out of a request, and of what was answered to it; tells how many frames of the
    /// request itself that were.
    fn take_back(&mut self, request: RequestId) -> usize {
        let mut unsent = 0;
        self.frames.retain(|queued| {
            let stays = queued.owner != Some(request);
            if !stays {
                self.bytes -= queued.frame.len();
                unsent += usize::from(queued.place.is_none());
            }
            stays
        });
        unsent
    }
}

#[derive(Debug)]
struct Pending {
    id: RequestId,
    /// How many frames the request has: one, or its parts.
    frames: usize,
    reply: oneshot::Sender<Answer>,
    notes: Option<mpsc::Sender<Note>>,
    printed: Option<Arc<Printed>>,
    assembly: Option<Box<Assembly>>,
}

/// How a request is treated.
#[derive(Debug, Clone, Copy)]
struct Ways {
    /// What is said while it runs is wanted.
    notes: bool,
    /// It runs Lua, which is cancelled when nobody waits any more, and may print.
    runs: bool,
}

/// What the link's task has to do next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Send(Utf8Bytes),
    End(Ending),
}

impl Computer {
    pub fn new(link: u64, identity: Identity, budget: Arc<Budget>) -> Arc<Self> {
        Arc::new(Self {
            id: identity.id,
            link,
            connected: Instant::now(),
            seen: AtomicU64::new(0),
            budget,
            state: Mutex::new(State {
                identity: Arc::new(identity),
                outbox: Outbox::default(),
                pending: Vec::new(),
                closed: false,
                ending: None,
                waker: None,
            }),
            handlers: tokio::sync::Mutex::default(),
        })
    }

    pub fn identity(&self) -> Arc<Identity> {
        self.state.lock().identity.clone()
    }

    /// Takes over what a later hello on the same link says, a new label for example; tells whether that is news.
    pub fn set_identity(&self, identity: Identity) -> bool {
        let mut state = self.state.lock();
        let news = *state.identity != identity;
        state.identity = Arc::new(identity);
        news
    }

    /// Notes that something came from the computer.
    pub fn heard(&self) {
        self.seen.store(millis(self.connected.elapsed()), Ordering::Relaxed);
    }

    /// How many requests wait for an answer.
    pub fn waiting(&self) -> usize {
        self.state.lock().pending.len()
    }

    /// How many bytes wait to be sent.
    pub fn queued_bytes(&self) -> usize {
        self.state.lock().outbox.bytes
    }

    pub fn connected_for(&self) -> Duration {
        self.connected.elapsed()
    }

    pub fn silent_for(&self) -> Duration {
        self.connected.elapsed().saturating_sub(Duration::from_millis(self.seen.load(Ordering::Relaxed)))
    }

    // ---- the MCP side ----------------------------------------------------------------------------

    /// Sends `ping`.
    pub fn ping(self: &Arc<Self>, id: RequestId) -> Result<Request, SendError> {
        self.send(id, "ping", None, Ways { notes: false, runs: false })
    }

    /// Sends `exec-lua`. With `want_output`, what the chunk prints while it runs can be received from the request.
    pub fn exec(
        self: &Arc<Self>,
        id: RequestId,
        code: &str,
        timeout: Duration,
        want_output: bool,
    ) -> Result<Request, SendError> {
        let knows_timeout = self.state.lock().identity.agreed.exec;
        let params = Params::Exec { code, timeout_ms: knows_timeout.then(|| millis(timeout)) };
        self.send(id, "exec-lua", Some(params), Ways { notes: want_output, runs: true })
    }

    /// Sends `call-tool`. What the tool says while it runs can be received from the request.
    pub fn call(self: &Arc<Self>, id: RequestId, params: CallParams<'_>) -> Result<Request, SendError> {
        if is_deeper(params.arguments, ARGUMENT_LEVELS) {
            return Err(SendError::TooDeep);
        }
        self.send(id, "call-tool", Some(Params::Call(params)), Ways { notes: true, runs: true })
    }

    /// Sends a request about a job. Nothing of it is cancelled with the request: a job belongs to nobody who waits.
    pub fn job(
        self: &Arc<Self>,
        id: RequestId,
        method: &str,
        params: JobParams<'_>,
    ) -> Result<Request, SendError> {
        let mut nested = params.tool.map(|call| call.arguments).into_iter().chain(params.answer);
        if nested.any(|value| is_deeper(value, ARGUMENT_LEVELS)) {
            return Err(SendError::TooDeep);
        }
        self.send(id, method, Some(Params::Job(params)), Ways { notes: false, runs: false })
    }

    /// Sends `keep-handler`: nothing runs, so that there is nothing to cancel.
    pub fn keep(self: &Arc<Self>, id: RequestId, handler: &Handler) -> Result<Request, SendError> {
        let Handler { hash, main, modules } = handler;
        let params = Params::Keep { handler: hash, name: &main.name, code: &main.code, modules };
        self.send(id, "keep-handler", Some(params), Ways { notes: false, runs: false })
    }

    fn send(
        self: &Arc<Self>,
        id: RequestId,
        method: &str,
        params: Option<Params<'_>>,
        ways: Ways,
    ) -> Result<Request, SendError> {
        let text = Outgoing::Request { id: WireId(id), method, params }.to_text();
        let (reply, answer) = oneshot::channel();
        let (sender, notes) = ways.notes.then(|| mpsc::channel(NOTES)).unzip();
        let printed = ways.runs.then(|| Printed::new(&self.budget));
        let frames = if text.len() <= FRAME_BYTES { vec![text] } else { self.split(id, &text)? };

        let mut state = self.state.lock();
        if state.closed {
            return Err(SendError::Disconnected);
        }
        if state.pending.len() >= WAITING_REQUESTS {
            return Err(SendError::Busy);
        }
        let bytes: usize = frames.iter().map(String::len).sum();
        // One request always fits: parts are escaped twice, and may be larger than the limit alone.
        if state.outbox.bytes > 0 && state.outbox.bytes + bytes > OUTBOX_BYTES {
            return Err(SendError::Slow);
        }
        let (count, kept) = (frames.len(), printed.clone());
        state.pending.push(Pending {
            id,
            frames: count,
            reply,
            notes: sender,
            printed: kept,
            assembly: None,
        });
        for frame in frames {
            state.outbox.push(Some(id), frame, None);
        }
        wake(state);
        Ok(Request { computer: self.clone(), id, answer, notes, printed, ended: false })
    }

    fn split(&self, id: RequestId, text: &str) -> Result<Vec<String>, SendError> {
        if self.state.lock().identity.agreed.parts {
            Ok(split(id, text))
        } else {
            Err(SendError::TooLarge { bytes: text.len() })
        }
    }

    /// Tells a tool what the client said to what it asked. What has a place gets there, unless the call ends; the refusal
    /// of what has none is lost where too much waits to be sent.
    pub fn answer_ask(&self, id: RequestId, ask: u64, said: Result<&Value, &str>, place: Option<Place>) {
        let text = answer_text(WireId(id), ask, said);
        let Some(place) = place else { return self.push(text) };
        let mut state = self.state.lock();
        if state.closed || state.pending.iter().all(|pending| pending.id != id) {
            return;
        }
        // Whatever waits before it: there are no more of these than places.
        state.outbox.push(Some(id), text, Some(place));
        wake(state);
    }

    /// Forgets a request that nobody waits for any more. What has not gone out yet never will; of what has, the
    /// computer is told, where it can cancel. One that was cut between its parts is always ended: the computer holds
    /// what it has of it until then.
    pub(crate) fn forget(&self, id: RequestId, cancel: bool) {
        let mut state = self.state.lock();
        let Some(at) = state.pending.iter().position(|pending| pending.id == id) else { return };
        let frames = state.pending.remove(at).frames;
        let unsent = state.outbox.take_back(id);
        let (gone_out, cut_short) = (unsent < frames, unsent < frames && unsent > 0);
        if state.closed {
            return;
        }
        let frame = if state.identity.agreed.cancel && (cancel && gone_out || cut_short) {
            Outgoing::Cancel { id: WireId(id) }.to_text()
        } else if cut_short {
            // A frame that ends in the middle is none: the computer drops it.
            let seq = (frames - unsent) as u64;
            Outgoing::Part { id: WireId(id), seq, last: true, data: "" }.to_text()
        } else {
            return;
        };
        // Whatever waits before it: there are no more of these than there were requests.
        state.outbox.push(None, frame, None);
        wake(state);
    }

    // ---- the link's side -------------------------------------------------------------------------

    /// Gives the link's task what to do next, or wakes it when there is something. While the socket takes
    /// nothing (`can_send` is false), only the end of the link counts.
    pub fn poll_next(&self, cx: &mut Context<'_>, can_send: bool) -> Poll<Next> {
        let mut state = self.state.lock();
        if let Some(ending) = state.ending {
            return Poll::Ready(Next::End(ending));
        }
        if can_send && let Some(frame) = state.outbox.pop() {
            return Poll::Ready(Next::Send(frame));
        }
        if !state.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            state.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Queues a frame that nobody waits for an answer to.
    pub fn push(&self, frame: String) {
        let mut state = self.state.lock();
        if state.closed || state.outbox.bytes + frame.len() > OUTBOX_BYTES {
            return;
        }
        state.outbox.push(None, frame, None);
        wake(state);
    }

    /// Asks the link's task to close the link.
    pub fn end(&self, ending: Ending) {
        let mut state = self.state.lock();
        state.ending.get_or_insert(ending);
        state.closed = true;
        // Nothing that waits can be answered any more: those who wait hear of it now, not after the close.
        state.pending.clear();
        wake(state);
    }

    /// Ends every waiting request as disconnected, and refuses new ones.
    pub fn gone(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.pending = Vec::new();
        state.outbox = Outbox::default();
    }

    /// Takes in a `response`, a `part` or a note. One for a request that does not wait here is ignored.
    pub fn receive(&self, frame: &Incoming<'_>) {
        let Some(id) = frame.request_id() else { return };
        let mut state = self.state.lock();
        let Some(at) = state.pending.iter().position(|pending| pending.id == id) else {
            return;
        };
        match &*frame.kind {
            "response" => {
                let pending = state.pending.remove(at);
                drop(state);
                let _ = pending.reply.send(frame.answer());
            }
            "part" => {
                let answer = match add_part(&mut state.pending[at], frame, &self.budget) {
                    Ok(None) => return,
                    Ok(Some(whole)) => whole_answer(id, &whole),
                    Err(error) => Err(error),
                };
                let pending = state.pending.remove(at);
                drop(state);
                let _ = pending.reply.send(answer.unwrap_or_else(|error| Answer::Broken(error.to_string())));
            }
            _ => {
                let Some(note) = Note::read(frame) else { return };
                if let (Note::Output(text), Some(printed)) = (&note, &state.pending[at].printed) {
                    printed.add(text);
                }
                let refused = match &state.pending[at].notes {
                    Some(notes) => notes.try_send(note).err().map(mpsc::error::TrySendError::into_inner),
                    None => Some(note),
                };
                drop(state);
                // A note is lost without harm, but who asks waits for an answer.
                if let Some(Note::Ask { asked, .. }) = refused {
                    self.answer_ask(id, asked.ask, Err(TOO_MUCH), None);
                }
            }
        }
    }
}

fn add_part(
    pending: &mut Pending,
    frame: &Incoming<'_>,
    budget: &Arc<Budget>,
) -> Result<Option<String>, PartError> {
    let seq = frame.seq.and_then(whole_number).ok_or(PartError::Malformed)?;
    let last = match frame.last.map(RawValue::get) {
        Some("true") => true,
        Some("false") => false,
        _ => return Err(PartError::Malformed),
    };
    let data = frame.data.and_then(text_of).ok_or(PartError::Malformed)?;
    let assembly = pending.assembly.get_or_insert_with(|| Box::new(Assembly::new(budget)));
    assembly.add(seq, last, &data)
}

fn whole_answer(id: RequestId, whole: &str) -> Result<Answer, PartError> {
    Incoming::parse(whole)
        .filter(|frame| frame.kind == "response" && frame.request_id() == Some(id))
        .map(|frame| frame.answer())
        .ok_or(PartError::NotAResponse)
}

/// The answer to a question, or why the computer cannot have it.
fn answer_text(id: WireId, ask: u64, said: Result<&Value, &str>) -> String {
    let too_deep = format!("the client's answer is nested deeper than {ARGUMENT_LEVELS} levels");
    let said = said
        .and_then(|said| if is_deeper(said, ARGUMENT_LEVELS) { Err(too_deep.as_str()) } else { Ok(said) });
    let text = Outgoing::Answer { id, ask, ok: said.is_ok(), result: said.ok(), error: said.err() }.to_text();
    if text.len() <= FRAME_BYTES {
        return text;
    }
    let error = format!("the client's answer has {} bytes, and {FRAME_BYTES} is the most", text.len());
    Outgoing::Answer { id, ask, ok: false, result: None, error: Some(&error) }.to_text()
}

/// Tells whether lists and objects are nested deeper than so many levels.
fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| is_deeper(item, levels - 1)),
        Value::Object(fields) => levels == 0 || fields.values().any(|field| is_deeper(field, levels - 1)),
        _ => false,
    }
}

/// Wakes the link's task, with the lock let go.
fn wake(mut state: MutexGuard<'_, State>) {
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Names the computer in a line with the label of its last hello.
pub fn named(identity: &Identity) -> Named<'_> {
    Named { id: identity.id, label: identity.label.as_ref() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{CODE_BYTES, PARTS_BYTES};
    use crate::questions::Questions;

    const HELLO: &str =
        r#"{"type":"hello","computerId":12,"capabilities":["exec-lua","cancel","output","parts"]}"#;

    fn computer() -> Arc<Computer> {
        let identity = Identity::from_hello(&Incoming::parse(HELLO).expect("a frame"), None, false);
        Computer::new(1, identity.expect("a hello"), Budget::new(PARTS_BYTES))
    }

    /// What goes out next, as the link's task would send it.
    fn next(computer: &Computer) -> Option<String> {
        match computer.poll_next(&mut Context::from_waker(Waker::noop()), true) {
            Poll::Ready(Next::Send(text)) => Some(text.to_string()),
            Poll::Ready(Next::End(_)) | Poll::Pending => None,
        }
    }

    fn exec(computer: &Arc<Computer>, id: RequestId, code: &str) -> Request {
        computer.exec(id, code, Duration::from_secs(1), false).expect("room")
    }

    #[test]
    fn what_has_not_gone_out_when_its_caller_gives_up_is_never_sent() {
        let computer = computer();
        let (first, second) = (exec(&computer, 1, "one"), exec(&computer, 2, "two"));
        drop(first);
        assert!(next(&computer).is_some_and(|frame| frame.contains("two")), "the other is not touched");
        drop(second);
        assert_eq!(next(&computer).as_deref(), Some(r#"{"type":"cancel","id":"req-2"}"#), "it had gone out");
        assert_eq!(next(&computer), None);
        assert_eq!(computer.state.lock().outbox.bytes, 0);
    }

    #[test]
    fn parts_that_have_begun_to_go_out_are_cut_short_and_cancelled() {
        let computer = computer();
        let large = exec(&computer, 1, &"x".repeat(CODE_BYTES));
        assert!(next(&computer).is_some_and(|frame| frame.contains(r#""seq":0"#)));
        drop(large);
        assert_eq!(next(&computer).as_deref(), Some(r#"{"type":"cancel","id":"req-1"}"#));
        assert_eq!(next(&computer), None);
    }

    #[test]
    fn parts_cut_short_are_ended_also_for_a_computer_that_cannot_cancel() {
        let hello = r#"{"type":"hello","computerId":12,"capabilities":["parts"]}"#;
        let identity = Identity::from_hello(&Incoming::parse(hello).expect("a frame"), None, false);
        let computer = Computer::new(1, identity.expect("a hello"), Budget::new(PARTS_BYTES));
        let large = exec(&computer, 1, &"x".repeat(CODE_BYTES));
        assert!(next(&computer).is_some_and(|frame| frame.contains(r#""seq":0"#)));
        drop(large);
        let last = r#"{"type":"part","id":"req-1","seq":1,"last":true,"data":""}"#;
        assert_eq!(next(&computer).as_deref(), Some(last));
        drop(exec(&computer, 2, &"x".repeat(CODE_BYTES)));
        assert_eq!(next(&computer), None, "nothing of it had gone out");
    }

    #[test]
    fn arguments_that_a_computer_does_not_read_are_not_sent() {
        let nested = |levels: usize| (0..levels).fold(Value::from(1), |inner, _| Value::from(vec![inner]));
        let arguments = |value: &Value| {
            let params = CallParams {
                tool: "t",
                handler: "h",
                method: "call",
                arguments: value,
                timeout_ms: 1,
                client: &[],
            };
            computer().call(1, params).map(drop)
        };
        assert_eq!(arguments(&nested(ARGUMENT_LEVELS)), Ok(()));
        assert_eq!(arguments(&nested(ARGUMENT_LEVELS + 1)), Err(SendError::TooDeep));
    }

    #[test]
    fn a_slow_reader_is_refused_more_but_one_request_always_fits() {
        let computer = computer();
        let quotes = "\"".repeat(CODE_BYTES);
        let _first = exec(&computer, 1, &quotes);
        assert!(computer.state.lock().outbox.bytes >= OUTBOX_BYTES, "parts are escaped twice");
        assert_eq!(computer.ping(2).map(drop), Err(SendError::Slow));
        while next(&computer).is_some() {}
        let _ping = computer.ping(3).expect("it has caught up");
    }

    #[test]
    fn an_answer_to_a_question_goes_out_whatever_waits_before_it_and_has_its_place_until_then() {
        let (computer, all) = (computer(), Budget::new(1));
        let _tool = exec(&computer, 1, "");
        assert!(next(&computer).is_some());
        let _large = exec(&computer, 2, &"\"".repeat(CODE_BYTES));
        assert!(computer.state.lock().outbox.bytes >= OUTBOX_BYTES);
        let place = Questions::new(&all).place(1);
        assert!(place.is_some());
        computer.answer_ask(1, 7, Ok(&Value::from("yes")), place);
        computer.answer_ask(1, 8, Err("too much"), None);
        assert_eq!(all.used(), 1, "it has not gone out");
        let sent: Vec<String> = std::iter::from_fn(|| next(&computer)).collect();
        let answer = r#"{"type":"answer","id":"req-1","ask":7,"ok":true,"result":"yes"}"#;
        assert_eq!(
            sent.last().map(String::as_str),
            Some(answer),
            "refusals are lost here, and answers are not"
        );
        assert_eq!((all.used(), computer.queued_bytes()), (0, 0));
    }

    #[test]
    fn answers_to_a_call_that_nobody_waits_for_are_taken_back() {
        let (computer, all) = (computer(), Budget::new(2));
        let questions = Questions::new(&all);
        let tool = exec(&computer, 1, "");
        assert!(next(&computer).is_some());
        computer.answer_ask(1, 1, Ok(&Value::from("yes")), questions.place(1));
        assert_eq!(all.used(), 1);
        drop(tool);
        computer.answer_ask(1, 2, Ok(&Value::from("yes")), questions.place(1));
        assert_eq!(next(&computer).as_deref(), Some(r#"{"type":"cancel","id":"req-1"}"#));
        assert_eq!((next(&computer), all.used(), computer.queued_bytes()), (None, 0, 0));
    }
}
