//! Memory for one Lua state: small blocks are cut from pages of one size each, large ones come from [`super::large`].
//!
//! Lua allocates many small objects and tells the size of each when it frees it, so that a block needs no head of its own;
//! and when a computer stops, everything goes at once: a state is never closed object by object.
//!
//! A page whose blocks are all free can be cut into blocks of another size. Without that, a program that fills its memory
//! with texts of one size after the other would take many times what it may have. What cannot be given back, because one
//! block of a page is still in use, counts: past [`Arena::most`] there is no more.
#![expect(unsafe_code, reason = "it hands out raw memory and copies blocks in it")]

use super::large::Large;
use super::pieces::{PAGE, PIECE, Page, Pieces, piece_of};

/// Blocks are cut in steps of this size, which is also the alignment that Lua needs.
pub(super) const STEP: usize = 16;
/// Up to here every multiple of the step has pages of its own: most of Lua's objects are smaller.
const SMALL: usize = 1024;
/// Above that, sizes go up in quarters of a power of two.
const QUARTERS: usize = 4;
/// Blocks up to this size come from pages, of which each then has room for four at least.
const LARGEST_IN_PAGE: usize = PAGE / 4;
/// Larger blocks up to this size have a whole piece as their page; past that they are [`Large`].
const LARGEST_IN_PIECE: usize = PIECE / 8;
/// One list for each small size, one for each quarter of each power of two up to the largest.
const LISTS: usize = SMALL / STEP + usize::BITS as usize * QUARTERS;
/// A state may take a tenth more than it uses: sizes are rounded up, and pages are not full.
const WASTE: usize = 10;
/// And that much besides, for the pages that have just begun.
const BEGUN: usize = 1024 * 1024;

pub struct Arena {
    pieces: Pieces,
    large: Large,
    /// The pages of each size that have a free block.
    open: [*mut Page; LISTS],
    /// Bytes of the pages' blocks that were cut, and of large blocks.
    taken: usize,
    most: usize,
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

impl Arena {
    /// For a state that may use `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self::with(Pieces::default(), Large::default(), limit)
    }

    /// The same at addresses that are the same in every run; none if that part of the address space is taken.
    pub fn fixed(range: u32, limit: usize) -> Option<Self> {
        let (pieces, large) = super::pieces::fixed(range, limit)?;
        Some(Self::with(pieces, large, limit))
    }

    fn with(pieces: Pieces, large: Large, limit: usize) -> Self {
        let most = limit.saturating_add(limit / WASTE).saturating_add(BEGUN);
        Self { pieces, large, open: [std::ptr::null_mut(); LISTS], taken: 0, most }
    }

    /// Allocates, moves or frees, with the meaning of Lua's allocator; null when there is no more, but never for a block that
    /// shrinks.
    pub fn resize(&mut self, block: *mut u8, old_size: usize, new_size: usize) -> *mut u8 {
        if block.is_null() {
            return self.take(new_size, true);
        }
        if new_size == 0 {
            self.give_back(block, old_size);
            return std::ptr::null_mut();
        }
        let grows = new_size > old_size;
        let (was_large, is_large) = (old_size > LARGEST_IN_PIECE, new_size > LARGEST_IN_PIECE);
        if was_large && is_large {
            if grows && self.taken.saturating_add(new_size - old_size) > self.most {
                return std::ptr::null_mut();
            }
            let moved = self.large.resize(block, old_size, new_size);
            if !moved.is_null() {
                self.taken = self.taken - old_size + new_size;
            }
            return moved;
        }
        if !was_large && !is_large && list_of(old_size) == list_of(new_size) {
            return block;
        }
        let fresh = self.take(new_size, grows);
        if fresh.is_null() {
            // The page knows how large its blocks are, whatever Lua says when it frees this one.
            return if grows || was_large { fresh } else { block };
        }
        // SAFETY: both blocks are ours, do not overlap, and hold at least that many bytes.
        unsafe { std::ptr::copy_nonoverlapping(block, fresh, old_size.min(new_size)) };
        self.give_back(block, old_size);
        fresh
    }

    /// Gets a block; `bounded` says that it must not take more than the state may.
    fn take(&mut self, size: usize, bounded: bool) -> *mut u8 {
        if size == 0 {
            return std::ptr::null_mut();
        }
        if size > LARGEST_IN_PIECE {
            if bounded && self.taken.saturating_add(size) > self.most {
                return std::ptr::null_mut();
            }
            let block = self.large.take(size);
            self.taken += if block.is_null() { 0 } else { size };
            return block;
        }
        let (list, rounded) = list_of(size);
        // SAFETY: pages in the lists are alive, and used by this arena only; a free block holds the address of the next one.
        unsafe {
            let mut page = self.open[list];
            if page.is_null() || (*page).free.is_null() {
                // A block is cut, of a new page if need be.
                if bounded && self.taken + rounded > self.most {
                    return std::ptr::null_mut();
                }
                if page.is_null() {
                    page = self.pieces.page(rounded > LARGEST_IN_PAGE);
                    if page.is_null() {
                        return std::ptr::null_mut();
                    }
                    (*page).begin(list, rounded);
                    self.link(page);
                }
                self.taken += rounded;
            }
            let block = (*page).take(rounded);
            if (*page).is_full() {
                self.unlink(page);
            }
            block
        }
    }

