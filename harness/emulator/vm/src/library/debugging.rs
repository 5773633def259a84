//! `debug`. Levels and indices are whole numbers in range, or there is nothing there.

use std::sync::Arc;

use super::Ended;
use crate::dialect::Dialect;
use crate::heap::NO_TABLE;
use crate::machine::{Call, Hook, Info, Level, NO_CLOSURE, Outcome, State};
use crate::text::number;
use crate::value::{ClosureId, TableId, ThreadId, Value};

/// The level before which a traceback leaves some out, and how many it shows at its end, as in Lua 5.2.
const STOCK_LEVELS: (usize, usize) = (11, 11);
/// How many levels a traceback shows at its beginning and at its end, as in CraftOS-PC.
const CRAFTOS_LEVELS: (usize, usize) = (10, 11);

/// The letters of `getinfo`.
const OPTIONS: &[u8] = b"SlnrutLf";

/// So many levels are passed, or names of variables looked at, in the time of an instruction.
const LEVELS_PER_STEP: usize = 8;

/// The coroutine that the first argument may be, and by how much the others are moved.
fn target(call: &Call<'_>) -> (ThreadId, usize) {
    if let Value::Thread(thread) = call.arg(1) { (thread, 1) } else { (call.state.current, 0) }
}

/// The function at a level of a coroutine.
fn level_at(call: &mut Call<'_>, thread: ThreadId, level: i64) -> Option<Level> {
    let level = usize::try_from(level).ok()?;
    call.spend(level.min(call.state.thread_of(thread).frames.len()) / LEVELS_PER_STEP);
    call.state.levels(thread).nth(level)
}

pub fn getinfo(call: &mut Call<'_>) -> Ended {
    let (thread, offset) = target(call);
    let options = call.text_or(offset + 2, b"flnStu")?;
    let given = call.bytes(options);
    let (length, is_valid) = (given.len(), given.iter().all(|option| OPTIONS.contains(option)));
    let options: Vec<u8> = OPTIONS.iter().copied().filter(|option| given.contains(option)).collect();
    call.spend(length);
    if !is_valid {
        return Err(call.argument_error(offset + 2, "invalid option"));
    }
    let subject = call.arg(offset + 1);
    let (info, function) = if subject.is_function() {
        (call.state.info_of(subject), subject)
    } else {
        let Value::Number(level) = subject else {
            return Err(call.argument_error(offset + 1, "function or level expected"));
        };
        let level = number::to_integer(level);
        let Some(level) = level_at(call, thread, level) else { return Ok(Outcome::One(Value::Nil)) };
        call.state.info_at(thread, level)
    };
    call.spend(info.work);
    let table = call.new_table(0, 12)?;
    call.push(Value::Table(table))?;
    fill(call, table, &info, function, &options)?;
    Ok(Outcome::One(Value::Table(table)))
}

fn fill(
    call: &mut Call<'_>,
    table: TableId,
    info: &Info,
    function: Value,
    options: &[u8],
) -> Result<(), Value> {
    let has = |option: u8| options.contains(&option);
    if has(b'S') {
        call.spend_bytes(info.source.len());
        for (name, bytes) in
            [("source", &info.source[..]), ("short_src", &info.short_source), ("what", info.what.as_bytes())]
        {
            let value = call.string(bytes)?;
            call.set_field(table, name, value)?;
        }
        call.set_field(table, "linedefined", Value::Number(info.line as f64))?;
        call.set_field(table, "lastlinedefined", Value::Number(info.last_line as f64))?;
    }
    if has(b'l') {
        call.set_field(table, "currentline", Value::Number(info.current_line as f64))?;
    }
    if has(b'u') {
        call.set_field(table, "nups", Value::Number(info.upvalues as f64))?;
        call.set_field(table, "nparams", Value::Number(info.parameters as f64))?;
        call.set_field(table, "isvararg", Value::Bool(info.is_vararg))?;
    }
    if has(b'n') {
        let what = info.name.as_ref().map_or("", |(kind, _)| kind);
        let what = call.string(what.as_bytes())?;
        call.set_field(table, "namewhat", what)?;
        if let Some((_, name)) = &info.name {
            let name = call.string(name.as_bytes())?;
            call.set_field(table, "name", name)?;
        }
    }
    if has(b't') {
        call.set_field(table, "istailcall", Value::Bool(info.is_tail))?;
    }
    if has(b'L')
        && let Value::Closure(id) = function
    {
        let lines = call.new_table(0, 0)?;
        call.push(Value::Table(lines))?;
        let loaded = call.state.heap.closures.get(id.0).loaded;
        let numbers: Vec<u32> = call.state.proto(loaded).lines().to_vec();
        call.spend(numbers.len() / 4);
        for line in numbers {
            call.raw_set(lines, Value::Number(line.into()), Value::Bool(true))?;
        }
        call.set_field(table, "activelines", Value::Table(lines))?;
    }
    if has(b'f') {
        call.set_field(table, "func", function)?;
    }
    Ok(())
}

