//! `assert`, `error`, `pairs`, `pcall`, `select`, `tostring` and the others that stand in no table.

use super::{Ended, IPAIRS_STEP, NEXT};
use crate::dialect::Dialect;
use crate::heap::{Event, NO_TABLE};
use crate::machine::{Call, Cont, Outcome};
use crate::text::number::{CHARACTERS_PER_STEP, NumberText, parse_base};
use crate::value::{StringId, TableId, Value};

/// Where the first object and the first native would lie: texts of objects are twelve digits long, as a program on a
/// 64-bit machine sees them, and differ from those of natives.
const FIRST_PLACE: u64 = 0x7f00_0000_0000;
const FIRST_NATIVE: u64 = 0x5500_0000_0000;

/// So many levels are passed in the time of an instruction.
const LEVELS_PER_STEP: usize = 8;

/// No option of `collectgarbage` is as long.
const LONGEST_OPTION: usize = 64;

/// `collectgarbage("count")` is in units of this many bytes.
const KIB: f64 = 1024.0;

pub fn next(call: &mut Call<'_>) -> Ended {
    let table = call.table(1)?;
    let Ok(found) = call.state.heap.tables.get(table.0).next(call.arg(2)) else {
        return Err(call.state.heap.message(b"invalid key to 'next'"));
    };
    call.spend(found.work());
    let Some((key, value)) = found.entry else { return Ok(Outcome::One(Value::Nil)) };
    call.push(key)?;
    call.push(value)?;
    Ok(Outcome::Return(2))
}

pub fn pairs(call: &mut Call<'_>) -> Ended {
    let value = call.arg(1);
    let handler = call.state.heap.handler(value, Event::Pairs);
    if handler.is_nil() {
        call.table(1)?;
        call.push(Value::Native(NEXT))?;
        call.push(value)?;
        call.push(Value::Nil)?;
        return Ok(Outcome::Return(3));
    }
    call.push(handler)?;
    call.push(value)?;
    Ok(Outcome::Call(1, Cont::Pass { results: Some(3) }))
}

pub fn ipairs(call: &mut Call<'_>) -> Ended {
    let value = call.arg(1);
    let handler = call.state.heap.handler(value, Event::IPairs);
    if !handler.is_nil() {
        call.push(handler)?;
        call.push(value)?;
        return Ok(Outcome::Call(1, Cont::Pass { results: Some(3) }));
    }
    call.table(1)?;
    call.push(Value::Native(IPAIRS_STEP))?;
    call.push(value)?;
    call.push(Value::Number(0.0))?;
    Ok(Outcome::Return(3))
}

pub fn ipairs_step(call: &mut Call<'_>) -> Ended {
    let index = call.number(2)? + 1.0;
    let object = call.arg(1);
    match call.state.index_plainly(object, Value::Number(index))? {
        Ok(Value::Nil) => Ok(Outcome::One(Value::Nil)),
        Ok(value) => {
            call.push(Value::Number(index))?;
            call.push(value)?;
            Ok(Outcome::Return(2))
        }
        Err(handler) => {
            call.push(handler)?;
            call.push(object)?;
            call.push(Value::Number(index))?;
            Ok(Outcome::Call(2, Cont::Step { index }))
        }
    }
}

pub fn assert(call: &mut Call<'_>) -> Ended {
    if call.state.dialect == Dialect::Stock {
        call.any(1)?;
    }
    if call.arg(1).is_true() {
        return Ok(Outcome::Return(call.len()));
    }
    if call.arg(2).is_nil() {
        return Err(call.error("assertion failed!"));
    }
    // The message is a text and gets the position, as in Lua 5.2.
    let message = call.text(2)?;
    Err(positioned(call, 1, message)?)
}

/// A message with the position of a level before it.
fn positioned(call: &mut Call<'_>, level: usize, message: StringId) -> Result<Value, Value> {
    let depth = call.state.thread.frames.len();
    call.spend(level.min(depth) / LEVELS_PER_STEP);
    let mut text = call.state.position(level);
    let length = text.len() + call.bytes(message).len();
    call.copies(length)?;
    text.reserve_exact(length - text.len());
    text.extend_from_slice(call.bytes(message));
    call.string_from(text)
}

