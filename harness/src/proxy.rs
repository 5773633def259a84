//! The recording proxy between the computers and any bridge: it sees every frame, and can hold, add and cut.
//!
//! A computer connects to `ws://127.0.0.1:PORT/NAME`; the name says whose link it is, before any hello.

mod conditions;
mod link;
mod meddler;
mod upgrade;

pub use conditions::{Conditions, Delay, Side};
pub use meddler::{Meddler, Passing};

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use embedded_craftos::Random;
use mcp_bridge::accept::Accept as _;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::net::{Listener, Net};
pub use crate::record::Direction;
use crate::record::{Record, held};

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
    /// What the links of each computer suffer.
    conditions: watch::Sender<BTreeMap<String, Conditions>>,
    /// Changes frames on their way.
    meddler: Mutex<Option<Meddler>>,
    /// Decides what jitter adds.
    random: Mutex<Random>,
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
    /// Sends a frame to one side, as if the other had, and says once it has been sent.
    Send(Direction, String, oneshot::Sender<()>),
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

impl Shared {
    fn turn(&self, name: &str, turn: impl FnOnce(&mut Conditions)) {
        self.conditions.send_modify(|all| turn(all.entry(name.to_owned()).or_default()));
    }
}

impl Proxy {
    /// Listens on a free address of this network.
    pub async fn start(record: Arc<Record>, net: Net) -> std::io::Result<Self> {
        let end = CancellationToken::new();
        let (address, listener) = net.listen(end.clone()).await?;
        let random = Mutex::new(net.random());
        let shared = Arc::new(Shared {
            record,
            net,
            bridge: watch::channel(Behind::Nothing).0,
            muted: Mutex::default(),
            cut: watch::channel(BTreeSet::new()).0,
            links: Mutex::default(),
            conditions: watch::channel(BTreeMap::new()).0,
            meddler: Mutex::default(),
            random,
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

    /// Sends a frame to one side of a computer's newest link, as if the other had; false where there is no
    /// link, or it ends before the frame has left.
    pub async fn send(&self, name: &str, direction: Direction, text: &str) -> bool {
        let (done, sent) = oneshot::channel();
        // A link that ends first, or cannot send it, drops the other half.
        self.order(name, Order::Send(direction, text.to_owned(), done)) && sent.await.is_ok()
    }

    /// Closes the link of a computer that is about to turn off and sends nothing more; for the bridge, and in the
    /// record, the computer has left. CraftOS-PC needs a second for a link that it closes itself, and none for one that
    /// the other side closes.
    pub fn release(&self, name: &str) {
        self.order(name, Order::Release);
    }

    /// Has frames changed on their way.
    pub fn set_meddler(&self, meddler: Option<Meddler>) {
        *held(&self.shared.meddler) = meddler;
    }

    /// Turns the dials of a computer's links, those that are open and those that come.
    pub fn set_conditions(&self, name: &str, turn: impl FnOnce(&mut Conditions)) {
        self.shared.turn(name, turn);
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
                            () = upgrade::serve(stream, shared) => {}
                        }
                    });
                }
            }
        }
    }
}
