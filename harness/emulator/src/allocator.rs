//! What glibc's allocator is told: it gives large blocks back to the system as soon as they are freed, and small ones when
//! many were. Other allocators are told nothing.
//!
//! Left alone it raises the size from which a block counts as large each time such a block is freed, up to 32 MiB. What is
//! freed then stays with the process, between smaller blocks that are in use, and the process takes far more than its
//! computers' limits allow.
#![cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "it calls functions of the C library")
)]

/// Blocks of a megabyte and more are large: few, and so large that asking the system for each costs nothing beside their use.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1024 * 1024;

/// So much text is worth a look for what its compiling leaves behind: it took some ten times as much, in small blocks and tens of
/// milliseconds. The look takes a few.
const WORTH_A_LOOK: usize = 256 * 1024;

/// Has the allocator return large blocks, from now on. For the program alone: a library does not own its process.
#[cfg(not(target_family = "wasm"))]
pub fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function takes two numbers and has no other precondition.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE)
    };
}

/// Has the allocator return what compiling so much text has freed. It keeps that for the thread that compiled, and the next
/// computer that compiles may run on another.
pub fn compiled(bytes: usize) {
    if bytes < WORTH_A_LOOK {
        return;
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function takes a number and has no other precondition; it locks what it looks at.
    unsafe {
        libc::malloc_trim(0)
    };
}
