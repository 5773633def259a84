//! One session: its requests on their way, the streams that they are answered on, and the SDK's end of it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, GetExtensions as _, GetMeta as _, ProgressToken, ProtocolVersion, RequestId,
    ServerJsonRpcMessage, ServerNotification,
};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::outlet::{Outlet, Position};

/// Messages of a client that wait to be taken up. More wait in their own HTTP requests.
const INBOX: usize = 64;

/// How long a client whose connection broke may take to come back for its answer. After that it has gone, and
/// its call is cancelled.
pub const COME_BACK: Duration = Duration::from_secs(10);

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
    streams: AtomicU64,
    routes: Arc<Routes>,
}

/// Where messages of the server go.
#[derive(Debug)]
struct Routes(Mutex<State>);

#[derive(Debug)]
struct State {
    used: Instant,
    /// The client has said something after the handshake.
    spoke: bool,
    /// The client reads events without data: it asked for 2025-11-25.
    primes: bool,
    handshake: Option<oneshot::Sender<ServerJsonRpcMessage>>,
    requests: HashMap<RequestId, Underway>,
    common: Arc<Outlet>,
}

#[derive(Debug)]
struct Underway {
    outlet: Arc<Outlet>,
    progress: Option<ProgressToken>,
}

impl Session {
    pub fn new() -> (Arc<Self>, SessionTransport) {
        let (inbox, messages) = mpsc::channel(INBOX);
        let state = State {
            used: Instant::now(),
            spoke: false,
            primes: false,
            handshake: None,
            requests: HashMap::new(),
            common: Outlet::new(COMMON),
        };
        let routes = Arc::new(Routes(Mutex::new(state)));
        let transport = SessionTransport { routes: routes.clone(), messages };
        (Arc::new(Self { inbox, streams: AtomicU64::new(COMMON + 1), routes }), transport)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.routes.state()
    }

    /// Notes that the client has just been heard.
    pub fn touch(&self) {
        self.state().used = Instant::now();
    }

    /// Whether a call is under way.
    pub fn is_busy(&self) -> bool {
        !self.state().requests.is_empty()
    }

    /// How much the session would be missed: least one that said nothing, most one that listens.
    pub fn worth(&self) -> (bool, bool, Instant) {
        let state = self.state();
        let in_handshake = state.used.elapsed() < HANDSHAKE;
        (state.common.is_read(), state.spoke || in_handshake, state.used)
    }

    /// For how long the client has not been heard, and nothing of it has been under way.
    pub fn idle(&self) -> Duration {
        let state = self.state();
        if state.requests.is_empty() { state.used.elapsed() } else { Duration::ZERO }
    }

    /// Passes a message of the client on; false when the session has ended.
    pub async fn accept(&self, message: ClientJsonRpcMessage) -> bool {
        self.state().spoke = true;
        if let ClientJsonRpcMessage::Notification(note) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &note.notification
            && let Some(id) = &cancelled.params.request_id
        {
            // The SDK answers a cancelled request no more: its stream ends here.
            self.close(id);
        }
        self.inbox.send(message).await.is_ok()
    }

    /// Passes the `initialize` request on and waits for its answer.
    pub async fn handshake(&self, message: ClientJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        let (sender, answer) = oneshot::channel();
        let asked = match &message {
            ClientJsonRpcMessage::Request(request) => match &request.request {
                ClientRequest::InitializeRequest(initialize) => Some(&initialize.params.protocol_version),
                _ => None,
            },
            _ => None,
        };
        let primes = asked.is_some_and(|version| *version >= ProtocolVersion::V_2025_11_25);
        self.expect_handshake(sender, primes);
        self.inbox.send(message).await.ok()?;
        answer.await.ok()
    }

    fn expect_handshake(&self, answer: oneshot::Sender<ServerJsonRpcMessage>, primes: bool) {
        let mut state = self.state();
        state.handshake = Some(answer);
        state.primes = primes;
    }

    /// Opens the stream that a request is answered on.
    pub fn open(self: &Arc<Self>, message: &ClientJsonRpcMessage) -> Option<Reader> {
        let ClientJsonRpcMessage::Request(request) = message else {
            return None;
        };
        let outlet = Outlet::new(self.streams.fetch_add(1, Ordering::Relaxed));
        let progress = request.request.get_meta().get_progress_token();
        let position = outlet.read(None);
        let underway = Underway { outlet: outlet.clone(), progress };
        if let Some(older) = self.state().requests.insert(request.id.clone(), underway) {
            older.outlet.end();
        }
        Some(Reader {
            session: self.clone(),
            request: Some(request.id.clone()),
            outlet,
            position,
            primed: true,
            begun: false,
        })
    }

    /// Opens the stream that belongs to no request. An older one gets nothing more.
    pub fn open_common(self: &Arc<Self>) -> Reader {
        let outlet = self.state().common.clone();
        let position = outlet.read(None);
        Reader { session: self.clone(), request: None, outlet, position, primed: true, begun: false }
    }

    /// Ends the stream that belongs to no request.
    pub fn end_common(&self) {
        self.state().common.end();
    }

    /// Opens a stream again, from the event after the one with this index.
    pub fn reopen(self: &Arc<Self>, number: u64, last: Option<u64>) -> Option<Reader> {
        let state = self.state();
        if number == COMMON {
            let outlet = state.common.clone();
            drop(state);
            let position = outlet.read(last);
            return Some(Reader {
                session: self.clone(),
                request: None,
                outlet,
                position,
                primed: true,
                begun: false,
            });
        }
        let (id, underway) = state.requests.iter().find(|(_, underway)| underway.outlet.number == number)?;
        let (request, outlet) = (Some(id.clone()), underway.outlet.clone());
        drop(state);
        let position = outlet.read(last);
        Some(Reader { session: self.clone(), request, outlet, position, primed: true, begun: false })
    }

