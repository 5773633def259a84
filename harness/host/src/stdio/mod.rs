//! A server that is a program: its process, what it prints, and MCP on its stdin and stdout.
//!
//! - [`process`]: its process group, from the start to an end in order.
//! - [`kept`]: the last of what it wrote, for messages.
//! - [`lines`]: lines of a bounded length.
//! - [`transport`]: messages, whatever else is printed between them.

pub mod kept;
pub mod lines;
pub mod process;
pub mod transport;

pub use kept::Kept;
pub use process::{Process, SpawnError};
pub use transport::{Pipe, StdioTransport};
