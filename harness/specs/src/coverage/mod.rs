//! Which lines of a project's Lua its specs run.
//!
//! `counted` gathers what the emulators count, under the names that the computers have for files; `report` sets it
//! against the project's own files, with `lines` for those that could run and `exclude` for what is left out; `lcov`
//! and `show` write it down.

mod counted;
mod exclude;
mod lcov;
mod lines;
mod report;
mod show;

pub use counted::{Counted, CountedError};
pub use exclude::Exclude;
pub use lcov::lcov;
pub use report::{Coverage, FileCoverage};
pub use show::{ranges, table};
