//! Computers in virtual time, inside this process: many worlds on one thread, with one clock and one network.
//!
//! In reading order: [`Simulation`] is what computers are booted in, and its `drive` makes them run; [`Ports`] is the
//! network; [`SimulatedProcess`] stands where an emulator's process would. All of it belongs to one runtime of tokio
//! with one thread and a paused clock, which moves on when everybody waits.

mod drive;
mod ports;
mod process;

pub use drive::Simulation;
pub use ports::{Closed, Dial, Ports};
pub use process::SimulatedProcess;
