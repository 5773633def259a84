//! What goes wrong in a world: messages of modems, the disk, requests, clocks, computers.
//!
//! [`Faults`] are the dials, off unless they are turned; [`Fault`] is one concrete fault; [`Injector`] decides at each
//! occasion, by the seed or by a plan, and lists what it did. It acts on nothing itself: modems, files and computers ask it.

mod dials;
mod fault;
mod file;
mod injector;
mod numbers;

pub use dials::{ClockDials, DiskDials, Faults, FaultsError, HttpDials, ModemDials, PowerDials};
pub use fault::{Fault, FaultKind, Injected};
pub use file::{FaultsFileError, read};
pub use injector::{AtYield, Delivery, Injector};
pub use numbers::{Chance, Span};
