//! One link, from the accepted socket to its close.
//!
//! A link is one task that never waits for anything but its own socket, its own computer's outbox and its own
//! timer: a computer that reads slowly, or not at all, delays nobody else.

use std::borrow::Cow;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Instant, Interval, MissedTickBehavior, Sleep, interval_at, timeout, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};
use tokio_util::sync::CancellationToken;

use super::frame::{Incoming, Outgoing};
use super::hello::{HelloError, Identity};
use super::upgrade::{Gate, Upgraded, upgrade};
use crate::budget::Budget;
use crate::computer::{Computer, Ending, Next, named};
use crate::config::Timings;
use crate::limits::FRAME_BYTES;
use crate::linger::Lingering;
use crate::registry::{Place, Registry};
use crate::room::Seat;
use crate::secret::Secret;

/// Frames taken from one socket before the other links have their turn.
const FRAMES_PER_TURN: usize = 32;

/// The close code for a link whose computer has linked anew.
const CLOSE_REPLACED: u16 = 4000;

/// The close code for a peer that has been silent for too long.
const CLOSE_SILENT: u16 = 4001;

/// What every link of a bridge shares.
#[derive(Debug)]
pub struct Shared {
    pub registry: Arc<Registry>,
    pub token: Option<Secret>,
    pub timings: Timings,
    pub budget: Arc<Budget>,
    pub shutdown: CancellationToken,
}

/// How a link ended.
#[derive(Debug)]
enum LinkEnd {
    /// The peer closed it, or the connection broke.
    Left(Cow<'static, str>),
    /// The computer asked for its close.
    Bye,
    /// The bridge ends it.
    Asked(Ending),
    /// The peer broke the WebSocket protocol or a limit; code and reason go back to it.
    Wrong(CloseCode, Cow<'static, str>),
    /// The peer said a hello that cannot be, on a link that has had one.
    Refused(HelloError),
    Silent,
}

/// Serves one socket until its link ends.
pub async fn serve<S>(stream: S, peer: &str, shared: &Shared, seat: &Seat)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let deadline = Instant::now() + shared.timings.hello;
    // Now, and not when the hello comes: which link of a computer is the newer one, its connection says.
    let link = shared.registry.next_link();
    // Boxed, so that an idle link does not carry the room that greeting once needed.
    let greeting = Box::pin(greet(stream, peer, link, deadline, shared));
    let greeted = tokio::select! {
        biased;
        () = shared.shutdown.cancelled() => return,
        () = seat.wanted() => return,
        greeted = greeting => greeted,
    };
    let Some((mut socket, joined)) = greeted else {
        return;
    };
    let _linked = seat.in_use();
    let end = run(&mut socket, &joined.computer, shared).await;
    let computer = joined.computer.clone();
    let was_current = shared.registry.leave(&computer);
    drop(joined);
    let identity = computer.identity();
    tracing::info!(computer = computer.id, peer, current = was_current, "{} left: {end}", named(&identity));
    let close = match end {
        LinkEnd::Left(_) => return,
        LinkEnd::Bye => frame(CloseCode::Normal, "bye"),
        LinkEnd::Asked(Ending::Replaced) => frame(CloseCode::from(CLOSE_REPLACED), "replaced"),
        LinkEnd::Asked(Ending::GoingAway) => frame(CloseCode::Away, "the bridge is shutting down"),
        LinkEnd::Wrong(code, reason) => frame(code, &reason),
        LinkEnd::Refused(error) => return refuse_hello(&mut socket, &error, shared.timings.close).await,
        LinkEnd::Silent => frame(CloseCode::from(CLOSE_SILENT), "silent"),
    };
    close_with(&mut socket, close, shared.timings.close).await;
}

fn frame(code: CloseCode, reason: &str) -> CloseFrame {
    CloseFrame { code, reason: reason.into() }
}

impl std::fmt::Display for LinkEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LinkEnd::Left(how) => f.write_str(how),
            LinkEnd::Bye => f.write_str("it said bye"),
            LinkEnd::Asked(Ending::Replaced) => f.write_str("replaced by a newer link"),
            LinkEnd::Asked(Ending::GoingAway) => f.write_str("the bridge is shutting down"),
            LinkEnd::Wrong(_, reason) => f.write_str(reason),
            LinkEnd::Refused(error) => write!(f, "{error}"),
            LinkEnd::Silent => f.write_str("silent for too long"),
        }
    }
}

