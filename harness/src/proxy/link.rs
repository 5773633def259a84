//! One link under way: frames in both directions, and what the harness does to them.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error as WebSocketError, Message};

use super::{Conditions, Delay, Direction, Order, Passing, Shared, Side};
use crate::net::Stream;
use crate::record::{Event, held};
use crate::report::trace::Note;
use crate::scenario::hash;

/// What a peer has to answer a close before its socket is dropped.
const CLOSE: Duration = Duration::from_secs(1);

pub(super) type Socket = WebSocketStream<Stream>;

/// One link under way.
pub(super) struct Link {
    shared: Arc<Shared>,
    name: String,
    number: usize,
    computer: Socket,
    bridge: Socket,
    orders: mpsc::UnboundedReceiver<Order>,
    /// When the computer's side is given up, once it was asked to close.
    released: Option<Instant>,
    /// The dials of its faults, as they stand now.
    suffers: Conditions,
    changes: watch::Receiver<BTreeMap<String, Conditions>>,
    /// What is late, with the moment at which it goes on.
    late: Vec<(Instant, Direction, Message)>,
    /// Whose message is taken first where both have one: each side in turn, so that neither holds up the other.
    turn: bool,
}

/// What came from one side.
type Heard = Option<Result<Message, WebSocketError>>;

/// A message, with the side that it came from.
enum From {
    Computer(Heard),
    Bridge(Heard),
}

impl Link {
    pub fn new(
        shared: Arc<Shared>,
        name: String,
        number: usize,
        (computer, bridge): (Socket, Socket),
        orders: mpsc::UnboundedReceiver<Order>,
    ) -> Self {
        let mut changes = shared.conditions.subscribe();
        let suffers = changes.borrow_and_update().get(&name).copied().unwrap_or_default();
        let (released, late, turn) = (None, Vec::new(), false);
        Self { shared, name, number, computer, bridge, orders, released, suffers, changes, late, turn }
    }

