//! What a computer offers to its bios: the natives, in safe Rust, and the state that they act on.
//!
//! Start with [`Host`]; each API of the computer has a file of its own with its natives at the end.
//! Names, arguments and error texts are those of CraftOS-PC's natives.
#![expect(
    clippy::unnecessary_wraps,
    reason = "every native has one signature, also those that cannot fail"
)]

mod arguments;
mod attached;
mod clock;
mod config_api;
mod file_methods;
mod files;
mod http;
mod mounter;
mod output;
mod packing;
mod periphemu;
mod peripheral;
mod random;
mod redstone;
mod sockets;
mod system;
mod term;
mod timers;
mod utf8;

mod state;

pub use arguments::Arguments;
pub use clock::Clock;
pub use output::{Output, Sink};
pub use state::{Host, HostSetup, Power};
pub use timers::Timers;

use crate::lua::Native;

/// The tables of natives that become globals.
pub const MODULES: &[(&str, &[Native])] = &[
    ("config", config_api::NATIVES),
    ("fs", files::NATIVES),
    ("http", http::NATIVES),
    ("math", random::NATIVES),
    ("mounter", mounter::NATIVES),
    ("os", system::NATIVES),
    ("peripheral", peripheral::NATIVES),
    ("periphemu", periphemu::NATIVES),
    ("redstone", redstone::NATIVES),
    ("rs", redstone::NATIVES),
    ("string", packing::NATIVES),
    ("term", term::NATIVES),
    ("utf8", utf8::NATIVES),
];
