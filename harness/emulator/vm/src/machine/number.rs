//! Arithmetic where Rust's own operators are not Lua's.

/// Whole numbers below this are divided as such: the remainder is exact either way, and much sooner there.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// `a % b` as Lua defines it, exactly: the result has the sign of `b`.
#[inline]
pub fn modulo(a: f64, b: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "the conversion back says whether it was whole")]
    let (one, two) = (a as i64, b as i64);
    // Zero is left out for the sake of minus zero.
    if one > 0 && two > 0 && one as f64 == a && two as f64 == b && a < WHOLE && b < WHOLE {
        return (one % two) as f64;
    }
    modulo_of_any(a, b)
}

fn modulo_of_any(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
}

/// `a ^ b`; squares are by far the most frequent.
#[inline]
pub fn power(a: f64, b: f64) -> f64 {
    if b == 2.0 { a * a } else { a.powf(b) }
}
