//! What C's `printf` writes for `%e`, `%f`, `%g` and `%a`, without sign and padding, which [`super::format`] adds.
//!
//! Rust prints a double with any count of digits exactly, and rounds half to even as C does; only the layout differs.

use std::fmt::Write as _;

use super::scratch::Scratch;

/// The largest double has 309 digits before the point, and a format asks for at most 99 after it.
pub(super) const BODY_SIZE: usize = 448;

pub(super) type Body = Scratch<BODY_SIZE>;

/// The most digits that `%e` and `%g` print: one, and 99 after the point.
const MOST_DIGITS: usize = 100;

/// Digits with one place before the point, and a power of ten.
pub(super) struct Significant {
    digits: [u8; MOST_DIGITS],
    count: usize,
    exponent: i32,
}

impl Significant {
    /// Reads what Rust's `{:e}` printed of a number that is not negative.
    pub(super) fn read(printed: &[u8]) -> Self {
        let mut digits = [0; MOST_DIGITS];
        let mut count = 0;
        let mut rest = printed;
        while let [byte, after @ ..] = rest {
            rest = after;
            match byte {
                b'e' => break,
                b'.' => {}
                digit => {
                    digits[count] = *digit;
                    count += 1;
                }
            }
        }
        let (negative, exponent) = match rest {
            [b'-', exponent @ ..] => (true, exponent),
            _ => (false, rest),
        };
        let exponent = exponent.iter().fold(0, |value, digit| value * 10 + i32::from(digit - b'0'));
        Self { digits, count, exponent: if negative { -exponent } else { exponent } }
    }

    /// Rounds `value`, which is not negative, to one digit and `decimals` more.
    fn of(value: f64, decimals: usize) -> Self {
        let mut printed = Body::new();
        write!(printed, "{value:.decimals$e}").expect("100 digits and an exponent fit");
        Self::read(printed.as_bytes())
    }

    fn digits(&self) -> &[u8] {
        &self.digits[..self.count]
    }

    /// Writes `d.ddde+XX`. `alternate` keeps a point with nothing after it.
    fn scientific<const N: usize>(&self, alternate: bool, out: &mut Scratch<N>) {
        let digits = self.digits();
        out.push(digits[0]);
        if digits.len() > 1 || alternate {
            out.push(b'.');
        }
        out.extend(&digits[1..]);
        out.push(b'e');
        out.push(if self.exponent < 0 { b'-' } else { b'+' });
        let exponent = self.exponent.unsigned_abs();
        if exponent < 10 {
            out.push(b'0');
        }
        write!(out, "{exponent}").expect("three digits fit");
    }

    /// Writes the digits as `%g` does: with an exponent where they would need more than `precision` places or four zeros
    /// in front. `alternate` keeps the zeros at the end.
    pub(super) fn general<const N: usize>(mut self, precision: usize, alternate: bool, out: &mut Scratch<N>) {
        let kept = if alternate {
            self.count
        } else {
            self.digits().iter().rposition(|digit| *digit != b'0').map_or(1, |last| last + 1)
        };
        self.count = kept;
        let Ok(before) = usize::try_from(self.exponent) else {
            if self.exponent < -4 {
                return self.scientific(alternate, out);
            }
            out.extend(b"0.");
            out.repeat(b'0', self.exponent.unsigned_abs() as usize - 1);
            out.extend(self.digits());
            return;
        };
        if before >= precision {
            return self.scientific(alternate, out);
        }
        let digits = self.digits();
        let places = before + 1;
        if digits.len() > places {
            out.extend(&digits[..places]);
            out.push(b'.');
            out.extend(&digits[places..]);
        } else {
            out.extend(digits);
            out.repeat(b'0', places - digits.len());
            if alternate {
                out.push(b'.');
            }
        }
    }
}

/// `%e` of a finite number that is not negative.
pub(super) fn scientific(value: f64, precision: usize, alternate: bool, out: &mut Body) {
    Significant::of(value, precision).scientific(alternate, out);
}

/// `%f` of a finite number that is not negative.
pub(super) fn fixed(value: f64, precision: usize, alternate: bool, out: &mut Body) {
    write!(out, "{value:.precision$}").expect("the largest double with 99 decimals fits");
    if alternate && precision == 0 {
        out.push(b'.');
    }
}

/// `%g` of a finite number that is not negative. A precision of 0 means 1, as in C.
pub(super) fn general(value: f64, precision: usize, alternate: bool, out: &mut Body) {
    let precision = precision.max(1);
    Significant::of(value, precision - 1).general(precision, alternate, out);
}

/// The hexadecimal digits after the point that a double has.
const FRACTION_DIGITS: usize = 13;
const FRACTION_BITS: u32 = 52;

/// `%a` of a finite number that is not negative, without its `0x`. Without a precision all digits that are not zero.
pub(super) fn hexadecimal(value: f64, precision: Option<usize>, alternate: bool, out: &mut Body) {
    let bits = value.to_bits();
    let mut fraction = bits & ((1 << FRACTION_BITS) - 1);
    let biased = i32::try_from(bits >> FRACTION_BITS).expect("11 bits");
    let mut lead = u64::from(biased != 0);
    let exponent = match (biased, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased - 1023,
    };
    let mut digits = precision.unwrap_or(FRACTION_DIGITS);
    if precision.is_none() {
        let zeros = if fraction == 0 { FRACTION_DIGITS } else { (fraction.trailing_zeros() / 4) as usize };
        digits -= zeros;
    } else if digits < FRACTION_DIGITS {
        let dropped = 4 * (FRACTION_DIGITS - digits);
        let whole = lead << FRACTION_BITS | fraction;
        let half = 1u64 << (dropped - 1);
        let rest = whole & ((half << 1) - 1);
        let mut kept = whole >> dropped;
        kept += u64::from(rest > half || rest == half && kept & 1 == 1);
        let rounded = kept << dropped;
        lead = rounded >> FRACTION_BITS;
        fraction = rounded & ((1 << FRACTION_BITS) - 1);
    }
    write!(out, "{lead}").expect("one digit fits");
    if digits > 0 || alternate {
        out.push(b'.');
    }
    let shown = digits.min(FRACTION_DIGITS);
    for place in 1..=shown {
        let digit = (fraction >> (4 * (FRACTION_DIGITS - place))) & 0xf;
        write!(out, "{digit:x}").expect("13 digits fit");
    }
    out.repeat(b'0', digits - shown);
    write!(out, "p{exponent:+}").expect("an exponent fits");
}
