//! A `WebSocket` of a computer: a task that speaks for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::connect::NetError;
use super::frames::{self, Frame, Opcode};
use super::wire::{Direct, Wire, Written};
use super::{Rules, handshake};

/// Messages that may wait for the network; past that the sender waits.
const OUTGOING: usize = 64;
/// The same in a simulation, where nobody can wait: the network runs on the thread of whoever would. A computer sends
/// fewer before others run again.
const OUTGOING_SIMULATED: usize = 2048;
/// How long the other side has to answer a close.
const CLOSE_GRACE: Duration = Duration::from_secs(1);
/// A peer that takes nothing for that long is gone.
const SEND_GRACE: Duration = Duration::from_secs(5);
/// How often a full queue is looked at again.
const RETRY: Duration = Duration::from_millis(1);
/// How often a computer that has fallen behind is asked whether it has caught up.
const ROOM_CHECK: Duration = Duration::from_millis(5);
/// What the reference reports for connections that ended without a close frame of their own.
const ABNORMAL: u16 = 1006;

/// Sockets whose other side does not know yet that they close.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// Counts an open socket.
struct Open;

impl Open {
    fn new() -> Self {
        OPEN.fetch_add(1, Ordering::AcqRel);
        Self
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Waits until the sockets that computers let go of have said so to the other side, before the process ends.
pub fn settle(longest: Duration) {
    let deadline = Instant::now() + longest;
    while OPEN.load(Ordering::Acquire) > 0 && Instant::now() < deadline {
        std::thread::sleep(RETRY);
    }
}

/// A socket to open.
#[derive(Debug, Clone)]
pub struct LinkRequest {
    pub url: String,
    pub headers: Vec<(Vec<u8>, Vec<u8>)>,
    pub timeout: Duration,
    /// The largest message to take.
    pub largest: usize,
}

/// What a computer sends.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outgoing {
    /// A whole frame.
    Frame(Vec<u8>),
    /// The end of a frame that the computer has begun to write.
    Rest,
    Close,
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    Done,
    /// The socket is closed, or its peer takes nothing.
    Closed,
    /// It was enough before the message was on its way.
    Stopped,
}

/// What happens to a socket.
#[derive(Debug)]
pub enum LinkEvent {
    Opened(Link),
    Failed(NetError),
    Message { bytes: Vec<u8>, binary: bool },
    Closed { reason: Option<Vec<u8>>, code: Option<u16> },
}

/// The computer's end of a socket; dropping it closes the socket.
#[derive(Debug)]
pub struct Link {
    outgoing: mpsc::Sender<Outgoing>,
    /// The way around the network's thread, where there is one.
    direct: Option<Direct>,
    /// Frames that the network's thread has still to write: none may overtake them.
    queued: Arc<AtomicUsize>,
    open: Arc<AtomicBool>,
    /// Whether a sender may wait for the network: not where that runs on the same thread.
    can_wait: bool,
}

impl Link {
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Sends a message. Where the peer takes nothing it waits, until `stop` says that it is enough.
    pub fn send(&self, bytes: &[u8], binary: bool, stop: &dyn Fn() -> bool) -> Sent {
        let opcode = if binary { Opcode::Binary } else { Opcode::Text };
        let frame = frames::encode(opcode, bytes, handshake::random());
        let mut message = match self.write(&frame) {
            Written::All => return Sent::Done,
            Written::Begun => Outgoing::Rest,
            Written::Nothing => Outgoing::Frame(frame),
        };
        let mut waited = Duration::ZERO;
        while self.is_open() && waited < SEND_GRACE {
            self.queued.fetch_add(1, Ordering::AcqRel);
            match self.outgoing.try_send(message) {
                Ok(()) => return Sent::Done,
                Err(mpsc::error::TrySendError::Closed(_)) => return Sent::Closed,
                Err(mpsc::error::TrySendError::Full(back)) => message = back,
            }
            self.queued.fetch_sub(1, Ordering::AcqRel);
            if !self.can_wait {
                break;
            }
            if stop() {
                return Sent::Stopped;
            }
            std::thread::sleep(RETRY);
            waited += RETRY;
        }
        self.close();
        Sent::Closed
    }

