//! The Lua state of one computer: made, resumed with events.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use craftos_lua::{Dialect, Run, Standing, TableId, Value as Inner};
use thiserror::Error;

use super::handles::Handles;
use super::natives::{self, Natives};
use super::queue::{Packed, Queue};
use super::template::{Checkpoint, Template};
use super::value::Value;
use super::watchdog::{TOO_LONG, Watchdog};
use super::{code, convert, format_number};
use crate::allocator;
use crate::fs::LuaFile;
use crate::host::Host;

/// What the emulator adds to the libraries, in Lua.
const ADDITIONS: &[u8] = include_bytes!("additions.lua");
/// The same, compiled.
const ADDITIONS_CODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/additions.packed"));

/// What is run before the bios is short: so many instructions are all of it.
const ADDITIONS_SLICE: u64 = 20_000;

/// How often lines were run, by the names of their chunks.
pub type LineCounts = BTreeMap<Arc<[u8]>, BTreeMap<u32, u32>>;

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
    /// Modules of natives that are left out.
    pub without: Vec<&'static str>,
    /// Further globals.
    pub globals: Vec<(&'static str, Value)>,
    /// The chunk to run, and its name as error messages show it.
    pub chunk: &'a LuaFile,
    pub chunk_name: &'a str,
    /// How many bytes Lua may use.
    pub memory_limit: usize,
    /// Where random numbers begin.
    pub seed: u64,
    /// Whether it is counted how often each line runs.
    pub count_lines: bool,
    /// Whether the chunk is the ROM's own, which says where it has come to its checkpoint.
    pub has_checkpoint: bool,
}

/// How far the computer ran.
#[derive(Debug, Clone, PartialEq)]
pub enum Resumed {
    /// It waits for the event of that name, or for any.
    Waiting(Option<Vec<u8>>),
    /// It is at its checkpoint, and waits until it is resumed with nothing.
    AtCheckpoint,
    Finished,
    Failed(Vec<u8>),
}

/// Arguments for a resumption.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    Values(Vec<Value>),
    /// Values that stayed in Lua.
    Packed(Packed),
}

/// What the natives of one state share.
pub struct Context {
    pub host: RefCell<Host>,
    pub watchdog: Watchdog,
}

impl Context {
    pub fn new(host: Host, watchdog: Watchdog) -> Self {
        Self { host: RefCell::new(host), watchdog }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Context").finish_non_exhaustive()
    }
}

/// A Lua state with the program that it runs.
#[derive(Debug)]
pub struct State {
    machine: craftos_lua::State,
    context: Context,
    handles: Handles,
    queue: Queue,
    results: Vec<Value>,
    checkpoint: Checkpoint,
    /// How many instructions have run until the checkpoint.
    instructions: u64,
}

impl State {
    pub fn new(context: Context, start: &Start<'_>) -> Result<Self, LuaStartError> {
        let mut machine = craftos_lua::State::with_dialect(start.memory_limit, Dialect::CraftosPc);
        machine.seed_random(start.seed);
        machine.count_lines(start.count_lines);
        let handles = Handles::new(&mut machine).map_err(|_| LuaStartError::Memory)?;
        let queue = Queue::new(&mut machine).map_err(|_| LuaStartError::Memory)?;
        let checkpoint = if start.has_checkpoint { Checkpoint::Ahead } else { Checkpoint::Passed };
        let mut state =
            Self { machine, context, handles, queue, results: Vec::new(), checkpoint, instructions: 0 };
        state.open(start).map_err(|_| LuaStartError::Memory)?;
        state.run_additions()?;
        let failed = |message: &[u8]| LuaStartError::Load {
            name: start.chunk_name.to_owned(),
            message: String::from_utf8_lossy(message).into_owned(),
        };
        let room = state.machine.room();
        let chunk =
            code::compile_shared(start.chunk.clone(), start.chunk_name.as_bytes(), room, &mut || true)
                .map_err(|error| failed(&error.message))?;
        let globals = Inner::Table(state.machine.globals());
        let main = state.machine.instantiate(&chunk, globals).map_err(|_| LuaStartError::Memory)?;
        state.machine.start(main, &[]).map_err(|_| LuaStartError::Memory)?;
        Ok(state)
    }