/// Upgrades the socket, waits for the hello, registers the computer and answers it.
async fn greet<S>(
    stream: S,
    peer: &str,
    link: u64,
    deadline: Instant,
    shared: &Shared,
) -> Option<(WebSocketStream<Lingering<S>>, Joined)>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let upgraded = match timeout_at(deadline, upgrade(stream, Gate::Open(shared.token.as_ref()))).await {
        Ok(Ok(upgraded)) => upgraded,
        Ok(Err(error)) => {
            tracing::debug!(peer, %error, "no link");
            return None;
        }
        Err(_) => {
            tracing::debug!(peer, "no link: no request in time");
            return None;
        }
    };
    let Upgraded { mut socket, admitted } = upgraded;
    let text = match timeout_at(deadline, first_hello(&mut socket)).await {
        Ok(Ok(text)) => text,
        Ok(Err(None)) => return None,
        Ok(Err(Some(close))) => {
            tracing::debug!(peer, "no link: {}", close.reason);
            close_with(&mut socket, close, shared.timings.close).await;
            return None;
        }
        Err(_) => {
            tracing::info!(peer, "closed a link without a hello");
            let close = frame(CloseCode::Policy, "no hello in time");
            close_with(&mut socket, close, shared.timings.close).await;
            return None;
        }
    };
    let hello = Incoming::parse(&text).expect("it was read as a hello");
    let identity = match Identity::from_hello(&hello, shared.token.as_ref(), admitted) {
        Ok(identity) => identity,
        Err(error) => {
            tracing::warn!(peer, %error, "refused a hello");
            refuse_hello(&mut socket, &error, shared.timings.close).await;
            return None;
        }
    };
    let answer = identity.hello_ok();
    let computer = Computer::new(link, identity, shared.budget.clone());
    let place = shared.registry.join(computer.clone());
    if place == Place::Taken {
        tracing::info!(
            computer = computer.id,
            peer,
            "closed a link of {}: it has a newer one",
            named(&computer.identity())
        );
        close_with(&mut socket, frame(CloseCode::from(CLOSE_REPLACED), "replaced"), shared.timings.close)
            .await;
        return None;
    }
    let joined = Joined { registry: shared.registry.clone(), computer };
    let computer = &joined.computer;
    let identity = computer.identity();
    tracing::info!(
        computer = computer.id,
        peer,
        replaced = place == Place::Replaced,
        version = identity.version.as_ref().map(tracing::field::display),
        "{} linked",
        named(&identity)
    );
    if shared.shutdown.is_cancelled() {
        computer.end(Ending::GoingAway);
    }
    // Registered before it is answered: whoever has seen hello-ok is there for the next probe. Requests that
    // come in between wait in the outbox, which only this task sends from.
    if !matches!(timeout_at(deadline, socket.send(Message::text(answer))).await, Ok(Ok(()))) {
        return None;
    }
    Some((socket, joined))
}

/// A computer that is registered for as long as this lives, however its link ends.
struct Joined {
    registry: Arc<Registry>,
    computer: Arc<Computer>,
}

impl Drop for Joined {
    fn drop(&mut self) {
        self.registry.leave(&self.computer);
    }
}

/// Waits for a hello. Whatever else comes before it is passed over.
async fn first_hello<S>(socket: &mut WebSocketStream<S>) -> Result<String, Option<CloseFrame>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                if Incoming::parse(&text).is_some_and(|frame| frame.kind == "hello") {
                    return Ok(text.to_string());
                }
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => match wrong(&error) {
                LinkEnd::Wrong(code, reason) => return Err(Some(frame(code, &reason))),
                _ => return Err(None),
            },
            None => return Err(None),
        }
    }
}

async fn refuse_hello<S>(socket: &mut WebSocketStream<S>, error: &HelloError, grace: Duration)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let text = error.to_string();
    let answer = Message::text(Outgoing::HelloError { error: &text }.to_text());
    if matches!(timeout(grace, socket.send(answer)).await, Ok(Ok(()))) {
        close_with(socket, frame(CloseCode::Policy, &text), grace).await;
    }
}

/// Carries frames both ways until the link ends.
async fn run<S>(socket: &mut WebSocketStream<S>, computer: &Computer, shared: &Shared) -> LinkEnd
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut pings = interval_at(Instant::now() + shared.timings.ping, shared.timings.ping);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let silence = Box::pin(tokio::time::sleep(shared.timings.silent));
    let mut link = Live { socket, computer, shared, pings, silence, ping_due: false, unflushed: false };
    poll_fn(|cx| link.poll(cx)).await
}