    /// Cancels what is under way: the client has said that it is leaving.
    pub fn cancel_all(&self) {
        let requests: Vec<RequestId> = self.state().requests.keys().cloned().collect();
        for id in requests {
            self.cancel(id, "the session was ended");
        }
    }

    /// Ends a request's stream where it is.
    fn close(&self, id: &RequestId) {
        if let Some(underway) = self.state().requests.remove(id) {
            underway.outlet.end();
        }
    }

    /// Cancels a request as the client itself would have.
    fn cancel(&self, id: RequestId, reason: &str) {
        self.close(&id);
        let params = CancelledNotificationParam::new(Some(id), Some(reason.to_owned()));
        let notification = ClientNotification::CancelledNotification(CancelledNotification::new(params));
        // A full inbox means that the client was not heard anyway; the call still has its own deadline.
        let _ = self.inbox.try_send(ClientJsonRpcMessage::notification(notification));
    }

    /// A reader has left. An answer that was not read is kept for a while, in case the client comes back.
    fn reader_left(self: &Arc<Self>, reader: &Reader) {
        let Some(id) = &reader.request else { return };
        if reader.outlet.is_finished() {
            let mut state = self.state();
            if state.requests.get(id).is_some_and(|underway| Arc::ptr_eq(&underway.outlet, &reader.outlet)) {
                state.requests.remove(id);
            }
            return;
        }
        if !reader.outlet.is_current(&reader.position) {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let (session, outlet, id) = (self.clone(), reader.outlet.clone(), id.clone());
        let position = outlet.read(None);
        runtime.spawn(async move {
            tokio::time::sleep(COME_BACK).await;
            if outlet.is_current(&position) {
                session.cancel(id, "the client went away");
            }
        });
    }
}

impl Routes {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message of the server on the stream where it belongs.
    fn route(&self, message: ServerJsonRpcMessage) {
        let mut state = self.state();
        let id = match &message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            ServerJsonRpcMessage::Notification(note) => {
                let outlet = state.outlet_for(&note.notification);
                drop(state);
                return outlet.push(message, false);
            }
            ServerJsonRpcMessage::Request(request) => {
                let outlet = state.outlet_of(request.request.extensions().get());
                drop(state);
                return outlet.push(message, false);
            }
        };
        if let Some(handshake) = state.handshake.take() {
            drop(state);
            let _ = handshake.send(message);
            return;
        }
        let outlet = id.and_then(|id| state.requests.get(id)).map(|underway| underway.outlet.clone());
        drop(state);
        if let Some(outlet) = outlet {
            outlet.push(message, true);
        }
    }
}

impl State {
    fn outlet_for(&self, notification: &ServerNotification) -> Arc<Outlet> {
        if let ServerNotification::ProgressNotification(progress) = notification {
            let token = &progress.params.progress_token;
            let own = self.requests.values().find(|underway| underway.progress.as_ref() == Some(token));
            if let Some(underway) = own {
                return underway.outlet.clone();
            }
        }
        self.outlet_of(notification.extensions().get())
    }

    /// The stream of the request that a message belongs to; without one, or when it has ended, the common one.
    fn outlet_of(&self, related: Option<&RelatedTo>) -> Arc<Outlet> {
        let underway = related.and_then(|RelatedTo(id)| self.requests.get(id));
        underway.map_or(&self.common, |underway| &underway.outlet).clone()
    }
}

/// Reads one stream for one HTTP response.
#[derive(Debug)]
pub struct Reader {
    session: Arc<Session>,
    request: Option<RequestId>,
    outlet: Arc<Outlet>,
    position: Position,
    /// The event that only tells where to come back to has been sent, or is not needed.
    primed: bool,
    /// The client has had an event: it knows where to come back to.
    begun: bool,
}

impl Reader {
    /// Waits for the first message, so that it goes out together with the head of the HTTP response. A call that
    /// takes longer than `patience` gets its head now, with an event that tells the client where to come back to.
    pub async fn first(&mut self, patience: Duration) {
        let ready = std::future::poll_fn(|cx| self.outlet.poll_ready(cx, &self.position));
        if tokio::time::timeout(patience, ready).await.is_err() {
            self.primed = !self.session.state().primes;
        }
    }
}

impl Stream for Reader {
    type Item = ServerSseMessage;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        let this = self.get_mut();
        if !std::mem::replace(&mut this.primed, true) {
            this.begun = true;
            let id = format!("{}-start", this.outlet.number);
            return Poll::Ready(Some(ServerSseMessage::priming(id, Duration::from_secs(1))));
        }
        let next = this.outlet.poll_next(cx, &mut this.position);
        this.begun |= matches!(next, Poll::Ready(Some(_)));
        next
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
    routes: Arc<Routes>,
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
}

impl Transport<RoleServer> for SessionTransport {
    type Error = Infallible;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        self.routes.route(message);
        let sent: Ready<Result<(), Infallible>> = ready(Ok(()));
        sent
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.messages.close();
        Ok(())
    }
}

impl Drop for SessionTransport {
    fn drop(&mut self) {
        let mut state = self.routes.state();
        state.handshake = None;
        state.common.end();
        for (_, underway) in state.requests.drain() {
            underway.outlet.end();
        }
    }
}
