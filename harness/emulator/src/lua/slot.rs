//! Memory for states that are copied: ranges of the address space whose addresses have the same lower half.
//!
//! Lua finds tables and functions that are keys of a table by the lower 32 bits of their addresses. A state that is moved by
//! multiples of 4 GiB finds them again.
#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "it maps memory"))]

use std::sync::{Mutex, PoisonError};

/// From one slot to the next.
const STEP: u64 = 1 << 32;
/// Far from where Linux puts programs, libraries, heaps and stacks, and from the ranges of seeded computers.
const BASE: u64 = 0x2000_0000_0000;
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
        if cfg!(not(target_os = "linux")) || size == 0 || size as u64 > STEP {
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
            let address = usize::try_from(BASE + STEP * u64::from(number)).ok()?;
            match map(address, size, filled) {
                Mapped::At(start) => return Some(Self { number, start, size }),
                // The number is not given back.
                Mapped::Taken => {}
                Mapped::Nowhere => {
                    give_back(number);
                    return None;
                }
            }
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
        give_back(self.number);
    }
}

fn give_back(number: u32) {
    FREE.lock().unwrap_or_else(PoisonError::into_inner).returned.push(number);
}

/// What came of a wish for memory.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there is none"))]
enum Mapped {
    At(*mut u8),
    /// Somebody else has memory there.
    Taken,
    /// There is no memory, or no such address.
    Nowhere,
}

#[cfg(target_os = "linux")]
fn map(address: usize, size: usize, filled: bool) -> Mapped {
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
        let taken = std::io::Error::last_os_error().raw_os_error() == Some(libc::EEXIST);
        return if taken { Mapped::Taken } else { Mapped::Nowhere };
    }
    if mapped as usize == address {
        return Mapped::At(mapped.cast());
    }
    // A kernel that does not know the flag takes the address as a wish.
    unmap(mapped.cast(), size);
    Mapped::Taken
}

#[cfg(not(target_os = "linux"))]
fn map(_: usize, _: usize, _: bool) -> Mapped {
    Mapped::Nowhere
}

#[cfg(target_os = "linux")]
fn unmap(start: *mut u8, size: usize) {
    // SAFETY: the mapping was made by `map` with this size; nobody uses what was in it any more.
    unsafe { libc::munmap(start.cast(), size) };
}

#[cfg(not(target_os = "linux"))]
fn unmap(_: *mut u8, _: usize) {}