/// A variable of a frame: its name, and its slot on the stack or the cell that it lives in.
fn local_slot(
    call: &mut Call<'_>,
    thread: ThreadId,
    index: usize,
    wanted: i64,
) -> Option<(Arc<[u8]>, usize)> {
    let frame = &call.state.thread_of(thread).frames[index];
    if frame.closure != NO_CLOSURE {
        let names = call.state.proto(frame.loaded).notes().locals.len();
        call.spend(names / LEVELS_PER_STEP);
    }
    let thread = call.state.thread_of(thread);
    let frame = &thread.frames[index];
    if frame.closure == NO_CLOSURE || call.state.proto(frame.loaded).stands_for_native() {
        // What a native holds is its own.
        return None;
    }
    let base = frame.base as usize;
    if let Ok(wanted) = usize::try_from(wanted) {
        if wanted == 0 {
            return None;
        }
        let mut locals = call.state.proto(frame.loaded).active_locals(State::current_pc(thread, index));
        return locals.nth(wanted - 1).map(|local| (local.name.clone(), base + usize::from(local.register)));
    }
    let wanted = usize::try_from(wanted.unsigned_abs()).ok()?;
    let given = frame.varargs as usize;
    (wanted <= given).then(|| (Arc::from(&b"(*vararg)"[..]), base - given + wanted - 1))
}

pub fn getlocal(call: &mut Call<'_>) -> Ended {
    let (thread, offset) = target(call);
    let wanted = call.integer(offset + 2)?;
    if let Value::Closure(ClosureId(id)) = call.arg(offset + 1) {
        let loaded = call.state.heap.closures.get(id).loaded;
        let name = wanted.checked_sub(1).and_then(|at| usize::try_from(at).ok()).and_then(|index| {
            let proto = call.state.proto(loaded);
            let parameters = usize::from(proto.head.parameters);
            (index < parameters)
                .then(|| proto.notes().locals.get(index).map(|local| local.name.clone()))
                .flatten()
        });
        return match name {
            Some(name) => name_of(call, &name).map(Outcome::One),
            None => Ok(Outcome::One(Value::Nil)),
        };
    }
    let level = call.integer(offset + 1)?;
    let Some(level) = level_at(call, thread, level) else {
        return Err(call.argument_error(offset + 1, "level out of range"));
    };
    let Level::Frame(index) = level else { return Ok(Outcome::One(Value::Nil)) };
    let Some((name, slot)) = local_slot(call, thread, index, wanted) else {
        return Ok(Outcome::One(Value::Nil));
    };
    let mut value = call.state.thread_of(thread).stack[slot];
    if let Value::Cell(cell) = value {
        value = *call.state.heap.cells.get(cell);
    }
    let name = name_of(call, &name)?;
    call.push(name)?;
    call.push(value)?;
    Ok(Outcome::Return(2))
}

/// The name of a variable, which may be as long as its program.
fn name_of(call: &mut Call<'_>, name: &[u8]) -> Result<Value, Value> {
    call.spend_bytes(name.len());
    call.string(name)
}

