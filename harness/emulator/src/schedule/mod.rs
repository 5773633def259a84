//! Who runs when: computers are values that are stepped, and have no threads of their own.
//!
//! [`Pool`] steps them on a few threads in real time, in the [`Order`] in which they become ready; [`Simulation`] steps
//! them on one thread, in virtual time and in an order that a seed decides. A [`Scheduler`] is either. What a step is,
//! and when it ends, is known to [`crate::machine`] alone.

mod order;
mod pool;
mod scheduler;
mod simulation;

pub use order::{Order, Turn};
pub use pool::Pool;
pub use scheduler::Scheduler;
pub use simulation::{Simulation, Standstill};
