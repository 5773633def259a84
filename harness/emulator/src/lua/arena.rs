//! Memory at addresses that are the same in every run, for seeded computers.
//!
//! The order in which Lua walks a table with tables or functions as keys, and what `tostring` shows for them,
//! follow from addresses. Blocks are cut from one reserved range in the order in which they are asked for.
//! Where the range cannot be had the computer runs on the C allocator, with only its string hashes fixed.
#![expect(
    unsafe_code,
    reason = "it maps a range of the address space and copies blocks in it"
)]
#![expect(
    clippy::cast_ptr_alignment,
    reason = "every block begins at a multiple of the step"
)]

/// Blocks are cut in steps of this size, which is also the alignment that Lua needs.
const STEP: usize = 16;
/// Up to here every multiple of the step has a free list of its own: most of Lua's objects are smaller.
const SMALL: usize = 1024;
/// One list for each small size, one for each power of two above.
const LISTS: usize = SMALL / STEP + usize::BITS as usize;
/// Far from where Linux puts programs, libraries, heaps and stacks on 64-bit machines.
#[cfg(target_os = "linux")]
const BASE: usize = 0x1000_0000_0000;
/// Rounding up to powers of two and keeping freed blocks by size costs address space, not memory.
const RANGE_PER_LIMIT: usize = 4;

pub struct Arena {
    start: *mut u8,
    size: usize,
    top: usize,
    free: [*mut u8; LISTS],
}

fn list_of(size: usize) -> (usize, usize) {
    if size <= SMALL {
        let steps = size.div_ceil(STEP).max(1);
        (steps - 1, steps * STEP)
    } else {
        let rounded = size.next_power_of_two();
        (SMALL / STEP + rounded.trailing_zeros() as usize, rounded)
    }
}

impl Arena {
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
        Some(Self {
            start: mapped.cast(),
            size,
            top: 0,
            free: [std::ptr::null_mut(); LISTS],
        })
    }

    #[cfg(not(target_os = "linux"))]
    pub fn reserve(_slot: u32, _limit: usize) -> Option<Self> {
        None
    }

    /// Allocates, moves or frees, with the meaning of Lua's allocator; null when the range is used up.
    pub fn resize(&mut self, block: *mut u8, old_size: usize, new_size: usize) -> *mut u8 {
        if new_size == 0 {
            self.give_back(block, old_size);
            return std::ptr::null_mut();
        }
        if !block.is_null() && list_of(old_size) == list_of(new_size) {
            return block;
        }
        let fresh = self.take(new_size);
        if !block.is_null() && !fresh.is_null() {
            // SAFETY: both blocks belong to this arena, do not overlap, and hold at least that many bytes.
            unsafe { std::ptr::copy_nonoverlapping(block, fresh, old_size.min(new_size)) };
            self.give_back(block, old_size);
        }
        fresh
    }

    fn take(&mut self, size: usize) -> *mut u8 {
        let (list, rounded) = list_of(size);
        let head = self.free[list];
        if !head.is_null() {
            // SAFETY: a freed block holds the address of the next one in its first word.
            self.free[list] = unsafe { head.cast::<*mut u8>().read() };
            return head;
        }
        if self.top + rounded > self.size {
            return std::ptr::null_mut();
        }
        // SAFETY: the sum was just checked against the size of the mapping.
        let block = unsafe { self.start.add(self.top) };
        self.top += rounded;
        block
    }

    fn give_back(&mut self, block: *mut u8, size: usize) {
        if block.is_null() {
            return;
        }
        let (list, _) = list_of(size);
        // SAFETY: the block is at least a step long, aligned for a pointer, and nobody uses it any more.
        unsafe { block.cast::<*mut u8>().write(self.free[list]) };
        self.free[list] = block;
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `reserve` with this size; the state that lived in it is closed.
        #[cfg(target_os = "linux")]
        unsafe {
            libc::munmap(self.start.cast(), self.size);
        }
    }
}
