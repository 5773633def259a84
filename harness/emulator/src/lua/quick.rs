//! Natives that programs call so often that the usual cases have a shorter way than the trampoline.
#![expect(unsafe_code, reason = "they are C functions on Lua's stack")]

use std::ffi::{c_int, c_void};

use mlua_sys as ffi;

use super::Native;
use super::trampoline::{context_of, trampoline};

/// Pushes `math.random`: numbers are made here, everything else goes to the native.
///
/// # Safety
/// As for [`super::convert::push`].
pub unsafe fn push_random(state: *mut ffi::lua_State, native: Native) {
    // SAFETY: the trampoline finds the native in the same upvalue as ever.
    unsafe {
        ffi::lua_pushlightuserdata(state, native.run as *mut c_void);
        ffi::lua_pushcclosure(state, random, 1);
    }
}

unsafe extern "C-unwind" fn random(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: no native runs while Lua calls this, so that nobody else has the host; nothing here needs dropping.
    unsafe {
        let number = |index| {
            (ffi::lua_type(state, index) == ffi::LUA_TNUMBER)
                .then(|| ffi::lua_tonumberx(state, index, std::ptr::null_mut()).floor())
        };
        let range = match ffi::lua_gettop(state) {
            0 => Some(None),
            1 => number(1).map(|high| Some((1.0, high))),
            2 => number(1).zip(number(2)).map(Some),
            _ => None,
        };
        let context = context_of(state);
        match range {
            Some(None) => ffi::lua_pushnumber(state, (*context.host.as_ptr()).random.fraction()),
            Some(Some((low, high))) if low <= high => {
                ffi::lua_pushnumber(state, (*context.host.as_ptr()).random.between(low, high));
            }
            _ => return trampoline(state),
        }
        1
    }
}
