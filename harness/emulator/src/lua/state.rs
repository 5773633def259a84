//! The Lua state of one computer: made, resumed with events, closed.
#![expect(unsafe_code, reason = "it owns a Lua state")]

use std::ffi::{c_char, c_int, c_void};
use std::fmt;

use mlua_sys as ffi;
use thiserror::Error;

use super::alloc::{Allocator, Memory, allocate};
use super::trampoline::{Context, context_of, push_native};
use super::value::Value;
use super::{Native, bytecode, convert, coroutines, dispatch, hook, messages, quick, strings};

/// The part of the base environment that is written in Lua.
const PRELUDE: &str = include_str!("prelude.lua");

/// Percent of what is in use now at which the first collection begins: some 400 KiB, which is what a shell needs.
const FIRST_PAUSE: c_int = 550;
/// Lua's own.
const USUAL_PAUSE: c_int = 200;

/// A state that could not be made.
#[derive(Debug, Error)]
pub enum LuaStartError {
    #[error("not enough memory for a Lua state\nhint: raise the memory limit")]
    Memory,
    #[error("failed to load `{name}`: {message}")]
    Load { name: String, message: String },
}

/// What a new state begins with.
#[derive(Debug)]
pub struct Start<'a> {
    /// Tables of natives that become globals.
    pub modules: Vec<(&'static str, &'a [Native])>,
    /// Further globals.
    pub globals: Vec<(&'static str, Value)>,
    /// The chunk to run, and its name as error messages show it.
    pub chunk: &'a [u8],
    pub chunk_name: &'a str,
    /// How many bytes Lua may use.
    pub memory_limit: usize,
    /// Where that memory comes from.
    pub memory: Memory,
}

/// How far the computer ran.
#[derive(Debug, Clone, PartialEq)]
pub enum Resumed {
    /// It waits for the event of that name, or for any.
    Waiting(Option<Vec<u8>>),
    Finished,
    Failed(Vec<u8>),
    /// There was no memory for the arguments: it waits as before, and has not seen them.
    NoRoom(Vec<u8>),
}

/// Arguments for a resumption.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    Values(Vec<Value>),
    /// Values that stayed in Lua, under that number in the registry.
    Packed(c_int),
}

/// A Lua state with its main coroutine. It is not closed object by object when it is dropped: nothing in it but memory
/// needs to be given back, and the allocator does that at once; what handles stand for is the host's.
pub struct State {
    raw: *mut ffi::lua_State,
    main: *mut ffi::lua_State,
    context: Box<Context>,
    allocator: Box<Allocator>,
}

impl Drop for State {
    /// The alarm must not reach into what goes, also where a panic has left a coroutine running.
    fn drop(&mut self) {
        self.context.watchdog.switch(std::ptr::null_mut());
        self.context.watchdog.settle();
    }
}

impl fmt::Debug for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("State").field("used", &self.allocator.used()).finish_non_exhaustive()
    }
}

struct Setup<'a> {
    start: &'a Start<'a>,
    main: *mut ffi::lua_State,
}

