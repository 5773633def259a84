//! Functions of Lua's libraries that differ on a computer in some cases only.
//!
//! In all other cases the library's own C function runs in the same call, so that it is as fast as before and
//! its error messages name the caller's line.
#![expect(unsafe_code, reason = "it calls Lua's own C functions")]

use std::ffi::c_int;

use mlua_sys as ffi;

use super::convert::string_at;

/// When the replacement is called, or what is done to the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    /// The argument with that number is a function.
    Function(c_int),
    /// The second argument is a function, or the table in the first holds tables.
    Comparison,
    /// The format has `%q` in it.
    Quote,
    /// Never: fractions of numbers are cut off.
    Whole,
}

impl Case {
    fn from_number(number: c_int) -> Option<Self> {
        Some(match number {
            1 => Self::Function(3),
            2 => Self::Comparison,
            3 => Self::Quote,
            4 => Self::Whole,
            _ => return None,
        })
    }
}

/// For the prelude: `dispatch(native, replacement, case)` gives the function to use instead of `native`.
///
/// # Safety
/// Lua calls it as a C function.
pub unsafe extern "C-unwind" fn make(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the three arguments become the upvalues of the new function.
    unsafe {
        ffi::lua_settop(state, 3);
        ffi::lua_pushcclosure(state, dispatch, 3);
    }
    1
}

unsafe extern "C-unwind" fn dispatch(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the upvalues are those of `make`, which only the prelude can call: a C function, a Lua function
    // and a number. Nothing here needs dropping.
    unsafe {
        #[expect(clippy::cast_possible_truncation, reason = "it is one of four numbers")]
        let number = ffi::lua_tonumberx(state, ffi::lua_upvalueindex(3), std::ptr::null_mut()) as c_int;
        let applies = match Case::from_number(number) {
            Some(Case::Function(index)) => ffi::lua_type(state, index) == ffi::LUA_TFUNCTION,
            Some(Case::Comparison) => compares_specially(state),
            Some(Case::Quote) => {
                ffi::lua_type(state, 1) == ffi::LUA_TSTRING
                    && string_at(state, 1).windows(2).any(|pair| pair == b"%q")
            }
            Some(Case::Whole) => {
                cut_fractions(state);
                false
            }
            None => false,
        };
        if applies {
            let count = ffi::lua_gettop(state);
            ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
            ffi::lua_insert(state, 1);
            ffi::lua_callk(state, count, ffi::LUA_MULTRET, 0, Some(finish));
            return finish(state);
        }
        match ffi::lua_tocfunction(state, ffi::lua_upvalueindex(1)) {
            Some(native) => native(state),
            None => 0,
        }
    }
}

/// Returns what the replacement returned, also when it yielded on its way.
unsafe extern "C-unwind" fn finish(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: only the results are on the stack.
    unsafe { ffi::lua_gettop(state) }
}

unsafe fn compares_specially(state: *mut ffi::lua_State) -> bool {
    // SAFETY: the stack has room for one more value in every C function.
    unsafe {
        if ffi::lua_type(state, 1) != ffi::LUA_TTABLE {
            return false;
        }
        if ffi::lua_type(state, 2) == ffi::LUA_TFUNCTION {
            return true;
        }
        ffi::lua_rawgeti_(state, 1, 1);
        let table = ffi::lua_type(state, -1) == ffi::LUA_TTABLE;
        ffi::lua_settop(state, -2);
        table
    }
}

unsafe fn cut_fractions(state: *mut ffi::lua_State) {
    // SAFETY: each argument is replaced by a number, which needs no memory.
    unsafe {
        for index in 1..=ffi::lua_gettop(state) {
            if ffi::lua_type(state, index) == ffi::LUA_TNUMBER {
                let number = ffi::lua_tonumberx(state, index, std::ptr::null_mut());
                if number.fract() != 0.0 {
                    ffi::lua_pushnumber(state, number.trunc());
                    ffi::lua_replace(state, index);
                }
            }
        }
    }
}
