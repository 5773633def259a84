//! How the HTTP client gets its connections: over the machine's network, or in a way that it is given.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tower_service::Service;

type Failure = Box<dyn std::error::Error + Send + Sync>;
type Later<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Bytes in both directions.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Connects to the host and port of an address in another way than over the machine's network.
#[derive(Clone)]
pub struct Dialer(Arc<dyn Fn(Uri) -> Later<io::Result<Box<dyn Duplex>>> + Send + Sync>);

impl Dialer {
    pub fn new<F>(dial: impl Fn(Uri) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = io::Result<Box<dyn Duplex>>> + Send + 'static,
    {
        Self(Arc::new(move |uri| Box::pin(dial(uri))))
    }
}

impl fmt::Debug for Dialer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dialer")
    }
}

/// Either way.
#[derive(Debug, Clone)]
pub enum Connector {
    Network(HttpsConnector<HttpConnector>),
    Given(Dialer),
}

/// A connection of either way.
pub enum Stream {
    Network(MaybeHttpsStream<TokioIo<TcpStream>>),
    Given(TokioIo<Box<dyn Duplex>>),
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = Failure;
    type Future = Later<Result<Stream, Failure>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        match self {
            Self::Network(connector) => connector.poll_ready(context),
            Self::Given(_) => Poll::Ready(Ok(())),
        }
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        match self {
            Self::Network(connector) => {
                let connecting = connector.call(uri);
                Box::pin(async move { connecting.await.map(Stream::Network) })
            }
            Self::Given(Dialer(dial)) => {
                let connecting = dial(uri);
                Box::pin(async move { Ok(Stream::Given(TokioIo::new(connecting.await?))) })
            }
        }
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        match self {
            Self::Network(stream) => stream.connected(),
            Self::Given(_) => Connected::new(),
        }
    }
}

impl Read for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Network(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Given(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl Write for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Network(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Given(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Network(stream) => Pin::new(stream).poll_flush(context),
            Self::Given(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Network(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Given(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Network(_) => "Network",
            Self::Given(_) => "Given",
        })
    }
}