pub fn setlocal(call: &mut Call<'_>) -> Ended {
    let (thread, offset) = target(call);
    let (level, wanted) = (call.integer(offset + 1)?, call.integer(offset + 2)?);
    let value = call.any(offset + 3)?;
    let Some(level) = level_at(call, thread, level) else {
        return Err(call.argument_error(offset + 1, "level out of range"));
    };
    let Level::Frame(index) = level else { return Ok(Outcome::One(Value::Nil)) };
    let Some((name, slot)) = local_slot(call, thread, index, wanted) else {
        return Ok(Outcome::One(Value::Nil));
    };
    if let Value::Cell(cell) = call.state.thread_of(thread).stack[slot] {
        *call.state.heap.cells.get_mut(cell) = value;
    } else {
        call.state.thread_of_mut(thread).stack[slot] = value;
    }
    name_of(call, &name).map(Outcome::One)
}

pub fn getmetatable(call: &mut Call<'_>) -> Ended {
    let value = call.any(1)?;
    let meta = call.state.heap.metatable(value);
    Ok(Outcome::One(if meta == NO_TABLE { Value::Nil } else { Value::Table(TableId(meta)) }))
}

pub fn setmetatable(call: &mut Call<'_>) -> Ended {
    let value = call.arg(1);
    let meta = match call.arg(2) {
        Value::Table(meta) => meta.0,
        Value::Nil if call.len() >= 2 => NO_TABLE,
        _ => return Err(call.argument_error(2, "nil or table expected")),
    };
    call.state.heap.set_metatable(value, meta);
    Ok(Outcome::One(value))
}

/// There is no registry that a program could see.
pub fn getregistry(call: &mut Call<'_>) -> Ended {
    call.new_table(0, 0).map(|table| Outcome::One(Value::Table(table)))
}

pub fn getuservalue(_: &mut Call<'_>) -> Ended {
    Ok(Outcome::One(Value::Nil))
}

/// The name and the cell of an upvalue, and which of its function it is.
type Upvalue = (Arc<[u8]>, u32, usize);

fn upvalue(call: &mut Call<'_>, index: usize) -> Result<Option<Upvalue>, Value> {
    let wanted = call.integer(index + 1)?;
    let function = call.function(index)?;
    let Value::Closure(id) = function else { return Ok(None) };
    let closure = call.state.heap.closures.get(id.0);
    if call.state.proto(closure.loaded).stands_for_native() {
        return Ok(None);
    }
    let found = wanted
        .checked_sub(1)
        .and_then(|at| usize::try_from(at).ok())
        .filter(|at| *at < closure.upvalues.len());
    Ok(found.map(|at| {
        let name = call.state.proto(closure.loaded).notes().upvalues[at].clone();
        (name, closure.upvalues[at], at)
    }))
}

pub fn getupvalue(call: &mut Call<'_>) -> Ended {
    let Some((name, cell, _)) = upvalue(call, 1)? else { return Ok(Outcome::NONE) };
    let name = name_of(call, &name)?;
    let value = *call.state.heap.cells.get(cell);
    call.push(name)?;
    call.push(value)?;
    Ok(Outcome::Return(2))
}

pub fn setupvalue(call: &mut Call<'_>) -> Ended {
    let value = call.any(3)?;
    let Some((name, cell, _)) = upvalue(call, 1)? else { return Ok(Outcome::NONE) };
    *call.state.heap.cells.get_mut(cell) = value;
    name_of(call, &name).map(Outcome::One)
}

/// A number that two upvalues share only when they are the same variable.
pub fn upvalueid(call: &mut Call<'_>) -> Ended {
    let Some((_, cell, _)) = upvalue(call, 1)? else {
        return Err(call.argument_error(2, "invalid upvalue index"));
    };
    Ok(Outcome::One(Value::Number(cell.into())))
}

pub fn upvaluejoin(call: &mut Call<'_>) -> Ended {
    let Some((_, _, at)) = upvalue(call, 1)? else {
        return Err(call.argument_error(2, "invalid upvalue index"));
    };
    let Some((_, cell, _)) = upvalue(call, 3)? else {
        return Err(call.argument_error(4, "invalid upvalue index"));
    };
    if let Value::Closure(id) = call.arg(1) {
        call.state.heap.closures.get_mut(id.0).upvalues[at] = cell;
    }
    Ok(Outcome::NONE)
}

