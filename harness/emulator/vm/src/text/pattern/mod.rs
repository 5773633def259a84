//! Lua's patterns: `find`, `match`, `gmatch` and `gsub` without their arguments and callbacks.
//!
//! A [`Matcher`] runs for as long as its budget lasts and goes on later: it keeps what it may still try on a stack of its
//! own. It holds no text; the caller gives subject and pattern to each step, and they must stay the same.
//!
//! - `matcher`: the search itself.
//! - `item`: the parts of a pattern, as they are read.
//! - [`class`]: sets of bytes.
//! - [`replacement`]: the replacement texts of `gsub`.
//! - [`plain`]: searches without any pattern.

pub mod class;
mod error;
mod item;
mod matcher;
pub mod plain;
pub mod replacement;

pub use error::PatternError;
pub use matcher::{Anchor, Capture, MAX_CAPTURES, Matcher, Progress};
