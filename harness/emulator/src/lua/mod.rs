//! The Lua machine: one state for each computer, its allocator, and the bridge to natives in safe Rust.
//!
//! It knows nothing of terminals, files or sockets: those are natives, in [`crate::host`].
//! All of this crate's calls into Lua's C interface stand in this folder.

mod alarm;
mod alloc;
mod arena;
mod bytecode;
mod call;
mod convert;
mod coroutines;
mod dispatch;
mod escapes;
mod hook;
mod large;
mod messages;
mod pattern;
mod pieces;
mod quick;
mod sort;
mod state;
mod strings;
mod trampoline;
mod value;

pub use alloc::Memory;
pub use call::Call;
pub use hook::Watchdog;
pub use state::{Arguments, LuaStartError, Resumed, Start, State};
pub use trampoline::{Native, NativeFn, NativeResult};
pub use value::{Handle, Raise, Table, Value, format_number};

pub(crate) use trampoline::Context;
