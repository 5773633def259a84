//! Plays computers against a bridge's link port, and a client of its MCP side where there is one.
//!
//! - `subject`: the bridge that is checked, and links to it.
//! - `greeting`: upgrade and hello; `requests`, `parts` and `talk`: what a bridge asks and hears; `ending`: how
//!   links end.

mod ending;
mod greeting;
mod parts;
mod requests;
mod subject;
mod talk;

pub use subject::{Subject, Times, check};
