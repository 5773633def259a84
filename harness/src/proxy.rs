//! The recording proxy between the computers and any bridge: it sees every frame, and can hold, add and cut.
//!
//! A computer connects to `ws://127.0.0.1:PORT/NAME`; the name says whose link it is, before any hello.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use mcp_bridge::accept::Accept as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error as WebSocketError, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::net::{Listener, Net, Stream};
use crate::record::{Direction, Event, Record, held};
use crate::report::trace::Note;
use crate::scenario::hash;

/// The head of an upgrade has a few hundred bytes.
const HEAD_BYTES: usize = 16 * 1024;

/// What either side has to say its part of the upgrade.
const UPGRADE: Duration = Duration::from_secs(10);

/// What a peer has to answer a close before its socket is dropped.
const CLOSE: Duration = Duration::from_secs(1);

/// The status for a computer whose bridge is not there.
const BAD_GATEWAY: u16 = 502;

/// A running proxy. Dropping it ends every link.
#[derive(Debug)]
#[must_use]
pub struct Proxy {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    _end: DropGuard,
}

#[derive(Debug)]
struct Shared {
    record: Arc<Record>,
    net: Net,
    bridge: watch::Sender<Behind>,
    /// Frames from these computers are held back.
    muted: Mutex<BTreeSet<String>>,
    /// These computers have no way to the bridge.
    cut: watch::Sender<BTreeSet<String>>,
    /// The newest link of each computer takes orders of the harness.
    links: Mutex<BTreeMap<String, mpsc::UnboundedSender<Order>>>,
    end: CancellationToken,
}

/// What is behind the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    Bridge(SocketAddr),
    /// New links are refused.
    Nothing,
    /// New links wait: how long a bridge takes to start decides nothing.
    NextBridge,
}

/// What the harness asks of a link.
#[derive(Debug)]
enum Order {
    /// Sends a frame to one side, as if the other had.
    Send(Direction, String),
    /// Closes the computer's side.
    Release,
}

impl Shared {
    /// The bridge for a new link, once it is known whether there is one.
    async fn bridge(&self) -> Option<SocketAddr> {
        let mut behind = self.bridge.subscribe();
        match *behind.wait_for(|behind| *behind != Behind::NextBridge).await.ok()? {
            Behind::Bridge(address) => Some(address),
            Behind::Nothing | Behind::NextBridge => None,
        }
    }
}

impl Proxy {
    /// Listens on a free address of this network.
    pub async fn start(record: Arc<Record>, net: Net) -> std::io::Result<Self> {
        let end = CancellationToken::new();
        let (address, listener) = net.listen(end.clone()).await?;
        let shared = Arc::new(Shared {
            record,
            net,
            bridge: watch::channel(Behind::Nothing).0,
            muted: Mutex::default(),
            cut: watch::channel(BTreeSet::new()).0,
            links: Mutex::default(),
            end: end.clone(),
        });
        tokio::spawn(accept(listener, shared.clone()));
        Ok(Self { address, shared, _end: end.drop_guard() })
    }

    /// Where a computer of this name connects.
    pub fn url(&self, name: &str) -> String {
        format!("ws://{}/{name}", self.address)
    }

    /// Says where new links go.
    pub fn set_behind(&self, behind: Behind) {
        self.shared.bridge.send_replace(behind);
    }

    /// Holds back, or lets through, what a computer sends; false where that was so before.
    pub fn mute(&self, name: &str, muted: bool) -> bool {
        let mut all = held(&self.shared.muted);
        if muted { all.insert(name.to_owned()) } else { all.remove(name) }
    }

    /// Cuts a computer off, or lets it link again; false where that was so before.
    pub fn cut(&self, name: &str, cut: bool) -> bool {
        self.shared
            .cut
            .send_if_modified(|all| if cut { all.insert(name.to_owned()) } else { all.remove(name) })
    }

