//! Compiles files, and remembers what it compiled: a thousand computers load the same ROM.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use craftos_lua::{CompileError, Dialect, Outcome, Proto, Value as Inner, compile_while, unpack};

use super::call::LEAST_SHARE;
use super::watchdog::{TOO_LONG, Watchdog};
use crate::allocator;
use crate::fs::LuaFile;
use crate::host::Host;

/// The whole ROM several times over; past that nothing more is remembered.
const LARGEST_TOTAL: usize = 16 * 1024 * 1024;
/// Code takes about as much as its text, several times over.
const CODE_FACTOR: usize = 4;
/// One instruction's worth of text that is compiled.
const BYTES_PER_STEP: usize = 4;

/// So much of a text that is part of the program is hashed, besides its name.
const HEAD: usize = 64;

struct Entry {
    name: Vec<u8>,
    text: Cow<'static, [u8]>,
    code: Arc<Proto>,
}

impl Entry {
    /// Whether it is that text: what is part of the program is known by its place.
    fn is(&self, text: &[u8], name: &[u8]) -> bool {
        self.name == name && (std::ptr::eq(self.text.as_ref(), text) || *self.text == *text)
    }
}

#[derive(Default)]
struct Cache {
    entries: HashMap<u64, Entry>,
    total: usize,
}

static CACHE: LazyLock<RwLock<Cache>> = LazyLock::new(RwLock::default);

/// A quick hash, a word at a time: texts are compared before one is taken for another, so that nobody gains by making
/// two that collide.
fn key(text: &[u8], embedded: bool, name: &[u8]) -> u64 {
    let mut hash = text.len() as u64;
    // A thousand computers load the ROM: its texts need not be read for that.
    let head = if embedded { &text[..text.len().min(HEAD)] } else { text };
    for bytes in [head, name] {
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

/// Compiles a text that other computers may compile too, as long as that may go on.
pub fn compile_shared(
    source: LuaFile,
    name: &[u8],
    room: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Arc<Proto>, CompileError> {
    let LuaFile { text, code: packed } = source;
    let key = key(&text, matches!(text, Cow::Borrowed(_)), name);
    let known = {
        let cache = CACHE.read().unwrap_or_else(PoisonError::into_inner);
        let entry = cache.entries.get(&key);
        entry.filter(|entry| entry.is(&text, name)).map(|entry| entry.code.clone())
    };
    if let Some(code) = known {
        return Ok(code);
    }
    let code = if let Some(packed) = packed {
        unpack(packed, name, Dialect::CraftosPc)
    } else {
        let compiled = compile_while(&text, name, room, Dialect::CraftosPc, goes_on);
        allocator::compiled(text.len());
        compiled?
    };
    let mut cache = CACHE.write().unwrap_or_else(PoisonError::into_inner);
    let size = text.len() * (1 + CODE_FACTOR);
    if cache.total + size <= LARGEST_TOTAL {
        cache.total += size;
        let entry = Entry { name: name.to_vec(), text, code: code.clone() };
        cache.entries.insert(key, entry);
    }
    Ok(code)
}

/// `_LOAD_FILE(path, name, environment)`: the function of a file, or without a path of the code that the emulator was given;
/// false where it cannot be read, nil and a message where it is no Lua.
pub fn load_file(
    host: &mut Host,
    watchdog: &Watchdog,
    call: &mut craftos_lua::Call<'_>,
) -> Result<Outcome, Inner> {
    let name = call.text(2)?;
    let name = call.bytes(name).to_vec();
    let source = if call.arg(1).is_nil() {
        host.world.options().script.clone().map(|script| LuaFile { text: Cow::Owned(script), code: None })
    } else {
        let path = call.text(1)?;
        let path = call.bytes(path).to_vec();
        // A file that there is no room for cannot be read; what lies around may be garbage.
        let most = call.state.room().max(call.state.limit() / LEAST_SHARE);
        host.read_whole(&path, most)
    };
    let Some(source) = source else { return Ok(Outcome::One(Inner::Bool(false))) };
    call.spend(source.text.len() / BYTES_PER_STEP);
    match compile_shared(source, &name, call.state.room(), &mut || !watchdog.is_due()) {
        Err(error) if error.is_interrupted() => Err(call.error(TOO_LONG)),
        Ok(code) => {
            let environment = call.arg(3);
            call.state.instantiate(&code, environment).map(Outcome::One)
        }
        Err(error) => {
            let message = call.string(&error.message)?;
            call.push(Inner::Nil)?;
            call.push(message)?;
            Ok(Outcome::Return(2))
        }
    }
}
