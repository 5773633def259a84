//! Memory for one Lua state: small blocks are cut from large pieces and kept in lists by size.
//!
//! Lua allocates many small objects and tells the size of each when it frees it, so that a block needs no head
//! of its own; and when a computer stops, everything goes at once: a state is never closed object by object.
//!
//! For seeded computers all blocks are cut from one range at a fixed address, in the order in which they are
//! asked for: the order in which Lua walks a table with tables or functions as keys, and what `tostring` shows
//! for them, follow from addresses. Where that range cannot be had, only the string hashes are fixed.
#![expect(unsafe_code, reason = "it hands out raw memory and copies blocks in it")]
#![expect(clippy::cast_ptr_alignment, reason = "every block begins at a multiple of the step")]

#[cfg(not(target_os = "linux"))]
use std::alloc::{Layout, alloc, dealloc};
use std::collections::HashSet;

use super::slot::Slot;

/// Blocks are cut in steps of this size, which is also the alignment that Lua needs.
const STEP: usize = 16;
/// Up to here every multiple of the step has a free list of its own: most of Lua's objects are smaller.
const SMALL: usize = 1024;
/// Above that, sizes go up in quarters of a power of two.
const QUARTERS: usize = 4;
/// One list for each small size, one for each quarter of each power of two above.
const LISTS: usize = SMALL / STEP + usize::BITS as usize * QUARTERS;
/// What is asked of the system at a time: a computer at its prompt needs a handful of these.
const PIECE: usize = 256 * 1024;
/// Larger blocks come from the C allocator. It is spared as far as it goes: it gives each thread memory a page at a
/// time, with a call of the system for each, and a thousand computers start at once.
const FOREIGN: usize = 32 * 1024;
/// Far from where Linux puts programs, libraries, heaps and stacks on 64-bit machines.
#[cfg(target_os = "linux")]
const BASE: usize = 0x1000_0000_0000;
/// Rounding up to powers of two and keeping freed blocks by size costs address space, not memory.
#[cfg(target_os = "linux")]
const RANGE_PER_LIMIT: usize = 4;

enum Backing {
    /// Pieces from the system; large blocks come from the C allocator.
    Pieces(Vec<*mut u8>),
    /// The slot, and nothing else.
    Slot,
    /// One range for everything.
    #[cfg(target_os = "linux")]
    Range { start: *mut u8, size: usize },
}

pub struct Arena {
    backing: Backing,
    /// Where the next block is cut, and how much is left there.
    next: *mut u8,
    left: usize,
    free: [*mut u8; LISTS],
    /// Blocks from the C allocator, to give back what a state leaves behind.
    foreign: HashSet<*mut u8>,
    /// What the state began in, where it is one that is copied, or a copy.
    slot: Option<Slot>,
}

/// How a slot is used up: everything as a distance from its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Where the next block is cut.
    pub next: usize,
    /// The first free block of each list that has one.
    free: Vec<(usize, usize)>,
}

fn list_of(size: usize) -> (usize, usize) {
    if size <= SMALL {
        let steps = size.div_ceil(STEP).max(1);
        (steps - 1, steps * STEP)
    } else {
        let power = (usize::BITS - 1 - (size - 1).leading_zeros()) as usize;
        let quarter = (1 << power) / QUARTERS;
        let quarters = (size - (1 << power)).div_ceil(quarter);
        (SMALL / STEP + power * QUARTERS + quarters - 1, (1 << power) + quarters * quarter)
    }
}

/// The size of the blocks in a list.
fn size_in(list: usize) -> usize {
    let Some(above) = list.checked_sub(SMALL / STEP) else { return (list + 1) * STEP };
    let (power, quarters) = (above / QUARTERS, above % QUARTERS + 1);
    (1 << power) + quarters * ((1 << power) / QUARTERS)
}

