//! What a scenario plays on: a bridge, the proxy before it, a client, and computers on one emulator.
//!
//! - `set`: the stage itself, how it is set up, and who stands on it.
//! - `error`: what goes wrong on it.
//! - `server`: the bridge, and what is asked of it and of other servers.
//! - `power`: computers are booted, rebooted and turned off.
//! - `waits`: waiting for what happens to a link.
//! - `deaths`: an emulator or a bridge that died ends every wait at once.

mod deaths;
mod error;
mod power;
mod server;
mod set;
mod waits;

pub use error::StageError;
pub(crate) use set::check;
pub use set::{ADDRESS, Stage};
pub use waits::LINK_PATIENCE;
