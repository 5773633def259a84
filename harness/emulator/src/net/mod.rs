//! The network for computers: which addresses they may reach, requests over HTTP, `WebSockets`.
//!
//! Everything here runs on one thread of its own, which starts with the first request; only the frames of plain
//! `WebSockets` are mostly written by the thread of the computer that sends them. Nothing here knows of Lua: the natives
//! are in [`crate::host`]. Encryption is the feature `tls`: the only part of the emulator that needs a C compiler.
//! Where the system has no sockets, computers reach what surrounds their world.

mod budget;
mod connect;
mod fetch;
mod frames;
mod handshake;
mod rules;
mod runtime;
#[cfg_attr(target_family = "wasm", path = "no_sockets.rs")]
mod sockets;
#[cfg_attr(not(feature = "tls"), path = "no_trust.rs")]
mod trust;
mod websocket;
mod wire;

pub use budget::{Budget, Charge};
pub use connect::{NetError, Stream, check};
pub use fetch::{Fetch, Fetched, fetch, parse, reason};
pub use rules::Rules;
pub use runtime::spawn;
pub use trust::{Trust, TrustError};
pub use websocket::{Link, LinkEvent, LinkRequest, Sent, open, settle};

/// What requests say that they come from.
pub const USER_AGENT: &str = concat!("computercraft/1.112.0 embedded-craftos/", env!("CARGO_PKG_VERSION"));
