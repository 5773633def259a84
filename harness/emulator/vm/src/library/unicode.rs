//! `utf8`: arguments and results around [`crate::text::utf8`].

use super::{CODES_STEP, Ended};
use crate::machine::{Call, Outcome};
use crate::text::utf8::{
    FIRST_POSITION, INVALID, LAST_POSITION, Length, OFFSET_POSITION, OUT_OF_RANGE, Offset, POSITION, Walked,
    decode, encode, next_code,
};
use crate::value::Value;

/// So many bytes are looked through in the time of an instruction.
const BYTES_PER_STEP: usize = 16;

fn relative(position: i64, length: i64) -> i64 {
    if position >= 0 {
        position
    } else if position.saturating_neg() > length {
        0
    } else {
        length + position + 1
    }
}

pub fn char(call: &mut Call<'_>) -> Ended {
    let mut bytes = Vec::new();
    for index in 1..=call.len() {
        let code = call.integer(index)?;
        if !encode(code, &mut bytes) {
            return Err(call.argument_error(index, OUT_OF_RANGE));
        }
    }
    call.string_from(bytes).map(Outcome::One)
}

pub fn codepoint(call: &mut Call<'_>) -> Ended {
    let text = call.text(1)?;
    let length = i64::try_from(call.bytes(text).len()).unwrap_or(i64::MAX);
    let first = relative(call.integer_or(2, 1)?, length);
    let last = relative(call.integer_or(3, first)?, length);
    if first < 1 {
        return Err(call.argument_error(2, POSITION));
    }
    if last > length {
        return Err(call.argument_error(3, POSITION));
    }
    let (mut at, end) = (usize::try_from(first - 1).unwrap_or(0), usize::try_from(last).unwrap_or(0));
    let mut count = 0;
    while at < end {
        let Some((code, size)) = decode(&call.bytes(text)[at..]) else { return Err(call.error(INVALID)) };
        call.push(Value::Number(code.into()))?;
        at += size;
        count += 1;
    }
    call.spend(count);
    Ok(Outcome::Return(count))
}

pub fn len(call: &mut Call<'_>) -> Ended {
    let text = call.text(1)?;
    let length = i64::try_from(call.bytes(text).len()).unwrap_or(i64::MAX);
    let first = relative(call.integer_or(2, 1)?, length);
    let last = relative(call.integer_or(3, -1)?, length);
    if first < 1 || first > length + 1 {
        return Err(call.argument_error(2, FIRST_POSITION));
    }
    if last > length {
        return Err(call.argument_error(3, LAST_POSITION));
    }
    let range = usize::try_from(first - 1).unwrap_or(0)..usize::try_from(last).unwrap_or(0);
    call.spend(range.len());
    // One pass over a text that is in memory: its work is counted before.
    let mut unlimited = u64::MAX;
    match Length::new(range).step(call.bytes(text), &mut unlimited) {
        Walked::Done(Ok(count)) => Ok(Outcome::One(Value::Number(count as f64))),
        Walked::Done(Err(place)) => {
            call.push(Value::Nil)?;
            call.push(Value::Number(place as f64))?;
            Ok(Outcome::Return(2))
        }
        Walked::Paused => unreachable!("the walk has no limit"),
    }
}

pub fn offset(call: &mut Call<'_>) -> Ended {
    let text = call.text(1)?;
    let length = i64::try_from(call.bytes(text).len()).unwrap_or(i64::MAX);
    let count = call.integer(2)?;
    let start = if count >= 0 { 1 } else { length + 1 };
    let from = relative(call.integer_or(3, start)?, length);
    if from < 1 || from > length + 1 {
        return Err(call.argument_error(3, OFFSET_POSITION));
    }
    let from = usize::try_from(from - 1).unwrap_or(0);
    let mut walk = Offset::new(call.bytes(text), count, from).map_err(|message| call.error(message))?;
    let mut work = u64::MAX;
    let found = walk.step(call.bytes(text), &mut work);
    call.spend(usize::try_from(u64::MAX - work).unwrap_or(usize::MAX));
    match found {
        Walked::Done(Some(place)) => Ok(Outcome::One(Value::Number(place as f64))),
        _ => Ok(Outcome::One(Value::Nil)),
    }
}

pub fn codes(call: &mut Call<'_>) -> Ended {
    let text = call.text(1)?;
    call.push(Value::Native(CODES_STEP))?;
    call.push(Value::String(text))?;
    call.push(Value::Number(0.0))?;
    Ok(Outcome::Return(3))
}

pub fn codes_step(call: &mut Call<'_>) -> Ended {
    let text = call.text(1)?;
    let previous = usize::try_from(call.integer(2)?).unwrap_or(0);
    let length = call.bytes(text).len();
    let found = next_code(call.bytes(text), previous);
    // What lies between was looked through, up to the end where nothing was found.
    let place = if let Ok(Some((place, _))) = found { place } else { length };
    call.spend(place.saturating_sub(previous) / BYTES_PER_STEP);
    match found {
        Ok(Some((place, code))) => {
            call.push(Value::Number(place as f64))?;
            call.push(Value::Number(code.into()))?;
            Ok(Outcome::Return(2))
        }
        Ok(None) => Ok(Outcome::One(Value::Nil)),
        Err(message) => Err(call.error(message)),
    }
}
