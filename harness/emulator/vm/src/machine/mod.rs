//! The machine: frames, the loop that runs instructions, and what happens where an instruction is not enough.
//!
//! `state` owns everything, `run` is the loop, `slow` has what metamethods do, `concat` joins texts, `call` begins and ends calls, `unwind`
//! handles errors, `names` finds what a message calls a value, `hooks` runs hooks,
//! `coverage` counts lines, `garbage` says when to collect, `watch` stops before them, `standing` says at which one a program waits.

mod call;
mod concat;
mod cont;
mod coroutine;
mod coverage;
mod embed;
mod garbage;
mod hooks;
mod names;
mod native;
pub mod number;
mod run;
mod slow;
mod standing;
mod state;
mod thread;
mod unwind;
mod watch;

pub use cont::Cont;
pub use names::{Info, Level};
pub use native::{Call, Host, NoHost, Outcome};
pub use standing::Standing;
pub use state::{Run, State};
pub use thread::{Hook, Status, Thread};
pub use watch::{Place, Watched};

/// The frame is a native's.
pub const NO_CLOSURE: u32 = u32::MAX;
