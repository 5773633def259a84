//! Compiles text, and remembers what it compiled: a thousand computers load the same ROM.
//!
//! Bytecode never comes from a program: chunks are loaded in text mode only, and what is kept here was made
//! by Lua's own compiler from exactly the text that is asked for.
#![expect(unsafe_code, reason = "it calls Lua's compiler")]

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Arc, LazyLock, RwLock};

use mlua_sys as ffi;

use super::escapes;
use super::trampoline::context_of;

/// Shorter chunks compile faster than they are looked up.
const SMALLEST: usize = 512;
/// The whole ROM several times over; past that nothing more is remembered.
const LARGEST_TOTAL: usize = 16 * 1024 * 1024;

/// What the compiler reads at once: more than most programs have.
const PIECE: usize = 16 * 1024;

/// Which argument of `load` is the mode.
const MODE: c_int = 3;

struct Entry {
    name: Vec<u8>,
    text: Vec<u8>,
    /// Empty until the text is seen a second time: a lone computer never needs it.
    code: Arc<[u8]>,
}

#[derive(Default)]
struct Cache {
    entries: HashMap<u64, Entry>,
    total: usize,
}

static CACHE: LazyLock<RwLock<Cache>> = LazyLock::new(RwLock::default);

/// What to do with a chunk.
enum Known {
    Unknown,
    Seen,
    /// Loaded from what is remembered, with Lua's status.
    Loaded(c_int),
}

/// Compiles `text` and pushes the function, or a message when the status is not `LUA_OK`.
///
/// # Safety
/// Runs in protected mode; `name` is a C string; no frame up to it holds what must be dropped.
pub unsafe fn compile(state: *mut ffi::lua_State, text: &[u8], name: *const c_char) -> c_int {
    // SAFETY: `remembered` and `remember` call Lua in ways that cannot raise: loading catches its errors.
    unsafe {
        let cached = text.len() >= SMALLEST;
        let known = if cached { remembered(state, text, name) } else { Known::Unknown };
        if let Known::Loaded(status) = known {
            return status;
        }
        let translated = escapes::translate(text);
        let source = translated.as_deref().unwrap_or(text);
        let mut pieces = Pieces { text: source, position: 0 };
        let status = ffi::lua_load(state, next_piece, (&raw mut pieces).cast(), name, c"t".as_ptr());
        drop(translated);
        if cached && status == ffi::LUA_OK {
            remember(state, text, name, matches!(known, Known::Seen));
        }
        status
    }
}

/// A text on its way to the compiler.
struct Pieces<'a> {
    text: &'a [u8],
    position: usize,
}

/// Gives the compiler more to read, unless the computer's time is up: it takes the square of the length for some texts, such
/// as one of many labels.
unsafe extern "C-unwind" fn next_piece(
    state: *mut ffi::lua_State,
    pieces: *mut c_void,
    size: *mut usize,
) -> *const c_char {
    // SAFETY: `compile` passes its pieces, whose text outlives the call; what is raised here is caught by `lua_load`.
    unsafe {
        let pieces = &mut *pieces.cast::<Pieces<'_>>();
        if pieces.position > 0 && context_of(state).watchdog.rang() {
            ffi::lua_pushstring(state, c"Too long without yielding".as_ptr());
            ffi::lua_error(state);
        }
        let rest = &pieces.text[pieces.position..];
        let piece = &rest[..rest.len().min(PIECE)];
        pieces.position += piece.len();
        *size = piece.len();
        piece.as_ptr().cast()
    }
}

/// A quick hash, a word at a time: texts are compared before one is taken for another, so that nobody gains by making
/// two that collide.
fn key(text: &[u8], name: &[u8]) -> u64 {
    let mut hash = text.len() as u64;
    for bytes in [text, name] {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            let word = u64::from_le_bytes(word.try_into().expect("a chunk has eight bytes"));
            hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95);
        }
        for &byte in words.remainder() {
            hash = (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x517C_C1B7_2722_0A95);
        }
    }
    hash
}

