//! `utf8`, which Lua 5.2 does not have; it is that of Lua 5.3, with code points up to 10FFFF.

use super::{Arguments, Host};
use crate::lua::{Call, Native, NativeResult, Raise, Value};

/// The last code point.
const LAST: u32 = 0x10_FFFF;
/// A string longer than this is no position that a double could not hold.
const TOO_LONG: &str = "string is too long";

/// Reads the character that begins at a byte: its number and its length. Surrogates are let through, as in 5.3.
fn decode(bytes: &[u8]) -> Option<(u32, usize)> {
    let first = *bytes.first()?;
    let (length, start) = match first {
        0..=0x7F => return Some((first.into(), 1)),
        0xC0..=0xDF => (2, u32::from(first & 0x1F)),
        0xE0..=0xEF => (3, u32::from(first & 0x0F)),
        0xF0..=0xF7 => (4, u32::from(first & 0x07)),
        _ => return None,
    };
    let mut code = start;
    for &byte in bytes.get(1..length)? {
        if byte & 0xC0 != 0x80 {
            return None;
        }
        code = code << 6 | u32::from(byte & 0x3F);
    }
    let smallest = [0x80, 0x800, 0x1_0000][length - 2];
    (code >= smallest && code <= LAST).then_some((code, length))
}

fn encode(code: u32, text: &mut Vec<u8>) {
    let tail = |shift: u32| 0x80 | u8::try_from(code >> shift & 0x3F).expect("six bits fit a byte");
    let head = |mark: u8, shift: u32| mark | u8::try_from(code >> shift & 0xFF).unwrap_or(0);
    match code {
        0..=0x7F => text.push(head(0, 0)),
        0x80..=0x7FF => text.extend([head(0xC0, 6), tail(0)]),
        0x800..=0xFFFF => text.extend([head(0xE0, 12), tail(6), tail(0)]),
        _ => text.extend([head(0xF0, 18), tail(12), tail(6), tail(0)]),
    }
}

fn is_tail(bytes: &[u8], at: i64) -> bool {
    usize::try_from(at).ok().and_then(|at| bytes.get(at)).is_some_and(|byte| byte & 0xC0 == 0x80)
}

/// A position of a program: from 1, or from the end if negative.
#[expect(clippy::cast_possible_truncation, reason = "positions beyond the string saturate")]
fn position(call: &Call<'_>, index: usize, default: i64, length: i64) -> Result<i64, Raise> {
    let given = if call.is_nil(index) { default } else { call.float(index)? as i64 };
    Ok(if given >= 0 {
        given
    } else if -given > length {
        0
    } else {
        length + given + 1
    })
}

fn length_of(bytes: &[u8]) -> Result<i64, Raise> {
    i64::try_from(bytes.len()).map_err(|_| Raise::new(TOO_LONG))
}

#[expect(clippy::cast_precision_loss, reason = "strings are far shorter")]
fn float(number: i64) -> f64 {
    number as f64
}

