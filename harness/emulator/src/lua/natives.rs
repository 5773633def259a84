//! The computer's natives as the machine knows them: by their numbers.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use craftos_lua::{Outcome, Value as Inner};

use super::call::{Call, Collection};
use super::handles::Handles;
use super::queue::Queue;
use super::template::Checkpoint;
use super::value::{Raise, Value};
use super::watchdog::{TOO_LONG, Watchdog};
use super::{code, convert};
use crate::host::{HANDLES, Host, MODULES};

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

/// `_LOAD_FILE`, whose result is a function of Lua.
pub const LOAD_FILE: u32 = 0;
/// `os.queueEvent`, whose arguments stay in Lua.
pub const QUEUE_EVENT: u32 = 1;
/// `_CHECKPOINT`, at which a state can be copied for others.
pub const CHECKPOINT: u32 = 2;
/// One instruction's worth of what a native is given and gives back: it is copied, or more.
const BYTES_PER_STEP: usize = 64;
/// Where the others begin.
const FIRST: u32 = 3;
/// Texts of that size are copied only where there is room for the copies.
const LARGE: usize = 64 * 1024;
/// So many copies of what it is given a native may make: a path, say, is taken apart and put together again. What is written to
/// a file or a socket is copied once.
const COPIES: usize = 3;

/// All natives in the order of their numbers, which depends on nothing but the program.
struct Registry {
    names: Arc<[Box<str>]>,
    natives: Vec<Native>,
    /// How many of them are in modules; the others are methods of handles.
    in_modules: usize,
    /// By name and function: the reading methods of files are those of responses.
    methods: HashMap<(&'static str, usize), u32>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut names = vec!["_LOAD_FILE".to_owned(), "os.queueEvent".to_owned(), "_CHECKPOINT".to_owned()];
    let (mut natives, mut methods) = (Vec::new(), HashMap::new());
    for (module, list) in MODULES {
        for native in *list {
            names.push(format!("{module}.{}", native.name));
            natives.push(*native);
        }
    }
    let in_modules = natives.len();
    for native in HANDLES.iter().copied().flatten() {
        let number = FIRST + u32::try_from(natives.len()).expect("the list is short");
        methods.entry(key(native)).or_insert(number);
        names.push(format!("handle.{}", native.name));
        natives.push(*native);
    }
    Registry { names: names.into_iter().map(String::into_boxed_str).collect(), natives, in_modules, methods }
});

fn key(native: &Native) -> (&'static str, usize) {
    (native.name, native.run as usize)
}

/// The names of all natives, by number.
pub fn names() -> Arc<[Box<str>]> {
    REGISTRY.names.clone()
}

/// The natives of the modules, in the order of their numbers from here on.
pub fn modules() -> impl Iterator<Item = (u32, &'static str, &'static Native)> {
    let all = MODULES.iter().flat_map(|(module, list)| list.iter().map(|native| (*module, native)));
    (FIRST..).zip(all).map(|(number, (module, native))| (number, module, native))
}

/// The number of a method of a handle.
pub fn number_of(method: &Native) -> u32 {
    *REGISTRY.methods.get(&key(method)).expect("every method of a handle is in `HANDLES`")
}

/// What the machine calls natives through.
pub struct Natives<'a> {
    pub host: &'a mut Host,
    pub watchdog: &'a Watchdog,
    pub handles: &'a mut Handles,
    pub queue: &'a mut Queue,
    pub results: &'a mut Vec<Value>,
    pub checkpoint: &'a mut Checkpoint,
    /// How much was in use when a native was called last: where it is less, something was collected.
    pub used: usize,
    /// How many instructions were left when time was charged last.
    pub left: u64,
}

