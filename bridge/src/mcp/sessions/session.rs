//! One session: its calls under way, the streams that they are answered on, and the SDK's end of it.
//!
//! The SDK knows a call by the number of its stream, and not by the id that the client gave it: a client whose connection
//! broke may use that id again while the first call is still under way.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::request::Parts;
use futures_util::{Stream, StreamExt as _};
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, GetExtensions as _, GetMeta as _, ProgressToken, ProtocolVersion, RequestId,
    ServerJsonRpcMessage, ServerNotification,
};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::super::unread::Unread;
use super::outlet::{Outlet, Position};

/// Messages of a client that wait to be taken up. More wait in their own HTTP requests.
const INBOX: usize = 64;

/// How long a client whose connection broke may take to come back for its answer. After that it has gone, and its call is
/// cancelled; until then an answer is kept that was handed to the connection, because nothing tells whether it arrived.
pub const COME_BACK: Duration = Duration::from_secs(10);

/// Answers that are kept in that way: more than a client asks for at once, and they may be large.
const KEPT_ANSWERS: usize = 16;

/// How long a client may take from the answer to `initialize` to its next word, before it counts as one that has gone.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The number of the stream that belongs to no request.
const COMMON: u64 = 0;

/// Stands in the extensions of a message of the server that belongs to a request of the client, and goes out on its
/// stream.
#[derive(Debug, Clone)]
pub struct RelatedTo(pub RequestId);

/// One client's session. When the last of its holders lets go of it, the SDK's end of it ends too.
#[derive(Debug)]
pub struct Session {
    inbox: mpsc::Sender<ClientJsonRpcMessage>,
    /// Calls that are given up. No more wait here than there are calls, and none of them may be lost.
    given_up: mpsc::UnboundedSender<u64>,
    streams: AtomicU64,
    state: Arc<Mutex<State>>,
}

/// What is under way, and where messages of the server go.
#[derive(Debug)]
struct State {
    used: Instant,
    /// The client has said something after the handshake.
    spoke: bool,
    /// The client reads events without data: it asked for 2025-11-25.
    primes: bool,
    /// By the numbers of their streams, so that the last one is the newest.
    calls: BTreeMap<u64, Call>,
    common: Arc<Outlet>,
    /// Calls that nobody reads, in the order in which they are given up. Each has its call above.
    left: VecDeque<Left>,
    /// A task waits to give up the first of them.
    waits: bool,
}

/// A call whose client may come back.
#[derive(Debug)]
struct Left {
    number: u64,
    /// Belongs to one connection: whoever reads on has another position.
    position: Position,
    until: Instant,
    /// It has had its answer, which may not have arrived.
    answered: bool,
}

#[derive(Debug)]
struct Call {
    /// What the client calls it.
    id: RequestId,
    outlet: Arc<Outlet>,
    progress: Option<ProgressToken>,
    /// The room of its answer, for as long as that is kept.
    _unread: Option<Unread>,
}

impl Session {
    pub fn new() -> (Arc<Self>, SessionTransport) {
        let (inbox, messages) = mpsc::channel(INBOX);
        let (given_up, cancels) = mpsc::unbounded_channel();
        let state = State {
            used: Instant::now(),
            spoke: false,
            primes: false,
            calls: BTreeMap::new(),
            common: Outlet::new(COMMON),
            left: VecDeque::new(),
            waits: false,
        };
        let state = Arc::new(Mutex::new(state));
        let transport = SessionTransport { state: state.clone(), messages, cancels };
        (Arc::new(Self { inbox, given_up, streams: AtomicU64::new(COMMON + 1), state }), transport)
    }

    /// Notes that the client has just been heard.
    pub fn touch(&self) {
        self.state.lock().used = Instant::now();
    }

    /// Whether a call is under way.
    pub fn is_busy(&self) -> bool {
        self.state.lock().is_busy()
    }

