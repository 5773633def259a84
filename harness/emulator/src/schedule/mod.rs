//! Who runs when: computers are values that are stepped, and have no threads of their own.
//!
//! Start with [`Pool`], which steps them on a few threads; [`Order`] is its list of who is ready, who waits and who
//! has not begun. What a step is, and when it ends, is known to [`crate::machine`] alone.

mod order;
mod pool;

pub use order::{Order, Turn};
pub use pool::Pool;