    /// Writes a frame at once, if none waits before it.
    fn write(&self, frame: &[u8]) -> Written {
        match &self.direct {
            Some(direct) if self.is_open() && self.queued.load(Ordering::Acquire) == 0 => direct.write(frame),
            _ => Written::Nothing,
        }
    }

    /// Closes the socket; its computer hears no more of it.
    pub fn close(&self) {
        self.open.store(false, Ordering::Release);
        let _ = self.outgoing.try_send(Outgoing::Close);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.close();
    }
}

/// A task that opens a socket and speaks for it; `report` is called by it, in order, and says whether there is room for
/// more; without an event it is only asked that.
pub async fn open<R>(request: LinkRequest, rules: Rules, mut report: R)
where
    R: FnMut(Option<LinkEvent>) -> bool + Send + 'static,
{
    let opening = async {
        let url = handshake::parse(&request.url)?;
        handshake::open(&url, &request.headers, &rules).await
    };
    let (stream, rest) = match tokio::time::timeout(request.timeout, opening).await {
        Ok(Ok(opened)) => opened,
        Ok(Err(error)) => {
            report(Some(LinkEvent::Failed(error)));
            return;
        }
        Err(_) => {
            report(Some(LinkEvent::Failed(NetError::Timeout)));
            return;
        }
    };
    // Counted before the computer hears of it: it may stop at once.
    let counted = Open::new();
    let can_wait = rules.network().is_none();
    let (outgoing, incoming) = mpsc::channel(if can_wait { OUTGOING } else { OUTGOING_SIMULATED });
    let open = Arc::new(AtomicBool::new(true));
    let queued = Arc::new(AtomicUsize::new(0));
    let (wire, direct) = Wire::new(stream);
    let link = Link { outgoing, direct, queued: queued.clone(), open: open.clone(), can_wait };
    report(Some(LinkEvent::Opened(link)));
    let mut session = Session {
        open: Some(counted),
        wire,
        queued,
        bytes: rest,
        partial: None,
        largest: request.largest,
        full: false,
    };
    let closed = session.run(incoming, &mut report).await;
    session.wire.end().await;
    // The computer's own close is no news to it.
    if open.swap(false, Ordering::AcqRel)
        && let Some((reason, code)) = closed
    {
        report(Some(LinkEvent::Closed { reason, code }));
    }
}

struct Session {
    /// Until the other side has been told that this one closes.
    open: Option<Open>,
    wire: Wire,
    queued: Arc<AtomicUsize>,
    bytes: Vec<u8>,
    /// A message whose last fragment has not come.
    partial: Option<(Vec<u8>, bool)>,
    largest: usize,
    /// Whether the computer has more than it can handle: then the peer has to wait.
    full: bool,
}

type Closed = Option<(Option<Vec<u8>>, Option<u16>)>;

impl Session {
    /// Carries messages both ways until either side closes; none if it was the computer.
    async fn run(
        &mut self,
        mut incoming: mpsc::Receiver<Outgoing>,
        report: &mut impl FnMut(Option<LinkEvent>) -> bool,
    ) -> Closed {
        loop {
            let decoded = if self.full { Ok(None) } else { frames::decode(&mut self.bytes, self.largest) };
            match decoded {
                Ok(Some(frame)) => {
                    if let Some(closed) = self.receive(frame, report).await {
                        return Some(closed);
                    }
                    continue;
                }
                Ok(None) => {}
                Err(error) => {
                    let (code, reason) = match error {
                        NetError::TooLarge => (1009_u16, "Payload too big"),
                        _ => (1002, "Protocol error"),
                    };
                    let _ = self.send(Opcode::Close, &code.to_be_bytes()).await;
                    return Some((Some(reason.as_bytes().to_vec()), Some(ABNORMAL)));
                }
            }
            // In this order, so that a seed decides what happens.
            tokio::select! {
                biased;
                read = self.wire.read(&mut self.bytes), if !self.full => {
                    match read {
                        Ok(0) if self.bytes.is_empty() => return Some((None, None)),
                        Ok(0) => return Some((Some(b"Incomplete frame received".to_vec()), Some(ABNORMAL))),
                        Ok(_) => {}
                        Err(_) => return Some((Some(Vec::new()), Some(ABNORMAL))),
                    }
                }
                () = tokio::time::sleep(ROOM_CHECK), if self.full => self.full = !report(None),
                sent = incoming.recv() => match sent {
                    Some(Outgoing::Frame(frame)) => {
                        if self.write(&frame).await.is_err() {
                            return Some((None, None));
                        }
                        self.queued.fetch_sub(1, Ordering::AcqRel);
                    }
                    Some(Outgoing::Rest) => {
                        if self.write(&[]).await.is_err() {
                            return Some((None, None));
                        }
                        self.queued.fetch_sub(1, Ordering::AcqRel);
                    }
                    Some(Outgoing::Close) | None => {
                        let _ = self.send(Opcode::Close, &1000_u16.to_be_bytes()).await;
                        self.open = None;
                        let _ = tokio::time::timeout(CLOSE_GRACE, self.drain()).await;
                        return None;
                    }
                },
            }
        }
    }

