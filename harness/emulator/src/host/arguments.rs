//! Checks of arguments, with the texts that programs on a computer know.

use crate::lua::{Call, Raise};

/// Arguments that must have a type.
pub trait Arguments {
    /// A string, or a number as text.
    fn text(&self, index: usize) -> Result<Vec<u8>, Raise>;
    fn text_or_nil(&self, index: usize) -> Result<Option<Vec<u8>>, Raise>;
    fn float(&self, index: usize) -> Result<f64, Raise>;
    fn float_or(&self, index: usize, default: f64) -> Result<f64, Raise>;
    /// A number without its fraction, within the range of the type.
    fn integer(&self, index: usize) -> Result<i32, Raise>;
    fn flag(&self, index: usize) -> Result<bool, Raise>;
    /// `bad argument #1 (expected string, got nil)`.
    fn unexpected(&self, index: usize, expected: &str) -> Raise;
}

impl Arguments for Call<'_> {
    fn text(&self, index: usize) -> Result<Vec<u8>, Raise> {
        self.bytes(index).ok_or_else(|| self.unexpected(index, "string"))
    }

    fn text_or_nil(&self, index: usize) -> Result<Option<Vec<u8>>, Raise> {
        if self.is_nil(index) {
            Ok(None)
        } else {
            self.text(index).map(Some)
        }
    }

    fn float(&self, index: usize) -> Result<f64, Raise> {
        self.number(index).ok_or_else(|| self.unexpected(index, "number"))
    }

    fn float_or(&self, index: usize, default: f64) -> Result<f64, Raise> {
        if self.is_nil(index) {
            Ok(default)
        } else {
            self.float(index)
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "positions past the range are off every screen: saturating is right"
    )]
    fn integer(&self, index: usize) -> Result<i32, Raise> {
        self.float(index).map(|number| number.floor() as i32)
    }

    fn flag(&self, index: usize) -> Result<bool, Raise> {
        self.boolean(index)
            .ok_or_else(|| self.unexpected(index, "boolean"))
    }

    fn unexpected(&self, index: usize, expected: &str) -> Raise {
        Raise::new(format!(
            "bad argument #{index} (expected {expected}, got {})",
            self.type_text(index)
        ))
    }
}
