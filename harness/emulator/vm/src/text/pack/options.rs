//! Reads the options of a format. Each takes a moment, however long the format is.

use super::values::Order;

/// What an option packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number with a sign.
    Signed,
    /// A whole number without a sign.
    Unsigned,
    /// A number of four bytes.
    Float,
    /// A number of eight bytes.
    Double,
    /// `c`: a text of a fixed size.
    Fixed,
    /// `s`: a text behind its length; the size is that of the length.
    Prefixed,
    /// `z`: a text that a byte of value 0 ends.
    Terminated,
    /// `x`: a byte of padding, without an argument.
    Padding,
    /// Nothing but the padding in front: `X`, and what only changes how others are read.
    Nothing,
}

/// An option: padding, then `size` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackOption {
    pub kind: Kind,
    pub size: usize,
    /// Bytes in front of it, for its alignment.
    pub padding: usize,
    pub order: Order,
}

/// Why a format is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackError {
    Size(usize),
    MissingSize,
    Unknown(u8),
    /// `X` in front of something that has no alignment.
    NothingToAlign,
    Alignment,
}

impl PackError {
    /// The message of Lua, without its position.
    pub fn message(self) -> Vec<u8> {
        match self {
            Self::Size(size) => {
                format!("integral size ({size}) out of limits [1,{MAX_INTEGER}]").into_bytes()
            }
            Self::MissingSize => b"missing size for format option 'c'".to_vec(),
            Self::Unknown(letter) => [b"invalid format option '", &[letter][..], b"'"].concat(),
            Self::NothingToAlign => b"invalid next option for option 'X'".to_vec(),
            Self::Alignment => b"format asks for alignment not power of 2".to_vec(),
        }
    }

    /// Whether the message is about argument 1, the format, and not an error of its own.
    pub fn is_about_argument(self) -> bool {
        matches!(self, Self::NothingToAlign | Self::Alignment)
    }
}

/// Whole numbers have up to 16 bytes, of which Lua's numbers fill eight.
const MAX_INTEGER: usize = 16;

/// `!` without a number: the largest alignment of C's types on the reference.
const NATIVE_ALIGNMENT: usize = 8;

/// Numbers in a format stop growing here; the next digit is read as an option, and refused. Lua's limit for a C `int`.
const DIGITS_LIMIT: usize = (i32::MAX as usize - 9) / 10;

/// Walks a format: the place in it, and what it has set so far.
#[derive(Clone, Debug)]
pub struct Options {
    at: usize,
    order: Order,
    most_alignment: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { at: 0, order: Order::Little, most_alignment: 1 }
    }
}

impl Options {
    /// The next option of `format`, for data that already has `total` bytes; none at the end.
    pub fn next(&mut self, format: &[u8], total: usize) -> Result<Option<PackOption>, PackError> {
        if self.is_over(format) {
            return Ok(None);
        }
        let aligns = format[self.at] == b'X';
        let (kind, size) = self.read(format)?;
        let (kind, size, alignment) = if aligns {
            if self.is_over(format) {
                return Err(PackError::NothingToAlign);
            }
            let (next, alignment) = self.read(format)?;
            if next == Kind::Fixed || alignment == 0 {
                return Err(PackError::NothingToAlign);
            }
            (Kind::Nothing, 0, alignment)
        } else {
            (kind, size, if kind == Kind::Fixed { 0 } else { size })
        };
        let padding = self.padding(alignment, total)?;
        Ok(Some(PackOption { kind, size, padding, order: self.order }))
    }

    /// A byte of value 0 ends a format, as in C.
    fn is_over(&self, format: &[u8]) -> bool {
        format.get(self.at).is_none_or(|byte| *byte == 0)
    }

    fn padding(&self, alignment: usize, total: usize) -> Result<usize, PackError> {
        if alignment <= 1 {
            return Ok(0);
        }
        let alignment = alignment.min(self.most_alignment);
        if !alignment.is_power_of_two() {
            return Err(PackError::Alignment);
        }
        Ok(total.wrapping_neg() & (alignment - 1))
    }

    /// Reads one option, its digits included: what it is, and its size.
    fn read(&mut self, format: &[u8]) -> Result<(Kind, usize), PackError> {
        let letter = format[self.at];
        self.at += 1;
        Ok(match letter {
            b'b' => (Kind::Signed, 1),
            b'B' => (Kind::Unsigned, 1),
            b'h' => (Kind::Signed, 2),
            b'H' => (Kind::Unsigned, 2),
            b'l' | b'j' => (Kind::Signed, 8),
            b'L' | b'J' | b'T' => (Kind::Unsigned, 8),
            b'i' => (Kind::Signed, self.size(format, 4)?),
            b'I' => (Kind::Unsigned, self.size(format, 4)?),
            b's' => (Kind::Prefixed, self.size(format, 8)?),
            b'f' => (Kind::Float, 4),
            b'd' | b'n' => (Kind::Double, 8),
            b'c' => (Kind::Fixed, self.digits(format).ok_or(PackError::MissingSize)?),
            b'z' => (Kind::Terminated, 0),
            b'x' => (Kind::Padding, 1),
            b'X' | b' ' => (Kind::Nothing, 0),
            b'<' | b'=' => self.set_order(Order::Little),
            b'>' => self.set_order(Order::Big),
            b'!' => {
                self.most_alignment = self.size(format, NATIVE_ALIGNMENT)?;
                (Kind::Nothing, 0)
            }
            _ => return Err(PackError::Unknown(letter)),
        })
    }

    fn set_order(&mut self, order: Order) -> (Kind, usize) {
        self.order = order;
        (Kind::Nothing, 0)
    }

    fn digits(&mut self, format: &[u8]) -> Option<usize> {
        let mut value = None;
        while value.is_none_or(|value| value <= DIGITS_LIMIT)
            && let Some(digit) = format.get(self.at).filter(|byte| byte.is_ascii_digit())
        {
            value = Some(value.unwrap_or(0) * 10 + usize::from(digit - b'0'));
            self.at += 1;
        }
        value
    }

    fn size(&mut self, format: &[u8], default: usize) -> Result<usize, PackError> {
        let size = self.digits(format).unwrap_or(default);
        if (1..=MAX_INTEGER).contains(&size) { Ok(size) } else { Err(PackError::Size(size)) }
    }
}
