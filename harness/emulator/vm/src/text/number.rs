//! Numbers to text and text to numbers, as `tostring`, `tonumber` and the lexer have them. Formats are in
//! [`super::format`].

use std::fmt::{self, Write as _};

use super::float;
use super::scratch::Scratch;

/// Characters of a number in a text that are read in about the time of an instruction.
pub const CHARACTERS_PER_STEP: usize = 8;

/// The significant digits of `tostring`: Lua's `%.14g`.
const TOSTRING_DIGITS: usize = 14;

/// Whole numbers below this have at most 14 digits, so that `%.14g` prints them as they are.
const PLAIN_LIMIT: f64 = 1e14;

/// The longest text of a number: sign, 14 digits, point, `e+308`, with room to spare.
const TEXT_SIZE: usize = 32;

/// The text of one number, held on the stack.
#[derive(Clone, Copy)]
pub struct NumberText(Scratch<TEXT_SIZE>);

impl NumberText {
    /// Prints `value` as `tostring` does.
    pub fn of(value: f64) -> Self {
        let mut text = Scratch::new();
        if value.abs() < PLAIN_LIMIT && value.fract() == 0.0 {
            whole(value, &mut text);
        } else if value.is_finite() {
            let mut printed = Scratch::<TEXT_SIZE>::new();
            write!(printed, "{:.*e}", TOSTRING_DIGITS - 1, value.abs())
                .expect("14 digits and an exponent fit");
            let significant = float::Significant::read(printed.as_bytes());
            if value < 0.0 {
                text.push(b'-');
            }
            significant.general(TOSTRING_DIGITS, false, &mut text);
        } else {
            if value.is_sign_negative() {
                text.push(b'-');
            }
            text.extend(if value.is_nan() { b"nan" } else { b"inf" });
        }
        Self(text)
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for NumberText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&String::from_utf8_lossy(self.as_bytes()))
    }
}

/// Appends the digits of a whole number below [`PLAIN_LIMIT`].
fn whole(value: f64, text: &mut Scratch<TEXT_SIZE>) {
    if value.is_sign_negative() {
        text.push(b'-');
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and below the limit")]
    let mut rest = value.abs() as u64;
    let mut digits = [0u8; 20];
    let mut from = digits.len();
    loop {
        from -= 1;
        digits[from] = b'0' + u8::try_from(rest % 10).expect("one digit");
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    text.extend(&digits[from..]);
}

/// What C's `isspace` accepts.
pub const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn trim(text: &[u8]) -> &[u8] {
    let from = text.iter().position(|byte| !is_space(*byte)).unwrap_or(text.len());
    let to = text.iter().rposition(|byte| !is_space(*byte)).map_or(from, |last| last + 1);
    &text[from..to]
}

/// Splits a sign off: whether it is negative, and the rest.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// Reads the whole of `text` as a number: decimal or hexadecimal, with space around it. This is `tonumber` without a base
/// and the conversion in arithmetic.
pub fn parse(text: &[u8]) -> Option<f64> {
    let (negative, digits) = sign(trim(text));
    let value = match digits {
        [b'0', b'x' | b'X', rest @ ..] => hexadecimal(rest)?,
        _ => decimal(digits)?,
    };
    Some(if negative { -value } else { value })
}

/// Digits up to this count always fit into a whole number that a double holds exactly.
const EXACT_DIGITS: usize = 15;

fn decimal(text: &[u8]) -> Option<f64> {
    if text.len() <= EXACT_DIGITS && !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        let value = text.iter().fold(0u64, |value, digit| value * 10 + u64::from(digit - b'0'));
        #[expect(clippy::cast_precision_loss, reason = "15 digits are exact")]
        return Some(value as f64);
    }
    let count = |rest: &[u8]| rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = count(text);
    let mut rest = &text[whole..];
    let mut digits = whole;
    if let [b'.', after @ ..] = rest {
        let fraction = count(after);
        digits += fraction;
        rest = &after[fraction..];
    }
    if digits == 0 {
        return None;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let (_, exponent) = sign(after);
        let length = count(exponent);
        if length == 0 {
            return None;
        }
        rest = &exponent[length..];
    }
    if !rest.is_empty() {
        return None;
    }
    // Only digits, a point and an exponent are left: all ASCII, and what Rust's own exact reader takes.
    str::from_utf8(text).ok()?.parse().ok()
}

/// Past this an exponent only says zero or infinity; sums of it and a count of digits cannot overflow.
const EXPONENT_LIMIT: i64 = 1 << 60;

fn hexadecimal(text: &[u8]) -> Option<f64> {
    let mut mantissa = 0u64;
    let mut sticky = false;
    let mut exponent = 0i64;
    let mut digits = 0usize;
    let mut point = false;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        if *byte == b'.' && !point {
            point = true;
        } else if let Some(digit) = char::from(*byte).to_digit(16) {
            digits += 1;
            if mantissa >> 60 == 0 {
                mantissa = mantissa << 4 | u64::from(digit);
                exponent -= if point { 4 } else { 0 };
            } else {
                sticky |= digit != 0;
                exponent += if point { 0 } else { 4 };
            }
        } else {
            break;
        }
        at += 1;
    }
    if digits == 0 {
        return None;
    }
    if let [b'p' | b'P', after @ ..] = &text[at..] {
        let (negative, written) = sign(after);
        if written.is_empty() || !written.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let value = written.iter().fold(0i64, |value, digit| {
            (value.saturating_mul(10).saturating_add(i64::from(digit - b'0'))).min(EXPONENT_LIMIT)
        });
        exponent += if negative { -value } else { value };
    } else if at != text.len() {
        return None;
    }
    Some(compose(mantissa, sticky, exponent))
}

