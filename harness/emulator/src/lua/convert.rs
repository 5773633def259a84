//! Values into a Lua state and out of it.

use craftos_lua::{State, Value as Inner};

use super::handles::Handles;
use super::value::{Raise, Table, Value};

/// Deeper tables than this do not cross: nobody sends them, and the copy must not use up the stack.
const MAX_DEPTH: usize = 100;

/// Copies a value out of Lua, as long as there is room for the copy.
pub fn read(state: &State, value: Inner, depth: usize, room: &mut usize) -> Result<Value, Raise> {
    Ok(match value {
        Inner::Nil => Value::Nil,
        Inner::Bool(value) => Value::Bool(value),
        Inner::Number(number) => Value::Number(number),
        Inner::String(_) => {
            let text = state.bytes(value).unwrap_or_default();
            take(room, text.len())?;
            Value::String(text.to_vec())
        }
        Inner::Table(table) => {
            if depth >= MAX_DEPTH {
                return Err(Raise::new("table is nested too deeply"));
            }
            let mut entries = Vec::new();
            let mut last = Inner::Nil;
            while let Some((key, value)) = state.raw_next(table, last) {
                take(room, 2 * size_of::<Value>())?;
                entries.push((read(state, key, depth + 1, room)?, read(state, value, depth + 1, room)?));
                last = key;
            }
            Value::Table(Table { entries })
        }
        other => Value::Other(other.type_name()),
    })
}

/// Takes the room of a copy without making it.
pub fn measure(state: &State, value: Inner, depth: usize, room: &mut usize) -> Result<(), Raise> {
    match value {
        Inner::String(_) => take(room, state.bytes(value).map_or(0, <[u8]>::len)),
        Inner::Table(table) => {
            if depth >= MAX_DEPTH {
                return Err(Raise::new("table is nested too deeply"));
            }
            let mut last = Inner::Nil;
            while let Some((key, value)) = state.raw_next(table, last) {
                take(room, 2 * size_of::<Value>())?;
                measure(state, key, depth + 1, room)?;
                measure(state, value, depth + 1, room)?;
                last = key;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn take(room: &mut usize, bytes: usize) -> Result<(), Raise> {
    *room = room.checked_sub(bytes).ok_or_else(|| Raise::new("not enough memory"))?;
    Ok(())
}

/// Makes values in Lua; where memory runs out, once more after what nobody uses is gone. Nothing is collected
/// meanwhile, so that none of them is lost before it is used.
pub fn make_all(state: &mut State, handles: &mut Handles, values: &[Value]) -> Result<Vec<Inner>, Inner> {
    let mut once = || values.iter().map(|value| make(state, handles, value)).collect();
    let made: Result<Vec<Inner>, Inner> = once();
    if made.is_ok() {
        return made;
    }
    state.collect();
    values.iter().map(|value| make(state, handles, value)).collect()
}

/// Makes a value in Lua.
pub fn make(state: &mut State, handles: &mut Handles, value: &Value) -> Result<Inner, Inner> {
    Ok(match value {
        Value::Nil | Value::Other(_) => Inner::Nil,
        Value::Bool(value) => Inner::Bool(*value),
        Value::Number(number) => Inner::Number(*number),
        Value::String(bytes) => state.string(bytes)?,
        Value::Table(table) => {
            let made = state.new_table()?;
            for (key, value) in &table.entries {
                if matches!(key, Value::Nil | Value::Other(_))
                    || matches!(key, Value::Number(number) if number.is_nan())
                {
                    continue;
                }
                let key = make(state, handles, key)?;
                let value = make(state, handles, value)?;
                state.raw_set(made, key, value)?;
            }
            Inner::Table(made)
        }
        Value::Handle(handle) => handles.make(state, handle)?,
    })
}
