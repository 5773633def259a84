//! How the bridge, the proxy and the clients of a stage reach each other: over loopback, or in memory in a simulation.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use craftos_computers::simulation::{Closed, Simulation};
use embedded_craftos::Random;
pub use embedded_craftos::surroundings::Duplex;
use embedded_craftos::surroundings::Later;
use mcp_bridge::accept::{Accept, InMemory, in_memory};
use mcp_host::http::connector::Dialer;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::emulators::Emulator;

/// A connection.
pub type Stream = Box<dyn Duplex>;

/// Where everyone of a simulation connects from.
const PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

/// How often somebody gives way, at most less one: each lets all others run once, and a frame takes a few runs of several.
const MOST_GIVE_WAY: u64 = 4;

/// What carries the connections of a stage.
#[derive(Debug, Clone)]
pub enum Net {
    Loopback,
    Simulated(Simulation),
}

impl Net {
    /// The network that the computers of an emulator are on.
    pub fn of(emulator: &Emulator) -> Self {
        emulator.simulation.clone().map_or(Self::Loopback, Self::Simulated)
    }

    /// Listens on an address that is free. Once `cut` is cancelled, whatever was accepted ends without a word.
    pub async fn listen(&self, cut: CancellationToken) -> io::Result<(SocketAddr, Listener)> {
        match self {
            Self::Loopback => {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
                Ok((listener.local_addr()?, Listener { source: Source::Loopback(listener), cut }))
            }
            Self::Simulated(simulation) => {
                let (dialer, accepts) = in_memory();
                let dial = move || -> Later<io::Result<Stream>> {
                    let dialer = dialer.clone();
                    Box::pin(
                        async move { dialer.connect(PEER).await.map(|stream| Box::new(stream) as Stream) },
                    )
                };
                let closed = simulation.ports().listen(Arc::new(dial));
                Ok((closed.address, Listener { source: Source::Memory(accepts, closed), cut }))
            }
        }
    }

    /// Numbers that follow from the seed of a simulation.
    pub fn random(&self) -> Random {
        match self {
            Self::Loopback => Random::new(0),
            Self::Simulated(simulation) => Random::new(simulation.draw()),
        }
    }

    /// Lets others go first, as often as the seed of a simulation says: it decides who of those that are ready at one
    /// moment is first. On a machine's network the machine does.
    pub async fn give_way(&self) {
        if let Self::Simulated(simulation) = self {
            for _ in 0..simulation.draw() % MOST_GIVE_WAY {
                tokio::task::yield_now().await;
            }
        }
    }

    pub async fn connect(&self, address: SocketAddr) -> io::Result<Stream> {
        match self {
            Self::Loopback => {
                let stream = TcpStream::connect(address).await?;
                let _ = stream.set_nodelay(true);
                Ok(Box::new(stream))
            }
            Self::Simulated(simulation) => simulation.ports().connect(address).await,
        }
    }

    /// Connects the clients of MCP servers; none where they use the machine's network.
    pub fn dialer(&self) -> Option<Dialer> {
        let Self::Simulated(simulation) = self else { return None };
        let ports = simulation.ports().clone();
        Some(Dialer::new(move |uri: http::Uri| {
            let ports = ports.clone();
            async move {
                let host: Option<IpAddr> = uri.host().and_then(|host| host.parse().ok());
                let address = host.zip(uri.port_u16()).map(SocketAddr::from);
                let stream = ports.connect(address.ok_or(io::ErrorKind::AddrNotAvailable)?).await?;
                Ok(Box::new(stream) as Box<dyn mcp_host::http::connector::Duplex>)
            }
        }))
    }
}

/// Accepts connections.
#[derive(Debug)]
pub struct Listener {
    source: Source,
    cut: CancellationToken,
}

#[derive(Debug)]
enum Source {
    Loopback(TcpListener),
    Memory(InMemory, #[expect(dead_code, reason = "the address is closed when it is dropped")] Closed),
}

impl Accept for Listener {
    type Stream = Stream;

    async fn accept(&mut self) -> io::Result<(Stream, SocketAddr)> {
        match &mut self.source {
            Source::Loopback(listener) => {
                let (stream, peer) = Accept::accept(listener).await?;
                Ok((Box::new(stream), peer))
            }
            Source::Memory(accepts, _) => {
                let (stream, peer) = accepts.accept().await?;
                let cut = Box::pin(self.cut.clone().cancelled_owned());
                Ok((Box::new(Cuttable { stream: Some(stream), cut }), peer))
            }
        }
    }
}

/// A stream that ends when its owner is killed: what was not sent by then is never sent.
#[derive(Debug)]
struct Cuttable<S> {
    /// None once it was cut.
    stream: Option<S>,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl<S: Unpin> Cuttable<S> {
    /// The stream, unless it was cut.
    fn whole(&mut self, context: &mut Context<'_>) -> Option<Pin<&mut S>> {
        if self.stream.is_some() && self.cut.as_mut().poll(context).is_ready() {
            self.stream = None;
        }
        self.stream.as_mut().map(Pin::new)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Cuttable<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.whole(context) {
            Some(stream) => stream.poll_read(context, buffer),
            None => Poll::Ready(Ok(())),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Cuttable<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.whole(context) {
            Some(stream) => stream.poll_write(context, bytes),
            None => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.whole(context).map_or(Poll::Ready(Ok(())), |stream| stream.poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.whole(context).map_or(Poll::Ready(Ok(())), |stream| stream.poll_shutdown(context))
    }
}
