//! The replacement texts of `gsub`: plain bytes, and `%` with a digit for a capture.

use std::ops::Range;

use memchr::memchr;

use super::PatternError;

/// What `%` in front of anything but a digit means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// The byte itself, and a byte of value 0 at the end of the text: CraftOS-PC.
    Loose,
    /// An error, but for `%%`: the manual.
    Strict,
}

/// A part of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplacementPiece {
    /// Bytes of the text that are copied; the next piece begins at `next`.
    Literal { text: Range<usize>, next: usize },
    /// A byte of value 0, which stands in no text.
    Zero { next: usize },
    /// `%0`: all that was matched.
    Whole { next: usize },
    /// `%1` to `%9`: a capture, counted from 0.
    Capture { index: usize, next: usize },
}

/// The piece of `text` that begins at `at`; none at its end.
pub fn next_piece(
    text: &[u8],
    at: usize,
    escapes: Escapes,
) -> Result<Option<ReplacementPiece>, PatternError> {
    let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) else { return Ok(None) };
    let plain = memchr(b'%', rest).unwrap_or(rest.len());
    if plain > 0 {
        return Ok(Some(ReplacementPiece::Literal { text: at..at + plain, next: at + plain }));
    }
    let next = at + 2;
    Ok(Some(match rest.get(1) {
        Some(b'0') => ReplacementPiece::Whole { next },
        Some(digit @ b'1'..=b'9') => ReplacementPiece::Capture { index: usize::from(digit - b'1'), next },
        Some(b'%') => ReplacementPiece::Literal { text: at + 1..next, next },
        _ if escapes == Escapes::Strict => return Err(PatternError::ReplacementEscape),
        Some(_) => ReplacementPiece::Literal { text: at + 1..next, next },
        None => ReplacementPiece::Zero { next },
    }))
}
