//! The sockets of the system.

pub use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
pub use tokio::net::{TcpStream, lookup_host};
