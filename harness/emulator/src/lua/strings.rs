//! `string.find`, `match`, `gmatch` and `gsub` on a matcher that can be stopped; `gsub` may be yielded in. `string.rep`, which
//! copies what it has so far instead of one piece after another.
#![expect(unsafe_code, reason = "they are C functions on Lua's stack")]

use std::ffi::{c_char, c_int};

use mlua_sys as ffi;

use super::convert::string_at;
use super::pattern::{Capture, Matcher, PatternError};
use super::trampoline::context_of;

/// What makes a text a pattern.
const SPECIALS: &[u8] = b"^$*+?.([%-";

/// What `gsub` has in progress; it lies in a userdata, as the C stack is gone after a yield.
#[repr(C)]
struct Progress {
    position: usize,
    /// Up to where the text is in the result.
    copied: usize,
    /// Where the match whose replacement is being asked for ends.
    end: usize,
    count: usize,
    most: usize,
    used: usize,
    room: usize,
    /// The block of `RESULT`.
    result: *mut u8,
}

/// Slots of `gsub`'s stack: its arguments, then what it has in progress.
const TEXT: c_int = 1;
const PATTERN: c_int = 2;
const REPLACEMENT: c_int = 3;
const PROGRESS: c_int = 4;
const RESULT: c_int = 5;

/// Puts the functions into the table on top of the stack.
///
/// # Safety
/// Runs in protected mode; the string library is on top of the stack.
pub unsafe fn install(state: *mut ffi::lua_State) {
    // SAFETY: each function is a C function; the stack is left as it was.
    unsafe {
        for (name, function) in [
            (c"find", find as ffi::lua_CFunction),
            (c"match", first_match),
            (c"gmatch", every_match),
            (c"gsub", substitute),
            (c"rep", repeat),
        ] {
            ffi::lua_pushcclosure(state, function, 0);
            ffi::lua_setfield(state, -2, name.as_ptr());
        }
    }
}

/// A string argument, or a number as text, in place.
unsafe fn text_at<'a>(state: *mut ffi::lua_State, index: c_int) -> &'a [u8] {
    let mut length = 0;
    // SAFETY: the argument stays in its slot while the slice is used.
    unsafe {
        let start = ffi::luaL_checklstring(state, index, &raw mut length);
        std::slice::from_raw_parts(start.cast(), length)
    }
}