impl Natives<'_> {
    /// Charges the computer's time for what ran since the last call, so that natives see the time of their call.
    pub fn charge(&mut self, left: u64) {
        self.watchdog.charge(self.left.saturating_sub(left));
        self.left = left;
    }

    /// Lets the host go of what Lua has collected the handles of.
    pub fn release(&mut self, state: &craftos_lua::State) {
        let released = self.handles.take_released(state);
        if !released.is_empty() {
            self.host.release(&released);
        }
    }

    /// Makes sure that so many bytes can be held besides what Lua has.
    fn make_room(&mut self, call: &mut craftos_lua::Call<'_>, bytes: usize) -> Result<(), Inner> {
        if bytes > call.state.room() {
            call.state.collect();
            self.release(call.state);
        }
        call.check_room(bytes)
    }

    fn run(
        &mut self,
        native: Native,
        call: &mut craftos_lua::Call<'_>,
        resumed: Option<f64>,
        collection: Collection,
    ) -> Step {
        self.results.clear();
        let (host, watchdog, results) = (&mut *self.host, self.watchdog, &mut *self.results);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut call = Call::new(call.reborrow(), watchdog, resumed, results, collection);
            call.set_strict(host.has_strict_arguments());
            (native.run)(host, &mut call).map(|()| (call.waiting(), call.collects()))
        }));
        match outcome {
            Ok(Ok((_, true))) => Step::Collect,
            Ok(Ok((None, false))) => Step::Return,
            Ok(Ok((Some(keep), false))) => Step::Wait { keep },
            Ok(Err(raise)) => Step::Raise(raise),
            Err(_) => Step::Raise(Raise::new("internal error of the emulator")),
        }
    }
}

enum Step {
    Return,
    /// It wants to be called again after a collection.
    Collect,
    Raise(Raise),
    Wait {
        keep: f64,
    },
}

/// The error that Lua sees.
pub fn raise(call: &mut craftos_lua::Call<'_>, raise: &Raise) -> Inner {
    if raise.bare { call.state.message(&raise.message) } else { call.error_bytes(&raise.message) }
}

impl craftos_lua::Host for Natives<'_> {
    fn interrupts_work(&mut self) -> Option<&'static str> {
        self.watchdog.is_due().then_some(TOO_LONG)
    }

    fn call(
        &mut self,
        native: u32,
        call: &mut craftos_lua::Call<'_>,
        resumed: Option<f64>,
    ) -> Result<Outcome, Inner> {
        self.charge(call.state.instructions_left());
        let used = call.state.used();
        if used < self.used {
            self.release(call.state);
        }
        self.used = used;
        match native {
            LOAD_FILE => return code::load_file(self.host, self.watchdog, call),
            QUEUE_EVENT => return self.queue.put(self.host, call),
            CHECKPOINT => return Ok(self.checkpoint.call(self.host.world.wants_template())),
            _ => {}
        }
        let index = native.checked_sub(FIRST).map_or(usize::MAX, |index| index as usize);
        let Some(native) = REGISTRY.natives.get(index).copied() else {
            return Err(call.error("no such native"));
        };
        let given: usize =
            (1..=call.len()).filter_map(|index| call.state.bytes(call.arg(index))).map(<[u8]>::len).sum();
        if given > LARGE {
            let copies = if index < REGISTRY.in_modules { COPIES } else { 1 };
            self.make_room(call, given.saturating_mul(copies))?;
        }
        let mut step = self.run(native, call, resumed, Collection::Possible);
        if matches!(step, Step::Collect) {
            call.state.collect();
            self.release(call.state);
            step = self.run(native, call, resumed, Collection::Done);
        }
        call.spend((given + self.results.iter().map(Value::size).sum::<usize>()) / BYTES_PER_STEP);
        let keep = match step {
            Step::Return | Step::Collect => None,
            Step::Wait { keep } => Some(keep),
            Step::Raise(error) => return Err(raise(call, &error)),
        };
        match (&mut self.results[..], keep) {
            ([], None) => return Ok(Outcome::NONE),
            ([Value::Number(number)], None) => return Ok(Outcome::One(Inner::Number(*number))),
            ([Value::Bool(value)], None) => return Ok(Outcome::One(Inner::Bool(*value))),
            ([Value::String(text)], None) if text.len() > LARGE => {
                // It is not copied: the process would take it twice.
                let text = std::mem::take(text);
                if text.len() > call.state.room() {
                    call.state.collect();
                }
                return call.string_from(text).map(Outcome::One);
            }
            _ => {}
        }
        let values = convert::make_all(call.state, self.handles, self.results)?;
        call.push_all(&values)?;
        Ok(match keep {
            None => Outcome::Return(values.len()),
            Some(keep) => Outcome::Wait(values.len(), keep),
        })
    }
}
