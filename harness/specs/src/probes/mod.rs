//! Probes: small Lua programs that show what an emulator does. Each runs on a bare computer, without the runner of specs,
//! and has to print what is recorded beside it.
//!
//! In reading order: [`Probe`], how they are [`found`](all); `play`, which runs one on every emulator; `recorded`, the
//! texts beside them; `server`, what they may talk to.

mod differ;
mod find;
mod play;
mod recorded;
mod server;

pub use find::{FindError, Probe, all};
pub use play::{Playing, ProbeError};
pub use server::{Server, ServerError};