pub fn error(call: &mut Call<'_>) -> Ended {
    let value = call.arg(1);
    let level = call.integer_or(2, 1)?;
    let level = usize::try_from(level).unwrap_or(0);
    if level == 0 || !matches!(value, Value::String(_) | Value::Number(_)) {
        return Err(value);
    }
    let text = call.text(1)?;
    Err(positioned(call, level, text)?)
}

pub fn pcall(call: &mut Call<'_>) -> Ended {
    call.any(1)?;
    Ok(Outcome::Call(call.len() - 1, Cont::Pcall))
}

pub fn xpcall(call: &mut Call<'_>) -> Ended {
    if call.len() < 2 {
        return Err(call.argument_error(2, "value expected"));
    }
    let handler = call.arg(2);
    // The function changes places with the handler: its arguments follow it.
    let function = call.arg(1);
    call.set_arg(1, handler);
    call.set_arg(2, function);
    Ok(Outcome::Call(call.len() - 2, Cont::Xpcall))
}

pub fn type_of(call: &mut Call<'_>) -> Ended {
    let name = call.any(1)?.type_name();
    call.string(name.as_bytes()).map(Outcome::One)
}

pub fn rawequal(call: &mut Call<'_>) -> Ended {
    let (one, two) = (call.any(1)?, call.any(2)?);
    Ok(Outcome::One(Value::Bool(one.raw_equals(two))))
}

pub fn rawlen(call: &mut Call<'_>) -> Ended {
    let length = match call.arg(1) {
        Value::Table(table) => call.state.heap.tables.get(table.0).length(),
        Value::String(text) => call.bytes(text).len(),
        _ => return Err(call.argument_error(1, "table or string expected")),
    };
    Ok(Outcome::One(Value::Number(length as f64)))
}

pub fn rawget(call: &mut Call<'_>) -> Ended {
    let table = call.table(1)?;
    let key = call.any(2)?;
    Ok(Outcome::One(call.state.raw_get(table, key)))
}

pub fn rawset(call: &mut Call<'_>) -> Ended {
    let table = call.table(1)?;
    let (key, value) = (call.any(2)?, call.any(3)?);
    match key {
        // The native itself has no position, and Lua gives none of its caller.
        Value::Nil => return Err(call.state.heap.message(b"table index is nil")),
        Value::Number(number) if number.is_nan() => {
            return Err(call.state.heap.message(b"table index is NaN"));
        }
        _ => {}
    }
    call.raw_set(table, key, value)?;
    Ok(Outcome::One(Value::Table(table)))
}

pub fn select(call: &mut Call<'_>) -> Ended {
    if let Value::String(text) = call.arg(1)
        && call.bytes(text).first() == Some(&b'#')
    {
        return Ok(Outcome::One(Value::Number((call.len() - 1) as f64)));
    }
    let index = call.integer(1)?;
    let count = i64::try_from(call.len()).unwrap_or(i64::MAX);
    let skipped = if index < 0 { count + index } else { index.min(count) };
    if skipped < 1 {
        return Err(call.argument_error(1, "index out of range"));
    }
    Ok(Outcome::Return(usize::try_from(count - skipped).unwrap_or(0)))
}

pub fn getmetatable(call: &mut Call<'_>) -> Ended {
    let value = call.any(1)?;
    let meta = call.state.heap.metatable(value);
    if meta == NO_TABLE {
        return Ok(Outcome::One(Value::Nil));
    }
    let shown = call.state.heap.handler_in(meta, Event::Metatable);
    Ok(Outcome::One(if shown.is_nil() { Value::Table(TableId(meta)) } else { shown }))
}

pub fn setmetatable(call: &mut Call<'_>) -> Ended {
    let table = call.table(1)?;
    let meta = match call.arg(2) {
        Value::Table(meta) => meta.0,
        Value::Nil if call.len() >= 2 => NO_TABLE,
        _ => return Err(call.argument_error(2, "nil or table expected")),
    };
    let current = call.state.heap.tables.get(table.0).meta;
    if !call.state.heap.handler_in(current, Event::Metatable).is_nil() {
        return Err(call.error("cannot change a protected metatable"));
    }
    call.state.heap.set_metatable(Value::Table(table), meta);
    Ok(Outcome::One(Value::Table(table)))
}

