//! What can be wrong with a pattern, found when a match gets there.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The messages are those of Lua, without its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PatternError {
    EndsWithPercent,
    MissingBracket,
    MissingBalance,
    MissingFrontierSet,
    TooManyCaptures,
    /// A `)` without a `(`.
    InvalidCapture,
    /// A `(` without a `)`, seen when the capture is asked for.
    UnfinishedCapture,
    /// A `%1` in a pattern whose capture is not there, or not finished.
    CaptureIndex(u8),
    /// A `%1` in a replacement whose capture is not there.
    ReplacementIndex,
    /// A `%` in a replacement in front of something else, where that is refused.
    ReplacementEscape,
    TooComplex,
}

impl fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::EndsWithPercent => "malformed pattern (ends with '%')",
            Self::MissingBracket => "malformed pattern (missing ']')",
            Self::MissingBalance => "malformed pattern (missing arguments to '%b')",
            Self::MissingFrontierSet => "missing '[' after '%f' in pattern",
            Self::TooManyCaptures => "too many captures",
            Self::InvalidCapture => "invalid pattern capture",
            Self::UnfinishedCapture => "unfinished capture",
            Self::CaptureIndex(index) => return write!(formatter, "invalid capture index %{index}"),
            Self::ReplacementIndex => "invalid capture index",
            Self::ReplacementEscape => "invalid use of '%' in replacement string",
            Self::TooComplex => "pattern too complex",
        })
    }
}

impl std::error::Error for PatternError {}
