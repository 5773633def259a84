//! Watches over a computer that runs: `Too long without yielding`, and stopping it from outside. Hooks that a program
//! sets are called from the same place, so that none of them can do away with the watch.
#![expect(unsafe_code, reason = "Lua calls the hook as a C function")]

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mlua_sys as ffi;

use super::alarm::{Bell, StateHead};
use super::trampoline::context_of;

/// Some fifty microseconds of Lua: rare enough to cost nothing. Instructions that take long are the alarm's.
const INSTRUCTIONS_BETWEEN_CHECKS: c_int = 10_000;
/// A chunk that caught the error gets another one at this pace, as in the reference.
const REPEAT: Duration = Duration::from_secs(1);

/// When the running computer must have yielded, and whether it is to stop.
#[derive(Debug)]
pub struct Watchdog {
    bell: Arc<Bell>,
    /// The coroutine whose program's hook is being called.
    hooked: Cell<*mut ffi::lua_State>,
    /// What that hook asked for in its own place: events and instructions between two counts.
    wanted: Cell<Option<(c_int, c_int)>>,
}

impl Watchdog {
    /// With `stop` set, whatever runs is ended and cannot catch it.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self { bell: Bell::new(stop), hooked: Cell::new(std::ptr::null_mut()), wanted: Cell::new(None) }
    }

    /// Starts the time in which the computer must yield.
    pub fn restart(&self, timeout: Duration) {
        self.bell.set_deadline(timeout);
    }

    fn expired(&self) -> bool {
        let expired = self.bell.expired();
        if expired {
            self.bell.set_deadline(REPEAT);
        }
        expired
    }

    /// Whether what runs has to end: it took too long, or the computer is to stop.
    pub fn is_due(&self) -> bool {
        self.stopping() || self.expired()
    }

    /// The same, at next to no cost, a moment later: for what may take long each time.
    pub fn rang(&self) -> bool {
        self.bell.rang() && self.is_due()
    }

    pub fn stopping(&self) -> bool {
        self.bell.stopping()
    }

    /// Notes which coroutine runs from now on, and returns the one that did.
    pub(super) fn switch(&self, next: *mut ffi::lua_State) -> *mut ffi::lua_State {
        self.bell.switch(next)
    }

    /// To be called before a coroutine goes.
    pub(super) fn settle(&self) {
        self.bell.settle();
    }
}

/// Sets the hook on a state; coroutines inherit it.
///
/// # Safety
/// The state was made by [`super::State`] and is not running.
pub unsafe fn install(state: *mut ffi::lua_State) {
    // SAFETY: the hook is a plain function and needs no data of its own.
    unsafe {
        ffi::lua_sethook(state, Some(on_count), ffi::LUA_MASKCOUNT, INSTRUCTIONS_BETWEEN_CHECKS);
        assert!(
            StateHead::fits(state, on_count, INSTRUCTIONS_BETWEEN_CHECKS),
            "the vendored Lua is 5.2.4, whose states are as the alarm knows them"
        );
    }
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
        let watchdog = &context_of(state).watchdog;
        if watchdog.hooked.get() == thread {
            watchdog.wanted.set(Some((mask, step)));
        } else {
            ffi::lua_sethook(thread, Some(on_event), ffi::LUA_MASKCOUNT | mask, step);
            // Lua looks up the line of the instruction before in the function that runs now, unless it lies behind: one of
            // another function would be looked up outside of it.
            (*thread.cast::<StateHead>()).old_instruction = std::ptr::without_provenance(usize::MAX);
        }
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
            if call_watched(state) != ffi::LUA_OK {
                ffi::lua_error(state);
            }
        } else {
            ffi::lua_settop(state, -2);
        }
        ffi::lua_settop(state, -2);
    }
}

/// Calls a program's hook, with its two arguments on the stack. Lua calls no hooks while one runs, and the watch is one:
/// therefore it takes the place of the program's meanwhile.
unsafe fn call_watched(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the state is as `install` has found it; nothing leaves this function but by its end, as errors are caught.
    unsafe {
        let watchdog = &context_of(state).watchdog;
        let outer = (watchdog.hooked.replace(state), watchdog.wanted.take());
        let head = state.cast::<StateHead>();
        let (mask, old_instruction) = ((*head).mask, (*head).old_instruction);
        #[expect(clippy::cast_possible_truncation, reason = "it is one bit of a byte")]
        let count_only = ffi::LUA_MASKCOUNT as u8;
        let (watch, own): (ffi::lua_Hook, ffi::lua_Hook) = (on_count, on_event);
        ((*head).hook, (*head).mask, (*head).allowed) = (Some(watch), count_only, 1);
        let status = ffi::lua_pcall(state, 2, 0, 0);
        ((*head).hook, (*head).mask, (*head).allowed) = (Some(own), mask, 0);
        // The one before was of the function that the hook watches, and not of the hook.
        (*head).old_instruction = old_instruction;
        let wanted = watchdog.wanted.replace(outer.1);
        watchdog.hooked.set(outer.0);
        if let Some((mask, step)) = wanted {
            ffi::lua_sethook(state, Some(on_event), ffi::LUA_MASKCOUNT | mask, step);
        }
        status
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