    pub async fn pump(mut self, mut cut: watch::Receiver<BTreeSet<String>>) {
        loop {
            self.turn = !self.turn;
            if let Some(lost) = self.suffers.half_open {
                return self.half_open(lost).await;
            }
            let due = self.late.first().map(|(due, ..)| *due);
            let going = tokio::select! {
                biased;
                Some(order) = self.orders.recv() => match order {
                    Order::Send(direction, text, done) => self.send(direction, text, done).await,
                    Order::Release => self.release().await,
                },
                () = tokio::time::sleep_until(self.released.unwrap_or_else(Instant::now)), if self.released.is_some() => {
                    self.left().await
                }
                Ok(()) = cut.changed() => {
                    let off = cut.borrow_and_update().contains(&self.name);
                    if off {
                        self.add(Event::Cut);
                    }
                    !off
                }
                Ok(()) = self.changes.changed() => {
                    self.suffers = self.changes.borrow_and_update().get(&self.name).copied().unwrap_or_default();
                    true
                }
                () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    let (_, direction, message) = self.late.remove(0);
                    self.forward(direction, message).await
                }
                message = next(&mut self.computer, &mut self.bridge, self.turn, self.suffers.unread) => match message {
                    From::Computer(message) => self.heard_computer(message).await,
                    From::Bridge(message) => self.heard_bridge(message).await,
                },
            };
            if !going {
                return;
            }
        }
    }

    fn add(&self, event: Event) {
        self.shared.record.add(&self.name, self.number, event);
    }

    /// Sends a frame of the harness, and says so once it is on its way.
    async fn send(&mut self, direction: Direction, text: String, done: oneshot::Sender<()>) -> bool {
        let message = Message::text(text);
        self.note(direction, &message, Some(Note::FromTheHarness));
        let sent = self.write(direction, message).await;
        if sent.is_ok() {
            let _ = done.send(());
        }
        self.goes_on(direction, &sent)
    }

    /// Closes the computer's side. What the computer has sent before is still read.
    async fn release(&mut self) -> bool {
        let closing = tokio::time::timeout(CLOSE, self.computer.close(None)).await;
        if !matches!(closing, Ok(Ok(()))) {
            return self.left().await;
        }
        self.released = Some(Instant::now() + CLOSE);
        true
    }

    /// The computer's side has ended.
    async fn left(&mut self) -> bool {
        self.add(Event::Left);
        let _ = tokio::time::timeout(CLOSE, self.bridge.close(None)).await;
        false
    }

    /// Puts a frame into the record.
    fn note(&self, direction: Direction, message: &Message, note: Option<Note>) {
        self.add(match message {
            Message::Text(text) => Event::Frame { direction, text: text.to_string(), note },
            other => {
                let bytes = other.clone().into_data();
                Event::Binary { direction, bytes: bytes.len(), sha256: hash(&bytes), note }
            }
        });
    }

    async fn heard_computer(&mut self, message: Heard) -> bool {
        match message {
            Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => {
                if held(&self.shared.muted).contains(&self.name) {
                    self.note(Direction::ToBridge, &message, Some(Note::HeldBack));
                    return true;
                }
                self.pass(Direction::ToBridge, message).await
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => {
                self.hurry(Direction::ToBridge).await;
                self.left().await
            }
            Some(Ok(_)) => true,
        }
    }

    async fn heard_bridge(&mut self, message: Heard) -> bool {
        match message {
            Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => {
                self.pass(Direction::ToComputer, message).await
            }
            Some(Ok(Message::Close(frame))) => {
                self.hurry(Direction::ToComputer).await;
                let (code, reason) = frame
                    .as_ref()
                    .map_or((1005, String::new()), |frame| (frame.code.into(), frame.reason.to_string()));
                self.add(Event::Closed { code, reason });
                let _ = self.bridge.flush().await;
                let _ = tokio::time::timeout(CLOSE, async {
                    let _ = self.computer.close(frame).await;
                    while let Some(Ok(_)) = self.computer.next().await {}
                })
                .await;
                false
            }
            Some(Err(_)) | None => {
                self.hurry(Direction::ToComputer).await;
                self.add(Event::Closed { code: 1006, reason: String::new() });
                false
            }
            Some(Ok(_)) => true,
        }
    }

    /// Passes on what has come, or what a meddler makes of it.
    async fn pass(&mut self, direction: Direction, message: Message) -> bool {
        self.shared.net.give_way().await;
        let meddler = held(&self.shared.meddler).clone();
        let (Some(meddler), Message::Text(text)) = (meddler, &message) else {
            return self.carry(direction, message).await;
        };
        let passing = Passing { computer: &self.name, link: self.number, direction, text };
        for (direction, text) in meddler.meddle(passing) {
            if !self.carry(direction, Message::text(text)).await {
                return false;
            }
        }
        true
    }

    /// Passes a message on, at once or as late as the link is.
    async fn carry(&mut self, direction: Direction, message: Message) -> bool {
        let delay = self.suffers.delay(direction);
        let before = self.late.iter().rev().find(|(_, other, _)| *other == direction).map(|(due, ..)| *due);
        if before.is_none() && delay == Delay::default() {
            return self.forward(direction, message).await;
        }
        let due = Instant::now() + delay.draw(&mut held(&self.shared.random));
        let due = before.map_or(due, |before| before.max(due));
        let place = self.late.partition_point(|(other, ..)| *other <= due);
        self.late.insert(place, (due, direction, message));
        true
    }

    /// Passes on at once what is late in a direction: its sender has closed, and what was sent before arrives.
    async fn hurry(&mut self, direction: Direction) {
        let late = std::mem::take(&mut self.late);
        let (late, rest): (Vec<_>, Vec<_>) = late.into_iter().partition(|(_, other, _)| *other == direction);
        self.late = rest;
        for (_, direction, message) in late {
            if !self.forward(direction, message).await {
                return;
            }
        }
    }

    /// One side has lost the link: the other goes on speaking, and nobody hears it, until the fault or the link ends.
    async fn half_open(mut self, lost: Side) {
        self.add(Event::Cut);
        let mut other = match lost {
            Side::Computer => {
                drop(self.computer);
                self.bridge
            }
            Side::Bridge => {
                drop(self.bridge);
                self.computer
            }
        };
        let name = self.name;
        let ended = self.changes.wait_for(|all| all.get(&name).is_none_or(|now| now.half_open.is_none()));
        tokio::select! {
            biased;
            _ = ended => {}
            () = async { while let Some(Ok(_)) = other.next().await {} } => {}
        }
    }

    /// Sends the first half of a frame, and nothing after it.
    async fn cut_short(&mut self, direction: Direction, message: &Message) {
        self.shared.turn(&self.name, |conditions| conditions.cut = None);
        self.add(Event::Cut);
        let payload = message.clone().into_data();
        // A head that announces more than comes; only its length matters, not what it would have said.
        let mask = if direction == Direction::ToBridge { 0x80 } else { 0 };
        let announced = u16::try_from(payload.len().max(2)).unwrap_or(u16::MAX).to_be_bytes();
        let mut bytes = vec![0x81, mask | 0x7E, announced[0], announced[1]];
        if mask != 0 {
            bytes.extend([0; 4]);
        }
        bytes.extend(&payload[..payload.len() / 2]);
        let socket = match direction {
            Direction::ToBridge => &mut self.bridge,
            Direction::ToComputer => &mut self.computer,
        };
        let _ = tokio::time::timeout(CLOSE, socket.get_mut().write_all(&bytes)).await;
    }

    async fn forward(&mut self, direction: Direction, message: Message) -> bool {
        if self.suffers.cut == Some(direction) {
            self.cut_short(direction, &message).await;
            return false;
        }
        self.note(direction, &message, None);
        let sent = self.write(direction, message).await;
        self.goes_on(direction, &sent)
    }

    async fn write(&mut self, direction: Direction, message: Message) -> Result<(), WebSocketError> {
        match direction {
            Direction::ToBridge => self.bridge.send(message).await,
            Direction::ToComputer => self.computer.send(message).await,
        }
    }

    /// Whether the link goes on after something was sent. A side that is gone ends it.
    fn goes_on(&self, direction: Direction, sent: &Result<(), WebSocketError>) -> bool {
        if !matches!(sent, Err(WebSocketError::Io(_))) {
            return true;
        }
        self.add(match direction {
            Direction::ToBridge => Event::Closed { code: 1006, reason: String::new() },
            Direction::ToComputer => Event::Left,
        });
        false
    }
}

