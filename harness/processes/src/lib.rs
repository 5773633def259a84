//! Child processes: each has a process group, and a supervisor that learns of its end at once.
//!
//! A map, in reading order:
//!
//! - [`status`]: how a process ended, and the words for it.
//! - [`child`]: a process with its supervisor; asking it to end, killing it, waiting for it.
//! - [`kept`]: the end of what a process wrote.
//! - [`drained`]: a process whose output is read from the start, for programs that are only watched.
//!
//! What a process says on its pipes is the business of whoever started it.

pub mod child;
pub mod drained;
pub mod kept;
pub mod status;

pub use child::{Child, GroupWatcher, Pipes};
pub use drained::Drained;
pub use kept::Kept;
pub use status::Status;
