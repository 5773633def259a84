//! Compiles text, and remembers what it compiled: a thousand computers load the same ROM.
//!
//! Bytecode never comes from a program: chunks are loaded in text mode only, and what is kept here was made
//! by Lua's own compiler from exactly the text that is asked for.
#![expect(unsafe_code, reason = "it calls Lua's compiler")]

use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, RwLock};

use mlua_sys as ffi;

use super::escapes;
use super::state::USUAL_PAUSE;
use super::trampoline::context_of;

/// Shorter chunks compile faster than they are looked up.
const SMALLEST: usize = 512;
/// The whole ROM several times over; past that nothing more is remembered.
const LARGEST_TOTAL: usize = 16 * 1024 * 1024;

/// Percent of what is in use with the chunks that were loaded ahead at which the next collection begins.
const AHEAD_PAUSE: c_int = 150;
/// What a computer may have of chunks that it never asks for.
const LARGEST_AHEAD: usize = 512 * 1024;

/// What the compiler reads at once: more than most programs have.
const PIECE: usize = 16 * 1024;

struct Entry {
    name: Vec<u8>,
    text: Vec<u8>,
    /// Empty until the text is seen a second time: a lone computer never needs it.
    code: Arc<[u8]>,
    /// Which code it is: another one for each that was ever made.
    serial: u32,
    /// How often it was asked for.
    loads: AtomicU32,
}

/// Which chunks were compiled.
#[derive(Debug, Default)]
pub struct Compiled(HashSet<u64>);

/// A chunk as it is remembered.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// What the registry has it under.
    serial: u32,
    name: CString,
    code: Arc<[u8]>,
}

#[derive(Default)]
struct Cache {
    entries: HashMap<u64, Entry>,
    total: usize,
    serials: u32,
}

/// The registry's key for the chunks that were loaded ahead.
static AHEAD: u8 = 0;

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

/// The chunks that were asked for so often, but for some, in an order that is always the same.
pub fn often_loaded(at_least: u32, but: &Compiled) -> Vec<Chunk> {
    let Ok(cache) = CACHE.read() else { return Vec::new() };
    let often = |entry: &Entry| !entry.code.is_empty() && entry.loads.load(Ordering::Relaxed) >= at_least;
    let mut entries: Vec<&Entry> = cache
        .entries
        .iter()
        .filter(|(key, entry)| often(entry) && !but.0.contains(key))
        .map(|(_, entry)| entry)
        .collect();
    entries.sort_unstable_by_key(|entry| entry.serial);
    let mut room = LARGEST_AHEAD;
    entries.retain(|entry| {
        let fits = entry.code.len() <= room;
        room -= if fits { entry.code.len() } else { 0 };
        fits
    });
    let chunk = |entry: &Entry| {
        let name = CString::new(entry.name.clone()).ok()?;
        Some(Chunk { serial: entry.serial, name, code: entry.code.clone() })
    };
    entries.into_iter().filter_map(chunk).collect()
}

/// Loads the chunks of a list into a table of the registry, and collects what it took to get here.
///
/// # Safety
/// Lua calls it as a C function in protected mode, with the address of a slice of chunks.
pub unsafe extern "C-unwind" fn load_ahead(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the slice outlives the call, and nothing here needs dropping.
    unsafe {
        let chunks = *ffi::lua_touserdata(state, 1).cast::<&[Chunk]>();
        ffi::lua_createtable(state, 0, c_int::try_from(chunks.len()).unwrap_or(0));
        for chunk in chunks {
            ffi::lua_pushnumber(state, chunk.serial.into());
            let (code, size) = (chunk.code.as_ptr().cast(), chunk.code.len());
            if ffi::luaL_loadbufferx(state, code, size, chunk.name.as_ptr(), c"b".as_ptr()) != ffi::LUA_OK {
                ffi::lua_error(state);
            }
            ffi::lua_rawset(state, -3);
        }
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, (&raw const AHEAD).cast());
        ffi::lua_settop(state, 0);
        // The two together set when the next collection begins.
        ffi::lua_gc(state, ffi::LUA_GCSETPAUSE, AHEAD_PAUSE);
        ffi::lua_gc(state, ffi::LUA_GCCOLLECT, 0);
        ffi::lua_gc(state, ffi::LUA_GCSETPAUSE, USUAL_PAUSE);
    }
    0
}

/// Pushes a chunk that was loaded ahead, if it was and nobody had it yet: each computer's functions are its own.
unsafe fn take_ahead(state: *mut ffi::lua_State, serial: u32) -> bool {
    // SAFETY: reads and clears a field that exists, which allocates nothing; the stack has room for what a C function needs.
    unsafe {
        ffi::lua_rawgetp_(state, ffi::LUA_REGISTRYINDEX, (&raw const AHEAD).cast());
        if ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
            ffi::lua_settop(state, -2);
            return false;
        }
        ffi::lua_pushnumber(state, serial.into());
        ffi::lua_pushvalue(state, -1);
        ffi::lua_rawget_(state, -3);
        if ffi::lua_type(state, -1) != ffi::LUA_TFUNCTION {
            ffi::lua_settop(state, -4);
            return false;
        }
        ffi::lua_insert(state, -3);
        ffi::lua_pushnil(state);
        ffi::lua_rawset(state, -3);
        ffi::lua_settop(state, -2);
        true
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
        if let Some(Compiled(keys)) = &mut *context_of(state).compiled.borrow_mut() {
            keys.insert(key);
        }
        match cache.entries.get(&key) {
            Some(entry) if entry.name == name_bytes && entry.text == text => {
                if entry.code.is_empty() {
                    return Known::Seen;
                }
                entry.loads.fetch_add(1, Ordering::Relaxed);
                if take_ahead(state, entry.serial) {
                    return Known::Loaded(ffi::LUA_OK);
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
        if cache.total + text.len() > LARGEST_TOTAL && !seen {
            return;
        }
        if !seen {
            cache.total += text.len();
        }
        let (code, loads) = (code.into(), AtomicU32::new(if seen { 2 } else { 1 }));
        cache.serials += 1;
        let serial = cache.serials;
        let entry = Entry { name: name_bytes.to_vec(), text: text.to_vec(), code, serial, loads };
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