impl State {
    pub fn new(context: Context, start: &Start<'_>) -> Result<Self, LuaStartError> {
        let context = Box::new(context);
        let mut allocator = Allocator::new(start.memory_limit, start.memory);
        allocator.set_context(&raw const *context);
        // SAFETY: the allocator is boxed and outlives the state, which is closed in `drop`.
        let raw = unsafe { ffi::lua_newstate(allocate, (&raw mut *allocator).cast()) };
        if raw.is_null() {
            return Err(LuaStartError::Memory);
        }
        let mut state = Self { raw, main: std::ptr::null_mut(), context, allocator };
        let mut setup = Setup { start, main: std::ptr::null_mut() };
        // SAFETY: the setup outlives the protected call that uses it.
        unsafe {
            hook::install(raw);
            state.protected(open, (&raw mut setup).cast(), 0).map_err(|message| LuaStartError::Load {
                name: start.chunk_name.to_owned(),
                message: String::from_utf8_lossy(&message).into_owned(),
            })?;
        }
        state.main = setup.main;
        Ok(state)
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    /// How many bytes Lua uses now.
    pub fn used(&self) -> usize {
        self.allocator.used()
    }

    /// The name of an event that was queued.
    pub fn packed_name(&self, reference: c_int) -> Option<Vec<u8>> {
        // SAFETY: the reference came from `queue_event`; reading needs two slots, which the outer state has, as nothing
        // else is on its stack between two resumptions.
        unsafe {
            ffi::lua_rawgeti_(self.raw, ffi::LUA_REGISTRYINDEX, reference);
            ffi::lua_rawgeti_(self.raw, -1, 1);
            let top = ffi::lua_gettop(self.raw);
            let named = ffi::lua_type(self.raw, top) == ffi::LUA_TSTRING;
            let name = named.then(|| convert::string_at(self.raw, top).to_vec());
            ffi::lua_settop(self.raw, top - 2);
            name
        }
    }

    /// Lets go of values that were queued and that nobody wants.
    pub fn forget(&self, reference: c_int) {
        // SAFETY: the reference came from `queue_event`; freeing one sets a field of the registry that exists.
        unsafe { ffi::luaL_unref(self.raw, ffi::LUA_REGISTRYINDEX, reference) };
    }

    /// Calls a C function with one pointer in protected mode; its results stay on the stack.
    unsafe fn protected(
        &mut self,
        function: ffi::lua_CFunction,
        data: *mut c_void,
        results: c_int,
    ) -> Result<(), Vec<u8>> {
        // SAFETY: a light C function and a light userdata need no allocation, and the stack has room for them.
        unsafe {
            ffi::lua_pushcclosure(self.raw, function, 0);
            ffi::lua_pushlightuserdata(self.raw, data);
            if ffi::lua_pcall(self.raw, 1, results, 0) == ffi::LUA_OK {
                return Ok(());
            }
            let message = error_text(self.raw);
            ffi::lua_settop(self.raw, 0);
            Err(message)
        }
    }

    /// Runs the main coroutine until it yields or ends.
    pub fn resume(&mut self, arguments: Arguments) -> Resumed {
        // SAFETY: arguments are pushed in protected mode on the outer state and then moved; the coroutine is
        // anchored in the registry.
        unsafe {
            let mut arguments = arguments;
            if let Err(message) =
                self.protected(push_arguments, (&raw mut arguments).cast(), ffi::LUA_MULTRET)
            {
                return Resumed::NoRoom(message);
            }
            let count = ffi::lua_gettop(self.raw);
            if ffi::lua_checkstack(self.main, count) == 0 {
                return Resumed::Failed(b"too many arguments".to_vec());
            }
            ffi::lua_xmove(self.raw, self.main, count);
            self.context.watchdog.switch(self.main);
            let status = ffi::lua_resume_(self.main, self.raw, count);
            self.context.watchdog.switch(std::ptr::null_mut());
            self.context.watchdog.settle();
            let outcome = match status {
                ffi::LUA_YIELD => {
                    let named =
                        ffi::lua_gettop(self.main) > 0 && ffi::lua_type(self.main, 1) == ffi::LUA_TSTRING;
                    Resumed::Waiting(named.then(|| convert::string_at(self.main, 1).to_vec()))
                }
                ffi::LUA_OK => Resumed::Finished,
                _ => Resumed::Failed(error_text(self.main)),
            };
            if status == ffi::LUA_YIELD {
                ffi::lua_settop(self.main, 0);
            }
            outcome
        }
    }
}

/// The error value on top of the stack as text.
unsafe fn error_text(state: *mut ffi::lua_State) -> Vec<u8> {
    // SAFETY: reads the value on top without converting it.
    unsafe {
        let top = ffi::lua_gettop(state);
        match ffi::lua_type(state, top) {
            ffi::LUA_TSTRING => convert::string_at(state, top).to_vec(),
            ffi::LUA_TNUMBER => {
                super::format_number(ffi::lua_tonumberx(state, top, std::ptr::null_mut())).into_bytes()
            }
            other => format!("(error object is a {} value)", convert::type_name(other)).into_bytes(),
        }
    }
}

/// Pushes the arguments of a resumption.
unsafe extern "C-unwind" fn push_arguments(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: called by `resume` only, with a pointer to its arguments; nothing here needs dropping.
    unsafe {
        let arguments = &*ffi::lua_touserdata(state, 1).cast::<Arguments>();
        ffi::lua_settop(state, 0);
        match arguments {
            Arguments::Values(values) => {
                for value in values {
                    convert::push(state, value);
                }
            }
            Arguments::Packed(reference) => {
                ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, *reference);
                ffi::luaL_unref(state, ffi::LUA_REGISTRYINDEX, *reference);
                ffi::lua_rawgeti_(state, 1, 0);
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "it is the count of arguments that was stored as a number"
                )]
                let count = ffi::lua_tonumberx(state, -1, std::ptr::null_mut()) as c_int;
                ffi::lua_settop(state, 1);
                ffi::luaL_checkstack(state, count + 1, std::ptr::null());
                for index in 1..=count {
                    ffi::lua_rawgeti_(state, 1, index);
                }
                ffi::lua_remove(state, 1);
            }
        }
        ffi::lua_gettop(state)
    }
}

