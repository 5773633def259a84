//! What glibc's allocator is told: it gives large blocks back to the system as soon as they are freed.
//!
//! Left alone it raises the size from which a block counts as large each time such a block is freed, up to 32 MiB. What is
//! freed then stays with the process, between smaller blocks that are in use, and the process takes far more than its
//! computers' limits allow.
#![expect(unsafe_code, reason = "it calls a function of the C library")]

use libc::c_int;

/// Blocks of a megabyte and more are large: few, and so large that asking the system for each costs nothing beside their use.
const LARGE: c_int = 1024 * 1024;

/// Has the allocator return large blocks, from now on.
pub fn return_large_blocks() {
    // SAFETY: the function takes two numbers and has no other precondition.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}