/// The next message of either side; where both have one, that of the side whose turn it is. What one side sends may be
/// left unread.
async fn next(computer: &mut Socket, bridge: &mut Socket, bridge_first: bool, unread: Option<Side>) -> From {
    poll_fn(|context| {
        let (computer_is_read, bridge_is_read) =
            (unread != Some(Side::Computer), unread != Some(Side::Bridge));
        if bridge_is_read
            && bridge_first
            && let Poll::Ready(message) = bridge.poll_next_unpin(context)
        {
            return Poll::Ready(From::Bridge(message));
        }
        if computer_is_read && let Poll::Ready(message) = computer.poll_next_unpin(context) {
            return Poll::Ready(From::Computer(message));
        }
        if bridge_is_read && !bridge_first {
            return bridge.poll_next_unpin(context).map(From::Bridge);
        }
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use embedded_craftos::Random;
    use tokio::io::DuplexStream;
    use tokio_tungstenite::tungstenite::protocol::Role;
    use tokio_util::sync::CancellationToken;

    use super::super::Behind;
    use super::*;
    use crate::net::Net;

    /// What one side of a link takes before the other has read any of it.
    const ROOM: usize = 64;

    async fn socket(role: Role) -> (Socket, DuplexStream) {
        let (ours, theirs) = tokio::io::duplex(ROOM);
        let stream: Stream = Box::new(ours);
        (WebSocketStream::from_raw_socket(stream, role, None).await, theirs)
    }

    #[tokio::test]
    async fn a_frame_is_done_when_it_was_sent_and_not_when_it_waits_to_be() {
        let shared = Arc::new(Shared {
            record: Arc::default(),
            net: Net::Loopback,
            bridge: watch::channel(Behind::Nothing).0,
            muted: Mutex::default(),
            cut: watch::channel(BTreeSet::new()).0,
            links: Mutex::default(),
            conditions: watch::channel(BTreeMap::new()).0,
            meddler: Mutex::default(),
            random: Mutex::new(Random::new(0)),
            end: CancellationToken::new(),
        });
        let (computer, far) = socket(Role::Server).await;
        let (bridge, _bridge) = socket(Role::Client).await;
        let (orders, queue) = mpsc::unbounded_channel();
        let cut = shared.cut.subscribe();
        let link = Link::new(shared, "12".to_owned(), 1, (computer, bridge), queue);
        let pump = tokio::spawn(link.pump(cut));

        let order = |text: &str| {
            let (done, sent) = oneshot::channel();
            orders
                .send(Order::Send(Direction::ToComputer, text.to_owned(), done))
                .expect("the link is there");
            sent
        };
        let mut sent = order(&"x".repeat(10 * ROOM));
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        assert!(sent.try_recv().is_err(), "nobody has read it");
        let mut far = WebSocketStream::from_raw_socket(far, Role::Client, None).await;
        let read = far.next().await.expect("a frame").expect("it is whole");
        assert_eq!(read.len(), 10 * ROOM);
        sent.await.expect("it was read");

        let lost = order(&"x".repeat(10 * ROOM));
        drop(far);
        assert!(lost.await.is_err(), "the computer went away before it was sent");
        pump.await.expect("the link has ended");
    }
}
