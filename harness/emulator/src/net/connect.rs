//! Connections: resolves a name, checks each address against the rules, connects to one that was checked.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};

use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use url::{Host, Url};

use super::sockets::{TcpStream, lookup_host};
use super::{Rules, Trust};
use crate::surroundings::Duplex;

/// Why something on the network failed, in the words that programs on a computer know.
#[derive(Debug, Error)]
pub enum NetError {
    #[error("Must specify http or https")]
    NoScheme,
    #[error("Invalid protocol '{0}'")]
    Protocol(String),
    #[error("Invalid scheme '{0}'")]
    Scheme(String),
    #[error("URL malformed")]
    Malformed,
    #[error("Domain not permitted")]
    Denied,
    #[error("Host not found")]
    NotFound,
    #[error("Host not found: {0}")]
    NotFoundName(String),
    #[error("Connection refused")]
    Refused,
    #[error("Timed out")]
    TimedOut,
    #[error("Timeout")]
    Timeout,
    #[error("Too many redirects")]
    Redirects,
    #[error("Response is too large")]
    TooLarge,
    #[error("No message received")]
    NoAnswer,
    #[error("WebSocket Exception: {0}")]
    WebSocket(String),
    #[error("SSL connection failed: {0}")]
    Tls(String),
    #[error("{0}")]
    Io(String),
}

impl From<io::Error> for NetError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Self::Refused,
            io::ErrorKind::TimedOut => Self::TimedOut,
            io::ErrorKind::UnexpectedEof => Self::NoAnswer,
            _ => Self::Io(error.to_string()),
        }
    }
}

/// A connection.
#[derive(Debug)]
pub enum Stream {
    Plain(TcpStream),
    /// One that is encrypted, or of a simulation: only the network's tasks may use it.
    Other(Box<dyn Duplex>),
}

/// Connects to the host of a URL.
pub async fn connect(url: &Url, rules: &Rules) -> Result<Stream, NetError> {
    let encrypted = matches!(url.scheme(), "https" | "wss");
    let port = url.port_or_known_default().ok_or(NetError::Malformed)?;
    let host = url.host().ok_or(NetError::NotFound)?;
    let name = host.to_string();
    let addresses: Vec<IpAddr> = match host {
        Host::Ipv4(address) => vec![address.into()],
        Host::Ipv6(address) => vec![address.into()],
        Host::Domain(domain) => {
            if rules.denies_host(domain) {
                return Err(NetError::Denied);
            }
            resolve(domain, port, rules).await.ok_or(NetError::NotFound)?
        }
    };
    if addresses.is_empty() {
        return Err(NetError::NotFound);
    }
    let mut failure = NetError::Denied;
    for address in addresses.into_iter().filter(|address| rules.allows(&name, *address)) {
        let address = SocketAddr::new(address, port);
        if let Some(network) = rules.network() {
            match network.connect(address).await {
                // Nothing in a simulation has a certificate.
                Ok(_) if encrypted => return Err(NetError::Tls("this network has no encryption".to_owned())),
                Ok(stream) => return Ok(Stream::Other(stream)),
                Err(error) => failure = error.into(),
            }
            continue;
        }
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // Frames are small and wait for nobody.
                stream.set_nodelay(true)?;
                return if encrypted {
                    let trust = rules.trust().unwrap_or_else(|| Trust::usual());
                    trust.secure(stream, &host).await.map(Stream::Other)
                } else {
                    Ok(Stream::Plain(stream))
                };
            }
            Err(error) => failure = error.into(),
        }
    }
    Err(failure)
}

/// Checks a URL against the rules without connecting.
pub async fn check(url: &Url, rules: &Rules) -> Result<(), NetError> {
    let host = url.host_str().ok_or(NetError::NotFound)?;
    if rules.denies_host(host) {
        return Err(NetError::Denied);
    }
    let port = url.port_or_known_default().ok_or(NetError::Malformed)?;
    let name = host.trim_matches(['[', ']']);
    // A name that has no address now may have one later: requests ask again.
    let Some(found) = resolve(name, port, rules).await else {
        return Ok(());
    };
    if found.iter().any(|address| rules.allows(host, *address)) { Ok(()) } else { Err(NetError::Denied) }
}

/// The addresses of a name, or of an address that is written as one.
async fn resolve(name: &str, port: u16, rules: &Rules) -> Option<Vec<IpAddr>> {
    match rules.network() {
        Some(network) => {
            let literal = name.parse().ok().map(|address| vec![address]);
            literal.or_else(|| Some(network.resolve(name)).filter(|found| !found.is_empty()))
        }
        None => Some(lookup_host((name, port)).await.ok()?.map(|address| address.ip()).collect()),
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Other(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Other(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Other(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Other(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