pub fn tonumber(call: &mut Call<'_>) -> Ended {
    if call.arg(2).is_nil() {
        return Ok(Outcome::One(match call.any(1)? {
            Value::Number(number) => Value::Number(number),
            Value::String(text) => call.state.number_in(text).map_or(Value::Nil, Value::Number),
            _ => Value::Nil,
        }));
    }
    let text = call.text(1)?;
    let base = call.integer(2)?;
    let Some(base) = u32::try_from(base).ok().filter(|base| (2..=36).contains(base)) else {
        return Err(call.argument_error(2, "base out of range"));
    };
    call.spend(call.bytes(text).len() / CHARACTERS_PER_STEP);
    Ok(Outcome::One(parse_base(call.bytes(text), base).map_or(Value::Nil, Value::Number)))
}

/// How a value without `__tostring` is shown. The numbers of objects are those of their creation.
pub fn plain_text(call: &mut Call<'_>, value: Value) -> Vec<u8> {
    let heap = &call.state.heap;
    let (kind, serial) = match value {
        Value::Nil | Value::Cell(_) => return b"nil".to_vec(),
        Value::Bool(value) => return value.to_string().into_bytes(),
        Value::Number(number) => return NumberText::of(number).as_bytes().to_vec(),
        Value::String(text) => return heap.bytes(text).to_vec(),
        Value::Table(table) => ("table", heap.tables.get(table.0).serial),
        Value::Closure(closure) => ("function", heap.closures.get(closure.0).serial),
        Value::Bound(bound) => ("function", heap.bounds.get(bound.0).serial),
        Value::Native(native) => {
            return match call.state.dialect {
                Dialect::Stock => format!("function: builtin: {:08x}", native.0 + 1),
                Dialect::CraftosPc => format!("function: {:012x}", FIRST_NATIVE + u64::from(native.0) * 16),
            }
            .into_bytes();
        }
        Value::Thread(thread) => ("thread", call.state.thread_of(thread).serial),
    };
    // Objects lie sixteen bytes apart, as they would in memory.
    let place = u64::from(serial) * 16;
    match call.state.dialect {
        Dialect::Stock if kind == "table" => format!("{}: 0x{place:08x}", call.state.type_text(value)),
        Dialect::Stock => format!("{kind}: 0x{place:08x}"),
        Dialect::CraftosPc => format!("{kind}: {:012x}", FIRST_PLACE + place),
    }
    .into_bytes()
}

pub fn tostring(call: &mut Call<'_>) -> Ended {
    let value = call.any(1)?;
    match value {
        Value::String(_) => return Ok(Outcome::One(value)),
        Value::Number(number) => {
            let text = NumberText::of(number);
            return call.string(text.as_bytes()).map(Outcome::One);
        }
        _ => {}
    }
    let handler = call.state.heap.handler(value, Event::ToString);
    if handler.is_nil() {
        let text = plain_text(call, value);
        return call.string(&text).map(Outcome::One);
    }
    call.push(handler)?;
    call.push(value)?;
    Ok(Outcome::Call(1, Cont::ToText))
}

/// What `__tostring` gave is the result, whatever it is; a number becomes a text.
pub fn finish_tostring(call: &mut Call<'_>, value: Value) -> Ended {
    match value {
        Value::Number(number) => {
            let text = NumberText::of(number);
            call.string(text.as_bytes()).map(Outcome::One)
        }
        _ => Ok(Outcome::One(value)),
    }
}

pub fn collectgarbage(call: &mut Call<'_>) -> Ended {
    let option = call.text_or(1, b"collect")?;
    let option = call.bytes(option);
    // What is longer is none of them.
    let option = option[..option.len().min(LONGEST_OPTION)].to_vec();
    Ok(Outcome::One(match &option[..] {
        b"count" => {
            let used = call.state.used() as f64;
            call.push(Value::Number(used / KIB))?;
            call.push(Value::Number(used % KIB))?;
            return Ok(Outcome::Return(2));
        }
        b"collect" => {
            call.state.collect_in_native();
            Value::Number(0.0)
        }
        b"step" => {
            call.state.collect_in_native();
            Value::Bool(true)
        }
        b"isrunning" => Value::Bool(call.state.collects()),
        b"stop" | b"restart" => {
            call.state.set_collects(option == b"restart");
            Value::Number(0.0)
        }
        b"setpause" | b"setstepmul" | b"setmajorinc" | b"generational" | b"incremental" => Value::Number(0.0),
        _ => {
            let message = format!("invalid option '{}'", String::from_utf8_lossy(&option));
            return Err(call.argument_error(1, &message));
        }
    }))
}
