//! `table`, but for `sort`.

use super::proxies::{Helper, call_helper, is_proxy};
use super::{Ended, NEXT, lowest_bits};
use crate::dialect::Dialect;
use crate::machine::{Call, Outcome};
use crate::text::number::NumberText;
use crate::value::{NativeId, TableId, Value};

/// More values than this are not put on a stack, as in Lua.
const MOST_UNPACKED: i64 = 1_000_000;

fn this_native(call: &Call<'_>) -> Value {
    match call.state.thread.stack[call.function] {
        value @ Value::Native(NativeId(_)) => value,
        _ => Value::Nil,
    }
}

fn number(position: usize) -> Value {
    Value::Number(position as f64)
}

fn length(call: &Call<'_>, table: TableId) -> i64 {
    i64::try_from(call.state.heap.tables.get(table.0).length()).unwrap_or(i64::MAX)
}

fn get(call: &Call<'_>, table: TableId, index: i64) -> Value {
    call.state.heap.tables.get(table.0).get_number(index as f64)
}

pub fn pack(call: &mut Call<'_>) -> Ended {
    let count = call.len();
    let table = call.new_table(count, 1)?;
    call.push(Value::Table(table))?;
    let first = call.function + 1;
    let values = call.state.thread.stack[first..first + count].to_vec();
    let heap = &mut call.state.heap;
    let stored = heap.tables.get_mut(table.0).store(0, &values, &mut heap.account);
    stored.map_err(|error| call.memory(error))?;
    call.set_field(table, "n", number(count))?;
    Ok(Outcome::One(Value::Table(table)))
}

pub fn unpack(call: &mut Call<'_>) -> Ended {
    let table = call.table(1)?;
    let first = call.integer_or(2, 1)?;
    if is_proxy(call, table) {
        let arguments = [call.arg(1), Value::Number(first as f64), call.arg(3), this_native(call)];
        return call_helper(call, Helper::Unpack, &arguments);
    }
    let last = if call.arg(3).is_nil() { length(call, table) } else { call.integer(3)? };
    if first > last {
        return Ok(Outcome::NONE);
    }
    let count = last.saturating_sub(first).saturating_add(1);
    if count <= 0 || count >= MOST_UNPACKED {
        return Err(call.error("too many results to unpack"));
    }
    let count = usize::try_from(count).unwrap_or(0);
    if let Err(error) = call.state.reserve(count) {
        if call.state.is_memory_error(error) {
            return Err(error);
        }
        return Err(call.error("too many results to unpack"));
    }
    call.spend(count / 8);
    for index in first..=last {
        let value = get(call, table, index);
        call.push(value)?;
    }
    Ok(Outcome::Return(count))
}

/// The position in the second argument.
fn place(call: &mut Call<'_>) -> Result<i64, Value> {
    call.integer(2).map(lowest_bits)
}

pub fn insert(call: &mut Call<'_>) -> Ended {
    let table = call.table(1)?;
    let (at, value) = match call.len() {
        2 => (None, call.arg(2)),
        3 => (Some(place(call)?), call.arg(3)),
        _ => return Err(call.error("wrong number of arguments to 'insert'")),
    };
    if is_proxy(call, table) {
        let at = at.map_or(Value::Nil, |at| Value::Number(at as f64));
        return call_helper(call, Helper::Insert, &[Value::Table(table), at, value]);
    }
    let end = length(call, table) + 1;
    let at = at.unwrap_or(end);
    if at < 1 || at > end {
        if call.state.dialect == Dialect::CraftosPc {
            let arguments = [Value::Table(table), Value::Number(at as f64), value];
            return call_helper(call, Helper::Insert, &arguments);
        }
        return Err(call.argument_error(2, "position out of bounds"));
    }
    call.spend(usize::try_from(end - at).unwrap_or(0) / 8);
    // The last place is made first: nothing has changed when there is no room for it.
    let placeholder = if at == end { value } else { get(call, table, end - 1) };
    call.raw_set(table, Value::Number(end as f64), placeholder)?;
    if at < end {
        shift(call, table, at, end, true)?;
        call.raw_set(table, Value::Number(at as f64), value)?;
    }
    Ok(Outcome::NONE)
}

/// Moves the values from `at` up by one, the last of which is before `end`; or those behind `at` down.
fn shift(call: &mut Call<'_>, table: TableId, at: i64, end: i64, up: bool) -> Result<(), Value> {
    let (low, high) = (usize::try_from(at).unwrap_or(1), usize::try_from(end).unwrap_or(1));
    let array = call.state.heap.tables.get_mut(table.0).array_mut();
    if high <= array.len() {
        if up {
            array.copy_within(low - 1..high - 1, low);
        } else {
            array.copy_within(low..high, low - 1);
        }
        return Ok(());
    }
    let mut step = |from: i64, to: i64| {
        let value = get(call, table, from);
        call.raw_set(table, Value::Number(to as f64), value)
    };
    if up {
        for index in (at..end).rev() {
            step(index, index + 1)?;
        }
    } else {
        for index in at..end {
            step(index + 1, index)?;
        }
    }
    Ok(())
}