    /// How much the session would be missed: least one that said nothing, most one that listens.
    pub fn worth(&self) -> (bool, bool, Instant) {
        let state = self.state.lock();
        let in_handshake = state.used.elapsed() < HANDSHAKE;
        (state.common.is_read(), state.spoke || in_handshake, state.used)
    }

    /// For how long the client has not been heard, and nothing of it has been under way.
    pub fn idle(&self) -> Duration {
        let state = self.state.lock();
        if state.is_busy() { Duration::ZERO } else { state.used.elapsed() }
    }

    /// Passes a message of the client on; false when the session has ended.
    pub async fn accept(&self, message: ClientJsonRpcMessage) -> bool {
        self.state.lock().spoke = true;
        if let ClientJsonRpcMessage::Notification(note) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &note.notification
        {
            let id = cancelled.params.request_id.as_ref();
            let number = id.and_then(|id| self.state.lock().newest(id));
            if let Some(number) = number {
                self.cancel(number);
            }
            return !self.inbox.is_closed();
        }
        self.inbox.send(message).await.is_ok()
    }

    /// Passes the `initialize` request on and waits for its answer.
    pub async fn handshake(
        self: &Arc<Self>,
        mut message: ClientJsonRpcMessage,
    ) -> Option<ServerJsonRpcMessage> {
        if let ClientJsonRpcMessage::Request(request) = &message
            && let ClientRequest::InitializeRequest(initialize) = &request.request
        {
            self.state.lock().primes = initialize.params.protocol_version >= ProtocolVersion::V_2025_11_25;
        }
        let mut reader = self.open(&mut message)?;
        self.inbox.send(message).await.ok()?;
        let answer = reader.next().await?.message?;
        // Nobody comes back for it: a client that has not heard it has no session.
        self.state.lock().calls.remove(&reader.outlet.number);
        Some(Arc::unwrap_or_clone(answer))
    }

    /// Opens the stream that a request is answered on, and gives the request the number of that stream.
    pub fn open(self: &Arc<Self>, message: &mut ClientJsonRpcMessage) -> Option<Reader> {
        let ClientJsonRpcMessage::Request(request) = message else {
            return None;
        };
        let number = self.streams.fetch_add(1, Ordering::Relaxed);
        let outlet = Outlet::new(number);
        let progress = request.request.get_meta().get_progress_token();
        let head = request.request.extensions().get::<Parts>();
        let unread = head.and_then(|head| head.extensions.get().cloned());
        let id = std::mem::replace(&mut request.id, id_of(number));
        self.state
            .lock()
            .calls
            .insert(number, Call { id, outlet: outlet.clone(), progress, _unread: unread });
        Some(self.reader(outlet, None))
    }

    /// Opens the stream that belongs to no request. An older one gets nothing more.
    pub fn open_common(self: &Arc<Self>) -> Reader {
        let outlet = self.state.lock().common.clone();
        self.reader(outlet, None)
    }

    /// Ends the stream that belongs to no request.
    pub fn end_common(&self) {
        self.state.lock().common.end();
    }

    /// Opens a stream again, from the event after the one with this index, or from its first.
    pub fn reopen(self: &Arc<Self>, number: u64, last: Option<u64>) -> Option<Reader> {
        let after = last.map(|last| last.saturating_add(1));
        let state = self.state.lock();
        let (outlet, next) = match number {
            COMMON => (state.common.clone(), after),
            _ => (state.calls.get(&number)?.outlet.clone(), Some(after.unwrap_or(0))),
        };
        // Under the lock, so that the reader before it has left, or is none any more when it does.
        let reader = self.reader(outlet, next);
        drop(state);
        Some(reader)
    }

    fn reader(self: &Arc<Self>, outlet: Arc<Outlet>, next: Option<u64>) -> Reader {
        let position = outlet.read(next);
        Reader { session: self.clone(), outlet, position, primed: true }
    }

    /// Forgets the answers that are only kept because they may not have arrived.
    pub fn forget_answers(&self) {
        self.state.lock().bound_answers(0);
    }