/// `mantissa * 2^exponent`, plus a little if `sticky`, rounded once, half to even.
fn compose(mantissa: u64, sticky: bool, exponent: i64) -> f64 {
    /// The exponent of the lowest bit of the smallest doubles.
    const LOWEST: i64 = -1074;
    /// The exponent of the highest bit of the largest doubles.
    const HIGHEST: i64 = 1023;
    const MANTISSA_BITS: i64 = 53;
    if mantissa == 0 {
        return 0.0;
    }
    let top = exponent + i64::from(mantissa.ilog2());
    if top > HIGHEST {
        return f64::INFINITY;
    }
    // The lowest bit that the result keeps.
    let lowest = (top - (MANTISSA_BITS - 1)).max(LOWEST);
    let drop = lowest - exponent;
    let kept = if drop <= 0 {
        // At most 53 bits are in use, so that nothing is shifted out. `sticky` means 60 bits or more: never here.
        mantissa << -drop
    } else if drop > 64 {
        0
    } else {
        let wide = u128::from(mantissa) << 1 | u128::from(sticky);
        let half = 1u128 << drop;
        let rest = wide & ((half << 1) - 1);
        let kept = u64::try_from(wide >> (drop + 1)).expect("at most 53 bits are kept");
        kept + u64::from(rest > half || rest == half && kept & 1 == 1)
    };
    // A double's bits, read as a whole number, count up through the doubles: adding the exponent's share to the rounded
    // mantissa carries into the next exponent where it must, up to infinity.
    let biased = u64::try_from(lowest - LOWEST).expect("not below the lowest");
    f64::from_bits((biased << (MANTISSA_BITS - 1)) + kept)
}

/// Reads the whole of `text` as digits of `base` (2 to 36), with a sign and space around it: `tonumber` with a base.
pub fn parse_base(text: &[u8], base: u32) -> Option<f64> {
    let (negative, digits) = sign(trim(text));
    if digits.is_empty() {
        return None;
    }
    let mut value = 0.0f64;
    for byte in digits {
        let digit = char::from(*byte).to_digit(base)?;
        value = value * f64::from(base) + f64::from(digit);
    }
    Some(if negative { -value } else { value })
}

/// How many bytes at the start of `source`, which begins with a digit or a point and a digit, the lexer takes for a
/// numeral. [`parse`] then says whether they are one, or `malformed number`.
pub fn numeral_length(source: &[u8]) -> usize {
    let hexadecimal = matches!(source, [b'0', b'x' | b'X', ..]);
    let mut at = if hexadecimal { 2 } else { 0 };
    while let Some(byte) = source.get(at) {
        let exponent = if hexadecimal { b'p' } else { b'e' };
        if byte.to_ascii_lowercase() == exponent {
            at += 1;
            at += usize::from(matches!(source.get(at), Some(b'+' | b'-')));
        } else if byte.is_ascii_hexdigit() || *byte == b'.' {
            at += 1;
        } else {
            break;
        }
    }
    at
}

/// A number as a whole one, as the libraries read positions and counts: the fraction is dropped, and what is out of range
/// or not a number is the least whole number, as it is on the reference's processor.
pub fn to_integer(value: f64) -> i64 {
    /// 2^63: the first double that is too large.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[expect(clippy::cast_possible_truncation, reason = "in range, and the fraction is to be dropped")]
    if (-LIMIT..LIMIT).contains(&value) { value as i64 } else { i64::MIN }
}
