//! Functions that programs call so often that the usual cases have a shorter way: `math.random` than the trampoline, those
//! of `bit32` than Lua's own, which know no fractions.
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

/// Puts a form of `setmetatable`, the C function on top of the stack, in its place that makes no finalizers of `__gc`:
/// computers have none, and Lua runs them without its hooks, so that nothing could end one that does not end.
///
/// `guards` says that it takes tables only, and respects `__metatable`; the one of `debug` does neither.
///
/// # Safety
/// Runs in protected mode; the C function on top of the stack is Lua's.
pub unsafe fn wrap_setmetatable(state: *mut ffi::lua_State, guards: bool) {
    // SAFETY: the function, the key and the flag become the upvalues.
    unsafe {
        ffi::lua_pushlstring_(state, c"__gc".as_ptr(), 4);
        ffi::lua_pushboolean(state, c_int::from(guards));
        ffi::lua_pushcclosure(state, set_metatable, 3);
    }
}

unsafe extern "C-unwind" fn set_metatable(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the upvalues are those of `wrap_setmetatable`; nothing here needs dropping.
    unsafe {
        let Some(native) = ffi::lua_tocfunction(state, ffi::lua_upvalueindex(1)) else { return 0 };
        if ffi::lua_type(state, 2) != ffi::LUA_TTABLE {
            return native(state);
        }
        ffi::luaL_checkstack(state, 5, std::ptr::null());
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
        ffi::lua_rawget_(state, 2);
        if ffi::lua_type(state, -1) == ffi::LUA_TNIL {
            ffi::lua_settop(state, -2);
            return native(state);
        }
        // What Lua's own refuses, it refuses: nothing is changed by that. Only tables and userdata have finalizers.
        let kind = ffi::lua_type(state, 1);
        let can_have = kind == ffi::LUA_TTABLE || kind == ffi::LUA_TUSERDATA;
        let guards = ffi::lua_toboolean(state, ffi::lua_upvalueindex(3)) != 0;
        let refused = guards
            && (kind != ffi::LUA_TTABLE || ffi::luaL_getmetafield(state, 1, c"__metatable".as_ptr()) != 0);
        if refused || !can_have {
            ffi::lua_settop(state, 2);
            return native(state);
        }
        // The finalizer is out of sight while Lua looks for one. Without a call: a hook would see Lua's own function.
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
        ffi::lua_pushnil(state);
        ffi::lua_rawset(state, 2);
        let finalizer = ffi::lua_gettop(state);
        ffi::lua_pushvalue(state, 2);
        ffi::lua_setmetatable(state, 1);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
        ffi::lua_pushvalue(state, finalizer);
        ffi::lua_rawset(state, 2);
        ffi::lua_settop(state, 1);
    }
    1
}

/// Pushes a quick form of the function of `bit32` with that name, around Lua's own on top of the stack, which it replaces; it
/// stays where there is none.
///
/// # Safety
/// Runs in protected mode; the C function on top of the stack is Lua's.
pub unsafe fn wrap_bits(state: *mut ffi::lua_State, name: &[u8]) -> bool {
    let function: ffi::lua_CFunction = match name {
        b"band" => fold::<0>,
        b"bor" => fold::<1>,
        b"bxor" => fold::<2>,
        b"lshift" => shift::<true>,
        b"rshift" => shift::<false>,
        _ => return false,
    };
    // SAFETY: the function on top becomes the upvalue.
    unsafe { ffi::lua_pushcclosure(state, function, 1) };
    true
}

/// Further shifts than this are left to Lua's own.
const FURTHEST: f64 = 1e6;

/// A number as a word of 32 bits: the part that lies above is cut off, as are fractions.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cutting off is what it is for")]
fn word(number: f64) -> Option<u32> {
    // Within that range a whole number of 64 bits has every one that a double can be.
    (number.abs() < 9e15).then(|| number.floor() as i64 as u32)
}

unsafe fn word_at(state: *mut ffi::lua_State, index: c_int) -> Option<u32> {
    // SAFETY: reads an argument.
    unsafe {
        (ffi::lua_type(state, index) == ffi::LUA_TNUMBER)
            .then(|| ffi::lua_tonumberx(state, index, std::ptr::null_mut()))
            .and_then(word)
    }
}

/// Lua's own function, for what is not the usual case.
unsafe fn usual(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the upvalue is that of `wrap_bits`, which only the emulator calls.
    unsafe { super::dispatch::whole(state) }
}

/// `band` (0), `bor` (1) and `bxor` (2).
unsafe extern "C-unwind" fn fold<const KIND: u8>(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Lua calls it as a C function; nothing here needs dropping.
    unsafe {
        let mut result: u32 = if KIND == 0 { u32::MAX } else { 0 };
        for index in 1..=ffi::lua_gettop(state) {
            let Some(word) = word_at(state, index) else { return usual(state) };
            match KIND {
                0 => result &= word,
                1 => result |= word,
                _ => result ^= word,
            }
        }
        ffi::lua_pushnumber(state, result.into());
    }
    1
}

/// `lshift` and `rshift`; a negative distance goes the other way.
unsafe extern "C-unwind" fn shift<const LEFT: bool>(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Lua calls it as a C function; nothing here needs dropping.
    unsafe {
        let (Some(word), true) = (word_at(state, 1), ffi::lua_type(state, 2) == ffi::LUA_TNUMBER) else {
            return usual(state);
        };
        let distance = ffi::lua_tonumberx(state, 2, std::ptr::null_mut()).floor();
        if distance.is_nan() || distance.abs() > FURTHEST {
            return usual(state);
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is small")]
        let steps = distance.abs() as u32;
        let shifted =
            if LEFT == (distance >= 0.0) { word.checked_shl(steps) } else { word.checked_shr(steps) };
        ffi::lua_pushnumber(state, shifted.unwrap_or(0).into());
    }
    1
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn numbers_become_words() {
        assert_eq!(word(-1.0), Some(u32::MAX));
        assert_eq!(word(4_294_967_296.0 + 5.9), Some(5));
        assert_eq!(word(-4_294_967_297.0), Some(u32::MAX));
        assert_eq!(word(f64::NAN), None);
        assert_eq!(word(1e300), None);
    }
}
