//! Memory for states that are copied: ranges of the address space whose addresses have the same lower half.
//!
//! Lua finds tables and functions that are keys of a table by the lower 32 bits of their addresses. A state that is moved by
//! multiples of 4 GiB finds them again.
#![expect(unsafe_code, reason = "it maps memory")]

use std::sync::{Mutex, PoisonError};

/// From one slot to the next.
const STEP: usize = 1 << 32;
/// Far from where Linux puts programs, libraries, heaps and stacks, and from the ranges of seeded computers.
const BASE: usize = 0x2000_0000_0000;
/// So many lie below where programs are put.
const MOST: u32 = 0x3000;
/// How many neighbours are tried where somebody else has memory at such an address.
const TRIES: u32 = 8;

/// The slots that nobody has.
#[derive(Debug)]
struct Free {
    returned: Vec<u32>,
    next: u32,
}

static FREE: Mutex<Free> = Mutex::new(Free { returned: Vec::new(), next: 0 });

/// A range of memory, all zero at first; it goes when it is dropped.
#[derive(Debug)]
pub struct Slot {
    number: u32,
    start: *mut u8,
    size: usize,
}

impl Slot {
    /// Gets a range; none where the system has no such place. `filled` says that all of it will be written at once.
    pub fn new(size: usize, filled: bool) -> Option<Self> {
        if cfg!(not(all(target_os = "linux", target_pointer_width = "64"))) || size == 0 || size > STEP {
            return None;
        }
        for _ in 0..TRIES {
            let number = {
                let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
                free.returned.pop().or_else(|| {
                    let number = free.next;
                    free.next = (number + 1).min(MOST);
                    (number < MOST).then_some(number)
                })?
            };
            if let Some(start) = map(BASE + STEP * number as usize, size, filled) {
                return Some(Self { number, start, size });
            }
            // Somebody else is there: the number is not given back.
        }
        None
    }

    pub fn start(&self) -> *mut u8 {
        self.start
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether a block lies in it.
    pub fn holds(&self, block: *const u8) -> bool {
        (block as usize).wrapping_sub(self.start as usize) < self.size
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        unmap(self.start, self.size);
        FREE.lock().unwrap_or_else(PoisonError::into_inner).returned.push(self.number);
    }
}

#[cfg(target_os = "linux")]
fn map(address: usize, size: usize, filled: bool) -> Option<*mut u8> {
    let populate = if filled { libc::MAP_POPULATE } else { 0 };
    // SAFETY: a new private mapping that may not replace another one.
    let mapped = unsafe {
        libc::mmap(
            address as *mut libc::c_void,
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE | populate,
            -1,
            0,
        )
    };
    if mapped == libc::MAP_FAILED {
        return None;
    }
    if mapped as usize == address {
        return Some(mapped.cast());
    }
    // A kernel that does not know the flag takes the address as a wish.
    unmap(mapped.cast(), size);
    None
}

#[cfg(not(target_os = "linux"))]
fn map(_: usize, _: usize, _: bool) -> Option<*mut u8> {
    None
}

#[cfg(target_os = "linux")]
fn unmap(start: *mut u8, size: usize) {
    // SAFETY: the mapping was made by `map` with this size; nobody uses what was in it any more.
    unsafe { libc::munmap(start.cast(), size) };
}

#[cfg(not(target_os = "linux"))]
fn unmap(_: *mut u8, _: usize) {}
