//! Stands in for `sockets` where there are none, as in a browser: computers reach only what surrounds their world.

use std::convert::Infallible;
use std::io;
use std::iter::Empty;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection that never is.
#[derive(Debug)]
pub struct TcpStream(Infallible);

pub type OwnedReadHalf = TcpStream;
pub type OwnedWriteHalf = TcpStream;

#[expect(clippy::unused_async, reason = "a system with sockets waits for an answer")]
pub async fn lookup_host(_: (&str, u16)) -> io::Result<Empty<SocketAddr>> {
    Err(io::ErrorKind::Unsupported.into())
}

impl TcpStream {
    #[expect(clippy::unused_async, reason = "a system with sockets waits for the other side")]
    pub async fn connect(_: SocketAddr) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn set_nodelay(&self, _: bool) -> io::Result<()> {
        match self.0 {}
    }

    pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
        match self.0 {}
    }

    pub fn try_write(&self, _: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

impl AsyncRead for TcpStream {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.0 {}
    }
}

impl AsyncWrite for TcpStream {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        match self.0 {}
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.0 {}
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.0 {}
    }
}
