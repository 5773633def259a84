//! Pieces of memory, each cut into pages of one size of block; [`super::arena`] decides which page is for what.
#![expect(unsafe_code, reason = "it maps memory and keeps its own records at the head of each piece")]
#![expect(clippy::cast_ptr_alignment, reason = "pieces begin at multiples of their size")]

#[cfg(not(target_os = "linux"))]
use std::alloc::{Layout, alloc, dealloc};

use super::arena::STEP;
use super::large::Large;

/// What is asked of the system at a time: a computer at its prompt needs a handful of these. They begin at multiples of
/// their size, so that the piece of a block follows from its address.
pub(super) const PIECE: usize = 256 * 1024;
/// A page has blocks of one size. Smaller pages are free again sooner, larger ones waste less.
pub(super) const PAGE: usize = 16 * 1024;
const PAGES: usize = PIECE / PAGE;
/// So many free pages stay as they are; the memory of more is given back to the system.
const KEPT: usize = 64;
/// What the system gives back at a time, at least.
#[cfg(target_os = "linux")]
const SYSTEM_PAGE: usize = 4096;
/// Far from where Linux puts programs, libraries, heaps and stacks on 64-bit machines.
#[cfg(target_os = "linux")]
const BASE: usize = 0x1000_0000_0000;
/// Room for pieces in a range, and for large blocks behind it, as multiples of the limit: what is freed leaves holes, which
/// cost address space and no memory.
#[cfg(target_os = "linux")]
const PIECES_PER_LIMIT: usize = 4;
#[cfg(target_os = "linux")]
const LARGE_PER_LIMIT: usize = 12;

/// Blocks of one size.
#[repr(C)]
pub struct Page {
    /// The first free block, which holds the address of the next.
    pub free: *mut u8,
    /// In the list of pages with a free block, or in that of free pages.
    pub next: *mut Page,
    pub previous: *mut Page,
    start: *mut u8,
    room: usize,
    pub list: usize,
    block: usize,
    pub live: usize,
    /// How many blocks were ever cut.
    cut: usize,
}

impl Page {
    /// Makes it one of blocks of that size.
    pub fn begin(&mut self, list: usize, block: usize) {
        (self.free, self.list, self.block) = (std::ptr::null_mut(), list, block);
        (self.live, self.cut) = (0, 0);
    }

    pub fn is_full(&self) -> bool {
        self.free.is_null() && (self.cut + 1) * self.block > self.room
    }

    /// # Safety
    /// It is not full.
    pub unsafe fn take(&mut self, size: usize) -> *mut u8 {
        self.live += 1;
        // SAFETY: a free block holds the address of the next one; there is room for another one behind those that were cut.
        unsafe {
            if self.free.is_null() {
                self.cut += 1;
                return self.start.add((self.cut - 1) * size);
            }
            let block = self.free;
            self.free = block.cast::<*mut u8>().read();
            block
        }
    }

    /// # Safety
    /// The block is of this page, and nobody uses it any more.
    pub unsafe fn give_back(&mut self, block: *mut u8) {
        self.live -= 1;
        // SAFETY: the block is at least a step long and aligned for a pointer.
        unsafe { block.cast::<*mut u8>().write(self.free) };
        self.free = block;
    }

    /// Forgets which blocks were cut, as none is in use; how many bytes they had.
    pub fn forget(&mut self) -> usize {
        let bytes = self.cut * self.block;
        (self.free, self.cut) = (std::ptr::null_mut(), 0);
        bytes
    }
}

/// The head of a piece; its pages follow.
#[repr(C)]
pub struct Piece {
    pages: [Page; PAGES],
    /// Whether all of it is one page.
    whole: bool,
    /// How many of its pages are in use.
    used: usize,
    /// Where it stands in the list of pieces.
    index: usize,
}

const HEAD: usize = size_of::<Piece>().next_multiple_of(STEP);

/// The piece that a block lies in.
pub fn piece_of(block: *mut u8) -> *mut Piece {
    block.map_addr(|address| address & !(PIECE - 1)).cast()
}

impl Piece {
    /// The page that a block of this piece lies in.
    pub fn page_of(&mut self, block: *mut u8) -> *mut Page {
        let index = if self.whole { 0 } else { (block as usize % PIECE) / PAGE };
        &raw mut self.pages[index]
    }
}