struct Live<'a, S> {
    socket: &'a mut WebSocketStream<S>,
    computer: &'a Computer,
    shared: &'a Shared,
    pings: Interval,
    silence: Pin<Box<Sleep>>,
    ping_due: bool,
    unflushed: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Live<'_, S> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<LinkEnd> {
        while self.pings.poll_tick(cx).is_ready() {
            self.ping_due = true;
        }
        while self.silence.as_mut().poll(cx).is_ready() {
            let left = self.shared.timings.silent.saturating_sub(self.computer.silent_for());
            if left.is_zero() {
                return Poll::Ready(LinkEnd::Silent);
            }
            self.silence.as_mut().reset(Instant::now() + left);
        }
        if let Poll::Ready(end) = self.poll_outgoing(cx) {
            return Poll::Ready(end);
        }
        self.poll_incoming(cx)
    }

    fn poll_outgoing(&mut self, cx: &mut Context<'_>) -> Poll<LinkEnd> {
        loop {
            let can_send = match self.socket.poll_ready_unpin(cx) {
                Poll::Ready(Ok(())) => true,
                Poll::Ready(Err(error)) => return Poll::Ready(wrong(&error)),
                Poll::Pending => false,
            };
            let message = if can_send && std::mem::take(&mut self.ping_due) {
                Message::Ping(Bytes::new())
            } else {
                match self.computer.poll_next(cx, can_send) {
                    Poll::Ready(Next::Send(text)) => Message::Text(text),
                    Poll::Ready(Next::End(ending)) => return Poll::Ready(LinkEnd::Asked(ending)),
                    Poll::Pending => break,
                }
            };
            if let Err(error) = self.socket.start_send_unpin(message) {
                return Poll::Ready(wrong(&error));
            }
            self.unflushed = true;
        }
        if self.unflushed {
            match self.socket.poll_flush_unpin(cx) {
                Poll::Ready(Ok(())) => self.unflushed = false,
                Poll::Ready(Err(error)) => return Poll::Ready(wrong(&error)),
                Poll::Pending => {}
            }
        }
        Poll::Pending
    }

    fn poll_incoming(&mut self, cx: &mut Context<'_>) -> Poll<LinkEnd> {
        for _ in 0..FRAMES_PER_TURN {
            let message = match self.socket.poll_next_unpin(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(LinkEnd::Left("it closed the link".into())),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(wrong(&error)),
                Poll::Ready(Some(Ok(message))) => message,
            };
            self.computer.heard();
            if let Message::Text(text) = message
                && let Poll::Ready(end) = self.take(&text)
            {
                return Poll::Ready(end);
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Takes in one frame. What is malformed or unknown is passed over: it must not cost the link.
    fn take(&self, text: &str) -> Poll<LinkEnd> {
        let Some(frame) = Incoming::parse(text) else {
            // Not its text: a hello that is cut short may still hold a token.
            tracing::debug!(computer = self.computer.id, bytes = text.len(), "a malformed frame");
            return Poll::Pending;
        };
        if frame.kind == "hello" {
            return self.take_hello(&frame);
        }
        if frame.kind == "bye" && self.computer.identity().agreed.bye {
            return Poll::Ready(LinkEnd::Bye);
        }
        self.computer.receive(&frame);
        Poll::Pending
    }

    /// A hello on a link that has one: the same computer tells a new label; another one is refused.
    fn take_hello(&self, frame: &Incoming<'_>) -> Poll<LinkEnd> {
        match Identity::from_hello(frame, None, true) {
            Ok(identity) if identity.id == self.computer.id => {
                self.computer.push(identity.hello_ok());
                if self.computer.set_identity(identity) {
                    self.shared.registry.changed();
                }
                Poll::Pending
            }
            Ok(_) => Poll::Ready(LinkEnd::Refused(HelloError::OtherComputer(self.computer.id))),
            Err(error) => Poll::Ready(LinkEnd::Refused(error)),
        }
    }
}

/// Sorts an error of the socket: what the peer did wrong is told to it, the rest is an end.
fn wrong(error: &Error) -> LinkEnd {
    match error {
        Error::Capacity(_) => {
            LinkEnd::Wrong(CloseCode::Size, format!("a frame has at most {FRAME_BYTES} bytes").into())
        }
        Error::Utf8(_) => LinkEnd::Wrong(CloseCode::Invalid, "a text frame is not UTF-8".into()),
        Error::Protocol(what) => {
            use tokio_tungstenite::tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;
            if matches!(what, ResetWithoutClosingHandshake) {
                return LinkEnd::Left("the connection broke".into());
            }
            LinkEnd::Wrong(CloseCode::Protocol, "not WebSocket as RFC 6455 has it".into())
        }
        _ => LinkEnd::Left("the connection broke".into()),
    }
}

/// Sends a close frame and reads on until the peer has gone, so that it sees the frame and not a reset.
async fn close_with<S>(socket: &mut WebSocketStream<S>, close: CloseFrame, grace: Duration)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let _ = timeout(grace, async {
        socket.send(Message::Close(Some(close))).await.ok()?;
        socket.get_mut().shutdown().await.ok()
    })
    .await;
}
