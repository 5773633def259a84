//! The text algorithms of the machine, on bytes alone: nothing here knows a value of Lua, calls Lua or allocates without
//! saying how much.
//!
//! - [`number`]: numbers to text and back, and the numerals of source code.
//! - [`mod@format`]: `string.format`, one directive at a time.
//! - [`float`]: what `format` prints for `%e`, `%f`, `%g` and `%a`.
//! - [`pattern`]: patterns, as a search that pauses and goes on.
//! - [`pack`]: `string.pack` and its like, one option at a time.
//! - [`utf8`]: codes to bytes and back, and the walks through them.
//! - [`bytes`]: positions, changing, repeating and comparing.
//! - [`meter`]: how work is counted.

pub mod bytes;
pub mod float;
pub mod format;
pub mod meter;
pub mod number;
pub mod pack;
pub mod pattern;
mod scratch;
pub mod utf8;
