//! `string.pack`, `packsize` and `unpack`: arguments and results around [`crate::text::pack`].

use std::ops::Range;

use super::Ended;
use super::patterns::substring;
use crate::machine::{Call, Outcome};
use crate::text::pack::values::{
    pack_double, pack_float, pack_length, pack_signed, pack_unsigned, unpack_double, unpack_float,
    unpack_length, unpack_number,
};
use crate::text::pack::{
    CONTAINS_ZEROS, DATA_TOO_SHORT, Kind, LENGTH_TOO_LARGE, Options, POSITION, PackError, PackOption,
    TOO_LONG, UNFINISHED, add_size, data_range,
};
use crate::value::{StringId, Value};

fn next(
    call: &mut Call<'_>,
    options: &mut Options,
    format: StringId,
    total: usize,
) -> Result<Option<PackOption>, Value> {
    call.spend(1);
    let found: Result<_, PackError> = options.next(call.bytes(format), total);
    found.map_err(|error| {
        let message = error.message();
        if error.is_about_argument() {
            return call.argument_error(1, &String::from_utf8_lossy(&message));
        }
        call.error_bytes(&message)
    })
}

pub fn packsize(call: &mut Call<'_>) -> Ended {
    let format = call.text(1)?;
    let mut options = Options::default();
    let mut total = 0;
    while let Some(option) = next(call, &mut options, format, total)? {
        total = add_size(total, &option).map_err(|message| call.argument_error(1, message))?;
    }
    Ok(Outcome::One(Value::Number(total as f64)))
}

pub fn pack(call: &mut Call<'_>) -> Ended {
    let format = call.text(1)?;
    let mut options = Options::default();
    let mut out = Vec::new();
    let mut argument = 1;
    while let Some(option) = next(call, &mut options, format, out.len())? {
        call.check_room(out.len().saturating_add(option.padding).saturating_add(option.size))?;
        call.spend_bytes(option.size);
        out.resize(out.len() + option.padding, 0);
        if !matches!(option.kind, Kind::Padding | Kind::Nothing) {
            argument += 1;
        }
        let written = match option.kind {
            Kind::Signed => {
                let number = call.number(argument)?;
                pack_signed(number, option.size, option.order, &mut out)
            }
            Kind::Unsigned => {
                let number = call.number(argument)?;
                pack_unsigned(number, option.size, option.order, &mut out)
            }
            Kind::Float => {
                pack_float(call.number(argument)?, option.order, &mut out);
                Ok(())
            }
            Kind::Double => {
                pack_double(call.number(argument)?, option.order, &mut out);
                Ok(())
            }
            Kind::Fixed | Kind::Prefixed | Kind::Terminated => {
                let text = call.text(argument)?;
                let length = call.bytes(text).len();
                call.check_room(out.len().saturating_add(length).saturating_add(option.size))?;
                call.spend_bytes(length);
                pack_text(&option, call.bytes(text), &mut out)
            }
            Kind::Padding => {
                out.push(0);
                Ok(())
            }
            Kind::Nothing => Ok(()),
        };
        written.map_err(|message| call.argument_error(argument, message))?;
    }
    call.string_from(out).map(Outcome::One)
}

fn pack_text(option: &PackOption, text: &[u8], out: &mut Vec<u8>) -> Result<(), &'static str> {
    match option.kind {
        Kind::Fixed => {
            if text.len() > option.size {
                return Err(TOO_LONG);
            }
            out.extend_from_slice(text);
            out.resize(out.len() + option.size - text.len(), 0);
        }
        Kind::Prefixed => {
            pack_length(text.len(), option.size, option.order, out).map_err(|_| LENGTH_TOO_LARGE)?;
            out.extend_from_slice(text);
        }
        _ => {
            if text.contains(&0) {
                return Err(CONTAINS_ZEROS);
            }
            out.extend_from_slice(text);
            out.push(0);
        }
    }
    Ok(())
}

/// A part of what is unpacked, as a text.
fn part(call: &mut Call<'_>, data: StringId, range: Range<usize>) -> Result<Value, Value> {
    call.spend_bytes(range.len());
    substring(call, data, range)
}

pub fn unpack(call: &mut Call<'_>) -> Ended {
    let (format, data) = (call.text(1)?, call.text(2)?);
    let length = call.bytes(data).len();
    let start = call.integer_or(3, 1)?;
    let signed_length = i64::try_from(length).unwrap_or(i64::MAX);
    let start = if start < 0 { (signed_length + start).max(-1) } else { start - 1 };
    let Some(mut at) = usize::try_from(start).ok().filter(|at| *at <= length) else {
        return Err(call.argument_error(3, POSITION));
    };
    let mut options = Options::default();
    let mut count = 0;
    while let Some(option) = next(call, &mut options, format, at)? {
        let range = data_range(at, &option, length).map_err(|message| call.argument_error(2, message))?;
        at = range.end;
        let bytes = &call.bytes(data)[range.clone()];
        let value = match option.kind {
            Kind::Padding | Kind::Nothing => continue,
            Kind::Signed | Kind::Unsigned => {
                let number = unpack_number(bytes, option.kind == Kind::Signed, option.order);
                Value::Number(number.map_err(|message| call.error(&message))?)
            }
            Kind::Float => {
                Value::Number(bytes.try_into().map_or(0.0, |bytes| unpack_float(bytes, option.order)))
            }
            Kind::Double => {
                Value::Number(bytes.try_into().map_or(0.0, |bytes| unpack_double(bytes, option.order)))
            }
            Kind::Fixed => part(call, data, range)?,
            Kind::Prefixed => {
                let size = unpack_length(bytes, option.order).map_err(|message| call.error(&message))?;
                let Some(end) = at.checked_add(size).filter(|end| *end <= length) else {
                    return Err(call.argument_error(2, DATA_TOO_SHORT));
                };
                part(call, data, std::mem::replace(&mut at, end)..end)?
            }
            Kind::Terminated => {
                let rest = &call.bytes(data)[range.start..];
                let (found, all) = (memchr::memchr(0, rest), rest.len());
                call.spend_bytes(found.unwrap_or(all));
                let Some(size) = found else {
                    return Err(call.argument_error(2, UNFINISHED));
                };
                at = range.start + size + 1;
                part(call, data, range.start..at - 1)?
            }
        };
        call.push(value)?;
        count += 1;
    }
    call.push(Value::Number((at + 1) as f64))?;
    Ok(Outcome::Return(count + 1))
}
