//! `bit32`.

use super::Ended;
use crate::machine::{Call, Outcome};
use crate::value::Value;

/// Numbers are taken modulo this.
const RANGE: f64 = 4_294_967_296.0;
const BITS: i64 = 32;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number was brought into the range before"
)]
fn bits(number: f64) -> u32 {
    let whole = number.round_ties_even();
    if (0.0..RANGE).contains(&whole) {
        return whole as u32;
    }
    if !whole.is_finite() {
        return 0;
    }
    whole.rem_euclid(RANGE) as u32
}

/// A number as 32 bits.
#[inline]
pub(super) fn unsigned_of(number: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the conversion back says whether the number was whole and in range"
    )]
    let whole = number as u32;
    // The reference drops the fraction.
    if f64::from(whole) == number { whole } else { bits(number.floor()) }
}

fn unsigned(call: &mut Call<'_>, index: usize) -> Result<u32, Value> {
    call.number(index).map(unsigned_of)
}

fn done(value: u32) -> Ended {
    Ok(Outcome::One(Value::Number(value.into())))
}

fn fold(call: &mut Call<'_>, start: u32, combine: impl Fn(u32, u32) -> u32) -> Result<u32, Value> {
    let mut result = start;
    for index in 1..=call.len() {
        result = combine(result, unsigned(call, index)?);
    }
    Ok(result)
}

pub fn band(call: &mut Call<'_>) -> Ended {
    done(fold(call, u32::MAX, |one, two| one & two)?)
}

pub fn btest(call: &mut Call<'_>) -> Ended {
    let result = fold(call, u32::MAX, |one, two| one & two)?;
    Ok(Outcome::One(Value::Bool(result != 0)))
}

pub fn bor(call: &mut Call<'_>) -> Ended {
    done(fold(call, 0, |one, two| one | two)?)
}

pub fn bxor(call: &mut Call<'_>) -> Ended {
    done(fold(call, 0, |one, two| one ^ two)?)
}

pub fn bnot(call: &mut Call<'_>) -> Ended {
    done(!unsigned(call, 1)?)
}

/// Positive to the left.
pub(super) fn shift(value: u32, by: i64) -> u32 {
    match u32::try_from(by.unsigned_abs()) {
        Ok(count) if i64::from(count) < BITS => {
            if by >= 0 {
                value << count
            } else {
                value >> count
            }
        }
        _ => 0,
    }
}

/// What is shifted and by how much. The second is looked at first, as Lua does it in most builds.
fn shifted(call: &mut Call<'_>) -> Result<(u32, i64), Value> {
    let by = call.integer(2)?;
    Ok((unsigned(call, 1)?, by))
}

pub fn lshift(call: &mut Call<'_>) -> Ended {
    let (value, by) = shifted(call)?;
    done(shift(value, by))
}

pub fn rshift(call: &mut Call<'_>) -> Ended {
    let (value, by) = shifted(call)?;
    done(shift(value, by.saturating_neg()))
}

pub fn arshift(call: &mut Call<'_>) -> Ended {
    let value = unsigned(call, 1)?;
    let by = call.integer(2)?;
    if by < 0 || value & 0x8000_0000 == 0 {
        return done(shift(value, by.saturating_neg()));
    }
    if by >= BITS {
        return done(u32::MAX);
    }
    done(shift(value, -by) | !shift(u32::MAX, -by))
}

/// Positive to the left.
pub(super) fn rotate(value: u32, by: i64) -> u32 {
    value.rotate_left(u32::try_from(by.rem_euclid(BITS)).unwrap_or(0))
}

pub(super) fn rotate_right(value: u32, by: i64) -> u32 {
    rotate(value, -by.rem_euclid(BITS))
}

pub fn lrotate(call: &mut Call<'_>) -> Ended {
    let (value, by) = shifted(call)?;
    done(rotate(value, by))
}

pub fn rrotate(call: &mut Call<'_>) -> Ended {
    let (value, by) = shifted(call)?;
    done(rotate_right(value, by))
}

/// The field and the width from an argument on, as a shift and a mask.
fn field(call: &mut Call<'_>, index: usize) -> Result<(u32, u32), Value> {
    let start = call.integer(index)?;
    let width = call.integer_or(index + 1, 1)?;
    if start < 0 {
        return Err(call.argument_error(index, "field cannot be negative"));
    }
    if width <= 0 {
        return Err(call.argument_error(index + 1, "width must be positive"));
    }
    if start.saturating_add(width) > BITS {
        return Err(call.error("trying to access non-existent bits"));
    }
    let width = u32::try_from(width).unwrap_or(1);
    let mask = u32::MAX >> (32 - width);
    Ok((u32::try_from(start).unwrap_or(0), mask))
}

pub fn extract(call: &mut Call<'_>) -> Ended {
    let value = unsigned(call, 1)?;
    let (start, mask) = field(call, 2)?;
    done((value >> start) & mask)
}

pub fn replace(call: &mut Call<'_>) -> Ended {
    let value = unsigned(call, 1)?;
    let new = unsigned(call, 2)?;
    let (start, mask) = field(call, 3)?;
    done((value & !(mask << start)) | ((new & mask) << start))
}
