//! The one C function behind every native: it calls safe Rust and turns the outcome into Lua's terms.
//!
//! Lua leaves C frames with `longjmp`, which runs no destructors. Therefore everything that must be dropped
//! lives either in [`enter`], which calls nothing of Lua's that can raise, or in the [`Context`], which is
//! not on the stack.
#![expect(unsafe_code, reason = "it is the boundary between Lua's C interface and Rust")]

use std::cell::{Cell, RefCell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mlua_sys as ffi;

use super::call::Call;
use super::convert;
use super::hook::Watchdog;
use super::value::{Handle, Raise, Value};
use crate::host::Host;

pub type NativeResult = Result<(), Raise>;
pub type NativeFn = fn(&mut Host, &mut Call<'_>) -> NativeResult;

/// A function for Lua, written in Rust.
#[derive(Clone, Copy)]
pub struct Native {
    pub name: &'static str,
    pub run: NativeFn,
}

impl fmt::Debug for Native {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Native").field(&self.name).finish()
    }
}

/// What the natives of one Lua state share; Lua reaches it through its allocator.
pub struct Context {
    pub host: RefCell<Host>,
    pub watchdog: Watchdog,
    /// Objects whose last handle Lua has collected; the host lets go of them at the next call.
    released: RefCell<Vec<u64>>,
    results: UnsafeCell<Vec<Value>>,
    /// Texts that are being handed to Lua outside of a native.
    scratch: UnsafeCell<Vec<Value>>,
    error_function: Cell<Option<ffi::lua_CFunction>>,
}

impl Context {
    pub fn new(host: Host, watchdog: Watchdog) -> Self {
        Self {
            host: RefCell::new(host),
            watchdog,
            released: RefCell::default(),
            results: UnsafeCell::default(),
            scratch: UnsafeCell::default(),
            error_function: Cell::new(None),
        }
    }
}

impl Context {
    /// Room for texts on their way to Lua, which must not lie on a stack that Lua may leave.
    #[expect(
        clippy::mut_from_ref,
        reason = "one C function at a time uses it, on the one thread of the state"
    )]
    pub(super) fn scratch(&self) -> &mut Vec<Value> {
        // SAFETY: see above; no reference is kept across a call that could come back here.
        unsafe { &mut *self.scratch.get() }
    }

    /// Remembers Lua's `error`, to tell what programs raise from what the libraries do.
    pub(super) fn set_error_function(&self, function: Option<ffi::lua_CFunction>) {
        self.error_function.set(function);
    }

    pub(super) fn is_error_function(&self, function: ffi::lua_CFunction) -> bool {
        self.error_function.get().is_some_and(|known| std::ptr::fn_addr_eq(known, function))
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Context").finish_non_exhaustive()
    }
}

#[derive(Clone, Copy)]
enum Step {
    Return { collect: bool },
    Raise { bare: bool },
    Wait { keep: f64 },
}

/// The context of the state that `state` belongs to.
///
/// # Safety
/// The state was made by [`super::State`].
pub unsafe fn context_of<'a>(state: *mut ffi::lua_State) -> &'a Context {
    let mut allocator: *mut c_void = std::ptr::null_mut();
    // SAFETY: the allocator's data is ours, and its context is set before any Lua function can run.
    unsafe {
        ffi::lua_getallocf(state, &raw mut allocator);
        &*(*allocator.cast::<super::alloc::Allocator>()).context()
    }
}

/// How many bytes the state may use.
///
/// # Safety
/// The state was made by [`super::State`].
pub unsafe fn memory_limit(state: *mut ffi::lua_State) -> usize {
    let mut allocator: *mut c_void = std::ptr::null_mut();
    // SAFETY: the allocator's data is ours.
    unsafe {
        ffi::lua_getallocf(state, &raw mut allocator);
        (*allocator.cast::<super::alloc::Allocator>()).limit()
    }
}

/// How many bytes the state may still take, after what nobody uses was collected if it is less than what is wanted.
///
/// # Safety
/// The state was made by [`super::State`], and runs a C function that may be left by an error.
pub unsafe fn memory_left(state: *mut ffi::lua_State, wanted: usize) -> usize {
    let mut allocator: *mut c_void = std::ptr::null_mut();
    // SAFETY: the allocator's data is ours.
    unsafe {
        ffi::lua_getallocf(state, &raw mut allocator);
        let allocator = allocator.cast::<super::alloc::Allocator>();
        let left = || (*allocator).limit().saturating_sub((*allocator).used());
        if left() < wanted {
            ffi::lua_gc(state, ffi::LUA_GCCOLLECT, 0);
        }
        left()
    }
}

/// Pushes a native as a Lua function.
///
/// # Safety
/// As for [`convert::push`].
pub unsafe fn push_native(state: *mut ffi::lua_State, native: Native) {
    // SAFETY: a function pointer fits a light userdata.
    unsafe {
        ffi::lua_pushlightuserdata(state, native.run as *mut c_void);
        ffi::lua_pushcclosure(state, trampoline, 1);
    }
}

