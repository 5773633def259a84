//! Where connections come from: a TCP port, or streams in memory for a bridge inside another program.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What a stream in memory holds in each direction before its writer waits: as much as a socket does by default.
const STREAM_BYTES: usize = 64 * 1024;

/// Connections in memory that wait to be accepted.
const BACKLOG: usize = 128;

/// How long to hold off when the machine has no socket to give: long enough not to spin, short enough that nobody's own
/// retry is slower.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(50);

/// Something that connections are accepted from.
pub trait Accept: Send + 'static {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Waits for the next connection, and says who it is. An error is told and passes: the next one may come.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = TcpListener::accept(self).await?;
        let _ = stream.set_nodelay(true);
        Ok((stream, peer))
    }
}

/// Accepts connections, and gives each to `serve`, until the shutdown token fires.
pub async fn accept_each<A: Accept>(
    mut listener: A,
    what: &str,
    shutdown: &CancellationToken,
    mut serve: impl FnMut(A::Stream, SocketAddr),
) {
    loop {
        let accepted = tokio::select! {
            biased;
            () = shutdown.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => serve(stream, peer),
            Err(error) => {
                tracing::warn!(%error, "failed to accept {what}");
                tokio::time::sleep(OUT_OF_SOCKETS).await;
            }
        }
    }
}

/// Connects to a bridge in this process.
#[derive(Debug, Clone)]
pub struct Dialer(mpsc::Sender<(DuplexStream, SocketAddr)>);

/// The other end of all that its [`Dialer`] connects.
#[derive(Debug)]
pub struct InMemory(mpsc::Receiver<(DuplexStream, SocketAddr)>);

/// A port in memory: what connects to it, and what accepts from it.
pub fn in_memory() -> (Dialer, InMemory) {
    let (sender, receiver) = mpsc::channel(BACKLOG);
    (Dialer(sender), InMemory(receiver))
}

impl Dialer {
    /// Connects as this peer; an error where nobody accepts any more.
    pub async fn connect(&self, peer: SocketAddr) -> io::Result<DuplexStream> {
        let (own, other) = tokio::io::duplex(STREAM_BYTES);
        let refused = |_| io::Error::from(io::ErrorKind::ConnectionRefused);
        self.0.send((other, peer)).await.map_err(refused)?;
        Ok(own)
    }
}

impl Accept for InMemory {
    type Stream = DuplexStream;

    async fn accept(&mut self) -> io::Result<(DuplexStream, SocketAddr)> {
        match self.0.recv().await {
            Some(accepted) => Ok(accepted),
            // Nobody can connect any more, and those who did go on.
            None => std::future::pending().await,
        }
    }
}
