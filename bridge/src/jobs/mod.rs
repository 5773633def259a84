//! Jobs: chunks of Lua that belong to the bridge and not to a client, and outlive both.
//!
//! - [`record`]: what is known of a job; [`store`]: all of them, on disk; [`asks`]: what they ask.
//! - [`keeper`]: starts them, asks computers what became of them, and has their results before a computer forgets them.

pub mod asks;
pub mod keeper;
pub mod record;
pub mod store;

pub use keeper::{Keeper, Work};
pub use record::{Record, State};
pub use store::{Store, StoreError};
