//! Scenarios in virtual time: computers, bridge and client on one thread, and a seed that decides every order.
//!
//! In reading order: [`mod@one`] plays a scenario with a seed; [`mod@many`] plays many, on all processors; [`seeds`] says which.
//! What a scenario is and how it is judged is the same as in real time: [`crate::scenario`] and [`crate::suite`].

pub mod many;
pub mod one;
pub mod seeds;

pub use many::{Plan, Played, Simulated, on_a_thread};
pub use one::{Once, One, simulate};
pub use seeds::{Seeds, SeedsError};
