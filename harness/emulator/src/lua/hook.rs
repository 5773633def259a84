//! Watches over a computer that runs: `Too long without yielding`, and stopping it from outside.
#![expect(unsafe_code, reason = "Lua calls the hook as a C function")]

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mlua_sys as ffi;

use super::trampoline::context_of;

/// Some fifty microseconds of Lua: rare enough to cost nothing, often enough to stop within a millisecond.
const INSTRUCTIONS_BETWEEN_CHECKS: c_int = 10_000;
/// A chunk that caught the error gets another one at this pace, as in the reference.
const REPEAT: Duration = Duration::from_secs(1);

/// When the running computer must have yielded, and whether it is to stop.
#[derive(Debug)]
pub struct Watchdog {
    deadline: Cell<Option<Instant>>,
    stop: Arc<AtomicBool>,
}

impl Watchdog {
    /// With `stop` set, whatever runs is ended and cannot catch it.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self {
            deadline: Cell::new(None),
            stop,
        }
    }

    /// Starts the time in which the computer must yield.
    pub fn restart(&self, timeout: Duration) {
        self.deadline.set(Instant::now().checked_add(timeout));
    }

    fn expired(&self) -> bool {
        let now = Instant::now();
        let expired = self.deadline.get().is_some_and(|deadline| now >= deadline);
        if expired {
            self.deadline.set(now.checked_add(REPEAT));
        }
        expired
    }

    pub fn stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Sets the hook on a state; coroutines inherit it.
///
/// # Safety
/// The state was made by [`super::State`] and is not running.
pub unsafe fn install(state: *mut ffi::lua_State) {
    // SAFETY: the hook is a plain function and needs no data of its own.
    unsafe {
        ffi::lua_sethook(
            state,
            Some(on_count),
            ffi::LUA_MASKCOUNT,
            INSTRUCTIONS_BETWEEN_CHECKS,
        )
    };
}

unsafe extern "C-unwind" fn on_count(state: *mut ffi::lua_State, _: *mut ffi::lua_Debug) {
    // SAFETY: hooks run inside the protected call that runs the chunk, and nothing here needs dropping.
    unsafe {
        let watchdog = &context_of(state).watchdog;
        let message = if watchdog.stopping() {
            // From now on each instruction of this coroutine raises, so that no pcall can hold it.
            ffi::lua_sethook(state, Some(on_count), ffi::LUA_MASKCOUNT, 1);
            c"Terminated"
        } else if watchdog.expired() {
            c"Too long without yielding"
        } else {
            return;
        };
        ffi::luaL_where(state, 0);
        ffi::lua_pushstring(state, message.as_ptr());
        ffi::lua_concat(state, 2);
        ffi::lua_error(state);
    }
}