    /// Sends a frame to one side of a computer's newest link, as if the other had; false, where there is no link.
    pub fn send(&self, name: &str, direction: Direction, text: &str) -> bool {
        self.order(name, Order::Send(direction, text.to_owned()))
    }

    /// Closes the link of a computer that is about to turn off and sends nothing more; for the bridge, and in the
    /// record, the computer has left. CraftOS-PC needs a second for a link that it closes itself, and none for one that
    /// the other side closes.
    pub fn release(&self, name: &str) {
        self.order(name, Order::Release);
    }

    fn order(&self, name: &str, order: Order) -> bool {
        held(&self.shared.links).get(name).is_some_and(|link| link.send(order).is_ok())
    }
}

async fn accept(mut listener: Listener, shared: Arc<Shared>) {
    loop {
        tokio::select! {
            biased;
            () = shared.end.cancelled() => return,
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    let shared = shared.clone();
                    tokio::spawn(async move {
                        let end = shared.end.clone();
                        tokio::select! {
                            biased;
                            () = end.cancelled() => {}
                            () = serve(stream, shared) => {}
                        }
                    });
                }
            }
        }
    }
}

type Socket = WebSocketStream<Stream>;

struct Head {
    target: String,
    key: String,
    authorization: Option<String>,
    rest: Vec<u8>,
}

