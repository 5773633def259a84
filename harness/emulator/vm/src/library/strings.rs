//! `string`, but for patterns and formats.

use super::Ended;
use super::patterns::substring;
use crate::machine::{Call, Outcome};
use crate::text::bytes;
use crate::value::{StringId, Value};

/// One instruction's worth of bytes that are copied or changed.
const BYTES_PER_STEP: usize = 64;

/// The bytes between two positions of a text, from 0.
fn range(call: &mut Call<'_>, text: StringId, first: i64, last: i64) -> std::ops::Range<usize> {
    bytes::range(first, last, call.bytes(text).len())
}

pub fn len(call: &mut Call<'_>) -> Ended {
    let text = call.text(1)?;
    Ok(Outcome::One(Value::Number(call.bytes(text).len() as f64)))
}

pub fn sub(call: &mut Call<'_>) -> Ended {
    let text = call.text(1)?;
    let first = call.integer(2)?;
    let last = call.integer_or(3, -1)?;
    let range = range(call, text, first, last);
    call.spend(range.len() / BYTES_PER_STEP);
    substring(call, text, range).map(Outcome::One)
}

pub fn byte(call: &mut Call<'_>) -> Ended {
    let text = call.text(1)?;
    let first = call.integer_or(2, 1)?;
    let last = call.integer_or(3, first)?;
    let range = range(call, text, first, last);
    if range.len() == 1 {
        return Ok(Outcome::One(Value::Number(call.bytes(text)[range.start].into())));
    }
    call.spend(range.len() / 8);
    if call.state.reserve(range.len()).is_err() {
        return Err(call.error("string slice too long"));
    }
    for position in range.clone() {
        let byte = call.bytes(text)[position];
        call.push(Value::Number(byte.into()))?;
    }
    Ok(Outcome::Return(range.len()))
}

pub fn char(call: &mut Call<'_>) -> Ended {
    let mut bytes = Vec::with_capacity(call.len());
    for index in 1..=call.len() {
        // C's `int` has 32 bits: what is above them is not seen.
        let [a, b, c, d, ..] = call.integer(index)?.to_le_bytes();
        let Ok(byte) = u8::try_from(i32::from_le_bytes([a, b, c, d])) else {
            return Err(call.argument_error(index, "value out of range"));
        };
        bytes.push(byte);
    }
    call.string_from(bytes).map(Outcome::One)
}

pub fn dump(call: &mut Call<'_>) -> Ended {
    call.function(1)?;
    Err(call.error("unable to dump given function"))
}

fn mapped(call: &mut Call<'_>, change: impl Fn(&[u8]) -> Vec<u8>) -> Ended {
    let text = call.text(1)?;
    let length = call.bytes(text).len();
    call.check_room(length)?;
    call.spend(length / BYTES_PER_STEP);
    let changed = change(call.bytes(text));
    call.string_from(changed).map(Outcome::One)
}

pub fn lower(call: &mut Call<'_>) -> Ended {
    mapped(call, <[u8]>::to_ascii_lowercase)
}

pub fn upper(call: &mut Call<'_>) -> Ended {
    mapped(call, <[u8]>::to_ascii_uppercase)
}

pub fn reverse(call: &mut Call<'_>) -> Ended {
    mapped(call, |bytes| bytes.iter().rev().copied().collect())
}

pub fn rep(call: &mut Call<'_>) -> Ended {
    let text = call.text(1)?;
    let count = call.integer(2)?;
    let separator = call.text_or(3, b"")?;
    let Ok(count) = usize::try_from(count) else { return call.string(b"").map(Outcome::One) };
    if count == 0 {
        return call.string(b"").map(Outcome::One);
    }
    let (length, gap) = (call.bytes(text).len(), call.bytes(separator).len());
    let total = length
        .checked_mul(count)
        .and_then(|texts| gap.checked_mul(count - 1).and_then(|gaps| texts.checked_add(gaps)))
        .filter(|total| *total < usize::MAX / 2);
    let Some(total) = total else { return Err(call.error("resulting string too large")) };
    call.check_room(total)?;
    call.spend(total / BYTES_PER_STEP);
    if gap == 0 {
        let bytes = call.bytes(text).repeat(count);
        return call.string_from(bytes).map(Outcome::One);
    }
    let mut bytes = Vec::with_capacity(total);
    if total > 0 {
        for index in 0..count {
            if index > 0 {
                bytes.extend_from_slice(call.bytes(separator));
            }
            bytes.extend_from_slice(call.bytes(text));
        }
    }
    call.string_from(bytes).map(Outcome::One)
}
