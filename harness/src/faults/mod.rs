//! What goes wrong on purpose, and what has to hold all the same.
//!
//! In reading order: [`Profile`] says which faults there are, [`Plan`] which of them happen when, with the calls that are
//! made meanwhile; [`play()`] plays a plan on a stage, in virtual or in real time; `inject` makes the faults happen,
//! `calls` makes the calls, `invariants` says what was violated; [`shrink()`] finds the least of a plan that still fails,
//! and [`written`] is that plan in a scenario's file.

mod calls;
mod inject;
mod invariants;
mod plan;
mod play;
mod profile;
mod shrink;
mod written;

pub use invariants::Violation;
pub use plan::{Call, Fault, Kind, Plan, Then, Towards};
pub use play::{Given, play};
pub use profile::Profile;
pub use shrink::shrink;
pub use written::written;