/// Where pieces come from.
#[derive(Default)]
enum Source {
    #[default]
    System,
    /// One range of addresses, of which `next` is where the next piece begins.
    #[cfg(target_os = "linux")]
    Range { start: *mut u8, size: usize, next: usize, end: usize, free: Vec<*mut u8> },
}

/// All pieces of one state, and their free pages.
pub struct Pieces {
    source: Source,
    mapped: Vec<*mut u8>,
    /// The free pages of pieces that have others in use.
    free: *mut Page,
    free_count: usize,
}

impl Default for Pieces {
    fn default() -> Self {
        Self { source: Source::System, mapped: Vec::new(), free: std::ptr::null_mut(), free_count: 0 }
    }
}

/// Reserves the range with that number for pieces and large blocks; none if that part of the address space is taken.
#[cfg(target_os = "linux")]
pub fn fixed(range: u32, limit: usize) -> Option<(Pieces, Large)> {
    let limit = limit.max(PIECE).next_power_of_two();
    let size = limit.checked_mul(PIECES_PER_LIMIT + LARGE_PER_LIMIT)?;
    let start = BASE.checked_add(size.checked_mul(range as usize)?)?;
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
    if mapped as usize != start {
        // A kernel that does not know the flag takes the address as a wish.
        // SAFETY: the mapping was just made.
        unsafe { libc::munmap(mapped, size) };
        return None;
    }
    let (start, end) = (mapped.cast::<u8>(), limit * PIECES_PER_LIMIT);
    let source = Source::Range { start, size, next: 0, end, free: Vec::new() };
    // SAFETY: the second part of the range lies behind the first.
    let large = unsafe { Large::in_range(start.add(end), size - end) };
    let pieces = Pieces { source, mapped: Vec::new(), free: std::ptr::null_mut(), free_count: 0 };
    Some((pieces, large))
}

#[cfg(not(target_os = "linux"))]
pub fn fixed(_range: u32, _limit: usize) -> Option<(Pieces, Large)> {
    None
}

impl Pieces {
    /// How many bytes of pieces there are.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.mapped.len() * PIECE
    }

    /// Gets a page; with `whole`, one that is a piece of its own. Null if there is no memory.
    pub fn page(&mut self, whole: bool) -> *mut Page {
        // SAFETY: free pages lie in pieces that are alive.
        unsafe {
            if whole || self.free.is_null() {
                let piece = self.new_piece(whole);
                if piece.is_null() {
                    return std::ptr::null_mut();
                }
                if whole {
                    (*piece).used = 1;
                    return &raw mut (*piece).pages[0];
                }
            }
            let page = self.free;
            self.unlink(page);
            (*piece_of(page.cast())).used += 1;
            page
        }
    }

    /// Takes a page back, in which nothing is in use.
    ///
    /// # Safety
    /// The page came from [`Self::page`], and nobody uses it any more.
    pub unsafe fn give_back(&mut self, page: *mut Page) {
        // SAFETY: the page lies in a piece that is alive.
        unsafe {
            let piece = piece_of(page.cast());
            (*piece).used -= 1;
            if (*piece).used > 0 {
                self.link(page);
                if self.free_count > KEPT {
                    (*page).give_memory_back();
                }
                return;
            }
            if !(*piece).whole {
                for other in &mut (*piece).pages {
                    if &raw mut *other != page {
                        self.unlink(other);
                    }
                }
            }
            let index = (*piece).index;
            self.mapped.swap_remove(index);
            if let Some(moved) = self.mapped.get(index) {
                (*moved.cast::<Piece>()).index = index;
            }
            self.source.give_back(piece.cast());
        }
    }

    /// Gets a piece, whose pages are free.
    unsafe fn new_piece(&mut self, whole: bool) -> *mut Piece {
        let start = self.source.piece();
        if start.is_null() {
            return std::ptr::null_mut();
        }
        let piece = start.cast::<Piece>();
        // SAFETY: the piece is fresh memory of that size, and begins with its head.
        unsafe {
            (&raw mut (*piece).whole).write(whole);
            (&raw mut (*piece).used).write(0);
            (&raw mut (*piece).index).write(self.mapped.len());
            self.mapped.push(start);
            for index in (0..PAGES).rev() {
                let first = if index == 0 { HEAD } else { index * PAGE };
                let end = if whole { PIECE } else { (index + 1) * PAGE };
                let page = &raw mut (*piece).pages[index];
                page.write(Page {
                    free: std::ptr::null_mut(),
                    next: std::ptr::null_mut(),
                    previous: std::ptr::null_mut(),
                    start: start.add(first),
                    room: end - first,
                    list: 0,
                    block: 0,
                    live: 0,
                    cut: 0,
                });
                if !whole {
                    self.link(page);
                }
            }
        }
        piece
    }

    unsafe fn link(&mut self, page: *mut Page) {
        // SAFETY: free pages are alive.
        unsafe {
            ((*page).next, (*page).previous) = (self.free, std::ptr::null_mut());
            if !self.free.is_null() {
                (*self.free).previous = page;
            }
        }
        self.free = page;
        self.free_count += 1;
    }

    unsafe fn unlink(&mut self, page: *mut Page) {
        // SAFETY: free pages are alive.
        unsafe {
            let (next, previous) = ((*page).next, (*page).previous);
            if previous.is_null() {
                self.free = next;
            } else {
                (*previous).next = next;
            }
            if !next.is_null() {
                (*next).previous = previous;
            }
        }
        self.free_count -= 1;
    }
}

