//! Large blocks of a Lua state: each is memory of its own that goes back to the system when it is freed, so that no mix of
//! sizes leaves holes that count for nobody.
#![expect(unsafe_code, reason = "it maps memory")]

use std::collections::{BTreeMap, HashMap};

/// What the system maps at a time.
#[cfg(target_os = "linux")]
const SYSTEM_PAGE: usize = 4096;

/// Where large blocks come from.
#[derive(Default)]
enum Source {
    #[default]
    System,
    /// One range of addresses, with its free parts by where they begin: for runs that must repeat.
    Range { start: *mut u8, free: BTreeMap<usize, usize> },
}

/// The large blocks of one state.
#[derive(Default)]
pub struct Large {
    source: Source,
    /// The blocks that are in use, with their sizes, to give back what a state leaves behind.
    blocks: HashMap<*mut u8, usize>,
}

impl Large {
    /// Takes blocks from a range that somebody else has mapped and will unmap.
    ///
    /// # Safety
    /// The range is mapped while this lives.
    #[cfg(target_os = "linux")]
    pub unsafe fn in_range(start: *mut u8, size: usize) -> Self {
        Self { source: Source::Range { start, free: BTreeMap::from([(0, size)]) }, blocks: HashMap::new() }
    }

    /// Gets a block; null if there is no memory.
    pub fn take(&mut self, size: usize) -> *mut u8 {
        let block = match &mut self.source {
            Source::System => system::take(size),
            Source::Range { start, free } => {
                let size = system::rounded(size);
                let found = free.iter().find(|(_, room)| **room >= size).map(|(at, room)| (*at, *room));
                let Some((at, room)) = found else { return std::ptr::null_mut() };
                free.remove(&at);
                if room > size {
                    free.insert(at + size, room - size);
                }
                // SAFETY: it lies in the range.
                unsafe { start.add(at) }
            }
        };
        if !block.is_null() {
            self.blocks.insert(block, size);
        }
        block
    }

    /// Makes a block larger or smaller; it may move. Null if there is no memory, and then the block is as it was.
    pub fn resize(&mut self, block: *mut u8, old_size: usize, new_size: usize) -> *mut u8 {
        let moved = if matches!(self.source, Source::System) {
            system::resize(block, old_size, new_size)
        } else if system::rounded(old_size) == system::rounded(new_size) {
            block
        } else {
            let moved = self.take(new_size);
            if moved.is_null() {
                return if new_size < old_size { block } else { moved };
            }
            // SAFETY: both blocks are in use, do not overlap, and hold that many bytes.
            unsafe { std::ptr::copy_nonoverlapping(block, moved, old_size.min(new_size)) };
            self.give_back(block, old_size);
            return moved;
        };
        if !moved.is_null() {
            self.blocks.remove(&block);
            self.blocks.insert(moved, new_size);
        }
        moved
    }

    pub fn give_back(&mut self, block: *mut u8, size: usize) {
        self.blocks.remove(&block);
        match &mut self.source {
            Source::System => system::give_back(block, size),
            Source::Range { start, free } => {
                let mut size = system::rounded(size);
                system::give_memory_back(block, size);
                let mut at = block as usize - *start as usize;
                // What lies before and behind is one free part with it.
                if let Some((before, room)) = free.range(..at).next_back().map(|(at, room)| (*at, *room))
                    && before + room == at
                {
                    free.remove(&before);
                    (at, size) = (before, size + room);
                }
                if let Some(room) = free.remove(&(at + size)) {
                    size += room;
                }
                free.insert(at, size);
            }
        }
    }
}

impl Drop for Large {
    /// Gives everything back that the state has left; a range goes with its pieces.
    fn drop(&mut self) {
        if matches!(self.source, Source::System) {
            for (block, size) in self.blocks.drain() {
                system::give_back(block, size);
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    //! Straight from Linux: the C allocator keeps freed blocks below a size that grows, in lists of each thread's own.
    use super::SYSTEM_PAGE;

    pub fn rounded(size: usize) -> usize {
        size.next_multiple_of(SYSTEM_PAGE)
    }

    pub fn take(size: usize) -> *mut u8 {
        let (flags, access) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: a new private mapping, wherever the system likes.
        let mapped = unsafe { libc::mmap(std::ptr::null_mut(), rounded(size), access, flags, -1, 0) };
        if mapped == libc::MAP_FAILED { std::ptr::null_mut() } else { mapped.cast() }
    }

    pub fn resize(block: *mut u8, old_size: usize, new_size: usize) -> *mut u8 {
        let (old, new) = (rounded(old_size), rounded(new_size));
        if old == new {
            return block;
        }
        // SAFETY: the block was mapped with that size.
        let moved = unsafe { libc::mremap(block.cast(), old, new, libc::MREMAP_MAYMOVE) };
        if moved == libc::MAP_FAILED { std::ptr::null_mut() } else { moved.cast() }
    }

    pub fn give_back(block: *mut u8, size: usize) {
        // SAFETY: the block was mapped with that size, and nobody uses it any more.
        unsafe { libc::munmap(block.cast(), rounded(size)) };
    }

    /// Lets the system have the memory, but not the addresses.
    pub fn give_memory_back(block: *mut u8, size: usize) {
        // SAFETY: nothing in it is in use.
        unsafe { libc::madvise(block.cast(), size, libc::MADV_DONTNEED) };
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    //! From the C allocator, wherever it has it.
    pub fn rounded(size: usize) -> usize {
        size
    }

    pub fn take(size: usize) -> *mut u8 {
        // SAFETY: a plain allocation; null is passed on.
        unsafe { libc::malloc(size) }.cast()
    }

    pub fn resize(block: *mut u8, _: usize, new_size: usize) -> *mut u8 {
        // SAFETY: the block came from the C allocator.
        unsafe { libc::realloc(block.cast(), new_size) }.cast()
    }

    pub fn give_back(block: *mut u8, _: usize) {
        // SAFETY: the block came from the C allocator, and nobody uses it any more.
        unsafe { libc::free(block.cast()) };
    }

    pub fn give_memory_back(_: *mut u8, _: usize) {}
}