async fn serve(mut stream: Stream, shared: Arc<Shared>) {
    let Ok(Some(head)) = tokio::time::timeout(UPGRADE, read_head(&mut stream)).await else { return };
    let name = head.target.trim_start_matches('/').split(['/', '?']).next().unwrap_or_default().to_owned();
    let link = shared.record.begin(&name);
    let mut cut = shared.cut.subscribe();
    let bridge = tokio::time::timeout(UPGRADE, shared.bridge()).await.unwrap_or_default();
    let bridge = bridge.filter(|_| !cut.borrow_and_update().contains(&name));
    let upgraded = match bridge {
        Some(address) => tokio::time::timeout(UPGRADE, connect(&shared.net, address, &head))
            .await
            .unwrap_or(Err(BAD_GATEWAY)),
        None => Err(BAD_GATEWAY),
    };
    let to_bridge = match upgraded {
        Ok(socket) => socket,
        Err(status) => {
            shared.record.add(&name, link, Event::Refused(status));
            let answer =
                format!("HTTP/1.1 {status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes()).await;
            return;
        }
    };
    let accept = derive_accept_key(head.key.as_bytes());
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    if stream.write_all(answer.as_bytes()).await.is_err() {
        shared.record.add(&name, link, Event::Left);
        return;
    }
    let computer =
        WebSocketStream::from_partially_read(stream, head.rest, Role::Server, Some(unlimited())).await;
    shared.record.add(&name, link, Event::Opened);
    let (sender, orders) = mpsc::unbounded_channel();
    held(&shared.links).insert(name.clone(), sender);
    let link =
        Link { shared, name, number: link, computer, bridge: to_bridge, orders, released: None, turn: false };
    link.pump(cut).await;
}

/// One link under way.
struct Link {
    shared: Arc<Shared>,
    name: String,
    number: usize,
    computer: Socket,
    bridge: Socket,
    orders: mpsc::UnboundedReceiver<Order>,
    /// When the computer's side is given up, once it was asked to close.
    released: Option<Instant>,
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
    async fn pump(mut self, mut cut: watch::Receiver<BTreeSet<String>>) {
        loop {
            self.turn = !self.turn;
            let going = tokio::select! {
                biased;
                Some(order) = self.orders.recv() => match order {
                    Order::Send(direction, text) => self.forward(direction, text, Some(Note::FromTheHarness)).await,
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
                message = next(&mut self.computer, &mut self.bridge, self.turn) => match message {
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

    /// Puts a frame that is no text into the record.
    fn add_binary(&self, direction: Direction, message: &Message, note: Option<Note>) {
        let bytes = message.clone().into_data();
        self.add(Event::Binary { direction, bytes: bytes.len(), sha256: hash(&bytes), note });
    }

    async fn heard_computer(&mut self, message: Heard) -> bool {
        match message {
            Some(Ok(Message::Text(text))) => {
                if held(&self.shared.muted).contains(&self.name) {
                    let (direction, text) = (Direction::ToBridge, text.to_string());
                    self.add(Event::Frame { direction, text, note: Some(Note::HeldBack) });
                    return true;
                }
                self.forward(Direction::ToBridge, text.to_string(), None).await
            }
            Some(Ok(message @ Message::Binary(_))) => {
                let is_muted = held(&self.shared.muted).contains(&self.name);
                self.add_binary(Direction::ToBridge, &message, is_muted.then_some(Note::HeldBack));
                if is_muted {
                    return true;
                }
                let sent = self.bridge.send(message).await.is_ok();
                if !sent {
                    self.add(Event::Closed { code: 1006, reason: String::new() });
                }
                sent
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => self.left().await,
            Some(Ok(_)) => true,
        }
    }

    async fn heard_bridge(&mut self, message: Heard) -> bool {
        match message {
            Some(Ok(Message::Text(text))) => {
                self.forward(Direction::ToComputer, text.to_string(), None).await
            }
            Some(Ok(message @ Message::Binary(_))) => {
                self.add_binary(Direction::ToComputer, &message, None);
                let sent = self.computer.send(message).await.is_ok();
                if !sent {
                    self.add(Event::Left);
                }
                sent
            }
            Some(Ok(Message::Close(frame))) => {
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
                self.add(Event::Closed { code: 1006, reason: String::new() });
                false
            }
            Some(Ok(_)) => true,
        }
    }

    async fn forward(&mut self, direction: Direction, text: String, note: Option<Note>) -> bool {
        self.add(Event::Frame { direction, text: text.clone(), note });
        let sent = match direction {
            Direction::ToBridge => self.bridge.send(Message::text(text)).await,
            Direction::ToComputer => self.computer.send(Message::text(text)).await,
        };
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

/// The next message of either side; where both have one, that of the side whose turn it is.
async fn next(computer: &mut Socket, bridge: &mut Socket, bridge_first: bool) -> From {
    poll_fn(|context| {
        if bridge_first && let Poll::Ready(message) = bridge.poll_next_unpin(context) {
            return Poll::Ready(From::Bridge(message));
        }
        if let Poll::Ready(message) = computer.poll_next_unpin(context) {
            return Poll::Ready(From::Computer(message));
        }
        if bridge_first { Poll::Pending } else { bridge.poll_next_unpin(context).map(From::Bridge) }
    })
    .await
}

fn unlimited() -> WebSocketConfig {
    WebSocketConfig::default().max_message_size(None).max_frame_size(None)
}

async fn connect(net: &Net, bridge: SocketAddr, head: &Head) -> Result<Socket, u16> {
    let stream = net.connect(bridge).await.map_err(|_| BAD_GATEWAY)?;
    let mut request =
        format!("ws://{bridge}{}", head.target).into_client_request().map_err(|_| BAD_GATEWAY)?;
    if let Some(value) = head.authorization.as_ref().and_then(|value| value.parse().ok()) {
        request.headers_mut().insert("authorization", value);
    }
    match client_async_with_config(request, stream, Some(unlimited())).await {
        Ok((socket, _)) => Ok(socket),
        Err(WebSocketError::Http(response)) => Err(response.status().as_u16()),
        Err(_) => Err(BAD_GATEWAY),
    }
}

/// Reads the head of an upgrade; nothing, where it is none.
async fn read_head(stream: &mut Stream) -> Option<Head> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if bytes.len() > HEAD_BYTES || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let rest = bytes.split_off(end);
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    request.parse(&bytes).ok()?;
    let target = request.path?.to_owned();
    let header = |name: &str| {
        let found = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        Some(String::from_utf8_lossy(found.value).into_owned())
    };
    Some(Head { target, key: header("sec-websocket-key")?, authorization: header("authorization"), rest })
}