    /// Cancels what is under way: the client has said that it is leaving.
    pub fn cancel_all(&self) {
        let numbers: Vec<u64> = self.state.lock().calls.keys().copied().collect();
        for number in numbers {
            self.cancel(number);
        }
    }

    /// Ends a call's stream where it is, and has the SDK cancel the call. The SDK answers a cancelled one no more.
    fn cancel(&self, number: u64) {
        let call = self.state.lock().calls.remove(&number);
        if let Some(call) = call {
            call.outlet.end();
            let _ = self.given_up.send(number);
        }
    }

    /// A reader has left. The client may come back for what it has not read, or has not got; not for ever.
    fn reader_left(self: &Arc<Self>, reader: &Reader) {
        if reader.outlet.number == COMMON {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let mut state = self.state.lock();
        if !state.leave(reader) {
            return;
        }
        let waits = std::mem::replace(&mut state.waits, true);
        drop(state);
        if !waits {
            // One for all calls: a timer for each would outlive its call by seconds.
            runtime.spawn(give_up(Arc::downgrade(self)));
        }
    }

    /// Cancels the calls that nobody came back for.
    fn give_up_late(&self, now: Instant) {
        let mut late = Vec::new();
        let mut state = self.state.lock();
        while state.left.front().is_some_and(|left| left.until <= now) {
            let Some(left) = state.left.pop_front() else { break };
            if state.waits_for(&left) {
                late.push(left.number);
            }
        }
        drop(state);
        for number in late {
            self.cancel(number);
        }
    }
}

/// Gives up the calls of a session that nobody comes back for, until there are none.
async fn give_up(session: Weak<Session>) {
    loop {
        let until = {
            let Some(session) = session.upgrade() else { return };
            let mut state = session.state.lock();
            let Some(left) = state.left.front() else {
                state.waits = false;
                return;
            };
            left.until
        };
        tokio::time::sleep_until(until).await;
        let Some(session) = session.upgrade() else { return };
        session.give_up_late(Instant::now());
    }
}

/// What the SDK calls a request.
fn id_of(number: u64) -> RequestId {
    RequestId::Number(i64::try_from(number).expect("no client opens so many streams"))
}

/// The number of a stream, from what the SDK calls its request.
fn number_of(id: &RequestId) -> Option<u64> {
    match id {
        RequestId::Number(number) => u64::try_from(*number).ok(),
        RequestId::String(_) => None,
    }
}

impl State {
    /// Notes that a reader has left, where its client may come back: not for what was cancelled, and not where it has come
    /// back already. Asked and noted in one go, or a client that comes back in between would lose its new reader.
    fn leave(&mut self, reader: &Reader) -> bool {
        let number = reader.outlet.number;
        if !self.calls.contains_key(&number) || !reader.outlet.is_current(&reader.position) {
            return false;
        }
        let (answered, position) = (reader.outlet.is_finished(), reader.outlet.read(None));
        self.left.push_back(Left { number, position, until: Instant::now() + COME_BACK, answered });
        self.bound_answers(KEPT_ANSWERS);
        true
    }

    /// Puts a message of the server on the stream where it belongs.
    fn route(&mut self, message: ServerJsonRpcMessage) {
        match &message {
            ServerJsonRpcMessage::Notification(note) => {
                self.outlet_for(&note.notification).push(message, false);
            }
            ServerJsonRpcMessage::Request(request) => {
                self.outlet_of(request.request.extensions().get()).push(message, false);
            }
            ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_) => self.answer(message),
        }
    }

    fn is_busy(&self) -> bool {
        self.calls.values().any(|call| !call.outlet.is_ended())
    }

    /// The newest call that the client knows by this id.
    fn newest(&self, id: &RequestId) -> Option<u64> {
        self.calls.iter().rev().find(|(_, call)| call.id == *id).map(|(number, _)| *number)
    }