    /// Handles a frame; what it returns is the end.
    async fn receive(
        &mut self,
        frame: Frame,
        report: &mut impl FnMut(Option<LinkEvent>) -> bool,
    ) -> Option<(Option<Vec<u8>>, Option<u16>)> {
        match frame.opcode {
            Opcode::Ping => self.send(Opcode::Pong, &frame.payload).await.err().map(|_| (None, None)),
            Opcode::Pong => None,
            Opcode::Close => {
                let _ = self.send(Opcode::Close, frame.payload.get(..2).unwrap_or_default()).await;
                let _ = self.wire.shutdown().await;
                let code = frame.payload.get(..2).map(|code| u16::from_be_bytes([code[0], code[1]]));
                Some((code.map(|_| frame.payload[2..].to_vec()), code))
            }
            Opcode::Text | Opcode::Binary | Opcode::Continuation => {
                let binary = frame.opcode == Opcode::Binary;
                let (mut bytes, binary) = match (self.partial.take(), frame.opcode) {
                    (Some((bytes, binary)), Opcode::Continuation) => (bytes, binary),
                    (None, Opcode::Text | Opcode::Binary) => (Vec::new(), binary),
                    _ => return Some((Some(b"Protocol error".to_vec()), Some(ABNORMAL))),
                };
                if bytes.len() + frame.payload.len() > self.largest {
                    let _ = self.send(Opcode::Close, &1009_u16.to_be_bytes()).await;
                    return Some((Some(b"Payload too big".to_vec()), Some(ABNORMAL)));
                }
                bytes.extend(frame.payload);
                if !frame.last {
                    self.partial = Some((bytes, binary));
                    return None;
                }
                self.full = !report(Some(LinkEvent::Message { bytes, binary }));
                None
            }
        }
    }

    async fn send(&mut self, opcode: Opcode, payload: &[u8]) -> std::io::Result<()> {
        self.write(&frames::encode(opcode, payload, handshake::random())).await
    }

    async fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        tokio::time::timeout(SEND_GRACE, self.wire.write(bytes))
            .await
            .unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()))
    }

    /// Reads until the other side has closed.
    async fn drain(&mut self) {
        loop {
            match frames::decode(&mut self.bytes, self.largest) {
                Ok(Some(Frame { opcode: Opcode::Close, .. })) | Err(_) => break,
                Ok(Some(_)) => continue,
                Ok(None) => {}
            }
            if !matches!(self.wire.read(&mut self.bytes).await, Ok(count) if count > 0) {
                break;
            }
        }
        let _ = self.wire.shutdown().await;
    }
}
