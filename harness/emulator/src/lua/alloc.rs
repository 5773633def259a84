//! The allocator of one Lua state: counts what is in use, refuses past the limit, and in seeded mode hands
//! out the same addresses in every run and fixes the seed of the string hashes.
//!
//! It does not collect: when it refuses, Lua runs its collector once and then raises `not enough memory`.
#![expect(unsafe_code, reason = "an allocator for C hands out raw memory")]
#![expect(clippy::cast_ptr_alignment, reason = "Lua's blocks are aligned for every type in them")]

use std::ffi::c_void;
use std::mem::offset_of;

use super::arena::Arena;
use super::trampoline::Context;

/// Where `global_State` of Lua 5.2 keeps the seed: it mirrors the struct's beginning, up to that field.
#[repr(C)]
struct GlobalStateHead {
    allocate: *const c_void,
    user_data: *const c_void,
    total_bytes: usize,
    debt: isize,
    traversed: usize,
    estimate: usize,
    string_hash: *const c_void,
    string_count: u32,
    string_size: i32,
    registry: [u64; 2],
    seed: u32,
}

/// The type of coroutines, as Lua tells it.
const COROUTINE: usize = mlua_sys::LUA_TTHREAD as usize;

/// Where the memory of a state comes from.
#[derive(Debug, Clone, Copy)]
pub enum Memory {
    Anywhere,
    /// One range of addresses, and one seed of the string hashes, for runs that must repeat.
    Fixed {
        seed: u32,
        range: u32,
    },
}

/// State of one allocator; its address is Lua's `ud` and must not change while the Lua state lives.
pub struct Allocator {
    used: usize,
    limit: usize,
    arena: Arena,
    seed: Option<u32>,
    state_block: Option<(*mut u8, usize)>,
    context: *const Context,
    /// How large coroutines are; nothing, until there is one.
    coroutine_size: usize,
}

impl Allocator {
    pub fn new(limit: usize, memory: Memory) -> Box<Self> {
        let (arena, seed) = match memory {
            Memory::Anywhere => (None, None),
            Memory::Fixed { seed, range } => (Arena::fixed(range, limit), Some(seed)),
        };
        let arena = arena.unwrap_or_else(|| Arena::new(limit));
        let (state_block, context) = (None, std::ptr::null());
        Box::new(Self { used: 0, limit, arena, seed, state_block, context, coroutine_size: 0 })
    }

    /// What the natives of the state share: set once, before Lua runs.
    pub fn set_context(&mut self, context: *const Context) {
        self.context = context;
    }

    pub fn context(&self) -> *const Context {
        self.context
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    pub fn used(&self) -> usize {
        self.used
    }

    /// Writes the chosen seed into the state that Lua is building: at its second allocation the global state
    /// has its random seed, and no string has been hashed yet.
    fn fix_seed(&mut self, user_data: *mut c_void) {
        let Some(seed) = self.seed.take() else { return };
        let Some((block, size)) = self.state_block else {
            return;
        };
        let allocate = allocate as *const c_void;
        let words = size / size_of::<usize>();
        for word in 0..words.saturating_sub(size_of::<GlobalStateHead>() / size_of::<usize>()) {
            // SAFETY: the block was handed out with `size` bytes, is aligned for words, and `word` leaves room
            // for a whole head; only this thread knows of the state that is being built in it.
            unsafe {
                let head = block.cast::<usize>().add(word).cast::<u8>();
                let first = head.cast::<*const c_void>().read();
                let second = head.add(offset_of!(GlobalStateHead, user_data)).cast::<*const c_void>().read();
                if first == allocate && second == user_data.cast_const() {
                    head.add(offset_of!(GlobalStateHead, seed)).cast::<u32>().write(seed);
                    return;
                }
            }
        }
    }
}

/// Lua's `lua_Alloc`.
///
/// # Safety
/// `user_data` is the address of a live [`Allocator`]; `block` is null or came from it with `old_size` bytes.
pub unsafe extern "C" fn allocate(
    user_data: *mut c_void,
    block: *mut c_void,
    old_size: usize,
    new_size: usize,
) -> *mut c_void {
    // SAFETY: Lua passes back the pointer that it was given, from the one thread that runs the state.
    let this = unsafe { &mut *user_data.cast::<Allocator>() };
    // With no block, Lua passes the type of the object instead of a size.
    let old_size = if block.is_null() {
        if old_size == COROUTINE {
            this.coroutine_size = new_size;
        }
        0
    } else {
        old_size
    };
    if new_size == 0 && old_size == this.coroutine_size && !this.context.is_null() {
        // SAFETY: the context is set before Lua runs, and outlives the state.
        unsafe { (*this.context).watchdog.settle() };
    }
    if this.state_block.is_some() && this.seed.is_some() {
        this.fix_seed(user_data);
    }
    if new_size > old_size && this.used - old_size + new_size > this.limit {
        return std::ptr::null_mut();
    }
    let result: *mut c_void = this.arena.resize(block.cast(), old_size, new_size).cast();
    if result.is_null() && new_size > 0 {
        return result;
    }
    this.used = this.used - old_size + new_size;
    if this.state_block.is_none() {
        this.state_block = Some((result.cast(), new_size));
    }
    result
}
