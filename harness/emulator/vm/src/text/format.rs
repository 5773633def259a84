//! `string.format`, one directive at a time: the caller walks the pieces of a format, fetches the argument of each
//! directive as it likes (its `tostring` may call Lua and be suspended), and has it printed by a function that only knows
//! bytes.
//!
//! ```
//! use craftos_lua::text::format::{Conversion, Piece, directive, next_piece};
//!
//! let format = b"%5.1f|";
//! let mut out = Vec::new();
//! let mut at = 0;
//! while let Some(piece) = next_piece(format, at) {
//!     match piece {
//!         Piece::Literal { text, next } => {
//!             out.extend_from_slice(&format[text]);
//!             at = next;
//!         }
//!         Piece::Directive { options } => {
//!             // Here Lua first says `no value` if there is no argument.
//!             let (directive, next) = directive(format, options).unwrap();
//!             assert_eq!(directive.conversion(), Conversion::Float);
//!             directive.float(2.25, &mut out);
//!             at = next;
//!         }
//!     }
//! }
//! assert_eq!(out, b"  2.2|");
//! ```

use std::ops::Range;

use serde::{Deserialize, Serialize};

use memchr::memchr;

use super::float::{self, Body};
use super::number::{self, NumberText};

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Bytes of the format that are copied; the next piece begins at `next`.
    Literal { text: Range<usize>, next: usize },
    /// A directive: its options begin at `options`, behind the `%`.
    Directive { options: usize },
}

/// The piece of `format` that begins at `at`; none at its end.
pub fn next_piece(format: &[u8], at: usize) -> Option<Piece> {
    let rest = format.get(at..).filter(|rest| !rest.is_empty())?;
    Some(match (memchr(b'%', rest), rest.get(1)) {
        (Some(0), Some(b'%')) => Piece::Literal { text: at..at + 1, next: at + 2 },
        (Some(0), _) => Piece::Directive { options: at + 1 },
        (Some(length), _) => Piece::Literal { text: at..at + length, next: at + length },
        (None, _) => Piece::Literal { text: at..format.len(), next: format.len() },
    })
}

/// Why a directive is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatError {
    RepeatedFlags,
    TooLong,
    /// A letter that is no conversion; 0 at the end of the format, as C sees it.
    Option(u8),
}

impl FormatError {
    /// The message of Lua, without its position.
    pub fn message(self) -> Vec<u8> {
        match self {
            Self::RepeatedFlags => b"invalid format (repeated flags)".to_vec(),
            Self::TooLong => b"invalid format (width or precision too long)".to_vec(),
            Self::Option(letter) => [b"invalid option '%", &[letter][..], b"' to 'format'"].concat(),
        }
    }
}

/// What a directive wants to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// A number, for [`Directive::character`].
    Character,
    /// A number, for [`Directive::signed`].
    Signed,
    /// A number, for [`Directive::unsigned`].
    Unsigned,
    /// A number, for [`Directive::float`].
    Float,
    /// Any value that has a literal form, for [`quote`] or [`quote_number`].
    Quoted,
    /// The `tostring` of any value, for [`Directive::text`].
    Text,
}

/// `%d` of a number that no 64-bit number with a sign holds.
pub const NOT_SIGNED: &str = "not a number in proper range";
/// `%x` and its like of a number that no 64-bit number without a sign holds.
pub const NOT_UNSIGNED: &str = "not a non-negative number in proper range";
/// `%q` of a table, a function, a thread or userdata.
pub const NO_LITERAL: &str = "value has no literal form";

/// A directive prints at most this many bytes, unless it is `%s` or `%q`: what to charge before it is printed.
pub const NUMBER_LIMIT: usize = float::BODY_SIZE;

/// As many flags as there are, each once. C's check only counts them, so that `%00000d` passes.
const MOST_FLAGS: usize = 5;

/// Digits of a width or a precision: C's buffers are made for 99.
const MOST_DIGITS: usize = 2;

/// A directive that was read: flags, width, precision, letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "C's five flags, each given or not")]
pub struct Directive {
    letter: u8,
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: u8,
    precision: Option<u8>,
}

