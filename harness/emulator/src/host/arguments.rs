//! Checks of arguments, with the texts that programs on a computer know.

use crate::lua::{Call, Raise};

/// Arguments that must have a type.
pub trait Arguments {
    /// A string; where arguments are not strict, a number as text.
    fn text(&self, index: usize) -> Result<Vec<u8>, Raise>;
    fn text_or_nil(&self, index: usize) -> Result<Option<Vec<u8>>, Raise>;
    /// A number; where arguments are not strict, text that Lua reads as one.
    fn float(&self, index: usize) -> Result<f64, Raise>;
    fn float_or(&self, index: usize, default: f64) -> Result<f64, Raise>;
    /// The same, or nothing.
    fn number_or_text(&self, index: usize) -> Option<f64>;
    /// A number without its fraction, within the range of the type.
    fn integer(&self, index: usize) -> Result<i32, Raise>;
    fn flag(&self, index: usize) -> Result<bool, Raise>;
    /// `bad argument #1 (expected string, got nil)`; in the game `string expected`.
    fn unexpected(&self, index: usize, expected: &str) -> Raise;
}

impl Arguments for Call<'_> {
    fn text(&self, index: usize) -> Result<Vec<u8>, Raise> {
        let text = self.bytes(index).filter(|_| !self.is_strict() || self.number(index).is_none());
        text.ok_or_else(|| self.unexpected(index, "string"))
    }

    fn text_or_nil(&self, index: usize) -> Result<Option<Vec<u8>>, Raise> {
        if self.is_nil(index) { Ok(None) } else { self.text(index).map(Some) }
    }

    fn float(&self, index: usize) -> Result<f64, Raise> {
        self.number_or_text(index).ok_or_else(|| self.unexpected(index, "number"))
    }

    fn float_or(&self, index: usize, default: f64) -> Result<f64, Raise> {
        if self.is_nil(index) { Ok(default) } else { self.float(index) }
    }

    fn number_or_text(&self, index: usize) -> Option<f64> {
        let number = self.number(index);
        if self.is_strict() { number } else { number.or_else(|| parse_number(&self.bytes(index)?)) }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "positions past the range are off every screen: saturating is right"
    )]
    fn integer(&self, index: usize) -> Result<i32, Raise> {
        self.float(index).map(|number| number.floor() as i32)
    }

    fn flag(&self, index: usize) -> Result<bool, Raise> {
        self.boolean(index).ok_or_else(|| self.unexpected(index, "boolean"))
    }

    fn unexpected(&self, index: usize, expected: &str) -> Raise {
        let got = self.type_text(index);
        Raise::new(if self.is_strict() {
            // The game takes what is missing for nil.
            let got = if got == "no value" { "nil" } else { &got };
            format!("bad argument #{index} ({expected} expected, got {got})")
        } else {
            format!("bad argument #{index} (expected {expected}, got {got})")
        })
    }
}

/// Reads a number as it stands in a program.
fn parse_number(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let digits = text.trim_start_matches(['+', '-']);
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let number = f64::from(u32::from_str_radix(hexadecimal, 16).ok()?);
        return Some(if text.starts_with('-') { -number } else { number });
    }
    // Words such as `inf` are numbers to Rust only.
    text.parse().ok().filter(|_| digits.starts_with(|first: char| first.is_ascii_digit() || first == '.'))
}

#[cfg(test)]
mod tests {
    use super::parse_number;

    #[test]
    fn text_is_a_number_where_lua_reads_one() {
        for (text, number) in [("12", 12.0), (" 1.5e1 ", 15.0), ("0x1F", 31.0), ("-0x10", -16.0), (".5", 0.5)]
        {
            assert_eq!(parse_number(text.as_bytes()), Some(number), "{text}");
        }
        for text in ["", "a", "inf", "nan", "-", "0x", "1 2"] {
            assert_eq!(parse_number(text.as_bytes()), None, "{text}");
        }
    }
}