/// A position argument, from 0; one past the end is none.
unsafe fn start_at(state: *mut ffi::lua_State, index: c_int, length: usize) -> Option<usize> {
    // SAFETY: reads an argument.
    let given = unsafe { ffi::luaL_optinteger(state, index, 1) };
    let start = match usize::try_from(given) {
        Ok(0) => 0,
        Ok(positive) => positive - 1,
        Err(_) => length.saturating_sub(usize::try_from(given.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    (start <= length).then_some(start)
}

/// Raises the error of a pattern at the caller's line.
unsafe fn fail(state: *mut ffi::lua_State, error: PatternError) -> ! {
    // SAFETY: the message is a C string of its own on Lua's stack before it is raised; nothing here needs dropping.
    unsafe {
        let message: &std::ffi::CStr = match error {
            PatternError::EndsWithPercent => c"malformed pattern (ends with '%')",
            PatternError::OpenSet => c"malformed pattern (missing ']')",
            PatternError::Balance => c"malformed pattern (missing arguments to '%b')",
            PatternError::Frontier => c"missing '[' after '%f' in pattern",
            PatternError::Captures => c"too many captures",
            PatternError::Close => c"invalid pattern capture",
            PatternError::Unfinished => c"unfinished capture",
            PatternError::TooComplex => c"pattern too complex",
            PatternError::Stopped => c"Too long without yielding",
            PatternError::NoCapture => c"invalid capture index",
            PatternError::Index(index) => {
                ffi::luaL_error(
                    state,
                    c"invalid capture index %%%d".as_ptr(),
                    c_int::try_from(index).unwrap_or(0),
                );
                unreachable!("Lua's error does not return")
            }
        };
        ffi::luaL_error(state, c"%s".as_ptr(), message.as_ptr());
        unreachable!("Lua's error does not return")
    }
}

/// Takes what went well, raises what did not.
unsafe fn taken<T>(state: *mut ffi::lua_State, outcome: Result<T, PatternError>) -> T {
    match outcome {
        Ok(value) => value,
        // SAFETY: as for `fail`.
        Err(error) => unsafe { fail(state, error) },
    }
}

unsafe fn push_text(state: *mut ffi::lua_State, text: &[u8]) {
    // SAFETY: the bytes are copied by Lua.
    unsafe { ffi::lua_pushlstring_(state, text.as_ptr().cast::<c_char>(), text.len()) };
}

#[expect(clippy::cast_precision_loss, reason = "texts are far shorter")]
unsafe fn push_number(state: *mut ffi::lua_State, number: usize) {
    // SAFETY: the caller has checked the stack.
    unsafe { ffi::lua_pushnumber(state, number as f64) };
}

/// Pushes what a match captured, or all of it if that is wanted and nothing was.
unsafe fn push_captures(
    state: *mut ffi::lua_State,
    matcher: &Matcher<'_>,
    text: &[u8],
    (start, end): (usize, usize),
    whole: bool,
) -> c_int {
    // SAFETY: the stack is checked for all of them; the matcher needs no dropping.
    unsafe {
        let count = matcher.count(whole);
        let pushed = c_int::try_from(count).unwrap_or(0);
        ffi::luaL_checkstack(state, pushed + 3, c"too many captures".as_ptr());
        for index in 0..count {
            push_capture(state, matcher, text, (start, end), index);
        }
        pushed
    }
}

unsafe fn push_capture(
    state: *mut ffi::lua_State,
    matcher: &Matcher<'_>,
    text: &[u8],
    (start, end): (usize, usize),
    index: usize,
) {
    // SAFETY: as for `push_captures`.
    unsafe {
        match taken(state, matcher.capture(index, start, end)) {
            Capture::Position(at) => push_number(state, at + 1),
            Capture::Text(from, to) => push_text(state, &text[from..to]),
        }
    }
}

unsafe extern "C-unwind" fn find(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Lua calls it as a C function; nothing here needs dropping.
    unsafe { search(state, true) }
}

unsafe extern "C-unwind" fn first_match(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Lua calls it as a C function; nothing here needs dropping.
    unsafe { search(state, false) }
}

unsafe fn search(state: *mut ffi::lua_State, finds: bool) -> c_int {
    // SAFETY: the slices are arguments that stay on the stack; nothing here needs dropping.
    unsafe {
        let (text, pattern) = (text_at(state, 1), text_at(state, 2));
        let Some(mut start) = start_at(state, 3, text.len()) else {
            ffi::lua_pushnil(state);
            return 1;
        };
        let plain = finds && ffi::lua_toboolean(state, 4) != 0;
        if plain || (finds && !pattern.iter().any(|byte| SPECIALS.contains(byte))) {
            // A search whose time grows with the lengths only, however alike the texts are.
            let Some(found) = memchr::memmem::find(&text[start..], pattern) else {
                ffi::lua_pushnil(state);
                return 1;
            };
            push_number(state, start + found + 1);
            push_number(state, start + found + pattern.len());
            return 2;
        }
        let (anchored, pattern) = anchor(pattern);
        let mut matcher = Matcher::new(text, pattern, Some(&context_of(state).watchdog));
        loop {
            if !anchored {
                start = taken(state, matcher.next_start(start));
            }
            if start > text.len() {
                ffi::lua_pushnil(state);
                return 1;
            }
            if let Some(end) = taken(state, matcher.match_at(start)) {
                if !finds {
                    return push_captures(state, &matcher, text, (start, end), true);
                }
                push_number(state, start + 1);
                push_number(state, end);
                return 2 + push_captures(state, &matcher, text, (start, end), false);
            }
            start += 1;
            if anchored {
                ffi::lua_pushnil(state);
                return 1;
            }
        }
    }
}

/// Results up to this length need no memory of Lua's on their way.
const SHORT: usize = 512;

unsafe extern "C-unwind" fn repeat(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the slices are arguments that stay on the stack; the block is as large as the result; nothing here needs
    // dropping.
    unsafe {
        let text = text_at(state, 1);
        let times = usize::try_from(ffi::luaL_checkinteger(state, 2)).unwrap_or(0);
        let between = if ffi::lua_type(state, 3) > ffi::LUA_TNIL { text_at(state, 3) } else { b"" };
        let piece = text.len().checked_add(between.len());
        let total =
            piece.and_then(|piece| piece.checked_mul(times)).map(|all| all.saturating_sub(between.len()));
        let Some(total) = total.filter(|&total| isize::try_from(total).is_ok()) else {
            return ffi::luaL_error(state, c"resulting string too large".as_ptr());
        };
        let mut short = [0; SHORT];
        if total <= SHORT {
            fill(&mut short[..total], text, between);
            push_text(state, &short[..total]);
        } else {
            let block = ffi::lua_newuserdata(state, total).cast::<u8>();
            // Zeroed, as it is written and read piece by piece.
            block.write_bytes(0, total);
            let result = std::slice::from_raw_parts_mut(block, total);
            fill(result, text, between);
            push_text(state, result);
        }
        1
    }
}

/// Fills a block with a text, again and again, and what stands between.
fn fill(block: &mut [u8], text: &[u8], between: &[u8]) {
    let mut done = 0;
    for part in [text, between] {
        let length = part.len().min(block.len() - done);
        block[done..done + length].copy_from_slice(&part[..length]);
        done += length;
    }
    while done < block.len() && done > 0 {
        let length = done.min(block.len() - done);
        block.copy_within(..length, done);
        done += length;
    }
}

fn anchor(pattern: &[u8]) -> (bool, &[u8]) {
    pattern.strip_prefix(b"^").map_or((false, pattern), |rest| (true, rest))
}

unsafe extern "C-unwind" fn every_match(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the arguments and a position become the upvalues of the iterator.
    unsafe {
        text_at(state, 1);
        text_at(state, 2);
        ffi::lua_settop(state, 2);
        ffi::lua_pushnumber(state, 0.0);
        ffi::lua_pushcclosure(state, next_match, 3);
    }
    1
}

unsafe extern "C-unwind" fn next_match(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the upvalues are those of `every_match`: two strings, which live as long as this function, and a number.
    unsafe {
        let text = string_at(state, ffi::lua_upvalueindex(1));
        let pattern = string_at(state, ffi::lua_upvalueindex(2));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a position")]
        let mut start = ffi::lua_tonumberx(state, ffi::lua_upvalueindex(3), std::ptr::null_mut()) as usize;
        let mut matcher = Matcher::new(text, pattern, Some(&context_of(state).watchdog));
        loop {
            start = taken(state, matcher.next_start(start));
            if start > text.len() {
                return 0;
            }
            if let Some(end) = taken(state, matcher.match_at(start)) {
                push_number(state, if end == start { end + 1 } else { end });
                ffi::lua_replace(state, ffi::lua_upvalueindex(3));
                return push_captures(state, &matcher, text, (start, end), true);
            }
            start += 1;
        }
    }
}

unsafe extern "C-unwind" fn substitute(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Lua calls it as a C function; nothing here needs dropping.
    unsafe {
        let length = text_at(state, TEXT).len();
        text_at(state, PATTERN);
        let kind = ffi::lua_type(state, REPLACEMENT);
        if !matches!(kind, ffi::LUA_TNUMBER | ffi::LUA_TSTRING | ffi::LUA_TTABLE | ffi::LUA_TFUNCTION) {
            return ffi::luaL_argerror(state, REPLACEMENT, c"string/function/table expected".as_ptr());
        }
        let all = ffi::lua_Integer::try_from(length).unwrap_or(ffi::lua_Integer::MAX - 1) + 1;
        let most = usize::try_from(ffi::luaL_optinteger(state, 4, all)).unwrap_or(0);
        if kind == ffi::LUA_TNUMBER {
            ffi::lua_tolstring(state, REPLACEMENT, std::ptr::null_mut());
        }
        ffi::lua_settop(state, REPLACEMENT);
        let progress = ffi::lua_newuserdata(state, size_of::<Progress>()).cast::<Progress>();
        let room = length + 64;
        let result = ffi::lua_newuserdata(state, room).cast::<u8>();
        progress.write(Progress { position: 0, copied: 0, end: 0, count: 0, most, used: 0, room, result });
        replace_all(state, false)
    }
}

/// Goes on where the function that gives replacements yielded.
unsafe extern "C-unwind" fn continue_substitute(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Lua calls it with the stack that `replace_all` left, and the function's result on top.
    unsafe { replace_all(state, true) }
}

unsafe fn replace_all(state: *mut ffi::lua_State, mut asked: bool) -> c_int {
    // SAFETY: the slots were filled by `substitute`; the userdata of `PROGRESS` stays where it is and knows that of `RESULT`.
    unsafe {
        let text = string_at(state, TEXT);
        let (anchored, pattern) = anchor(string_at(state, PATTERN));
        let progress = ffi::lua_touserdata(state, PROGRESS).cast::<Progress>();
        let kind = ffi::lua_type(state, REPLACEMENT);
        let mut matcher = Matcher::new(text, pattern, Some(&context_of(state).watchdog));
        while asked || (*progress).count < (*progress).most {
            if !asked && !anchored {
                (*progress).position = taken(state, matcher.next_start((*progress).position));
                if (*progress).position > text.len() {
                    break;
                }
            }
            let start = (*progress).position;
            let found = if asked { Some((*progress).end) } else { taken(state, matcher.match_at(start)) };
            if let Some(end) = found {
                if !asked {
                    append(state, progress, &text[(*progress).copied..start]);
                    (*progress).count += 1;
                    (*progress).end = end;
                    (*progress).copied = end;
                    ask(state, kind, &matcher, text, (start, end));
                }
                asked = false;
                let before = (*progress).used;
                if kind == ffi::LUA_TSTRING {
                    expand(state, progress, &matcher, text, (start, end));
                } else {
                    take_value(state, progress, &text[start..end]);
                }
                taken(state, matcher.spend((*progress).used - before));
                // After an empty match, the character that follows is left as it is.
                (*progress).position = if end > start { end } else { start + 1 };
            } else {
                (*progress).position = start + 1;
            }
            if anchored || (*progress).position > text.len() {
                break;
            }
        }
        append(state, progress, &text[(*progress).copied..]);
        push_text(state, std::slice::from_raw_parts((*progress).result, (*progress).used));
        push_number(state, (*progress).count);
        2
    }
}

/// Asks a table or a function for the replacement of what was found; it is on top of the stack afterwards.
unsafe fn ask(
    state: *mut ffi::lua_State,
    kind: c_int,
    matcher: &Matcher<'_>,
    text: &[u8],
    found: (usize, usize),
) {
    // SAFETY: what is in progress lies on Lua's stack, so that the function may yield; nothing here needs dropping.
    unsafe {
        ffi::luaL_checkstack(state, 2, std::ptr::null());
        if kind == ffi::LUA_TFUNCTION {
            ffi::lua_pushvalue(state, REPLACEMENT);
            let count = push_captures(state, matcher, text, found, true);
            ffi::lua_callk(state, count, 1, 0, Some(continue_substitute));
        } else if kind == ffi::LUA_TTABLE {
            push_capture(state, matcher, text, found, 0);
            ffi::lua_gettable_(state, REPLACEMENT);
        }
    }
}

/// Adds the value on top of the stack, which a table or a function gave; what was found, if it is nil or false.
unsafe fn take_value(state: *mut ffi::lua_State, progress: *mut Progress, found: &[u8]) {
    // SAFETY: the value stays on the stack until it has been copied.
    unsafe {
        let kind = ffi::lua_type(state, -1);
        if kind != ffi::LUA_TSTRING && ffi::lua_toboolean(state, -1) == 0 {
            append(state, progress, found);
        } else if kind != ffi::LUA_TSTRING && kind != ffi::LUA_TNUMBER {
            let name = ffi::luaL_typename(state, -1);
            ffi::luaL_error(state, c"invalid replacement value (a %s)".as_ptr(), name);
        } else {
            let mut length = 0;
            let start = ffi::lua_tolstring(state, -1, &raw mut length);
            append(state, progress, std::slice::from_raw_parts(start.cast(), length));
        }
        ffi::lua_settop(state, RESULT);
    }
}

/// Adds the replacement text, with captures where it names them. A `%` before anything else counts for nothing, as in
/// Lua 5.1.
unsafe fn expand(
    state: *mut ffi::lua_State,
    progress: *mut Progress,
    matcher: &Matcher<'_>,
    text: &[u8],
    found: (usize, usize),
) {
    // SAFETY: the replacement stays in its slot; captures are copied while they are on the stack.
    unsafe {
        let mut rest = string_at(state, REPLACEMENT);
        while let Some(at) = memchr::memchr(b'%', rest) {
            append(state, progress, &rest[..at]);
            let Some(&next) = rest.get(at + 1) else {
                ffi::luaL_error(state, c"invalid use of '%%' in replacement string".as_ptr());
                return;
            };
            match next {
                b'0' => append(state, progress, &text[found.0..found.1]),
                b'1'..=b'9' => {
                    push_capture(state, matcher, text, found, usize::from(next - b'1'));
                    take_value(state, progress, b"");
                }
                _ => append(state, progress, &[next]),
            }
            rest = &rest[at + 2..];
        }
        append(state, progress, rest);
    }
}

/// Adds bytes to the result. Its memory is Lua's, so that the computer's limit holds.
unsafe fn append(state: *mut ffi::lua_State, progress: *mut Progress, bytes: &[u8]) {
    // SAFETY: the new block is large enough for what it is given; the bytes lie in strings on the stack or in the program.
    unsafe {
        let used = (*progress).used;
        let needed = used + bytes.len();
        let mut result = (*progress).result;
        if needed > (*progress).room {
            let room = needed.max((*progress).room * 2);
            ffi::luaL_checkstack(state, 1, std::ptr::null());
            let larger = ffi::lua_newuserdata(state, room).cast::<u8>();
            std::ptr::copy_nonoverlapping(result, larger, used);
            ffi::lua_replace(state, RESULT);
            ((*progress).room, (*progress).result) = (room, larger);
            result = larger;
        }
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), result.add(used), bytes.len());
        (*progress).used = needed;
    }
}