unsafe fn remembered(state: *mut ffi::lua_State, text: &[u8], name: *const c_char) -> Known {
    // SAFETY: the name is a C string; the code was written by `remember`.
    unsafe {
        let name_bytes = CStr::from_ptr(name).to_bytes();
        let Ok(cache) = CACHE.read() else {
            return Known::Unknown;
        };
        let key = key(text, name_bytes);
        match cache.entries.get(&key) {
            Some(entry) if entry.name == name_bytes && entry.text == text => {
                if entry.code.is_empty() {
                    return Known::Seen;
                }
                let code = entry.code.as_ptr().cast();
                Known::Loaded(ffi::luaL_loadbufferx(state, code, entry.code.len(), name, c"b".as_ptr()))
            }
            _ => Known::Unknown,
        }
    }
}

unsafe fn remember(state: *mut ffi::lua_State, text: &[u8], name: *const c_char, seen: bool) {
    // SAFETY: dumping writes to a Rust vector and allocates nothing in Lua.
    unsafe {
        let name_bytes = CStr::from_ptr(name).to_bytes();
        let mut code: Vec<u8> = Vec::new();
        if seen {
            ffi::lua_dump_(state, append, (&raw mut code).cast());
        }
        let Ok(mut cache) = CACHE.write() else { return };
        // The text was counted when it was seen first.
        let more = if seen { code.len() } else { text.len() };
        if cache.total + more > LARGEST_TOTAL {
            return;
        }
        cache.total += more;
        let entry = Entry { name: name_bytes.to_vec(), text: text.to_vec(), code: code.into() };
        cache.entries.insert(key(text, name_bytes), entry);
    }
}

unsafe extern "C-unwind" fn append(
    _: *mut ffi::lua_State,
    data: *const c_void,
    size: usize,
    target: *mut c_void,
) -> c_int {
    // SAFETY: `remember` passes its vector, Lua a readable block.
    unsafe { (*target.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(data.cast(), size)) };
    0
}

/// Lua's own `load`, in mode `t` whatever mode is given: whoever gets hold of it cannot load bytecode.
///
/// # Safety
/// Lua calls it as a C function whose upvalue is Lua's own.
pub unsafe extern "C-unwind" fn load_text_only(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the mode is replaced before Lua's function looks at it; nothing here needs dropping.
    unsafe {
        let Some(native) = ffi::lua_tocfunction(state, ffi::lua_upvalueindex(1)) else { return 0 };
        if ffi::lua_gettop(state) < MODE {
            ffi::lua_settop(state, MODE);
        }
        ffi::luaL_checkstack(state, 1, std::ptr::null());
        ffi::lua_pushstring(state, c"t".as_ptr());
        ffi::lua_replace(state, MODE);
        native(state)
    }
}

/// For the prelude: `load_path(path, name)` compiles a file without a copy of its text in Lua's memory; false where it
/// cannot be read that way.
///
/// # Safety
/// Lua calls it as a C function.
pub unsafe extern "C-unwind" fn load_path(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: both arguments are checked to be strings and stay on the stack. While there is a text to drop, only
    // `compile` is called, which raises nothing.
    unsafe {
        let mut length = 0;
        let path = ffi::luaL_checklstring(state, 1, &raw mut length);
        let path = std::slice::from_raw_parts(path.cast::<u8>(), length);
        let name = ffi::luaL_checklstring(state, 2, std::ptr::null_mut());
        let text = context_of(state).host.borrow().read_whole(path);
        let status = text.as_deref().map(|text| compile(state, text, name));
        drop(text);
        match status {
            None => ffi::lua_pushboolean(state, 0),
            Some(ffi::LUA_OK) => {}
            Some(_) => {
                ffi::lua_pushnil(state);
                ffi::lua_insert(state, -2);
                return 2;
            }
        }
        1
    }
}

/// For the prelude: `load_text(text, name)` gives a function, or nil and a message.
///
/// # Safety
/// Lua calls it as a C function.
pub unsafe extern "C-unwind" fn load_text(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: both arguments are checked to be strings and stay on the stack; nothing here needs dropping.
    unsafe {
        let mut length = 0;
        let text = ffi::luaL_checklstring(state, 1, &raw mut length);
        let name = ffi::luaL_checklstring(state, 2, std::ptr::null_mut());
        let text = std::slice::from_raw_parts(text.cast::<u8>(), length);
        if compile(state, text, name) == ffi::LUA_OK {
            return 1;
        }
        ffi::lua_pushnil(state);
        ffi::lua_insert(state, -2);
        2
    }
}