    /// A state that goes on from the checkpoint of another one, whose time it is charged for.
    pub fn of_template(context: Context, template: &Template, seed: u64) -> Self {
        let mut machine = template.machine.clone();
        machine.seed_random(seed);
        context.watchdog.charge(template.instructions);
        Self {
            machine,
            context,
            handles: template.handles.clone(),
            queue: template.queue.clone(),
            results: Vec::new(),
            checkpoint: Checkpoint::Passed,
            instructions: template.instructions,
        }
    }

    /// A copy for other states, of one that is at its checkpoint.
    pub fn template(&self) -> Template {
        let mut machine = self.machine.clone();
        machine.double_room();
        Template {
            machine,
            handles: self.handles.clone(),
            queue: self.queue.clone(),
            instructions: self.instructions,
        }
    }

    /// Sets the natives and the globals.
    fn open(&mut self, start: &Start<'_>) -> Result<(), Inner> {
        let machine = &mut self.machine;
        machine.share_host_natives(natives::names());
        for (number, module, native) in natives::modules() {
            if start.without.contains(&module) {
                continue;
            }
            let table = module_table(machine, module)?;
            let (name, value) = (machine.string(native.name.as_bytes())?, machine.host_native(number));
            machine.raw_set(table, name, value)?;
        }
        let os = module_table(machine, "os")?;
        let name = machine.string(b"queueEvent")?;
        machine.raw_set(os, name, machine.host_native(natives::QUEUE_EVENT))?;
        let load = machine.host_native(natives::LOAD_FILE);
        machine.set_global("_LOAD_FILE", load)?;
        if start.has_checkpoint {
            machine.set_global("_CHECKPOINT", machine.host_native(natives::CHECKPOINT))?;
        }
        for (name, value) in &start.globals {
            let value = convert::make(machine, &mut self.handles, value)?;
            machine.set_global(name, value)?;
        }
        Ok(())
    }