pub fn sethook(call: &mut Call<'_>) -> Ended {
    let (thread, offset) = target(call);
    let function = call.arg(offset + 1);
    let mut hook = Hook::default();
    if !function.is_nil() {
        let mask = call.text(offset + 2)?;
        call.function(offset + 1)?;
        let given = call.bytes(mask);
        let length = given.len();
        let [calls, returns, lines] = [b'c', b'r', b'l'].map(|letter| given.contains(&letter));
        call.spend_bytes(length);
        let count = u64::try_from(call.integer_or(offset + 3, 0)?).unwrap_or(0);
        hook = Hook { function, call: calls, ret: returns, line: lines, count, left: count, ..hook };
    }
    hook.running = call.state.thread_of(thread).hook.running;
    call.state.thread_of_mut(thread).hook = hook;
    Ok(Outcome::NONE)
}

pub fn gethook(call: &mut Call<'_>) -> Ended {
    let (thread, _) = target(call);
    let hook = call.state.thread_of(thread).hook;
    let mut mask = String::new();
    for (on, letter) in [(hook.call, 'c'), (hook.ret, 'r'), (hook.line, 'l')] {
        if on {
            mask.push(letter);
        }
    }
    call.push(hook.function)?;
    let mask = call.string(mask.as_bytes())?;
    call.push(mask)?;
    call.push(Value::Number(hook.count as f64))?;
    Ok(Outcome::Return(3))
}

pub fn traceback(call: &mut Call<'_>) -> Ended {
    let (thread, offset) = target(call);
    let message = call.arg(offset + 1);
    if !matches!(message, Value::String(_) | Value::Number(_) | Value::Nil) {
        return Ok(Outcome::One(message));
    }
    let running = thread == call.state.current;
    let level = call.integer_or(offset + 2, i64::from(running))?;
    let mut text = Vec::new();
    if !message.is_nil() {
        let message = call.text(offset + 1)?;
        call.copies(call.bytes(message).len())?;
        text.extend_from_slice(call.bytes(message));
        text.push(b'\n');
    }
    text.extend_from_slice(b"stack traceback:");
    let levels: Vec<Level> = call.state.levels(thread).collect();
    // Stock Lua counts the host, which has called the main function.
    let with_host = call.state.dialect == Dialect::Stock && call.state.is_main_thread(thread);
    let total = levels.len() + usize::from(with_host);
    let first = usize::try_from(level).unwrap_or(0);
    let (shown, last) = match call.state.dialect {
        Dialect::Stock => (STOCK_LEVELS.0.saturating_sub(first), STOCK_LEVELS.1),
        Dialect::CraftosPc => CRAFTOS_LEVELS,
    };
    let is_long = match call.state.dialect {
        Dialect::Stock => total > STOCK_LEVELS.0 + STOCK_LEVELS.1 + 1,
        Dialect::CraftosPc => total.saturating_sub(first + 1) > shown + last,
    };
    call.spend(total);
    for position in first..total {
        if is_long && position >= first + shown && position < total - last {
            if position == first + shown {
                text.extend_from_slice(b"\n\t...");
            }
            continue;
        }
        if let Some(level) = levels.get(position) {
            let (info, function) = call.state.info_at(thread, *level);
            call.spend(info.work);
            describe(call, &mut text, &info, function);
        } else {
            text.extend_from_slice(b"\n\t[C]: in ?");
        }
    }
    call.string_from(text).map(Outcome::One)
}

/// Adds a line about a function to a traceback.
fn describe(call: &Call<'_>, line: &mut Vec<u8>, info: &Info, function: Value) {
    line.extend_from_slice(b"\n\t");
    line.extend_from_slice(&info.short_source);
    line.push(b':');
    if info.current_line > 0 {
        line.extend_from_slice(format!("{}:", info.current_line).as_bytes());
    }
    line.extend_from_slice(b" in ");
    let library = call.state.library_name(function);
    let name = match (&info.name, info.what) {
        (Some((_, name)), _) => format!("function '{name}'"),
        (None, "main") => "main chunk".to_owned(),
        (None, "C") => library.map_or_else(|| "?".to_owned(), |name| format!("function '{name}'")),
        (None, _) => {
            let source = String::from_utf8_lossy(&info.short_source);
            format!("function <{source}:{}>", info.line)
        }
    };
    line.extend_from_slice(name.as_bytes());
    if info.is_tail {
        line.extend_from_slice(b"\n\t(...tail calls...)");
    }
}