/// Gets a piece; null if there is none. On Linux it comes straight from the system: the C allocator would give what was
/// freed to another computer, and shares its lists among threads.
#[cfg(target_os = "linux")]
fn new_piece() -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new private mapping, wherever the system likes.
    let mapped =
        unsafe { libc::mmap(std::ptr::null_mut(), PIECE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if mapped == libc::MAP_FAILED { std::ptr::null_mut() } else { mapped.cast() }
}

#[cfg(target_os = "linux")]
fn free_piece(piece: *mut u8) {
    // SAFETY: the mapping was made by `new_piece` with this size; the state that lived in it is closed.
    unsafe { libc::munmap(piece.cast(), PIECE) };
}

#[cfg(not(target_os = "linux"))]
fn piece_layout() -> Layout {
    Layout::from_size_align(PIECE, STEP).expect("both are powers of two")
}

#[cfg(not(target_os = "linux"))]
fn new_piece() -> *mut u8 {
    // SAFETY: the layout is not empty.
    unsafe { alloc(piece_layout()) }
}

#[cfg(not(target_os = "linux"))]
fn free_piece(piece: *mut u8) {
    // SAFETY: it was allocated with this layout; the state that lived in it is closed.
    unsafe { dealloc(piece, piece_layout()) };
}

impl Arena {
    pub fn new() -> Self {
        let backing = Backing::Pieces(Vec::new());
        let free = [std::ptr::null_mut(); LISTS];
        Self { backing, next: std::ptr::null_mut(), left: 0, free, foreign: HashSet::new(), slot: None }
    }

    /// Cuts everything from a slot.
    pub fn inside(slot: Slot) -> Self {
        let mut arena = Self::new();
        (arena.backing, arena.next, arena.left) = (Backing::Slot, slot.start(), slot.size());
        arena.slot = Some(slot);
        arena
    }

    /// Goes on with what was cut from a slot, and gets pieces when it is full.
    pub fn around(slot: Slot, shape: &Shape) -> Self {
        let mut arena = Self::new();
        // SAFETY: the distances were taken in a slot of which this one is a copy.
        unsafe {
            arena.next = slot.start().add(shape.next);
            for &(list, block) in &shape.free {
                arena.free[list] = slot.start().add(block);
            }
        }
        arena.left = slot.size() - shape.next;
        arena.slot = Some(slot);
        arena
    }

    pub fn slot(&self) -> Option<&Slot> {
        self.slot.as_ref()
    }

    /// How the slot is used up; none if there is none, or something lies outside of it.
    pub fn shape(&self) -> Option<Shape> {
        let Backing::Slot = self.backing else { return None };
        let start = self.slot.as_ref()?.start() as usize;
        let free = self.free.iter().enumerate().filter(|(_, block)| !block.is_null());
        let free = free.map(|(list, block)| (list, *block as usize - start)).collect();
        Some(Shape { next: self.next as usize - start, free })
    }

    /// Forgets what lay in blocks that are free now.
    pub fn wipe_free(&mut self) {
        for (list, head) in self.free.iter().enumerate() {
            let mut block = *head;
            while !block.is_null() {
                // SAFETY: a freed block holds the address of the next one in its first word, and is as large as its list says.
                unsafe {
                    let link = size_of::<*mut u8>();
                    block.add(link).write_bytes(0, size_in(list) - link);
                    block = block.cast::<*mut u8>().read();
                }
            }
        }
    }

    /// Reserves the range of `slot`; none if that part of the address space is taken.
    #[cfg(target_os = "linux")]
    pub fn reserve(slot: u32, limit: usize) -> Option<Self> {
        let size = limit.checked_mul(RANGE_PER_LIMIT)?.next_power_of_two();
        let start = BASE.checked_add(size.checked_mul(slot as usize)?)?;
        // SAFETY: a new private mapping that may not replace another one.
        let mapped = unsafe {
            libc::mmap(
                start as *mut libc::c_void,
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE,
                -1,
                0,
            )
        };
        if mapped == libc::MAP_FAILED {
            return None;
        }
        let start: *mut u8 = mapped.cast();
        let backing = Backing::Range { start, size };
        let free = [std::ptr::null_mut(); LISTS];
        Some(Self { backing, next: start, left: size, free, foreign: HashSet::new(), slot: None })
    }

    #[cfg(not(target_os = "linux"))]
    pub fn reserve(_slot: u32, _limit: usize) -> Option<Self> {
        None
    }

    /// Whether a block of that size comes from the C allocator.
    fn is_foreign(&self, size: usize) -> bool {
        matches!(self.backing, Backing::Pieces(_)) && size > FOREIGN
    }

    /// Whether a block came from the C allocator: it is large, and not of the slot.
    fn came_from_elsewhere(&self, block: *mut u8, size: usize) -> bool {
        self.is_foreign(size) && !self.slot.as_ref().is_some_and(|slot| slot.holds(block))
    }

    /// Allocates, moves or frees, with the meaning of Lua's allocator; null when there is no more.
    pub fn resize(&mut self, block: *mut u8, old_size: usize, new_size: usize) -> *mut u8 {
        if new_size == 0 {
            self.give_back(block, old_size);
            return std::ptr::null_mut();
        }
        if !block.is_null() {
            if self.came_from_elsewhere(block, old_size) && self.is_foreign(new_size) {
                // SAFETY: blocks of that size come from the C allocator only.
                let moved: *mut u8 = unsafe { libc::realloc(block.cast(), new_size) }.cast();
                if !moved.is_null() && moved != block {
                    self.foreign.remove(&block);
                    self.foreign.insert(moved);
                }
                return moved;
            }
            let same_place = self.came_from_elsewhere(block, old_size) == self.is_foreign(new_size);
            if same_place && list_of(old_size) == list_of(new_size) {
                return block;
            }
        }
        let fresh = self.take(new_size);
        if !block.is_null() && !fresh.is_null() {
            // SAFETY: both blocks are ours, do not overlap, and hold at least that many bytes.
            unsafe { std::ptr::copy_nonoverlapping(block, fresh, old_size.min(new_size)) };
            self.give_back(block, old_size);
        }
        fresh
    }

    fn take(&mut self, size: usize) -> *mut u8 {
        if self.is_foreign(size) {
            // SAFETY: a plain allocation; null is passed on.
            let block: *mut u8 = unsafe { libc::malloc(size) }.cast();
            if !block.is_null() {
                self.foreign.insert(block);
            }
            return block;
        }
        let (list, rounded) = list_of(size);
        let head = self.free[list];
        if !head.is_null() {
            // SAFETY: a freed block holds the address of the next one in its first word.
            self.free[list] = unsafe { head.cast::<*mut u8>().read() };
            if matches!(self.backing, Backing::Slot) {
                // Where states are compared, nothing may be left of what was there before.
                // SAFETY: the block is as large as its list says.
                unsafe { head.write_bytes(0, rounded) };
            }
            return head;
        }
        if rounded > self.left && !self.grow() {
            return std::ptr::null_mut();
        }
        if rounded > self.left {
            return std::ptr::null_mut();
        }
        let block = self.next;
        // SAFETY: that much is left behind the pointer.
        self.next = unsafe { block.add(rounded) };
        self.left -= rounded;
        block
    }

    /// Gets another piece; what was left of the last one is too little to matter.
    fn grow(&mut self) -> bool {
        match &mut self.backing {
            Backing::Pieces(pieces) => {
                let piece = new_piece();
                if piece.is_null() {
                    return false;
                }
                pieces.push(piece);
                (self.next, self.left) = (piece, PIECE);
                true
            }
            Backing::Slot => false,
            #[cfg(target_os = "linux")]
            Backing::Range { .. } => false,
        }
    }

    fn give_back(&mut self, block: *mut u8, size: usize) {
        if block.is_null() {
            return;
        }
        if self.came_from_elsewhere(block, size) {
            self.foreign.remove(&block);
            // SAFETY: blocks of that size come from the C allocator only.
            unsafe { libc::free(block.cast()) };
            return;
        }
        let (list, _) = list_of(size);
        // SAFETY: the block is at least a step long, aligned for a pointer, and nobody uses it any more.
        unsafe { block.cast::<*mut u8>().write(self.free[list]) };
        self.free[list] = block;
    }
}

impl Drop for Arena {
    /// Gives everything back at once, whatever the state has left in it.
    fn drop(&mut self) {
        for block in self.foreign.drain() {
            // SAFETY: it came from the C allocator and was not given back; nobody uses the state any more.
            unsafe { libc::free(block.cast()) };
        }
        match &self.backing {
            Backing::Pieces(pieces) => {
                for piece in pieces {
                    free_piece(*piece);
                }
            }
            Backing::Slot => {}
            #[cfg(target_os = "linux")]
            Backing::Range { start, size } => {
                // SAFETY: the mapping was made by `reserve` with this size; the state in it is closed.
                unsafe { libc::munmap(start.cast(), *size) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_content_when_they_grow_and_shrink() {
        let mut arenas = vec![Arena::new()];
        arenas.extend(Arena::reserve(60_000, 16 * 1024 * 1024));
        for arena in &mut arenas {
            let mut sizes = vec![
                1, 16, 17, 900, 1024, 1025, 1280, 1281, 2048, 5000, 32_768, 32_769, 100_000, 3000, 700, 8,
            ];
            let mut block = arena.resize(std::ptr::null_mut(), 0, sizes[0]);
            // SAFETY: every write lies in the block's current size.
            unsafe { block.write(0xA5) };
            let mut old = sizes.remove(0);
            for size in sizes {
                block = arena.resize(block, old, size);
                assert!(!block.is_null());
                // SAFETY: the block has at least one byte.
                assert_eq!(unsafe { block.read() }, 0xA5);
                old = size;
            }
            for size in 1..200_000 {
                let (list, rounded) = list_of(size);
                assert!(rounded >= size && rounded.is_multiple_of(STEP) && list < LISTS, "{size}: {rounded}");
                assert_eq!(list_of(rounded), (list, rounded), "{size}");
                assert_eq!(size_in(list), rounded, "{size}");
            }
            assert!(arena.resize(block, old, 0).is_null());
            assert_eq!(arena.resize(std::ptr::null_mut(), 0, old), block, "a freed block is used again");
        }
    }
}
