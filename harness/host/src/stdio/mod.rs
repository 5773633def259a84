//! A server that is a program: its process, what it prints, and MCP on its stdin and stdout.
//!
//! - [`process`]: how its process is started.
//! - [`kept`]: the last lines of what it wrote, for messages.
//! - [`lines`]: lines of a bounded length.
//! - [`transport`]: messages, whatever else is printed between them.

pub mod kept;
pub mod lines;
pub mod process;
pub mod transport;

pub use kept::last_lines;
pub use process::{SpawnError, start};
pub use transport::{Pipe, StdioTransport};