fn char(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let mut text = Vec::new();
    for index in 1..=call.len() {
        let code = call.number_or_text(index).ok_or_else(|| call.unexpected(index, "number"))?;
        if !(0.0..=f64::from(LAST)).contains(&code) {
            return Err(Raise::new(format!("bad argument #{index} (value out of range)")));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was just checked")]
        encode(code as u32, &mut text);
    }
    call.push(Value::String(text));
    Ok(())
}

fn codepoint(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let text = call.text(1)?;
    let length = length_of(&text)?;
    let first = position(call, 2, 1, length)?;
    let last = position(call, 3, first, length)?;
    if first < 1 {
        return Err(Raise::new("bad argument #2 (out of range)"));
    }
    if last > length {
        return Err(Raise::new("bad argument #3 (out of range)"));
    }
    let mut at = first - 1;
    while at < last {
        let rest = usize::try_from(at).ok().and_then(|at| text.get(at..)).unwrap_or_default();
        let (code, size) = decode(rest).ok_or_else(|| Raise::new("invalid UTF-8 code"))?;
        call.push(code);
        at += length_of(&rest[..size])?;
    }
    Ok(())
}

fn len(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let text = call.text(1)?;
    let length = length_of(&text)?;
    let mut at = position(call, 2, 1, length)? - 1;
    let last = position(call, 3, -1, length)? - 1;
    if at < 0 || at > length {
        return Err(Raise::new("bad argument #2 (initial position out of string)"));
    }
    if last >= length {
        return Err(Raise::new("bad argument #3 (final position out of string)"));
    }
    let mut count = 0;
    while at <= last {
        let rest = usize::try_from(at).ok().and_then(|at| text.get(at..)).unwrap_or_default();
        let Some((_, size)) = decode(rest) else {
            call.push(Value::Nil);
            call.push(float(at + 1));
            return Ok(());
        };
        at += length_of(&rest[..size])?;
        count += 1;
    }
    call.push(float(count));
    Ok(())
}

fn offset(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let text = call.text(1)?;
    let length = length_of(&text)?;
    #[expect(clippy::cast_possible_truncation, reason = "counts beyond the string saturate")]
    let mut count = call.float(2)? as i64;
    let default = if count >= 0 { 1 } else { length + 1 };
    let mut at = position(call, 3, default, length)? - 1;
    if at < 0 || at > length {
        return Err(Raise::new("bad argument #3 (position out of range)"));
    }
    if count == 0 {
        while at > 0 && is_tail(&text, at) {
            at -= 1;
        }
        call.push(float(at + 1));
        return Ok(());
    }
    if is_tail(&text, at) {
        return Err(Raise::new("initial position is a continuation byte"));
    }
    if count < 0 {
        while count < 0 && at > 0 {
            at -= 1;
            while at > 0 && is_tail(&text, at) {
                at -= 1;
            }
            count += 1;
        }
    } else {
        count -= 1;
        while count > 0 && at < length {
            at += 1;
            while is_tail(&text, at) {
                at += 1;
            }
            count -= 1;
        }
    }
    call.push(if count == 0 { Value::Number(float(at + 1)) } else { Value::Nil });
    Ok(())
}

/// The step of the iterator that the prelude's `utf8.codes` returns.
fn next_code(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let text = call.text(1)?;
    let length = length_of(&text)?;
    #[expect(clippy::cast_possible_truncation, reason = "positions beyond the string saturate")]
    let mut at = call.float(2)? as i64 - 1;
    if at < 0 {
        at = 0;
    } else if at < length {
        at += 1;
        while is_tail(&text, at) {
            at += 1;
        }
    }
    if at >= length {
        return Ok(());
    }
    let rest = usize::try_from(at).ok().and_then(|at| text.get(at..)).unwrap_or_default();
    let (code, size) = decode(rest).ok_or_else(|| Raise::new("invalid UTF-8 code"))?;
    if is_tail(rest, length_of(&rest[..size])?) {
        return Err(Raise::new("invalid UTF-8 code"));
    }
    call.push(float(at + 1));
    call.push(code);
    Ok(())
}

pub const NATIVES: &[Native] = &[
    Native { name: "char", run: char },
    Native { name: "codepoint", run: codepoint },
    Native { name: "len", run: len },
    Native { name: "next_code", run: next_code },
    Native { name: "offset", run: offset },
];

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn every_character_comes_back(character: char) {
            let mut text = Vec::new();
            encode(u32::from(character), &mut text);
            let expected = character.to_string().into_bytes();
            proptest::prop_assert_eq!(&text, &expected);
            proptest::prop_assert_eq!(decode(&text), Some((u32::from(character), text.len())));
        }

        #[test]
        fn any_bytes_decode_or_do_not(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..8)) {
            if let Some((code, length)) = decode(&bytes) {
                proptest::prop_assert!(code <= LAST && length <= bytes.len());
            }
        }
    }
}