    fn give_back(&mut self, block: *mut u8, size: usize) {
        if size > LARGEST_IN_PIECE {
            self.large.give_back(block, size);
            self.taken -= size;
            return;
        }
        // SAFETY: the block lies in a page of a piece, is at least a step long, and nobody uses it any more.
        unsafe {
            let page = (*piece_of(block)).page_of(block);
            if (*page).is_full() {
                self.link(page);
            }
            (*page).give_back(block);
            if (*page).live == 0 {
                self.taken -= (*page).forget();
                // The last one stays: the next block of that size is probably not far.
                if self.open[(*page).list] != page || !(*page).next.is_null() {
                    self.unlink(page);
                    self.pieces.give_back(page);
                }
            }
        }
    }

    /// # Safety
    /// The page is alive, and in no list.
    unsafe fn link(&mut self, page: *mut Page) {
        // SAFETY: pages in the lists are alive.
        unsafe {
            let first = self.open[(*page).list];
            ((*page).next, (*page).previous) = (first, std::ptr::null_mut());
            if !first.is_null() {
                (*first).previous = page;
            }
            self.open[(*page).list] = page;
        }
    }

    /// # Safety
    /// The page is alive, and in the list of its size.
    unsafe fn unlink(&mut self, page: *mut Page) {
        // SAFETY: pages in the lists are alive.
        unsafe {
            let (next, previous) = ((*page).next, (*page).previous);
            if previous.is_null() {
                self.open[(*page).list] = next;
            } else {
                (*previous).next = next;
            }
            if !next.is_null() {
                (*next).previous = previous;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arenas(limit: usize) -> Vec<Arena> {
        let mut arenas = vec![Arena::new(limit)];
        arenas.extend(Arena::fixed(20_000, limit));
        arenas
    }

    #[test]
    fn blocks_keep_their_content_when_they_grow_and_shrink() {
        for arena in &mut arenas(16 * 1024 * 1024) {
            let sizes = [
                1, 16, 17, 900, 1024, 1025, 1280, 1281, 2048, 5000, 32_768, 32_769, 100_000, 90_000, 40_000,
                3000, 700, 8,
            ];
            let (mut block, mut old) = (arena.resize(std::ptr::null_mut(), 0, 1), 1);
            // SAFETY: every write and read lies in the block's current size.
            unsafe { block.write(0xA5) };
            for size in sizes {
                block = arena.resize(block, old, size);
                assert!(!block.is_null());
                // SAFETY: as above.
                unsafe {
                    assert_eq!(block.read(), 0xA5, "{size}");
                    block.add(1).write_bytes(0x5A, size - 1);
                }
                old = size;
            }
            arena.resize(block, old, 0);
            assert_eq!(arena.taken, 0);
        }
        for size in 1..200_000 {
            let (list, rounded) = list_of(size);
            assert!(rounded >= size && rounded.is_multiple_of(STEP) && list < LISTS, "{size}: {rounded}");
            assert_eq!(list_of(rounded), (list, rounded), "{size}");
        }
    }

    /// Fills the memory with blocks of one size, frees all but every so many, and goes on with the next size.
    fn fill(arena: &mut Arena, keep_every: usize) -> usize {
        let mut largest = 0;
        let mut kept = Vec::new();
        for size in [16, 48, 100, 500, 1000, 2000, 4000, 9000, 20_000, 40_000, 100_000, 1_000_000] {
            let mut blocks = Vec::new();
            loop {
                let block = arena.resize(std::ptr::null_mut(), 0, size);
                if block.is_null() {
                    break;
                }
                blocks.push((block, size));
            }
            largest = largest.max(blocks.len() * size);
            for (index, (block, size)) in blocks.into_iter().enumerate() {
                if index % keep_every == 0 {
                    kept.push((block, size));
                } else {
                    arena.resize(block, size, 0);
                }
            }
        }
        for (block, size) in kept {
            arena.resize(block, size, 0);
        }
        largest
    }

    #[test]
    fn sizes_that_are_freed_make_room_for_others_and_what_is_held_counts() {
        const LIMIT: usize = 8 * 1024 * 1024;
        for arena in &mut arenas(LIMIT) {
            for keep_every in [usize::MAX, 100] {
                assert!(fill(arena, keep_every) > LIMIT / 2, "one size fills the memory");
                assert!(arena.pieces.bytes() <= arena.most + 8 * PIECE, "{}", arena.pieces.bytes());
                assert_eq!(arena.taken, 0);
            }
        }
    }

    #[test]
    fn every_block_has_a_place_of_its_own() {
        for arena in &mut arenas(4 * 1024 * 1024) {
            let mut blocks: Vec<(*mut u8, usize)> = Vec::new();
            let mut number: usize = 1;
            for round in 0..20_000_usize {
                number =
                    number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let size = 1 + (number >> 33) % [40, 400, 4000, 40_000][round % 4];
                if round % 3 == 2 {
                    let (block, size) = blocks.swap_remove((number >> 40) % blocks.len());
                    // SAFETY: the block has that size, and is filled with its number.
                    let content = unsafe { std::slice::from_raw_parts(block, size) };
                    assert!(content.iter().all(|byte| *byte == content[0]));
                    arena.resize(block, size, 0);
                    continue;
                }
                let block = arena.resize(std::ptr::null_mut(), 0, size);
                if block.is_null() {
                    continue;
                }
                assert!((block as usize).is_multiple_of(STEP));
                // SAFETY: the block has that size.
                unsafe { block.write_bytes(round.to_le_bytes()[0], size) };
                blocks.push((block, size));
            }
        }
    }
}
