//! A Lua for ComputerCraft, in safe Rust.
//!
//! - [`text`]: what the machine does with numbers as text, formats, patterns, packed values and bytes.

#![forbid(unsafe_code)]

mod compile;
mod heap;
mod library;
mod machine;
pub mod text;
mod value;

pub use compile::{CompileError, Proto, compile};
pub use machine::{Call, Host, NoHost, Outcome, Run, State};
pub use value::{NativeId, StringId, TableId, ThreadId, Value};
