//! Functions of Lua's libraries that differ on a computer in some cases only.
//!
//! In all other cases the library's own C function runs in the same call, so that it is as fast as before and
//! its error messages name the caller's line.
#![expect(unsafe_code, reason = "it calls Lua's own C functions")]

use std::ffi::c_int;

use mlua_sys as ffi;

use super::convert::string_at;
use super::sort::{self, Sorted};

/// Lua's own sort cannot be stopped, and takes the square of the length where somebody has arranged the list for that: what
/// [`sort`] does not sort is sorted by the replacement, in Lua, where it is longer.
const LONGEST_SORT: usize = 10_000;

/// Texts up to this length are quoted at once.
const LONGEST_QUOTE: usize = 254;

/// When the replacement is called, or what is done to the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    /// The second argument is a function, or the table in the first is no plain list.
    Comparison,
    /// The format has `%q` in it.
    Quote,
    /// The position in the second argument lies outside of the table, of so many arguments, or the table says itself how
    /// long it is: Lua would count to it.
    Outside(c_int),
    /// Never: an address is shown without `0x`.
    Address,
}

impl Case {
    fn from_number(number: c_int) -> Option<Self> {
        Some(match number {
            2 => Self::Comparison,
            3 => Self::Quote,
            5 => Self::Outside(3),
            6 => Self::Outside(2),
            7 => Self::Address,
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

/// For the prelude: `whole(native, name)` gives a function that cuts off the fractions of its arguments first.
///
/// # Safety
/// Lua calls it as a C function.
pub unsafe extern "C-unwind" fn make_whole(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the argument becomes the upvalue of the new function.
    unsafe {
        let name = if ffi::lua_type(state, 2) == ffi::LUA_TSTRING { string_at(state, 2) } else { b"" };
        ffi::lua_pushvalue(state, 1);
        if !super::quick::wrap_bits(state, name) {
            ffi::lua_pushcclosure(state, whole, 1);
        }
    }
    1
}

/// # Safety
/// Lua calls it as a C function whose upvalue is another.
pub unsafe extern "C-unwind" fn whole(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the upvalue is that of `make_whole`, which only the prelude can call.
    unsafe {
        cut_fractions(state);
        match ffi::lua_tocfunction(state, ffi::lua_upvalueindex(1)) {
            Some(native) => native(state),
            None => 0,
        }
    }
}

unsafe extern "C-unwind" fn dispatch(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the upvalues are those of `make`, which only the prelude can call: a C function, a Lua function
    // and a number. Nothing here needs dropping.
    unsafe {
        #[expect(clippy::cast_possible_truncation, reason = "it is one of a few small numbers")]
        let number = ffi::lua_tonumberx(state, ffi::lua_upvalueindex(3), std::ptr::null_mut()) as c_int;
        let applies = match Case::from_number(number) {
            Some(Case::Comparison) => match compares_specially(state) {
                Some(applies) => applies,
                None => return 0,
            },
            Some(Case::Quote) if quote_plainly(state) => return 1,
            Some(Case::Quote) => {
                ffi::lua_type(state, 1) == ffi::LUA_TSTRING
                    && string_at(state, 1).windows(2).any(|pair| pair == b"%q")
            }
            Some(Case::Outside(count)) => ffi::lua_gettop(state) == count && is_outside(state),
            Some(Case::Address) => return show_address(state),
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

/// Pushes what `string.format("%q", text)` gives for a text that needs nothing but its quotes; false for anything else.
unsafe fn quote_plainly(state: *mut ffi::lua_State) -> bool {
    // SAFETY: the text stays in its slot while it is copied; nothing here needs dropping.
    unsafe {
        if ffi::lua_gettop(state) != 2
            || ffi::lua_type(state, 1) != ffi::LUA_TSTRING
            || ffi::lua_type(state, 2) != ffi::LUA_TSTRING
            || string_at(state, 1) != b"%q"
        {
            return false;
        }
        let text = string_at(state, 2);
        let mut quoted = [b'"'; LONGEST_QUOTE + 2];
        let plain = |byte: &u8| !matches!(byte, b'\n' | b'\r' | 0 | b'"' | b'\\');
        if text.len() > LONGEST_QUOTE || !text.iter().all(plain) {
            return false;
        }
        quoted[1..=text.len()].copy_from_slice(text);
        ffi::lua_pushlstring_(state, quoted.as_ptr().cast(), text.len() + 2);
        true
    }
}

/// Returns what the replacement returned, also when it yielded on its way.
unsafe extern "C-unwind" fn finish(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: only the results are on the stack.
    unsafe { ffi::lua_gettop(state) }
}

/// Whether the replacement sorts; none if the list is sorted already.
unsafe fn compares_specially(state: *mut ffi::lua_State) -> Option<bool> {
    // SAFETY: the stack has room for a few more values in every C function; nothing here needs dropping.
    unsafe {
        if ffi::lua_type(state, 1) != ffi::LUA_TTABLE {
            return Some(false);
        }
        if ffi::lua_type(state, 2) == ffi::LUA_TFUNCTION || tells_length(state) {
            return Some(true);
        }
        if ffi::lua_type(state, 2) > ffi::LUA_TNIL {
            return Some(false);
        }
        match sort::sort(state) {
            Sorted::Done => None,
            Sorted::Special => Some(true),
            Sorted::Mixed => Some(ffi::lua_rawlen(state, 1) > LONGEST_SORT),
            Sorted::NoRoom => {
                ffi::lua_pushstring(state, c"not enough memory".as_ptr());
                ffi::lua_error(state)
            }
            Sorted::Stopped => {
                ffi::luaL_error(state, c"Too long without yielding".as_ptr());
                None
            }
        }
    }
}

/// Whether the table in the first slot has a length of its own.
unsafe fn tells_length(state: *mut ffi::lua_State) -> bool {
    // SAFETY: the stack has room for a few more values in every C function.
    unsafe {
        if ffi::lua_getmetatable(state, 1) == 0 {
            return false;
        }
        ffi::lua_settop(state, -2);
        let found = ffi::luaL_getmetafield(state, 1, c"__len".as_ptr()) != 0;
        if found {
            ffi::lua_settop(state, -2);
        }
        found
    }
}

/// Whether the second argument is no position of the table in the first, as far as Lua can tell at once.
unsafe fn is_outside(state: *mut ffi::lua_State) -> bool {
    // SAFETY: reads the two arguments.
    unsafe {
        if ffi::lua_type(state, 1) != ffi::LUA_TTABLE || ffi::lua_type(state, 2) != ffi::LUA_TNUMBER {
            return false;
        }
        if tells_length(state) {
            return true;
        }
        let position = ffi::lua_tonumberx(state, 2, std::ptr::null_mut());
        #[expect(clippy::cast_precision_loss, reason = "tables are far shorter")]
        let length = ffi::lua_rawlen(state, 1) as f64;
        position < 1.0 || position > length
    }
}

/// `tostring`: addresses are shown without the `0x` that some C libraries write.
unsafe fn show_address(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Lua's own function leaves one string; a part of it is copied while it is on the stack.
    unsafe {
        let kind = ffi::lua_type(state, 1);
        let Some(native) = ffi::lua_tocfunction(state, ffi::lua_upvalueindex(1)) else {
            return 0;
        };
        let count = native(state);
        let addressed =
            matches!(kind, ffi::LUA_TTABLE | ffi::LUA_TFUNCTION | ffi::LUA_TTHREAD | ffi::LUA_TUSERDATA);
        if !addressed || ffi::lua_type(state, -1) != ffi::LUA_TSTRING {
            return count;
        }
        let text = string_at(state, ffi::lua_gettop(state));
        let name = super::convert::type_name(kind);
        let address = text.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b": 0x"));
        if let Some(address) = address {
            ffi::luaL_checkstack(state, 3, std::ptr::null());
            ffi::lua_pushlstring_(state, name.as_ptr().cast(), name.len());
            ffi::lua_pushlstring_(state, c": ".as_ptr(), 2);
            ffi::lua_pushlstring_(state, address.as_ptr().cast(), address.len());
            ffi::lua_concat(state, 3);
        }
        count
    }
}

unsafe fn cut_fractions(state: *mut ffi::lua_State) {
    // SAFETY: each argument is replaced by a number, which needs no memory.
    unsafe {
        for index in 1..=ffi::lua_gettop(state) {
            if ffi::lua_type(state, index) == ffi::LUA_TNUMBER {
                let number = ffi::lua_tonumberx(state, index, std::ptr::null_mut());
                if number.fract() != 0.0 {
                    ffi::lua_pushnumber(state, number.floor());
                    ffi::lua_replace(state, index);
                }
            }
        }
    }
}