/// Reads the directive whose options begin at `options`. Returns it, and where the format goes on.
pub fn directive(format: &[u8], options: usize) -> Result<(Directive, usize), FormatError> {
    let mut at = options;
    while format.get(at).is_some_and(|byte| b"-+ #0".contains(byte)) {
        at += 1;
    }
    let flags = &format[options..at];
    if flags.len() > MOST_FLAGS {
        return Err(FormatError::RepeatedFlags);
    }
    let width = digits(format, &mut at);
    let mut precision = None;
    if format.get(at) == Some(&b'.') {
        at += 1;
        precision = Some(digits(format, &mut at));
    }
    if format.get(at).is_some_and(u8::is_ascii_digit) {
        return Err(FormatError::TooLong);
    }
    let letter = format.get(at).copied().unwrap_or(0);
    if !b"cdiouxXaAeEfgGqs".contains(&letter) {
        return Err(FormatError::Option(letter));
    }
    let has = |flag| flags.contains(&flag);
    let directive = Directive {
        letter,
        left: has(b'-'),
        plus: has(b'+'),
        space: has(b' '),
        alternate: has(b'#'),
        zero: has(b'0'),
        width,
        precision,
    };
    Ok((directive, at + 1))
}

/// Reads the digits of a width or a precision, and moves `at` behind them.
fn digits(format: &[u8], at: &mut usize) -> u8 {
    let from = *at;
    let mut value = 0;
    while *at - from < MOST_DIGITS
        && let Some(digit) = format.get(*at).filter(|byte| byte.is_ascii_digit())
    {
        value = value * 10 + (digit - b'0');
        *at += 1;
    }
    value
}

/// What a byte of value 0 in the text of a `%s` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroByte {
    /// The text ends there, as in C, and so in CraftOS-PC: except where it is copied as it is.
    Ends,
    /// It is a byte like any other, as in the game.
    Stays,
}

/// A text of this length or more is copied as it is, unless a precision cuts it: it is wider than any width.
const COPIED_LENGTH: usize = 100;

impl Directive {
    pub fn conversion(&self) -> Conversion {
        match self.letter {
            b'c' => Conversion::Character,
            b'd' | b'i' => Conversion::Signed,
            b'o' | b'u' | b'x' | b'X' => Conversion::Unsigned,
            b'q' => Conversion::Quoted,
            b's' => Conversion::Text,
            _ => Conversion::Float,
        }
    }

    /// `%c`: the byte of a number.
    pub fn character(&self, value: f64, out: &mut Vec<u8>) {
        let [byte, ..] = number::to_integer(value).to_le_bytes();
        self.pad(&[byte], out);
    }