    /// Ends a call's stream with its answer, under the id that the client gave.
    fn answer(&self, mut message: ServerJsonRpcMessage) {
        let number = match &message {
            ServerJsonRpcMessage::Response(response) => number_of(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref().and_then(number_of),
            _ => None,
        };
        let Some(call) = number.and_then(|number| self.calls.get(&number)) else { return };
        match &mut message {
            ServerJsonRpcMessage::Response(response) => response.id = call.id.clone(),
            ServerJsonRpcMessage::Error(error) => error.id = Some(call.id.clone()),
            _ => {}
        }
        call.outlet.push(message, true);
    }

    /// Forgets the oldest of too many answers that wait for a client to come back.
    fn bound_answers(&mut self, most: usize) {
        let kept = self.left.iter().filter(|left| left.answered).count();
        for _ in most..kept {
            let oldest = self.left.iter().position(|left| left.answered);
            let Some(left) = oldest.and_then(|at| self.left.remove(at)) else { return };
            if self.waits_for(&left) {
                self.calls.remove(&left.number);
            }
        }
    }

    /// Whether nobody has come back for a call since.
    fn waits_for(&self, left: &Left) -> bool {
        self.calls.get(&left.number).is_some_and(|call| call.outlet.is_current(&left.position))
    }

    fn outlet_for(&self, notification: &ServerNotification) -> &Outlet {
        if let ServerNotification::ProgressNotification(progress) = notification {
            let token = &progress.params.progress_token;
            let own = self.calls.values().rev().find(|call| call.progress.as_ref() == Some(token));
            if let Some(call) = own {
                return &call.outlet;
            }
        }
        self.outlet_of(notification.extensions().get())
    }

    /// The stream of the call that a message belongs to; without one, or when it has ended, the common one.
    fn outlet_of(&self, related: Option<&RelatedTo>) -> &Outlet {
        let number = related.and_then(|RelatedTo(id)| number_of(id));
        let call = number.and_then(|number| self.calls.get(&number));
        call.map_or(&self.common, |call| &call.outlet)
    }
}

/// Reads one stream for one HTTP response.
#[derive(Debug)]
pub struct Reader {
    session: Arc<Session>,
    outlet: Arc<Outlet>,
    position: Position,
    /// The event that only tells where to come back to has been sent, or is not needed.
    primed: bool,
}

impl Reader {
    /// Waits for the first message, so that it goes out together with the head of the HTTP response. A call that
    /// takes longer than `patience` gets its head now, with an event that tells the client where to come back to.
    pub async fn first(&mut self, patience: Duration) {
        let ready = std::future::poll_fn(|cx| self.outlet.poll_ready(cx, &self.position));
        if tokio::time::timeout(patience, ready).await.is_err() {
            self.primed = !self.session.state.lock().primes;
        }
    }
}

impl Stream for Reader {
    type Item = ServerSseMessage;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        let this = self.get_mut();
        if !std::mem::replace(&mut this.primed, true) {
            let id = format!("{}-start", this.outlet.number);
            return Poll::Ready(Some(ServerSseMessage::priming(id, Duration::from_secs(1))));
        }
        this.outlet.poll_next(cx, &mut this.position)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.session.clone().reader_left(self);
    }
}

/// The SDK's end of a session.
#[derive(Debug)]
pub struct SessionTransport {
    state: Arc<Mutex<State>>,
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    cancels: mpsc::UnboundedReceiver<u64>,
}

impl SessionTransport {
    /// Whether a message is a request that was given up before the SDK has seen it.
    fn is_stale(&self, message: &ClientJsonRpcMessage) -> bool {
        let ClientJsonRpcMessage::Request(request) = message else { return false };
        number_of(&request.id).is_some_and(|number| !self.state.lock().calls.contains_key(&number))
    }
}