/// `os.queueEvent`: what is queued stays in Lua, so that functions and the identity of tables survive.
unsafe extern "C-unwind" fn queue_event(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the only Rust value here is used inside a block that calls nothing of Lua's.
    unsafe {
        let kind = ffi::lua_type(state, 1);
        if kind != ffi::LUA_TSTRING && kind != ffi::LUA_TNUMBER {
            let name = ffi::lua_typename(state, kind);
            return ffi::luaL_error(state, c"bad argument #1 (expected string, got %s)".as_ptr(), name);
        }
        ffi::lua_tolstring(state, 1, std::ptr::null_mut());
        let count = ffi::lua_gettop(state);
        ffi::lua_createtable(state, count, 1);
        ffi::lua_insert(state, 1);
        ffi::lua_pushnumber(state, count.into());
        ffi::lua_rawseti_(state, 1, 0);
        for index in (1..=count).rev() {
            ffi::lua_rawseti_(state, 1, index);
        }
        let reference = ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
        context_of(state).host.borrow_mut().queue_packed(reference);
    }
    0
}

/// Opens the libraries, sets the globals, runs the prelude and makes the main coroutine.
unsafe extern "C-unwind" fn open(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: called by `new` only, in protected mode, with a pointer to its setup; nothing needs dropping
    // but strings without memory of their own.
    unsafe {
        let setup = &mut *ffi::lua_touserdata(state, 1).cast::<Setup<'_>>();
        for (name, library) in [
            (c"_G", ffi::luaopen_base as ffi::lua_CFunction),
            (c"coroutine", ffi::luaopen_coroutine),
            (c"table", ffi::luaopen_table),
            (c"string", ffi::luaopen_string),
            (c"bit32", ffi::luaopen_bit32),
            (c"math", ffi::luaopen_math),
            (c"debug", ffi::luaopen_debug),
        ] {
            ffi::luaL_requiref_(state, name.as_ptr(), library, 1);
            if name == c"string" {
                strings::install(state);
            }
            if name == c"_G" {
                ffi::lua_getfield_(state, -1, c"load".as_ptr());
                ffi::lua_pushcclosure(state, bytecode::load_text_only, 1);
                ffi::lua_setfield(state, -2, c"load".as_ptr());
            }
            if name == c"_G" || name == c"debug" {
                ffi::lua_getfield_(state, -1, c"setmetatable".as_ptr());
                quick::wrap_setmetatable(state, name == c"_G");
                ffi::lua_setfield(state, -2, c"setmetatable".as_ptr());
            }
            ffi::lua_settop(state, 1);
        }
        ffi::lua_pushglobaltable(state);
        for (name, natives) in &setup.start.modules {
            push_name(state, name);
            ffi::lua_pushvalue(state, -1);
            ffi::lua_rawget_(state, 2);
            if ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
                ffi::lua_settop(state, -2);
                ffi::lua_createtable(state, 0, c_int::try_from(natives.len()).unwrap_or(0));
            }
            for native in *natives {
                push_name(state, native.name);
                if (*name, native.name) == ("math", "random") {
                    quick::push_random(state, *native);
                } else {
                    push_native(state, *native);
                }
                ffi::lua_rawset(state, -3);
            }
            if *name == "os" {
                ffi::lua_pushcclosure(state, queue_event, 0);
                ffi::lua_setfield(state, -2, c"queueEvent".as_ptr());
            }
            ffi::lua_rawset(state, 2);
        }
        for (name, value) in &setup.start.globals {
            push_name(state, name);
            convert::push(state, value);
            ffi::lua_rawset(state, 2);
        }
        ffi::lua_settop(state, 1);
        load(state, PRELUDE.as_bytes(), c"=[prelude]".as_ptr());
        ffi::lua_pushcclosure(state, bytecode::load_text, 0);
        ffi::lua_pushcclosure(state, dispatch::make, 0);
        ffi::lua_pushcclosure(state, dispatch::make_whole, 0);
        ffi::lua_pushcclosure(state, hook::set, 0);
        ffi::lua_pushcclosure(state, bytecode::load_path, 0);
        ffi::lua_callk(state, 5, 0, 0, None);
        replace_catchers(state);
        setup.main = ffi::lua_newthread(state);
        ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
        load_chunk(state, setup.start);
        ffi::lua_xmove(state, setup.main, 1);
        // The next collection begins when there is that much more than now: what a computer starts with stays, and
        // to look through it again and again takes a tenth of the start.
        ffi::lua_gc(state, ffi::LUA_GCSETPAUSE, FIRST_PAUSE);
        ffi::lua_gc(state, ffi::LUA_GCCOLLECT, 0);
        ffi::lua_gc(state, ffi::LUA_GCSETPAUSE, USUAL_PAUSE);
    }
    0
}