impl Page {
    /// Lets the system have the memory of a free page; it is zero when it is used again.
    #[cfg(target_os = "linux")]
    fn give_memory_back(&self) {
        let first = (self.start as usize).next_multiple_of(SYSTEM_PAGE);
        let size = (self.start as usize + self.room).saturating_sub(first);
        // SAFETY: nothing in that part of the piece is in use, and the head of the piece lies before it.
        unsafe { libc::madvise(first as *mut libc::c_void, size, libc::MADV_DONTNEED) };
    }

    #[cfg(not(target_os = "linux"))]
    fn give_memory_back(&self) {}
}

impl Source {
    /// Gets a piece; null if there is none. On Linux it comes straight from the system: the C allocator would give what was
    /// freed to another computer, and shares its lists among threads.
    #[cfg(target_os = "linux")]
    fn piece(&mut self) -> *mut u8 {
        if let Self::Range { start, next, end, free, .. } = self {
            return free.pop().unwrap_or_else(|| {
                if *next + PIECE > *end {
                    return std::ptr::null_mut();
                }
                *next += PIECE;
                // SAFETY: that much lies in the range.
                unsafe { start.add(*next - PIECE) }
            });
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let (any, access) = (std::ptr::null_mut(), libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: a new private mapping, wherever the system likes; what lies before and behind the piece is given back.
        unsafe {
            let mapped = libc::mmap(any, 2 * PIECE, access, flags, -1, 0);
            if mapped == libc::MAP_FAILED {
                return std::ptr::null_mut();
            }
            let before = (mapped as usize).next_multiple_of(PIECE) - mapped as usize;
            let piece = mapped.cast::<u8>().add(before);
            if before > 0 {
                libc::munmap(mapped, before);
            }
            libc::munmap(piece.add(PIECE).cast(), PIECE - before);
            piece
        }
    }

    #[cfg(target_os = "linux")]
    fn give_back(&mut self, piece: *mut u8) {
        // SAFETY: the piece was made by `piece`, and nothing in it is in use.
        unsafe {
            match self {
                Self::System => {
                    libc::munmap(piece.cast(), PIECE);
                }
                Self::Range { free, .. } => {
                    libc::madvise(piece.cast(), PIECE, libc::MADV_DONTNEED);
                    free.push(piece);
                }
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn piece(&mut self) -> *mut u8 {
        // SAFETY: the layout is not empty.
        unsafe { alloc(layout()) }
    }

    #[cfg(not(target_os = "linux"))]
    fn give_back(&mut self, piece: *mut u8) {
        // SAFETY: it was allocated with this layout, and nothing in it is in use.
        unsafe { dealloc(piece, layout()) };
    }
}

#[cfg(not(target_os = "linux"))]
fn layout() -> Layout {
    Layout::from_size_align(PIECE, PIECE).expect("both are powers of two")
}

impl Drop for Pieces {
    /// Gives everything back at once, whatever the state has left in it.
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if let Source::Range { start, size, .. } = &self.source {
            // SAFETY: the mapping was made by `fixed` with this size; nobody uses the state in it any more.
            unsafe { libc::munmap(start.cast(), *size) };
            return;
        }
        for piece in self.mapped.drain(..) {
            self.source.give_back(piece);
        }
    }
}
