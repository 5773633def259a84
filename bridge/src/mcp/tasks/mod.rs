//! The Tasks extension, for clients that declare it. A task is a job under another name, so that it outlives client, link
//! and bridge as every job does.
//!
//! - [`begin`]: calls that become tasks; [`state`]: what became of them, what they ask, and how they are cancelled.
//! - [`subscribed`]: who hears of it without asking.

pub mod begin;
pub mod state;
pub mod subscribed;

pub use begin::{are_known, call, exec};
pub use state::{cancel, detailed, get, update};
