//! What surrounds a simulated world: a time that goes on while no computer runs, and a network of its own.
//!
//! A world alone has neither: its time is that of its computers, and they have no `http`. Whoever simulates more than
//! computers implements [`Surroundings`] and runs the world whenever its time has come.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::AbortHandle;

use crate::time::Moment;

/// Something that is done later.
pub type Later<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Bytes in both directions.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin + fmt::Debug {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + fmt::Debug> Duplex for T {}

/// A time and a network around a simulated world. All of it runs on the thread that steps the computers.
pub trait Surroundings: fmt::Debug + Send + Sync {
    /// How far the time around the world has come. What happens to a computer from outside happens at that time.
    fn now(&self) -> Moment;

    /// Tells that a computer has something to do now, while none was being stepped.
    fn wake(&self);

    /// Runs a task of the network on a runtime whose clock is the time around the world.
    fn spawn(&self, task: Later<()>) -> AbortHandle;

    /// Connects to an address, which the rules of the world allow.
    fn connect(&self, address: SocketAddr) -> Later<io::Result<Box<dyn Duplex>>>;

    /// The addresses of a name: none but this machine's own has any, unless the surroundings say so.
    fn resolve(&self, name: &str) -> Vec<IpAddr> {
        if name == "localhost" { vec![Ipv4Addr::LOCALHOST.into()] } else { Vec::new() }
    }
}
