//! `math`.

use super::{Ended, lowest_bits};
use crate::dialect::Dialect;
use crate::machine::{Call, Outcome};
use crate::value::Value;

/// One more than the greatest whole number of C's `long long`.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// Bits by which the second half of a seed is moved, so that two equal halves do not cancel each other.
const SECOND_SEED: u32 = 32;

fn one(number: f64) -> Ended {
    Ok(Outcome::One(Value::Number(number)))
}

macro_rules! functions {
    ($($name:ident |$x:ident| $result:expr;)*) => {
        $(pub fn $name(call: &mut Call<'_>) -> Ended {
            let $x = call.number(1)?;
            one($result)
        })*
    };
}

functions! {
    abs |x| x.abs();
    acos |x| x.acos();
    asin |x| x.asin();
    ceil |x| x.ceil();
    cos |x| x.cos();
    cosh |x| x.cosh();
    deg |x| x / (std::f64::consts::PI / 180.0);
    exp |x| x.exp();
    floor |x| x.floor();
    log10 |x| x.log10();
    rad |x| x * (std::f64::consts::PI / 180.0);
    sin |x| x.sin();
    sinh |x| x.sinh();
    sqrt |x| x.sqrt();
    tan |x| x.tan();
    tanh |x| x.tanh();
}

/// With a second argument, the angle of a point.
pub fn atan(call: &mut Call<'_>) -> Ended {
    one(call.number(1)?.atan())
}

pub fn atan2(call: &mut Call<'_>) -> Ended {
    // The second is looked at first, as Lua does it in most builds; in `fmod` too.
    let x = call.number(2)?;
    one(call.number(1)?.atan2(x))
}

pub fn pow(call: &mut Call<'_>) -> Ended {
    let (base, exponent) = (call.number(1)?, call.number(2)?);
    one(base.powf(exponent))
}

pub fn fmod(call: &mut Call<'_>) -> Ended {
    let b = call.number(2)?;
    one(call.number(1)? % b)
}

pub fn log(call: &mut Call<'_>) -> Ended {
    let number = call.number(1)?;
    if call.arg(2).is_nil() {
        return one(number.ln());
    }
    let base = call.number(2)?;
    one(if base == 10.0 { number.log10() } else { number.ln() / base.ln() })
}

pub fn modf(call: &mut Call<'_>) -> Ended {
    let number = call.number(1)?;
    let whole = number.trunc();
    let rest =
        if number.is_infinite() { 0.0_f64.copysign(number) } else { (number - whole).copysign(number) };
    call.push(Value::Number(whole))?;
    call.push(Value::Number(rest))?;
    Ok(Outcome::Return(2))
}

pub fn frexp(call: &mut Call<'_>) -> Ended {
    let number = call.number(1)?;
    let (mantissa, exponent) = split(number);
    call.push(Value::Number(mantissa))?;
    call.push(Value::Number(exponent.into()))?;
    Ok(Outcome::Return(2))
}

/// A number as a mantissa from 0.5 and a power of two.
fn split(number: f64) -> (f64, i32) {
    /// Exponents are stored with this added; a mantissa from 0.5 has one less.
    const BIAS: i32 = 1022;
    const SUBNORMAL_SHIFT: i32 = 54;
    if number == 0.0 || !number.is_finite() {
        return (number, 0);
    }
    let bits = number.to_bits();
    let stored = i32::try_from((bits >> 52) & 0x7ff).unwrap_or(0);
    if stored == 0 {
        let (mantissa, exponent) = split(number * 2.0_f64.powi(SUBNORMAL_SHIFT));
        return (mantissa, exponent - SUBNORMAL_SHIFT);
    }
    let mantissa = f64::from_bits((bits & !(0x7ff << 52)) | (1022 << 52));
    (mantissa, stored - BIAS)
}

pub fn ldexp(call: &mut Call<'_>) -> Ended {
    /// Beyond this many powers of two everything is zero or infinite.
    const MOST: i64 = 2200;
    let (mantissa, exponent) = (call.number(1)?, lowest_bits(call.integer(2)?));
    let mut exponent = i32::try_from(exponent.clamp(-MOST, MOST)).unwrap_or(0);
    let mut number = mantissa;
    while exponent != 0 {
        let step = exponent.clamp(-1000, 1000);
        number *= 2.0_f64.powi(step);
        exponent -= step;
    }
    one(number)
}

fn extreme(call: &mut Call<'_>, better: impl Fn(f64, f64) -> bool) -> Ended {
    let mut best = call.number(1)?;
    for index in 2..=call.len() {
        let number = call.number(index)?;
        if better(number, best) {
            best = number;
        }
    }
    one(best)
}

pub fn max(call: &mut Call<'_>) -> Ended {
    extreme(call, |number, best| number > best)
}

pub fn min(call: &mut Call<'_>) -> Ended {
    extreme(call, |number, best| number < best)
}

/// The generator's state for a seed (splitmix64).
pub fn seeded(seed: u64) -> [u64; 4] {
    let mut state = seed;
    [(); 4].map(|()| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    })
}

/// The next 64 bits (xoshiro256**).
fn word(state: &mut [u64; 4]) -> u64 {
    let result = state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
    let shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = state[3].rotate_left(45);
    result
}

/// The next number from 0 to below 1.
pub(super) fn draw(state: &mut [u64; 4]) -> f64 {
    (word(state) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The next whole number between two that are whole.
pub(super) fn draw_between(state: &mut [u64; 4], low: f64, high: f64) -> f64 {
    (draw(state) * (high - low + 1.0)).floor() + low
}

pub fn random(call: &mut Call<'_>) -> Ended {
    let drawn = draw(&mut call.state.random);
    let (low, high) = match call.len() {
        0 => return one(drawn),
        1 => (1.0, call.number(1)?.floor()),
        2 => (call.number(1)?.floor(), call.number(2)?.floor()),
        _ => return Err(call.error("wrong number of arguments")),
    };
    if call.state.dialect == Dialect::CraftosPc && call.len() == 1 && high == 0.0 {
        // Any whole number, as in Lua 5.4.
        return one(word(&mut call.state.random).cast_signed() as f64);
    }
    if low > high || low.is_nan() || high.is_nan() {
        let index = if call.state.dialect == Dialect::Stock { call.len() } else { 1 };
        return Err(call.argument_error(index, "interval is empty"));
    }
    one((drawn * (high - low + 1.0)).floor() + low)
}

pub fn randomseed(call: &mut Call<'_>) -> Ended {
    let seed = call.number_or(1, 0.0)?;
    if call.state.dialect == Dialect::Stock {
        call.state.random = seeded(seed.to_bits());
        return Ok(Outcome::NONE);
    }
    let second = call.number_or(2, 0.0)?;
    call.state.random = seeded(seed.to_bits() ^ second.to_bits().rotate_left(SECOND_SEED));
    // The two halves of the seed as C makes them whole numbers.
    for half in [seed, second] {
        let fits = (-TWO_TO_63..TWO_TO_63).contains(&half);
        call.push(Value::Number(if fits { half.trunc() } else { -TWO_TO_63 }))?;
    }
    Ok(Outcome::Return(2))
}