pub fn remove(call: &mut Call<'_>) -> Ended {
    let table = call.table(1)?;
    let at = if call.arg(2).is_nil() { None } else { Some(place(call)?) };
    // CraftOS-PC does nothing behind the end, and moves values to any position before the first.
    let loose = call.state.dialect == Dialect::CraftosPc;
    if is_proxy(call, table) {
        let at = at.map_or(Value::Nil, |at| Value::Number(at as f64));
        return call_helper(call, Helper::Remove, &[Value::Table(table), at, Value::Bool(loose)]);
    }
    let size = length(call, table);
    let at = at.unwrap_or(size);
    if loose && at > size {
        return Ok(Outcome::NONE);
    }
    if loose && at < 1 {
        let arguments = [Value::Table(table), Value::Number(at as f64), Value::Bool(true)];
        return call_helper(call, Helper::Remove, &arguments);
    }
    if !call.arg(2).is_nil() && size + 1 != at && (at < 1 || at > size + 1) && !(size == 0 && at == 0) {
        return Err(call.argument_error(2, "position out of bounds"));
    }
    let value = get(call, table, at);
    if at < size {
        call.spend(usize::try_from(size - at).unwrap_or(0) / 8);
        shift(call, table, at, size, false)?;
    }
    let last = if at <= size { size } else { at };
    call.raw_set(table, Value::Number(last as f64), Value::Nil)?;
    Ok(Outcome::One(value))
}

pub fn concat(call: &mut Call<'_>) -> Ended {
    let separator = call.text_or(2, b"")?;
    let table = call.table(1)?;
    let first = lowest_bits(call.integer_or(3, 1)?);
    let last = if call.arg(4).is_nil() { None } else { Some(lowest_bits(call.integer(4)?)) };
    if is_proxy(call, table) {
        let arguments = [
            Value::Table(table),
            Value::String(separator),
            Value::Number(first as f64),
            last.map_or(Value::Nil, |last| Value::Number(last as f64)),
            this_native(call),
        ];
        return call_helper(call, Helper::Concat, &arguments);
    }
    let last = last.unwrap_or_else(|| length(call, table));
    let gap = call.bytes(separator).len();
    let mut bytes = Vec::new();
    let mut index = first;
    while index <= last {
        let heap = &call.state.heap;
        let value = heap.tables.get(table.0).get_number(index as f64);
        let more = match value {
            Value::String(text) => heap.bytes(text).len(),
            // Its few bytes are seen with the next one.
            Value::Number(_) => 0,
            other => {
                let message =
                    format!("invalid value ({}) at index {index} in table for 'concat'", other.type_name());
                return Err(call.error(&message));
            }
        };
        let gap = if index < last { gap } else { 0 };
        call.spend((more + gap) / 64 + usize::from(index % 2 == 0));
        call.check_room(bytes.len() + more + gap)?;
        let heap = &call.state.heap;
        match value {
            Value::String(text) => bytes.extend_from_slice(heap.bytes(text)),
            Value::Number(number) => bytes.extend_from_slice(NumberText::of(number).as_bytes()),
            _ => {}
        }
        if index < last {
            bytes.extend_from_slice(heap.bytes(separator));
        }
        index += 1;
    }
    call.string_from(bytes).map(Outcome::One)
}

pub fn move_values(call: &mut Call<'_>) -> Ended {
    let (first, last, to) = (call.integer(2)?, call.integer(3)?, call.integer(4)?);
    let from = call.table(1)?;
    let into = if call.arg(5).is_nil() { from } else { call.table(5)? };
    if last >= first {
        if !(first > 0 || last < i64::MAX.saturating_add(first)) {
            return Err(call.argument_error(3, "too many elements to move"));
        }
        if to > i64::MAX - (last - first) {
            return Err(call.argument_error(4, "destination wrap around"));
        }
    }
    let arguments = [
        Value::Table(from),
        Value::Number(first as f64),
        Value::Number(last as f64),
        Value::Number(to as f64),
        Value::Table(into),
    ];
    call_helper(call, Helper::Move, &arguments)
}

pub fn getn(call: &mut Call<'_>) -> Ended {
    let table = call.table(1)?;
    Ok(Outcome::One(Value::Number(length(call, table) as f64)))
}

/// Lengths cannot be set any more.
pub fn setn(_: &mut Call<'_>) -> Ended {
    Ok(Outcome::NONE)
}

pub fn foreach(call: &mut Call<'_>) -> Ended {
    let (table, function) = (call.table(1)?, call.function(2)?);
    call_helper(call, Helper::ForEach, &[Value::Table(table), function, Value::Native(NEXT)])
}

pub fn foreachi(call: &mut Call<'_>) -> Ended {
    let table = call.table(1)?;
    let function = call.function(2)?;
    call_helper(call, Helper::ForEachIndex, &[Value::Table(table), function])
}

/// The largest number that is a key.
pub fn maxn(call: &mut Call<'_>) -> Ended {
    let table = call.table(1)?;
    let heap = &call.state.heap.tables;
    let table = heap.get(table.0);
    let mut most = table.array().iter().rposition(|value| !value.is_nil()).map_or(0.0, |at| (at + 1) as f64);
    for (key, value) in table.nodes() {
        if let Value::Number(number) = key
            && !value.is_nil()
            && number > most
        {
            most = number;
        }
    }
    let work = table.entry_count();
    call.spend(work / 8);
    Ok(Outcome::One(Value::Number(most)))
}