    /// `%d` and `%i`. The error is about the argument.
    pub fn signed(&self, value: f64, out: &mut Vec<u8>) -> Result<(), &'static str> {
        let whole = number::to_integer(value);
        #[expect(clippy::cast_precision_loss, reason = "the difference shows what was lost")]
        let rest = value - whole as f64;
        if !(rest > -1.0 && rest < 1.0) {
            return Err(NOT_SIGNED);
        }
        self.integer(self.sign(whole < 0), &whole.unsigned_abs().to_string(), out);
        Ok(())
    }

    /// `%u`, `%o`, `%x` and `%X`. The error is about the argument.
    pub fn unsigned(&self, value: f64, out: &mut Vec<u8>) -> Result<(), &'static str> {
        /// 2^64: the first double that is too large.
        const LIMIT: f64 = 18_446_744_073_709_551_616.0;
        if !(value > -1.0 && value < LIMIT) {
            return Err(NOT_UNSIGNED);
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range; -0.5 is 0")]
        let whole = value as u64;
        let prefix = match self.letter {
            b'x' if self.alternate && whole != 0 => "0x",
            b'X' if self.alternate && whole != 0 => "0X",
            _ => "",
        };
        let digits = match self.letter {
            b'o' => format!("{whole:o}"),
            b'x' => format!("{whole:x}"),
            b'X' => format!("{whole:X}"),
            _ => whole.to_string(),
        };
        self.integer(prefix, &digits, out);
        Ok(())
    }

    /// Appends digits with their sign or prefix, at least as many as the precision says.
    fn integer(&self, prefix: &str, digits: &str, out: &mut Vec<u8>) {
        let digits = if self.precision == Some(0) && digits == "0" { "" } else { digits };
        let mut body = Body::new();
        let least = usize::from(self.precision.unwrap_or(0));
        body.repeat(b'0', least.saturating_sub(digits.len()));
        if self.letter == b'o' && self.alternate && body.as_bytes().is_empty() && !digits.starts_with('0') {
            body.push(b'0');
        }
        body.extend(digits.as_bytes());
        self.fill(prefix, body.as_bytes(), self.zero && self.precision.is_none(), out);
    }

    /// `%e`, `%f`, `%g`, `%a` and their capitals.
    pub fn float(&self, value: f64, out: &mut Vec<u8>) {
        /// C's precision where none is given.
        const DEFAULT_PRECISION: u8 = 6;
        let mut body = Body::new();
        let sign = self.sign(value.is_sign_negative());
        let mut prefix = sign.to_owned();
        if value.is_finite() {
            let size = value.abs();
            let precision = usize::from(self.precision.unwrap_or(DEFAULT_PRECISION));
            match self.letter.to_ascii_lowercase() {
                b'e' => float::scientific(size, precision, self.alternate, &mut body),
                b'f' => float::fixed(size, precision, self.alternate, &mut body),
                b'g' => float::general(size, precision, self.alternate, &mut body),
                _ => {
                    prefix.push_str("0x");
                    float::hexadecimal(size, self.precision.map(usize::from), self.alternate, &mut body);
                }
            }
        } else {
            body.extend(if value.is_nan() { b"nan" } else { b"inf" });
        }
        if self.letter.is_ascii_uppercase() {
            prefix.make_ascii_uppercase();
            body.as_mut_bytes().make_ascii_uppercase();
        }
        self.fill(&prefix, body.as_bytes(), self.zero && value.is_finite(), out);
    }

    /// `%s`.
    pub fn text(&self, text: &[u8], zero_byte: ZeroByte, out: &mut Vec<u8>) {
        let mut shown = text;
        if text.len() < COPIED_LENGTH || self.precision.is_some() {
            if let Some(precision) = self.precision {
                shown = &shown[..shown.len().min(usize::from(precision))];
            }
            if zero_byte == ZeroByte::Ends
                && let Some(end) = memchr(0, shown)
            {
                shown = &shown[..end];
            }
        }
        self.pad(shown, out);
    }

    /// The most bytes that `%s` prints of a text of `length` bytes: what to charge before it is printed.
    pub fn text_limit(&self, length: usize) -> usize {
        let shown = self.precision.map_or(length, |precision| length.min(usize::from(precision)));
        shown.max(usize::from(self.width))
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, _, _) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            _ => "",
        }
    }

    /// Appends `prefix` and `body`, filled up to the width with zeros between them or spaces around them.
    fn fill(&self, prefix: &str, body: &[u8], zeros: bool, out: &mut Vec<u8>) {
        let missing = usize::from(self.width).saturating_sub(prefix.len() + body.len());
        let zeros = zeros && !self.left;
        if !self.left && !zeros {
            out.resize(out.len() + missing, b' ');
        }
        out.extend_from_slice(prefix.as_bytes());
        if zeros {
            out.resize(out.len() + missing, b'0');
        }
        out.extend_from_slice(body);
        if self.left {
            out.resize(out.len() + missing, b' ');
        }
    }

    /// Appends bytes, filled up to the width with spaces.
    fn pad(&self, bytes: &[u8], out: &mut Vec<u8>) {
        self.fill("", bytes, false, out);
    }
}

/// The most bytes that `%q` prints of a text of `length` bytes: each as `\000`, in quotes.
pub fn quote_limit(length: usize) -> usize {
    length.saturating_mul(4).saturating_add(2)
}

/// `%q` of a text: quoted so that the lexer reads it back.
pub fn quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    quote_part(text, out);
    out.push(b'"');
}

/// A part of `%q`, without its quotes, for texts that are printed in slices.
pub fn quote_part(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        match byte {
            b'"' | b'\\' | b'\n' => out.extend([b'\\', *byte]),
            b'\r' => out.extend(b"\\r"),
            0 => out.extend(b"\\000"),
            _ => out.push(*byte),
        }
    }
}

/// `%q` of a number: CraftOS-PC prints it as `tostring` does.
pub fn quote_number(value: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(NumberText::of(value).as_bytes());
}
