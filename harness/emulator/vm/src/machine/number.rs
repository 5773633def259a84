//! Arithmetic where Rust's own operators are not Lua's.

/// `a % b` as Lua defines it, exactly: the result has the sign of `b`.
#[inline]
pub fn modulo(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
}

/// `a ^ b`; squares are by far the most frequent.
#[inline]
pub fn power(a: f64, b: f64) -> f64 {
    if b == 2.0 { a * a } else { a.powf(b) }
}
