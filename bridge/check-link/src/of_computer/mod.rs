//! Plays a bridge for a computer that connects to the kit.
//!
//! - `subject`: the computer that is checked, and the order of its links; `link`: one of them, as the kit reads it.
//! - `chunks`, `parts` and `talk`: what is asked of it.

mod chunks;
mod link;
mod parts;
mod subject;
mod talk;

pub use subject::{Subject, check};