/// Pushes a table of methods around the host's object; when Lua has collected them all, the host is told.
///
/// # Safety
/// As for [`convert::push`].
pub unsafe fn push_handle(state: *mut ffi::lua_State, handle: &Handle) {
    // SAFETY: the userdata is as large as what is written to it; the indices are those just pushed.
    unsafe {
        let userdata = ffi::lua_newuserdata(state, size_of::<u64>());
        userdata.cast::<u64>().write(handle.id);
        ffi::lua_createtable(state, 0, 1);
        ffi::lua_pushcclosure(state, release, 0);
        ffi::lua_setfield(state, -2, c"__gc".as_ptr());
        ffi::lua_setmetatable(state, -2);
        ffi::lua_createtable(state, 0, 8);
        for native in &handle.methods {
            ffi::lua_pushlstring_(state, native.name.as_ptr().cast(), native.name.len());
            ffi::lua_pushlightuserdata(state, native.run as *mut c_void);
            ffi::lua_pushvalue(state, -4);
            ffi::lua_pushcclosure(state, trampoline, 2);
            ffi::lua_rawset(state, -3);
        }
        ffi::lua_remove(state, -2);
    }
}

/// `__gc` of a handle.
unsafe extern "C-unwind" fn release(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: only handles have this metamethod; the debug library cannot call it with anything else, as their
    // metatable is reachable from no value that a program can hold.
    unsafe {
        let userdata = ffi::lua_touserdata(state, 1);
        if !userdata.is_null() {
            context_of(state).released.borrow_mut().push(userdata.cast::<u64>().read());
        }
    }
    0
}

/// # Safety
/// Lua calls it as a C function whose first upvalue is a native.
pub unsafe extern "C-unwind" fn trampoline(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: between `enter` and the end nothing here needs dropping, so Lua may leave with longjmp.
    unsafe {
        let context = context_of(state);
        let mut unused = 0;
        let resumed = ffi::lua_getctx(state, &raw mut unused) == ffi::LUA_YIELD;
        match enter(state, context, resumed) {
            Step::Return { collect } => {
                if collect {
                    ffi::lua_gc(state, ffi::LUA_GCCOLLECT, 0);
                }
                push_results(state, context)
            }
            Step::Raise { bare } => {
                ffi::lua_settop(state, 0);
                if bare {
                    push_results(state, context);
                } else {
                    ffi::luaL_where(state, 1);
                    push_results(state, context);
                    ffi::lua_concat(state, 2);
                }
                ffi::lua_error(state)
            }
            Step::Wait { keep } => {
                // What lies below the yielded values is there again when the native is called again.
                ffi::lua_settop(state, 0);
                ffi::lua_pushnumber(state, keep);
                let count = push_results(state, context);
                ffi::lua_yieldk(state, count, 0, Some(trampoline))
            }
        }
    }
}

/// Whether a C function is a native's.
pub fn is_trampoline(function: ffi::lua_CFunction) -> bool {
    std::ptr::fn_addr_eq(function, trampoline as ffi::lua_CFunction)
}

/// Runs the native with everything that needs dropping inside this frame.
unsafe fn enter(state: *mut ffi::lua_State, context: &Context, resumed: bool) -> Step {
    // SAFETY: upvalue 1 is the native's function pointer, upvalue 2 nothing or a handle's userdata, set by the
    // two functions above; results are used by one call at a time.
    unsafe {
        let pointer = ffi::lua_touserdata(state, ffi::lua_upvalueindex(1));
        let run = std::mem::transmute::<*mut c_void, NativeFn>(pointer);
        let userdata = ffi::lua_touserdata(state, ffi::lua_upvalueindex(2));
        let handle = (!userdata.is_null()).then(|| userdata.cast::<u64>().read());
        let top = ffi::lua_gettop(state);
        let skipped = c_int::from(resumed);
        let kept = resumed.then(|| ffi::lua_tonumberx(state, 1, std::ptr::null_mut()));
        let count = usize::try_from(top - skipped).unwrap_or(0);
        let results = &mut *context.results.get();
        results.clear();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut call = Call::new(state, (skipped + 1, count), handle, kept, results);
            let mut host = context.host.borrow_mut();
            if !context.released.borrow().is_empty() {
                host.release(&context.released.take());
            }
            run(&mut host, &mut call).map(|()| (call.waiting(), call.collects()))
        }));
        let raise = match outcome {
            Ok(Ok((None, collect))) => return Step::Return { collect },
            Ok(Ok((Some(keep), _))) => return Step::Wait { keep },
            Ok(Err(raise)) => raise,
            Err(_) => Raise::new("internal error of the emulator"),
        };
        let results = &mut *context.results.get();
        results.clear();
        results.push(Value::String(raise.message));
        Step::Raise { bare: raise.bare }
    }
}

/// Pushes the results that the native left and returns how many there are.
unsafe fn push_results(state: *mut ffi::lua_State, context: &Context) -> c_int {
    // SAFETY: nothing runs natives between here and the end: finalizers only note what was released.
    unsafe {
        let results = &*context.results.get();
        for value in results {
            convert::push(state, value);
        }
        c_int::try_from(results.len()).unwrap_or(c_int::MAX)
    }
}
