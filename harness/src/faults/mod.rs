//! What goes wrong on purpose, and what has to hold all the same.
//!
//! In reading order: [`Profile`] says which faults there are, [`Fault`] is one of them, [`Plan`] says which happen when, with
//! the calls that are made meanwhile; [`play()`] plays a plan on a stage, in virtual or in real time; `inject` makes the
//! faults happen, `calls` makes the calls, `watch` looks all the time at what has to hold: `invariants`, and what `users`
//! want; [`shrink()`] finds the least of a plan that still fails, and [`written`] is that plan in a scenario's file.

mod calls;
mod fault;
mod inject;
mod invariants;
mod plan;
mod play;
mod profile;
mod shrink;
mod users;
mod watch;
mod written;

pub use fault::{Fault, Kind, Towards};
pub use invariants::Violation;
pub use plan::{Call, Plan, Then};
pub use play::{Given, Wrong, play};
pub use profile::Profile;
pub use shrink::{shrink, shrink_computers};
pub use users::{Invariant, When};
pub use written::written;