/// Sets `pcall` and the functions that resume coroutines, and remembers which function is `error`.
unsafe fn replace_catchers(state: *mut ffi::lua_State) {
    // SAFETY: runs in protected mode; the libraries are open, and the stack is left as it was.
    unsafe {
        let top = ffi::lua_gettop(state);
        ffi::lua_getglobal_(state, c"error".as_ptr());
        context_of(state).set_error_function(ffi::lua_tocfunction(state, -1));
        ffi::lua_pushcclosure(state, messages::pcall, 0);
        ffi::lua_setglobal(state, c"pcall".as_ptr());
        ffi::lua_getglobal_(state, c"coroutine".as_ptr());
        coroutines::install(state);
        ffi::lua_settop(state, top);
    }
}

unsafe fn push_name(state: *mut ffi::lua_State, name: &str) {
    // SAFETY: the bytes are copied by Lua.
    unsafe { ffi::lua_pushlstring_(state, name.as_ptr().cast(), name.len()) };
}

/// Compiles the first chunk; its name is made into a C string by Lua, so that nothing is left on an error.
unsafe fn load_chunk(state: *mut ffi::lua_State, start: &Start<'_>) {
    // SAFETY: the name stays on the stack while it is used.
    unsafe {
        push_name(state, start.chunk_name);
        let name = ffi::lua_tolstring(state, -1, std::ptr::null_mut());
        load(state, start.chunk, name);
        ffi::lua_remove(state, -2);
    }
}

unsafe fn load(state: *mut ffi::lua_State, text: &[u8], name: *const c_char) {
    // SAFETY: pushes the function or raises the message.
    unsafe {
        if bytecode::compile(state, text, name) != ffi::LUA_OK {
            ffi::lua_error(state);
        }
    }
}
