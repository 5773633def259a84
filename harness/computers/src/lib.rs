//! Computers without MCP: finds emulators, boots computers on them, and drives them.
//!
//! A map, in reading order; start with [`computer`].
//!
//! - [`emulators`]: what a computer can run on, how it is found, and the roles that the program plays for itself.
//! - [`scratch`]: temporary folders that go away with the harness, and the janitor that sees to it.
//! - [`computer`]: one computer with its folder and its process, its commands, waits and exit.
//! - [`simulation`]: computers in virtual time, inside this process.
//!
//! `embedded-craftos` emulates a computer, `child-processes` watches processes; bridges, clients and scenarios belong to
//! the harness.

pub mod computer;
pub mod emulators;
pub mod scratch;
pub mod simulation;
