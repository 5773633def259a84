//! `string.pack`, `string.packsize` and `string.unpack`, one option at a time: the caller fetches and checks arguments,
//! and pads with zeros as each option says.
//!
//! - [`Options`]: walks a format.
//! - [`values`]: numbers to bytes and back.

mod options;
pub mod values;

pub use options::{Kind, Options, PackError, PackOption};

/// More than this no format may ask for: it would fit no memory.
pub const MAX_SIZE: usize = isize::MAX as usize;

/// `string.packsize` of a format whose sum is over [`MAX_SIZE`]; about argument 1.
pub const RESULT_TOO_LARGE: &str = "format result too large";
/// `string.packsize` of `s` or `z`; about argument 1.
pub const VARIABLE_LENGTH: &str = "variable-length format";
/// `string.unpack` past the end of its data; about argument 2.
pub const DATA_TOO_SHORT: &str = "data string too short";
/// `string.unpack` of `z` without an end; about argument 2.
pub const UNFINISHED: &str = "unfinished string for format 'z'";
/// `string.unpack` with a position outside of its data; about argument 3.
pub const POSITION: &str = "initial position out of string";
/// `string.pack` of `z` and a text with a byte of value 0; about the text.
pub const CONTAINS_ZEROS: &str = "string contains zeros";
/// `string.pack` of `c` and a text that is too long; about the text.
pub const TOO_LONG: &str = "string longer than given size";
/// `string.pack` of `s1` and its like and a text whose length does not fit; about the text.
pub const LENGTH_TOO_LARGE: &str = "string length does not fit in given size";

/// The total of `string.packsize` after one more option.
pub fn add_size(total: usize, option: &PackOption) -> Result<usize, &'static str> {
    let more = option.padding + option.size;
    if total > MAX_SIZE.saturating_sub(more) {
        return Err(RESULT_TOO_LARGE);
    }
    match option.kind {
        Kind::Prefixed | Kind::Terminated => Err(VARIABLE_LENGTH),
        _ => Ok(total + more),
    }
}

/// Where the data of an option begins and ends that stands at `at` in data of `length` bytes, behind its padding.
pub fn data_range(
    at: usize,
    option: &PackOption,
    length: usize,
) -> Result<std::ops::Range<usize>, &'static str> {
    let from = at.checked_add(option.padding);
    let range = from.and_then(|from| Some(from..from.checked_add(option.size)?));
    range.filter(|range| range.end <= length).ok_or(DATA_TOO_SHORT)
}
