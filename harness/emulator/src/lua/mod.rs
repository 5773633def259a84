//! The Lua of one computer: the machine of `craftos-lua` with the computer's natives.
//!
//! It knows nothing of terminals, files or sockets: those are natives, in [`crate::host`].

mod call;
mod code;
mod convert;
mod handles;
mod natives;
mod queue;
mod state;
mod template;
mod value;
mod watchdog;

pub use call::Call;
pub use craftos_lua::Standing;
pub use natives::{Native, NativeFn, NativeResult};
pub use queue::Packed;
pub use state::{Arguments, Context, LineCounts, LuaStartError, Resumed, Start, State};
pub use template::Template;
pub use value::{Handle, Raise, Table, Value, format_number};
pub use watchdog::Watchdog;
