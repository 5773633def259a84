//! `coroutine`.

use super::{Ended, WRAPPED};
use crate::machine::{Call, Outcome, Status};
use crate::value::Value;

pub fn create(call: &mut Call<'_>) -> Ended {
    let function = call.function(1)?;
    let thread = call.state.new_thread(function)?;
    Ok(Outcome::One(Value::Thread(thread)))
}

pub fn wrap(call: &mut Call<'_>) -> Ended {
    let function = call.function(1)?;
    let thread = call.state.new_thread(function)?;
    call.state.thread_of_mut(thread).wrapped = true;
    call.push(Value::Thread(thread))?;
    call.bind(WRAPPED, &[Value::Thread(thread)]).map(Outcome::One)
}

pub fn wrapped(call: &mut Call<'_>) -> Ended {
    let Value::Thread(thread) = call.bound(0) else { return Ok(Outcome::NONE) };
    Ok(Outcome::Resume(thread, call.len()))
}

pub fn resume(call: &mut Call<'_>) -> Ended {
    let thread = call.thread(1)?;
    Ok(Outcome::Resume(thread, call.len() - 1))
}

pub fn yield_values(call: &mut Call<'_>) -> Ended {
    Ok(Outcome::Yield(call.len()))
}

pub fn status(call: &mut Call<'_>) -> Ended {
    let thread = call.thread(1)?;
    let name = match call.state.thread_of(thread).status {
        Status::New | Status::Suspended => "suspended",
        Status::Running => "running",
        Status::Normal => "normal",
        Status::Dead => "dead",
    };
    call.string(name.as_bytes()).map(Outcome::One)
}

pub fn running(call: &mut Call<'_>) -> Ended {
    let is_main = call.state.is_main_thread(call.state.current);
    call.push(Value::Thread(call.state.current))?;
    call.push(Value::Bool(is_main))?;
    Ok(Outcome::Return(2))
}

pub fn isyieldable(call: &mut Call<'_>) -> Ended {
    Ok(Outcome::One(Value::Bool(!call.state.is_main_thread(call.state.current))))
}
