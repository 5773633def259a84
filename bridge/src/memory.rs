//! Memory goes back to the machine: the allocator keeps what was freed, and after a flood that is much.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often to look whether something large was freed. Seldom, because looking through the heap stops the one thread
/// that serves everybody, for a moment.
const EVERY: Duration = Duration::from_secs(1);

/// What counts as large: the allocator may keep as much as ordinary calls need.
const LARGE: usize = 256 * 1024;

static FREED: AtomicBool = AtomicBool::new(false);

/// Notes that so many bytes were freed, or are about to be.
pub fn freed(bytes: usize) {
    if bytes >= LARGE {
        FREED.store(true, Ordering::Relaxed);
    }
}

/// Gives back, every now and then, what was freed. For the program, whose allocator is mimalloc.
pub async fn give_back() {
    let mut before = false;
    loop {
        tokio::time::sleep(EVERY).await;
        let now = FREED.swap(false, Ordering::Relaxed);
        // Once more after the last: what was noted before it was freed is gone by then.
        if now || before {
            collect();
        }
        before = now;
    }
}

#[expect(unsafe_code, reason = "mimalloc is C; the call has no arguments that could be wrong")]
fn collect() {
    // SAFETY: `mi_collect` may be called at any time, from any thread.
    unsafe { libmimalloc_sys::mi_collect(true) }
}