    fn run_additions(&mut self) -> Result<(), LuaStartError> {
        let failed = |message: String| LuaStartError::Load { name: "additions.lua".to_owned(), message };
        let additions = LuaFile { text: Cow::Borrowed(ADDITIONS), code: Some(ADDITIONS_CODE) };
        let code = code::compile_shared(additions, b"=[C]", usize::MAX, &mut || true)
            .map_err(|error| failed(error.to_string()))?;
        let globals = Inner::Table(self.machine.globals());
        let main = self.machine.instantiate(&code, globals).map_err(|_| LuaStartError::Memory)?;
        self.machine.start(main, &[]).map_err(|_| LuaStartError::Memory)?;
        let resumed = loop {
            if let Some(resumed) = self.run_unwatched(ADDITIONS_SLICE) {
                break resumed;
            }
        };
        match resumed {
            Resumed::Finished => Ok(()),
            Resumed::Failed(message) => Err(failed(String::from_utf8_lossy(&message).into_owned())),
            other @ (Resumed::Waiting(_) | Resumed::AtCheckpoint) => Err(failed(format!("{other:?}"))),
        }
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    /// How often each line was run, by the name of its chunk; nothing where they are not counted.
    pub fn line_counts(&self) -> LineCounts {
        self.machine.line_counts()
    }

    /// Gives back what the program does not use while it waits.
    pub fn trim(&mut self) {
        self.machine.trim();
    }

    /// The line of a wanted chunk at which the program waits.
    pub fn standing(&self, wanted: &dyn Fn(&[u8]) -> bool) -> Option<Standing> {
        self.machine.standing(wanted)
    }

    /// How many bytes Lua uses now.
    pub fn used(&self) -> usize {
        self.machine.used()
    }

    /// The name of an event that was queued.
    pub fn packed_name(&self, packed: Packed) -> Option<Vec<u8>> {
        self.queue.name(&self.machine, packed)
    }

    /// Lets go of values that were queued and that nobody wants.
    pub fn forget(&mut self, packed: Packed) {
        self.queue.take(&mut self.machine, packed);
    }

    fn arguments(&mut self, arguments: &Arguments) -> Result<Vec<Inner>, Inner> {
        match arguments {
            Arguments::Values(values) => convert::make_all(&mut self.machine, &mut self.handles, values),
            Arguments::Packed(packed) => Ok(self.queue.take(&mut self.machine, *packed)),
        }
    }

    /// Gives the program what it waits for. An error if there is no memory for it: the program waits as before, and has
    /// not seen it.
    pub fn resume(&mut self, arguments: &Arguments) -> Result<(), Vec<u8>> {
        let given = self.arguments(arguments).and_then(|values| self.machine.resume(&values));
        given.map_err(|error| self.error_text(error))
    }

    /// Lets the program go on from its checkpoint. When it waits next, that is the first time for it: what is only for its
    /// beginning goes then.
    pub fn pass_checkpoint(&mut self) -> Result<(), Vec<u8>> {
        self.machine.has_not_waited();
        self.resume(&Arguments::Values(Vec::new()))
    }

    /// Runs the program for at most that many instructions; none if it could go on.
    pub fn run(&mut self, instructions: u64) -> Option<Resumed> {
        let resumed = self.run_unwatched(instructions);
        let watchdog = &self.context.watchdog;
        if resumed.is_none() && watchdog.stopping() {
            return Some(Resumed::Failed(b"Terminated".to_vec()));
        }
        if resumed.is_none() && watchdog.expired() {
            self.machine.interrupt(TOO_LONG);
        }
        resumed
    }

    fn run_unwatched(&mut self, instructions: u64) -> Option<Resumed> {
        let watchdog = &self.context.watchdog;
        let mut host = self.context.host.borrow_mut();
        let mut natives = Natives {
            host: &mut host,
            watchdog,
            handles: &mut self.handles,
            queue: &mut self.queue,
            results: &mut self.results,
            checkpoint: &mut self.checkpoint,
            used: self.machine.used(),
            left: instructions,
        };
        natives.release(&self.machine);
        let run = self.machine.run(&mut natives, instructions);
        natives.charge(self.machine.instructions_left());
        drop(host);
        allocator::compiled(self.machine.take_compiled());
        if self.checkpoint != Checkpoint::Passed {
            self.instructions += instructions - self.machine.instructions_left();
        }
        match run {
            Run::OutOfBudget => None,
            Run::Yielded(_) if self.checkpoint == Checkpoint::Reached => {
                self.checkpoint = Checkpoint::Passed;
                Some(Resumed::AtCheckpoint)
            }
            Run::Yielded(values) => {
                let name = values.first().and_then(|value| self.machine.bytes(*value));
                Some(Resumed::Waiting(name.map(<[u8]>::to_vec)))
            }
            Run::Error(error) => Some(Resumed::Failed(self.error_text(error))),
            Run::Finished(_) => Some(Resumed::Finished),
        }
    }

    /// An error as text.
    fn error_text(&self, error: Inner) -> Vec<u8> {
        match error {
            Inner::Number(number) => format_number(number).into_bytes(),
            _ => self.machine.bytes(error).map_or_else(
                || format!("(error object is a {} value)", error.type_name()).into_bytes(),
                <[u8]>::to_vec,
            ),
        }
    }
}

/// A module's table, made if there is none.
fn module_table(machine: &mut craftos_lua::State, module: &str) -> Result<TableId, Inner> {
    if let Inner::Table(table) = machine.global(module) {
        return Ok(table);
    }
    let table = machine.new_table()?;
    machine.set_global(module, Inner::Table(table))?;
    Ok(table)
}