/// Cancels a request as the client itself would have.
fn cancelled(number: u64) -> ClientJsonRpcMessage {
    let reason = "the client no longer waits for it".to_owned();
    let params = CancelledNotificationParam::new(Some(id_of(number)), Some(reason));
    let notification = CancelledNotification::new(params);
    ClientJsonRpcMessage::notification(ClientNotification::CancelledNotification(notification))
}

impl Transport<RoleServer> for SessionTransport {
    type Error = Infallible;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        self.state.lock().route(message);
        let sent: Ready<Result<(), Infallible>> = ready(Ok(()));
        sent
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let message = tokio::select! {
                biased;
                Some(number) = self.cancels.recv() => return Some(cancelled(number)),
                message = self.messages.recv() => message?,
            };
            if !self.is_stale(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.messages.close();
        Ok(())
    }
}

impl Drop for SessionTransport {
    fn drop(&mut self) {
        let mut state = self.state.lock();
        state.common.end();
        for (_, call) in std::mem::take(&mut state.calls) {
            call.outlet.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sessions;
    use super::*;
    use crate::budget::Budget;
    use crate::sources::Sources;
    use futures_util::FutureExt as _;

    fn ping(id: u64) -> ClientJsonRpcMessage {
        let ping = serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
        serde_json::from_value(ping).expect("a message")
    }

    #[tokio::test(start_paused = true)]
    async fn answers_that_nobody_fetched_are_bounded_and_the_newest_are_kept() {
        let (session, mut transport) = Session::new();
        let mut numbers = Vec::new();
        for id in 0..2 * KEPT_ANSWERS as u64 {
            let mut reader = session.open(&mut ping(id)).expect("a request has a stream");
            let number = reader.outlet.number;
            numbers.push(number);
            let empty = rmcp::model::ServerResult::empty(());
            let _ = transport.send(ServerJsonRpcMessage::response(empty, id_of(number))).await;
            assert!(reader.next().await.is_some(), "the answer was handed to the connection");
            drop(reader);
        }
        // One that is under way is no answer, however many of those there are.
        let waiting = session.open(&mut ping(99)).expect("a request has a stream");
        let kept: Vec<u64> = session.state.lock().calls.keys().copied().collect();
        let mut expected = numbers.split_off(KEPT_ANSWERS);
        expected.push(waiting.outlet.number);
        assert_eq!(kept, expected);
        assert_eq!(session.state.lock().left.len(), KEPT_ANSWERS);
        assert!(session.reopen(numbers[0], None).is_none(), "the oldest is forgotten");
        let mut again = session.reopen(expected[0], None).expect("it is still there");
        assert!(again.next().await.is_some());
    }

    #[tokio::test]
    async fn a_call_that_is_cancelled_before_the_sdk_has_seen_it_never_begins() {
        let (session, mut transport) = Session::new();
        let mut message = ping(1);
        let mut reader = session.open(&mut message).expect("a request has a stream");
        assert!(session.accept(message).await);
        session.cancel_all();
        assert!(matches!(reader.next().now_or_never(), Some(None)), "its stream has ended");
        let note = transport.receive().await.expect("the SDK is told");
        assert!(matches!(note, ClientJsonRpcMessage::Notification(_)));
        assert!(transport.receive().now_or_never().is_none(), "and hears no more of it");
        drop(reader);
        assert_eq!(session.state.lock().left.len(), 0, "there is nothing to come back for");
    }

    #[tokio::test]
    async fn the_newest_of_the_calls_with_an_id_is_cancelled() {
        let (session, _transport) = Session::new();
        let readers = [1, 2].map(|_| session.open(&mut ping(7)).expect("a request has a stream"));
        let cancel = serde_json::json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } });
        assert!(session.accept(serde_json::from_value(cancel).expect("a message")).await);
        let under_way: Vec<u64> = session.state.lock().calls.keys().copied().collect();
        assert_eq!(under_way, [readers[0].outlet.number]);
    }

    #[tokio::test]
    async fn all_streams_end_with_the_sdks_end_of_the_session() {
        let (session, transport) = Session::new();
        let mut call = session.open(&mut ping(1)).expect("a request has a stream");
        let mut common = session.open_common();
        assert!(common.next().now_or_never().is_none(), "it waits");
        drop(transport);
        assert!(matches!(call.next().now_or_never(), Some(None)));
        assert!(matches!(common.next().now_or_never(), Some(None)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_can_read_it_is_told_where_to_come_back_to_when_a_call_takes_long() {
        for (version, primes) in [("2025-11-25", true), ("2025-06-18", false)] {
            let (session, mut transport) = Session::new();
            let initialize = serde_json::json!({ "jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {
                "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "x", "version": "1" },
            } });
            let answers = async {
                let Some(ClientJsonRpcMessage::Request(asked)) = transport.receive().await else {
                    panic!("it is asked")
                };
                let empty = rmcp::model::ServerResult::empty(());
                transport.send(ServerJsonRpcMessage::response(empty, asked.id)).await
            };
            let message = serde_json::from_value(initialize).expect("a message");
            let (answer, _) = tokio::join!(session.handshake(message), answers);
            let Some(ServerJsonRpcMessage::Response(answer)) = answer else { panic!("it is answered") };
            assert_eq!(answer.id, RequestId::String("a".into()), "under the client's own id");
            assert!(!session.is_busy() && session.state.lock().left.is_empty(), "nobody comes back for it");
            let mut reader = session.open(&mut ping(1)).expect("a request has a stream");
            reader.first(Duration::from_secs(1)).await;
            let event = reader.next().now_or_never().flatten().and_then(|event| event.event_id);
            assert_eq!(event.as_deref(), primes.then_some("2-start"));
        }
    }

    #[tokio::test]
    async fn an_answer_has_its_room_for_as_long_as_it_is_kept() {
        let budget = Budget::new(100);
        let unread = Unread::new(&budget, &Arc::new(Sessions::new(Sources::of_system())));
        assert!(unread.takes(&"answer"));
        let (session, mut transport) = Session::new();
        let mut message = ping(1);
        let mut head = http::Request::new(()).into_parts().0;
        head.extensions.insert(unread);
        if let ClientJsonRpcMessage::Request(request) = &mut message {
            request.request.extensions_mut().insert(head);
        }
        let mut reader = session.open(&mut message).expect("a request has a stream");
        drop(message);
        let answer = ServerJsonRpcMessage::response(rmcp::model::ServerResult::empty(()), id_of(1));
        let _ = transport.send(answer).await;
        assert!(reader.next().await.is_some());
        drop(reader);
        assert!(budget.used() > 0, "its client may come back");
        session.forget_answers();
        assert_eq!(budget.used(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_comes_back_before_its_old_connection_ends_keeps_its_stream() {
        let (session, _transport) = Session::new();
        let reader = session.open(&mut ping(1)).expect("a request has a stream");
        let back = session.reopen(reader.outlet.number, None).expect("its call is under way");
        drop(reader);
        assert!(back.outlet.is_current(&back.position), "the client that came back is pushed out");
        assert_eq!(session.state.lock().left.len(), 0, "and it is not waited for");
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_read_again_is_not_given_up() {
        let (session, mut transport) = Session::new();
        let reader = session.open(&mut ping(1)).expect("a request has a stream");
        let number = reader.outlet.number;
        drop(reader);
        tokio::time::sleep(COME_BACK / 2).await;
        let reader = session.reopen(number, None).expect("it is still there");
        tokio::time::sleep(COME_BACK * 2).await;
        assert!(session.state.lock().calls.contains_key(&number));
        assert_eq!(session.state.lock().left.len(), 0);
        drop(reader);
        tokio::time::sleep(COME_BACK * 2).await;
        assert!(session.state.lock().calls.is_empty());
        let note = transport.receive().await.expect("the SDK is told");
        assert!(matches!(note, ClientJsonRpcMessage::Notification(_)));
    }
}
