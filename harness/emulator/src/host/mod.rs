//! What a computer offers to its bios: the natives, in safe Rust, and the state that they act on.
//!
//! Start with [`Host`]; each API of the computer has a file of its own with its natives at the end.
//! Names, arguments and error texts are those of CraftOS-PC's natives.
#![expect(clippy::unnecessary_wraps, reason = "every native has one signature, also those that cannot fail")]

mod arguments;
mod attached;
mod clock;
mod config_api;
mod file_methods;
mod files;
mod http;
mod mounter;
mod output;
mod periphemu;
mod peripheral;
mod redstone;
mod sockets;
mod system;
mod term;
mod timers;

mod state;

pub use arguments::Arguments;
pub use attached::{AttachError, Attachment, Devices, Peripheral};
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
    ("mounter", mounter::NATIVES),
    ("os", system::NATIVES),
    ("peripheral", peripheral::NATIVES),
    ("periphemu", periphemu::NATIVES),
    ("redstone", redstone::NATIVES),
    ("rs", redstone::NATIVES),
    ("term", term::NATIVES),
];

/// The methods of everything that a program gets a handle on.
pub const HANDLES: &[&[Native]] =
    &[file_methods::READING, file_methods::WRITING, file_methods::PLACING, http::RESPONSE, sockets::METHODS];
