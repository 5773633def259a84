//! `embedded-craftos`: headless `ComputerCraft` computers, many in one process.
//!
//! In reading order: [`emulator`] is what a Rust program uses, [`cli`] and [`run`] make the program of it, with [`ids`] and
//! [`confine`], the second wall around it;
//! [`options`] and [`config`] say what computers are made from; [`world`] is what they share, [`airwaves`] their modems,
//! [`time`] their clock, [`random`] their chances by seed, [`faults`] what goes wrong, [`surroundings`] what a simulated world has around it; [`boot`] starts them, [`schedule`] says who runs when, [`machine`] is one of them, [`coverage`] writes which lines it ran; [`host`] has the natives of the computer's APIs, over [`fs`], [`screen`] and
//! [`net`]; [`lua`] is the machine below all of it; `windows` asks that system what the standard library does not, `allocator` tells glibc's how to return memory. Start with [`emulator::Emulator`]. For WebAssembly there is the library, without the program and without sockets.

pub mod airwaves;
mod allocator;
pub mod boot;
#[cfg(not(target_family = "wasm"))]
pub mod cli;
pub mod config;
pub mod confine;
pub mod coverage;
pub mod emulator;
pub mod faults;
pub mod fs;
pub mod host;
pub mod ids;
pub mod lua;
pub mod machine;
pub mod net;
pub mod options;
pub mod random;
#[cfg(not(target_family = "wasm"))]
pub mod run;
pub mod schedule;
pub mod screen;
pub mod surroundings;
pub mod time;
#[cfg(windows)]
mod windows;
pub mod world;

pub use emulator::{Computer, Emulator};
pub use faults::{Fault, FaultKind, Faults, Injected};
pub use host::{AttachError, Attachment, Peripheral};
pub use lua::Standing;
pub use machine::Exit;
pub use options::{MountOption, Options};
pub use random::Random;
pub use schedule::Standstill;
pub use surroundings::Surroundings;
