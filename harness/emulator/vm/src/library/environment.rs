//! `getfenv` and `setfenv`, which ComputerCraft has beside `_ENV`: a function's environment is its upvalue `_ENV`.

use super::Ended;
use crate::machine::{Call, NO_CLOSURE, Outcome};
use crate::text::number;
use crate::value::{ClosureId, Value};

/// The function that an argument names: itself, or the one at a level.
fn function_at(call: &mut Call<'_>, index: usize) -> Result<Option<Value>, Value> {
    let value = call.arg(index);
    if value.is_function() {
        return Ok(Some(value));
    }
    let Value::Number(level) = value else {
        let given = call.type_text(index);
        return Err(call.argument_error(index, &format!("number or function expected, got {given}")));
    };
    let Ok(level) = usize::try_from(number::to_integer(level)) else {
        return Err(call.argument_error(index, "invalid level"));
    };
    if level == 0 {
        return Ok(None);
    }
    let Some(frame) = call.state.frame_at(level) else {
        return Err(call.argument_error(index, "invalid level"));
    };
    Ok((frame.closure != NO_CLOSURE).then_some(Value::Closure(ClosureId(frame.closure))))
}

/// The upvalue of a function that is its environment.
fn environment(call: &Call<'_>, function: Value) -> Option<(u32, usize)> {
    let Value::Closure(id) = function else { return None };
    let loaded = call.state.heap.closures.get(id.0).loaded;
    let names = &call.state.proto(loaded).notes().upvalues;
    names.iter().position(|name| **name == *b"_ENV").map(|position| (id.0, position))
}

pub fn getfenv(call: &mut Call<'_>) -> Ended {
    let function = function_at(call, 1)?;
    let found = function.and_then(|function| environment(call, function));
    Ok(Outcome::One(match found {
        Some((closure, position)) => {
            let cell = call.state.heap.closures.get(closure).upvalues[position];
            *call.state.heap.cells.get(cell)
        }
        None => Value::Table(call.state.globals),
    }))
}

/// Any value can be an environment, as in CraftOS-PC. The globals of the machine and its natives keep theirs, without an
/// error: programs try.
pub fn setfenv(call: &mut Call<'_>) -> Ended {
    let value = call.any(2)?;
    let Some(function @ Value::Closure(id)) = function_at(call, 1)? else { return Ok(Outcome::NONE) };
    if call.state.proto(call.state.heap.closures.get(id.0).loaded).stands_for_native() {
        return Ok(Outcome::NONE);
    }
    if let Some((closure, position)) = environment(call, function) {
        // Other functions keep the environment that they shared with it.
        let cell = call.state.heap.cell(value).map_err(|error| call.memory(error))?;
        call.state.heap.closures.get_mut(closure).upvalues[position] = cell;
    }
    Ok(Outcome::One(function))
}
