//! Values to and from Lua's stack.
#![expect(unsafe_code, reason = "it reads and writes Lua's stack")]

use std::ffi::c_int;

use mlua_sys as ffi;

use super::trampoline;
use super::value::{Raise, Table, Value};

/// Deeper tables than this do not cross: nobody sends them, and the copy must not use up the stack.
const MAX_DEPTH: usize = 100;

pub fn type_name(lua_type: c_int) -> &'static str {
    match lua_type {
        ffi::LUA_TNONE => "no value",
        ffi::LUA_TNIL => "nil",
        ffi::LUA_TBOOLEAN => "boolean",
        ffi::LUA_TNUMBER => "number",
        ffi::LUA_TSTRING => "string",
        ffi::LUA_TTABLE => "table",
        ffi::LUA_TFUNCTION => "function",
        ffi::LUA_TTHREAD => "thread",
        _ => "userdata",
    }
}

/// # Safety
/// The slot holds a string, which stays on the stack while the slice is used.
pub unsafe fn string_at<'a>(state: *mut ffi::lua_State, slot: c_int) -> &'a [u8] {
    let mut length = 0;
    // SAFETY: a string is returned as it is, with its length.
    unsafe {
        let start = ffi::lua_tolstring(state, slot, &raw mut length);
        std::slice::from_raw_parts(start.cast(), length)
    }
}

/// Copies a value out of Lua, as long as there is room for the copy.
///
/// # Safety
/// `slot` is a valid absolute index.
pub unsafe fn read(
    state: *mut ffi::lua_State,
    slot: c_int,
    depth: usize,
    room: &mut usize,
) -> Result<Value, Raise> {
    // SAFETY: every function called here reads without raising: strings are only converted when they are
    // strings, and `lua_next` is given the keys that it produced.
    unsafe {
        Ok(match ffi::lua_type(state, slot) {
            ffi::LUA_TNIL | ffi::LUA_TNONE => Value::Nil,
            ffi::LUA_TBOOLEAN => Value::Bool(ffi::lua_toboolean(state, slot) != 0),
            ffi::LUA_TNUMBER => Value::Number(ffi::lua_tonumberx(state, slot, std::ptr::null_mut())),
            ffi::LUA_TSTRING => {
                let text = string_at(state, slot);
                take(room, text.len())?;
                Value::String(text.to_vec())
            }
            ffi::LUA_TTABLE => {
                if depth >= MAX_DEPTH || ffi::lua_checkstack(state, 4) == 0 {
                    return Err(Raise::new("table is nested too deeply"));
                }
                let mut entries = Vec::new();
                ffi::lua_pushnil(state);
                while ffi::lua_next(state, slot) != 0 {
                    let top = ffi::lua_gettop(state);
                    let entry = take(room, 2 * size_of::<Value>())
                        .and_then(|()| read(state, top - 1, depth + 1, room))
                        .and_then(|key| Ok((key, read(state, top, depth + 1, room)?)));
                    match entry {
                        Ok(entry) => entries.push(entry),
                        Err(raise) => {
                            ffi::lua_settop(state, top - 2);
                            return Err(raise);
                        }
                    }
                    ffi::lua_settop(state, top - 1);
                }
                Value::Table(Table { entries })
            }
            other => Value::Other(type_name(other)),
        })
    }
}

/// Takes the room of a copy without making it.
///
/// # Safety
/// `slot` is a valid absolute index.
pub unsafe fn measure(
    state: *mut ffi::lua_State,
    slot: c_int,
    depth: usize,
    room: &mut usize,
) -> Result<(), Raise> {
    // SAFETY: as for `read`.
    unsafe {
        match ffi::lua_type(state, slot) {
            ffi::LUA_TSTRING => take(room, string_at(state, slot).len()),
            ffi::LUA_TTABLE => {
                if depth >= MAX_DEPTH || ffi::lua_checkstack(state, 4) == 0 {
                    return Err(Raise::new("table is nested too deeply"));
                }
                ffi::lua_pushnil(state);
                while ffi::lua_next(state, slot) != 0 {
                    let top = ffi::lua_gettop(state);
                    let measured = take(room, 2 * size_of::<Value>())
                        .and_then(|()| measure(state, top - 1, depth + 1, room))
                        .and_then(|()| measure(state, top, depth + 1, room));
                    if let Err(raise) = measured {
                        ffi::lua_settop(state, top - 2);
                        return Err(raise);
                    }
                    ffi::lua_settop(state, top - 1);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn take(room: &mut usize, bytes: usize) -> Result<(), Raise> {
    *room = room.checked_sub(bytes).ok_or_else(|| Raise::new("not enough memory"))?;
    Ok(())
}

/// What the metatable of a value calls it; found by looking at every key, as that allocates nothing in Lua.
///
/// # Safety
/// `slot` is a valid absolute index.
pub unsafe fn custom_name(state: *mut ffi::lua_State, slot: c_int) -> Option<String> {
    // SAFETY: reads without raising, and leaves the stack as it was.
    unsafe {
        let top = ffi::lua_gettop(state);
        if ffi::lua_checkstack(state, 4) == 0 || ffi::lua_getmetatable(state, slot) == 0 {
            return None;
        }
        let mut name = None;
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, top + 1) != 0 {
            let texts = [top + 2, top + 3].map(|index| ffi::lua_type(state, index) == ffi::LUA_TSTRING);
            if texts == [true, true] && string_at(state, top + 2) == b"__name" {
                name = Some(String::from_utf8_lossy(string_at(state, top + 3)).into_owned());
                break;
            }
            ffi::lua_settop(state, top + 2);
        }
        ffi::lua_settop(state, top);
        name
    }
}

/// Pushes a value; may raise `not enough memory`.
///
/// # Safety
/// Runs inside a protected call, with nothing in the frames up to it that must be dropped.
pub unsafe fn push(state: *mut ffi::lua_State, value: &Value) {
    // SAFETY: as the caller promises; the stack is checked before it grows.
    unsafe {
        ffi::luaL_checkstack(state, 6, std::ptr::null());
        match value {
            Value::Nil | Value::Other(_) => ffi::lua_pushnil(state),
            Value::Bool(value) => ffi::lua_pushboolean(state, (*value).into()),
            Value::Number(value) => ffi::lua_pushnumber(state, *value),
            Value::String(bytes) => {
                ffi::lua_pushlstring_(state, bytes.as_ptr().cast(), bytes.len());
            }
            Value::Table(table) => {
                ffi::lua_createtable(state, 0, 0);
                for (key, value) in &table.entries {
                    if matches!(key, Value::Nil | Value::Other(_))
                        || matches!(key, Value::Number(number) if number.is_nan())
                    {
                        continue;
                    }
                    push(state, key);
                    push(state, value);
                    ffi::lua_rawset(state, -3);
                }
            }
            Value::Handle(handle) => trampoline::push_handle(state, handle),
        }
    }
}
