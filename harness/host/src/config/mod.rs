//! Which servers there are: the files of several hosts, in one order, read strictly. Starting them is not its concern.
//!
//! - [`resolve`]: which file counts for a folder, and what it shadows.
//! - [`dialect`]: whose file it is, and so where in it the servers are and how its variables are written.
//! - [`entry`] and [`expand`]: one server of a file, and the variables in it.
//! - [`document`] and [`problem`]: JSON with positions, and what is wrong where.

pub mod dialect;
pub mod document;
pub mod entry;
pub mod expand;
pub mod problem;
pub mod resolve;
pub mod surroundings;

pub use dialect::Dialect;
pub use problem::Problem;
pub use resolve::{ConfigError, Configuration, Entry};
pub use surroundings::Surroundings;
