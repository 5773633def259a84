//! Sessions of the handshake era over HTTP: who is there, and on which stream each message goes out.
//!
//! The SDK has a session manager of its own. This one is here for what that cannot do: it bounds the number of
//! sessions, it ends the calls of a client that went away, and it answers a call in one write (docs/ARCHITECTURE.md
//! has the figures). Parsing, dispatch and the HTTP rules stay the SDK's.
//!
//! - [`manager`]: all sessions; [`session`]: one of them, and its transport; [`outlet`]: one stream of messages.

pub mod manager;
pub mod outlet;
pub mod session;

pub use manager::Sessions;
pub use session::RelatedTo;
