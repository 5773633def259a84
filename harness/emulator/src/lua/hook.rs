//! Watches over a computer that runs: `Too long without yielding`, and stopping it from outside. Hooks that a program
//! sets are called from the same place, so that none of them can do away with the watch.
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
        Self { deadline: Cell::new(None), stop }
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

    /// Whether what runs has to end: it took too long, or the computer is to stop.
    pub fn is_due(&self) -> bool {
        self.stopping() || self.expired()
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
    unsafe { ffi::lua_sethook(state, Some(on_count), ffi::LUA_MASKCOUNT, INSTRUCTIONS_BETWEEN_CHECKS) };
}

/// Where the registry holds the programs' hooks, by coroutine.
const HOOKS: &std::ffi::CStr = c"hooks";

/// `sethook(thread, function or nil, mask, count)`, for the prelude: what runs on that coroutine is watched as before,
/// and the function is called with the events of the mask, and every `count` instructions.
pub unsafe extern "C-unwind" fn set(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the prelude gives a coroutine, a function or nil, and two numbers; nothing here needs dropping.
    unsafe {
        let thread = ffi::lua_tothread(state, 1);
        if thread.is_null() {
            return ffi::luaL_error(state, c"bad argument #1 (expected thread)".as_ptr());
        }
        #[expect(clippy::cast_possible_truncation, reason = "the prelude gives small whole numbers")]
        let number = |index| ffi::lua_tonumberx(state, index, std::ptr::null_mut()) as c_int;
        let (mask, count) = (number(3), number(4));
        ffi::luaL_getsubtable(state, ffi::LUA_REGISTRYINDEX, HOOKS.as_ptr());
        if ffi::lua_getmetatable(state, -1) == 0 {
            // A coroutine that nobody holds any more needs no hook.
            ffi::lua_createtable(state, 0, 1);
            ffi::lua_pushstring(state, c"k".as_ptr());
            ffi::lua_setfield(state, -2, c"__mode".as_ptr());
            ffi::lua_setmetatable(state, -2);
        } else {
            ffi::lua_settop(state, -2);
        }
        ffi::lua_pushvalue(state, 1);
        ffi::lua_pushvalue(state, 2);
        ffi::lua_rawset(state, -3);
        let step =
            if count > 0 { count.min(INSTRUCTIONS_BETWEEN_CHECKS) } else { INSTRUCTIONS_BETWEEN_CHECKS };
        ffi::lua_sethook(thread, Some(on_event), ffi::LUA_MASKCOUNT | mask, step);
    }
    0
}

unsafe extern "C-unwind" fn on_event(state: *mut ffi::lua_State, record: *mut ffi::lua_Debug) {
    // SAFETY: hooks run inside the protected call that runs the chunk, with a record of it, and nothing here needs
    // dropping.
    unsafe {
        let event = match (*record).event {
            ffi::LUA_HOOKCOUNT => {
                on_count(state, record);
                c"count"
            }
            ffi::LUA_HOOKCALL => c"call",
            ffi::LUA_HOOKTAILCALL => c"tail call",
            ffi::LUA_HOOKRET => c"return",
            _ => c"line",
        };
        ffi::luaL_checkstack(state, 5, std::ptr::null());
        ffi::luaL_getsubtable(state, ffi::LUA_REGISTRYINDEX, HOOKS.as_ptr());
        ffi::lua_pushthread(state);
        ffi::lua_rawget_(state, -2);
        if ffi::lua_type(state, -1) == ffi::LUA_TFUNCTION {
            ffi::lua_pushstring(state, event.as_ptr());
            if (*record).event == ffi::LUA_HOOKLINE {
                ffi::lua_pushnumber(state, (*record).currentline.into());
            } else {
                ffi::lua_pushnil(state);
            }
            ffi::lua_callk(state, 2, 0, 0, None);
        } else {
            ffi::lua_settop(state, -2);
        }
        ffi::lua_settop(state, -2);
    }
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
