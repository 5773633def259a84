//! Messages of Lua's libraries in the words that computers have: `bad argument #1 (expected string, got nil)`
//! where Lua 5.2 says `bad argument #1 to 'rep' (string expected, got nil)`.
//!
//! They are changed where errors are caught, and only when a C function of the libraries raised them: what a
//! program raises with `error` is its own.
#![expect(unsafe_code, reason = "it looks at Lua's call stack")]

use std::ffi::c_int;

use mlua_sys as ffi;

use super::convert::string_at;
use super::trampoline::{context_of, is_trampoline};
use super::value::Value;

/// What messages about arguments begin with, after the position.
const MARK: &[u8] = b"bad argument #";

/// The message in the computer's words; `method` tells that the caller wrote `a:b()`, which Lua counts otherwise.
fn reworded(message: &[u8], method: bool) -> Option<Vec<u8>> {
    // Lines of the prelude tell a program nothing.
    if let Some(rest) = message.strip_prefix(b"[prelude]:") {
        let (_, own) = split(rest, b": ")?;
        return Some(reworded(own, method).unwrap_or_else(|| own.to_vec()));
    }
    let start = message.windows(MARK.len()).position(|window| window == MARK)?;
    let number_at = start + MARK.len();
    let digits = message[number_at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number: u32 = str::from_utf8(&message[number_at..number_at + digits]).ok()?.parse().ok()?;
    let rest = message[number_at + digits..].strip_prefix(b" to '")?;
    let rest = &rest[rest.iter().position(|&byte| byte == b'\'')? + 1..];
    let detail = rest.strip_prefix(b" (")?.strip_suffix(b")")?;
    let detail = match split(detail, b" expected, got ") {
        Some((wanted, got)) if !wanted.contains(&b' ') => [b"expected ", wanted, b", got ", got].concat(),
        _ => detail.to_vec(),
    };
    let number = number + u32::from(method);
    Some([&message[..number_at], number.to_string().as_bytes(), b" (", &detail, b")"].concat())
}

fn split<'a>(text: &'a [u8], separator: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = text.windows(separator.len()).position(|window| window == separator)?;
    Some((&text[..at], &text[at + separator.len()..]))
}

/// Puts the message in the computer's words in place of the string on top of the stack, if the function at
/// `level` of `origin` raised it.
///
/// # Safety
/// Runs inside a protected call; `origin` does not run, or is `state`.
pub unsafe fn reword(state: *mut ffi::lua_State, origin: *mut ffi::lua_State, level: c_int) {
    // SAFETY: the new text is kept in the context while Lua copies it, so that nothing here needs dropping.
    unsafe {
        if ffi::lua_type(state, -1) != ffi::LUA_TSTRING {
            return;
        }
        let Some(method) = raised_by_library(origin, level) else {
            return;
        };
        let scratch = context_of(state).scratch();
        scratch.clear();
        if let Some(text) = reworded(string_at(state, ffi::lua_gettop(state)), method) {
            scratch.push(Value::String(text));
        }
        if let Some(text) = scratch.first() {
            super::convert::push(state, text);
            ffi::lua_replace(state, -2);
        }
    }
}

/// Whether a function of the libraries other than `error` runs at that level; true inside if it was called as a method.
unsafe fn raised_by_library(origin: *mut ffi::lua_State, level: c_int) -> Option<bool> {
    // SAFETY: the record is filled by Lua before it is read.
    unsafe {
        let mut record: ffi::lua_Debug = std::mem::zeroed();
        if ffi::lua_getstack(origin, level, &raw mut record) == 0 || ffi::lua_checkstack(origin, 2) == 0 {
            return None;
        }
        ffi::lua_getinfo(origin, c"nSf".as_ptr(), &raw mut record);
        let function = ffi::lua_tocfunction(origin, -1);
        ffi::lua_settop(origin, -2);
        // What the emulator has written in Lua stands for functions of the libraries.
        if std::ffi::CStr::from_ptr(record.short_src.as_ptr()) == c"[prelude]" {
            return Some(false);
        }
        let function = function?;
        // Natives already have the computer's words.
        if context_of(origin).is_error_function(function) || is_trampoline(function) {
            return None;
        }
        let name_kind =
            if record.namewhat.is_null() { c"" } else { std::ffi::CStr::from_ptr(record.namewhat) };
        Some(name_kind == c"method")
    }
}

/// The message handler of `pcall`.
unsafe extern "C-unwind" fn handler(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: level 0 is this function, level 1 the one that raised.
    unsafe {
        ffi::lua_settop(state, 1);
        reword(state, state, 1);
    }
    1
}

/// `pcall`.
///
/// # Safety
/// Lua calls it as a C function.
pub unsafe extern "C-unwind" fn pcall(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the stack is handler, function, arguments; nothing here needs dropping.
    unsafe {
        if ffi::lua_gettop(state) == 0 {
            return ffi::luaL_error(state, c"bad argument #1 (value expected)".as_ptr());
        }
        ffi::lua_pushcclosure(state, handler, 0);
        ffi::lua_insert(state, 1);
        let count = ffi::lua_gettop(state) - 2;
        let status = ffi::lua_pcallk(state, count, ffi::LUA_MULTRET, 1, 0, Some(continued));
        finish(state, status == ffi::LUA_OK)
    }
}

unsafe extern "C-unwind" fn continued(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Lua calls it with the stack that `pcall` left.
    unsafe {
        let status = ffi::lua_getctx(state, std::ptr::null_mut());
        finish(state, status == ffi::LUA_YIELD)
    }
}

unsafe fn finish(state: *mut ffi::lua_State, ok: bool) -> c_int {
    // SAFETY: the handler's place is taken by the first result.
    unsafe {
        if ffi::lua_checkstack(state, 1) == 0 {
            ffi::lua_settop(state, 0);
            ffi::lua_pushboolean(state, 0);
            ffi::lua_pushstring(state, c"stack overflow".as_ptr());
            return 2;
        }
        ffi::lua_pushboolean(state, ok.into());
        ffi::lua_replace(state, 1);
        ffi::lua_gettop(state)
    }
}

#[cfg(test)]
mod tests {
    use super::reworded;

    #[test]
    fn messages_of_the_libraries_are_reworded() {
        let text = |message: &str, method| {
            reworded(message.as_bytes(), method).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        assert_eq!(
            text("x:1: bad argument #1 to 'rep' (string expected, got no value)", false).as_deref(),
            Some("x:1: bad argument #1 (expected string, got no value)")
        );
        assert_eq!(
            text("bad argument #1 to 'format' (no value)", true).as_deref(),
            Some("bad argument #2 (no value)")
        );
        assert_eq!(
            text("bad argument #3 to '?' (string/function/table expected)", false).as_deref(),
            Some("bad argument #3 (string/function/table expected)")
        );
        assert_eq!(text("bad argument #1 (expected string, got nil)", false), None);
        assert_eq!(text("[prelude]:12: unfinished capture", false).as_deref(), Some("unfinished capture"));
        assert_eq!(text("anything else", false), None);
    }

    proptest::proptest! {
        #[test]
        fn any_message_is_reworded_or_left(message in "(bad argument #[0-9]{0,12}|[ ()'a-z]| to '| \\(| expected, got ){0,8}") {
            let _ = reworded(message.as_bytes(), true);
        }
    }
}
