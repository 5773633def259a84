//! `coroutine.resume` and `coroutine.wrap`, which note which coroutine runs, for the alarm.
#![expect(unsafe_code, reason = "they are C functions on Lua's stack")]

use std::ffi::c_int;

use mlua_sys as ffi;

use super::messages;
use super::trampoline::context_of;

/// Puts the two functions into the table on top of the stack.
///
/// # Safety
/// Runs in protected mode; the coroutine library is on top of the stack.
pub unsafe fn install(state: *mut ffi::lua_State) {
    // SAFETY: each function is a C function; the stack is left as it was.
    unsafe {
        ffi::lua_pushcclosure(state, resume, 0);
        ffi::lua_setfield(state, -2, c"resume".as_ptr());
        ffi::lua_getfield_(state, -1, c"create".as_ptr());
        ffi::lua_pushcclosure(state, wrap, 1);
        ffi::lua_setfield(state, -2, c"wrap".as_ptr());
    }
}

/// Values that every C function has room for, whatever its arguments were.
const ROOM: c_int = 16;

/// Why a coroutine was not resumed, or does not go on.
enum Failed {
    /// The coroutine's own error, which lies on top of its stack.
    Raised,
    Refused(&'static std::ffi::CStr),
}

/// Resumes a coroutine with the last `count` values of the stack; its results are there afterwards.
unsafe fn run(
    state: *mut ffi::lua_State,
    coroutine: *mut ffi::lua_State,
    count: c_int,
) -> Result<c_int, Failed> {
    // SAFETY: the coroutine is held by an argument or an upvalue of the caller; `lua_resume` catches every error, so that
    // the way back to `state` is always noted.
    unsafe {
        if count > 0 && ffi::lua_checkstack(coroutine, count) == 0 {
            return Err(Failed::Refused(c"too many arguments to resume"));
        }
        if ffi::lua_status(coroutine) == ffi::LUA_OK && ffi::lua_gettop(coroutine) == 0 {
            return Err(Failed::Refused(c"cannot resume dead coroutine"));
        }
        if count > 0 {
            ffi::lua_xmove(state, coroutine, count);
        }
        let watchdog = &context_of(state).watchdog;
        let before = watchdog.switch(coroutine);
        let status = ffi::lua_resume_(coroutine, state, count);
        watchdog.switch(before);
        if status > ffi::LUA_YIELD {
            return Err(Failed::Raised);
        }
        let results = ffi::lua_gettop(coroutine);
        if results >= ROOM && ffi::lua_checkstack(state, results + 1) == 0 {
            ffi::lua_settop(coroutine, -results - 1);
            return Err(Failed::Refused(c"too many results to resume"));
        }
        ffi::lua_xmove(coroutine, state, results);
        Ok(results)
    }
}

/// Pushes the message of a failure; true if it is the coroutine's own error.
unsafe fn push_failure(state: *mut ffi::lua_State, coroutine: *mut ffi::lua_State, failed: &Failed) -> bool {
    // SAFETY: C functions have room for some values more than their arguments. A coroutine that resumes itself finds the
    // message on its own stack.
    unsafe {
        match failed {
            Failed::Raised => {
                ffi::lua_xmove(coroutine, state, 1);
                true
            }
            Failed::Refused(message) => {
                ffi::lua_pushstring(state, message.as_ptr());
                false
            }
        }
    }
}

unsafe extern "C-unwind" fn resume(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Lua calls it as a C function; nothing here needs dropping.
    unsafe {
        let coroutine = ffi::lua_tothread(state, 1);
        if coroutine.is_null() {
            return ffi::luaL_argerror(state, 1, c"coroutine expected".as_ptr());
        }
        match run(state, coroutine, ffi::lua_gettop(state) - 1) {
            Ok(count) => {
                ffi::lua_pushboolean(state, 1);
                ffi::lua_insert(state, -(count + 1));
                count + 1
            }
            Err(failed) => {
                if push_failure(state, coroutine, &failed) && coroutine != state {
                    messages::reword(state, coroutine, 0);
                }
                ffi::lua_pushboolean(state, 0);
                ffi::lua_insert(state, -2);
                2
            }
        }
    }
}

unsafe extern "C-unwind" fn wrap(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the upvalue is Lua's `create`, which leaves a coroutine on the stack or raises.
    unsafe {
        let Some(create) = ffi::lua_tocfunction(state, ffi::lua_upvalueindex(1)) else { return 0 };
        create(state);
        ffi::lua_pushcclosure(state, wrapped, 1);
    }
    1
}

unsafe extern "C-unwind" fn wrapped(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the upvalue is the coroutine of `wrap`; nothing here needs dropping.
    unsafe {
        let coroutine = ffi::lua_tothread(state, ffi::lua_upvalueindex(1));
        match run(state, coroutine, ffi::lua_gettop(state)) {
            Ok(count) => count,
            Err(failed) => {
                push_failure(state, coroutine, &failed);
                if ffi::lua_isstring(state, -1) != 0 {
                    ffi::luaL_where(state, 1);
                    ffi::lua_insert(state, -2);
                    ffi::lua_concat(state, 2);
                }
                ffi::lua_error(state)
            }
        }
    }
}
