//! One call of a native, as the native sees it: arguments to read, results to leave.
//!
//! Reading never raises a Lua error and never allocates in Lua, so that a native may hold any Rust value
//! while it reads. Results are only collected here; the trampoline pushes them when the native has returned.
#![expect(unsafe_code, reason = "it reads the arguments from Lua's stack")]

use mlua_sys as ffi;

use super::convert;
use super::trampoline::{context_of, memory_limit};
use super::value::{Raise, Value, format_number};

/// Arguments and results of a native that is being called.
#[derive(Debug)]
pub struct Call<'a> {
    state: *mut ffi::lua_State,
    first: i32,
    count: usize,
    handle: Option<u64>,
    /// What was kept while the native waited, once it is called again.
    resumed: Option<f64>,
    results: &'a mut Vec<Value>,
    waiting: Option<f64>,
    collects: bool,
}

impl<'a> Call<'a> {
    /// # Safety
    /// `state` is inside a call of a C function whose arguments are the `count` values from index `first`, and
    /// stays so while this value lives.
    pub(super) unsafe fn new(
        state: *mut ffi::lua_State,
        arguments: (i32, usize),
        handle: Option<u64>,
        resumed: Option<f64>,
        results: &'a mut Vec<Value>,
    ) -> Self {
        Self {
            state,
            first: arguments.0,
            count: arguments.1,
            handle,
            resumed,
            results,
            waiting: None,
            collects: false,
        }
    }

    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Leaves out the first arguments: what follows is counted from 1.
    pub fn shift(&mut self, count: usize) {
        let count = count.min(self.count);
        self.first += i32::try_from(count).expect("Lua has fewer arguments");
        self.count -= count;
    }

    /// The host's object that the called method belongs to.
    pub fn handle(&self) -> u64 {
        self.handle.unwrap_or(0)
    }

    /// Whether the native waited for an event: the arguments are now that event.
    pub fn resumed(&self) -> bool {
        self.resumed.is_some()
    }

    /// The number that was given to [`Call::wait`].
    pub fn kept(&self) -> f64 {
        self.resumed.unwrap_or(0.0)
    }

    /// Lets Lua look for what nobody uses any more, once the native has returned.
    pub fn collect(&mut self) {
        self.collects = true;
    }

    pub(super) fn collects(&self) -> bool {
        self.collects
    }

    pub(super) fn waiting(&self) -> Option<f64> {
        self.waiting
    }

    fn slot(&self, index: usize) -> Option<i32> {
        (1..=self.count)
            .contains(&index)
            .then(|| self.first + i32::try_from(index).expect("Lua has fewer arguments") - 1)
    }

    fn lua_type(&self, index: usize) -> i32 {
        // SAFETY: the slot is one of the arguments of the running call.
        self.slot(index).map_or(ffi::LUA_TNONE, |slot| unsafe { ffi::lua_type(self.state, slot) })
    }

    /// The name of the argument's type, `no value` past the last one.
    pub fn type_name(&self, index: usize) -> &'static str {
        convert::type_name(self.lua_type(index))
    }

    /// The same, or what the value's metatable calls it with `__name`.
    pub fn type_text(&self, index: usize) -> String {
        // SAFETY: the slot is one of the arguments of the running call.
        let custom = self.slot(index).and_then(|slot| unsafe { convert::custom_name(self.state, slot) });
        custom.unwrap_or_else(|| self.type_name(index).to_owned())
    }

    pub fn is_nil(&self, index: usize) -> bool {
        self.lua_type(index) <= ffi::LUA_TNIL
    }

    /// The bytes of a string, or of a number as Lua writes it.
    pub fn bytes(&self, index: usize) -> Option<Vec<u8>> {
        match self.lua_type(index) {
            // SAFETY: the slot holds a string.
            ffi::LUA_TSTRING => {
                self.slot(index).map(|slot| unsafe { convert::string_at(self.state, slot) }.to_vec())
            }
            ffi::LUA_TNUMBER => self.number(index).map(|number| format_number(number).into_bytes()),
            _ => None,
        }
    }

    /// Only a number: strings that look like one do not count.
    pub fn number(&self, index: usize) -> Option<f64> {
        if self.lua_type(index) != ffi::LUA_TNUMBER {
            return None;
        }
        // SAFETY: the slot holds a number.
        self.slot(index).map(|slot| unsafe { ffi::lua_tonumberx(self.state, slot, std::ptr::null_mut()) })
    }

    pub fn boolean(&self, index: usize) -> Option<bool> {
        (self.lua_type(index) == ffi::LUA_TBOOLEAN).then(|| self.truthy(index))
    }

    pub fn truthy(&self, index: usize) -> bool {
        // SAFETY: the slot is one of the arguments of the running call.
        self.slot(index).is_some_and(|slot| unsafe { ffi::lua_toboolean(self.state, slot) } != 0)
    }

    /// A deep copy of the argument; an error for tables that are too deep or contain themselves, and for a copy that is
    /// larger than the computer's memory: a text may be in it many times.
    pub fn value(&self, index: usize) -> Result<Value, Raise> {
        // SAFETY: the slot is one of the arguments of the running call.
        self.slot(index).map_or(Ok(Value::Nil), |slot| unsafe {
            let mut room = memory_limit(self.state);
            convert::read(self.state, slot, 0, &mut room)
        })
    }

    /// How large such a copy is.
    pub fn size(&self, index: usize) -> Result<usize, Raise> {
        // SAFETY: the slot is one of the arguments of the running call.
        self.slot(index).map_or(Ok(0), |slot| unsafe {
            let limit = memory_limit(self.state);
            let mut room = limit;
            convert::measure(self.state, slot, 0, &mut room)?;
            Ok(limit - room)
        })
    }

    /// Whether the computer has to stop what it does: its time is up, or it is to be turned off. For natives that may take
    /// long.
    pub fn time_is_up(&self) -> bool {
        // SAFETY: the state is in a call of a native.
        unsafe { context_of(self.state) }.watchdog.is_due()
    }

    /// Adds a result.
    pub fn push(&mut self, value: impl Into<Value>) {
        self.results.push(value.into());
    }

    /// Yields with what was pushed; the native is called again with the event as its arguments, and finds the
    /// number as [`Call::kept`].
    pub fn wait(&mut self, keep: f64) {
        self.waiting = Some(keep);
    }
}
