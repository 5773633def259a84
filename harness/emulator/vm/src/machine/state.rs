//! A Lua state: everything that a program has and can reach, and how far it has run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::coverage::Coverage;
use super::garbage::Pace;
use super::native::Host;
use super::run::Exit;
use super::thread::{HookEvent, Ret, Status, Thread};
use super::watch::Watch;
use crate::compile::{CompileError, Proto, compile};
use crate::dialect::Dialect;
use crate::heap::{Arena, Heap, Loaded, LongNames, OutOfMemory, Upvalues};
use crate::library as lib;
use crate::value::{NativeId, TableId, ThreadId, Value};

/// So many keys in one place are passed in the time of a few instructions. Keys that nobody has chosen for it never collide so
/// often.
const LONG_CHAIN: usize = 64;

fn no_names() -> Arc<[Box<str>]> {
    Arc::new([])
}

/// How far a program ran.
#[derive(Debug, Clone)]
pub enum Run {
    /// Its main function has returned these values.
    Finished(Vec<Value>),
    /// It has left with these values and waits for [`State::resume`].
    Yielded(Vec<Value>),
    /// All instructions that it was given have run; [`State::run`] goes on.
    OutOfBudget,
    /// It has ended with an error.
    Error(Value),
}

/// A Lua state. It can be cloned at any time between two runs; the copy goes on from the same place.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    pub(crate) heap: Heap,
    pub(crate) loaded: Arena<Loaded>,
    /// The coroutine that runs.
    pub(crate) thread: Box<Thread>,
    pub(crate) current: ThreadId,
    pub(super) main: ThreadId,
    pub(crate) budget: u64,
    /// How many instructions the host gave for this run.
    given: u64,
    /// How many of them one takes while looking for a key may take long.
    price: u64,
    pub(crate) globals: TableId,
    /// Values that the host keeps.
    pub(crate) kept: Vec<Value>,
    /// Where the results are for the native on top.
    pub(super) incoming: (usize, usize),
    /// What the main coroutine left or ended with.
    pub(super) outgoing: Option<(Vec<Value>, bool)>,
    /// The running coroutine begins, with so many arguments.
    pub(super) starting: Option<usize>,
    /// How many coroutines have resumed one another down to the one that runs.
    pub(super) nested: u32,
    /// How often coroutines were resumed.
    pub(super) resumptions: u64,
    /// The slot of the native that runs, where it has no frame of its own.
    pub(crate) native_at: Option<usize>,
    pub(super) hook_event: Option<HookEvent>,
    /// The error that was raised last is that a handler of errors went too deep: no handler is called for it.
    pub(super) hopeless: bool,
    /// What the host stops the program with.
    pub(super) interruption: Option<Box<str>>,
    pub(super) pace: Pace,
    pub(crate) dialect: Dialect,
    #[serde(skip)]
    pub(crate) matchers: lib::Matchers,
    /// The counters of lines, where they are wanted.
    #[serde(skip)]
    pub(super) coverage: Option<Box<Coverage>>,
    pub(super) watch: Watch,
    /// How many bytes of large texts were compiled since the host asked.
    #[serde(skip)]
    pub(crate) compiled: usize,
    pub(crate) random: [u64; 4],
    /// The names of the host's natives.
    #[serde(skip, default = "no_names")]
    pub(crate) host_names: Arc<[Box<str>]>,
}

impl State {
    /// A state with the standard libraries, which may use that many bytes.
    pub fn new(memory: usize) -> Self {
        Self::with_dialect(memory, Dialect::Stock)
    }

    /// The same with messages and small choices of another machine than stock Lua.
    pub fn with_dialect(memory: usize, dialect: Dialect) -> Self {
        let mut heap = Heap::new(usize::MAX);
        let first = "there is no limit while a state is made";
        let globals = heap.table(0, 64).expect(first);
        let main = heap.thread(Thread::default()).expect(first);
        // What was charged for it stays charged for the one that runs.
        let thread = heap.threads.get_mut(main.0).take().expect("it was just put there");
        let mut state = Self {
            heap,
            loaded: Arena::default(),
            thread,
            current: main,
            main,
            budget: 0,
            given: 0,
            price: 1,
            globals,
            kept: Vec::new(),
            incoming: (0, 0),
            outgoing: None,
            starting: None,
            nested: 0,
            compiled: 0,
            resumptions: 0,
            native_at: None,
            hook_event: None,
            hopeless: false,
            interruption: None,
            pace: Pace::default(),
            dialect,
            matchers: lib::Matchers::default(),
            coverage: None,
            watch: Watch::default(),
            random: lib::seeded(0),
            host_names: Arc::new([]),
        };
        lib::open(&mut state).expect(first);
        state.heap.account.limit = memory;
        state.set_quota();
        state
    }

    /// Names the host's natives; the number of each is its position.
    pub fn set_host_natives(&mut self, names: impl IntoIterator<Item = String>) {
        self.host_names = names.into_iter().map(String::into_boxed_str).collect();
    }

    /// The same with a list that many states share.
    pub fn share_host_natives(&mut self, names: Arc<[Box<str>]>) {
        self.host_names = names;
    }

    /// The host's native with that number as a value.
    pub fn host_native(&self, number: u32) -> Value {
        Value::Native(NativeId(lib::count() + number))
    }

    /// The table of globals.
    pub fn globals(&self) -> TableId {
        self.globals
    }

    /// How many bytes are in use.
    pub fn used(&self) -> usize {
        self.heap.account.used
    }

    /// The same, counted anew from all objects: a test for the account.
    pub fn measured(&self) -> usize {
        let mut names = LongNames::default();
        let loaded = self.loaded.iter_used().map(|(_, loaded)| {
            let name = loaded.proto.as_ref().map_or(0, |proto| {
                let cost = names.cost(&proto.name);
                names.add(&proto.name);
                cost
            });
            loaded.bytes() + name
        });
        let loaded: usize = loaded.sum();
        self.heap.measured() + self.thread.bytes() + self.loaded.bytes() + loaded
    }

    /// Memory runs out at the allocation with that number from here on, once: for tests.
    pub fn fail_allocation(&mut self, number: u64) {
        self.heap.account.fail_at = Some(self.heap.account.charges + number);
    }

    /// How many allocations were counted since the state was made.
    pub fn allocations(&self) -> u64 {
        self.heap.account.charges
    }

    /// A text of this state.
    pub fn string(&mut self, bytes: &[u8]) -> Result<Value, Value> {
        self.heap.string(bytes).map(Value::String).map_err(|_| self.heap.out_of_memory())
    }

    /// The bytes of a text.
    pub fn bytes(&self, value: Value) -> Option<&[u8]> {
        if let Value::String(text) = value { Some(self.heap.bytes(text)) } else { None }
    }

    pub fn new_table(&mut self) -> Result<TableId, Value> {
        self.heap.table(0, 0).map_err(|_| self.heap.out_of_memory())
    }

    /// Assigns without metamethods. Nil and not-a-number are no keys.
    pub fn raw_set(&mut self, table: TableId, key: Value, value: Value) -> Result<(), Value> {
        if key.is_nil() || matches!(key, Value::Number(number) if number.is_nan()) {
            return Err(self.heap.message(b"table index is nil"));
        }
        self.heap.set(table, key, value).map_err(|_| self.heap.out_of_memory())
    }

    pub fn raw_get(&self, table: TableId, key: Value) -> Value {
        let value = self.heap.get(table, key);
        if self.is_clearing() && self.heap.is_dead(value) { Value::Nil } else { value }
    }

    /// The entry after a key, in a table's order; nil begins.
    pub fn raw_next(&self, table: TableId, key: Value) -> Option<(Value, Value)> {
        let is_dead = |entry: &(Value, Value)| {
            self.is_clearing() && (self.heap.is_dead(entry.0) || self.heap.is_dead(entry.1))
        };
        let mut key = key;
        loop {
            let entry = self.heap.tables.get(table.0).next(key).ok()?.entry?;
            if !is_dead(&entry) {
                return Some(entry);
            }
            key = entry.0;
        }
    }

    pub fn set_global(&mut self, name: &str, value: Value) -> Result<(), Value> {
        let key = self.string(name.as_bytes())?;
        self.raw_set(self.globals, key, value)
    }

    pub fn global(&mut self, name: &str) -> Value {
        self.string(name.as_bytes()).map_or(Value::Nil, |key| self.raw_get(self.globals, key))
    }

    /// Keeps a value from being collected, under a number.
    pub fn keep(&mut self, value: Value) -> usize {
        if let Some(free) = self.kept.iter().position(|kept| kept.is_nil()) {
            self.kept[free] = value;
            return free;
        }
        self.kept.push(value);
        self.kept.len() - 1
    }

    /// Gives back a value that was kept, and lets go of it.
    pub fn take_kept(&mut self, number: usize) -> Value {
        self.kept.get_mut(number).map(std::mem::take).unwrap_or_default()
    }

    pub fn kept(&self, number: usize) -> Value {
        self.kept.get(number).copied().unwrap_or_default()
    }

    /// Compiles a text into a function with the globals as its environment.
    pub fn load(&mut self, text: &[u8], name: &str) -> Result<Value, CompileError> {
        let proto = compile(text, name.as_bytes(), self.room(), self.dialect)?;
        self.instantiate(&proto, Value::Table(self.globals)).map_err(|_| CompileError::out_of_memory())
    }

    /// A function of code that was compiled before, by this state or by any other.
    pub fn instantiate(&mut self, proto: &Arc<Proto>, environment: Value) -> Result<Value, Value> {
        self.retry(|state| {
            let loaded = state.load_proto(proto)?;
            let mut cells = Vec::with_capacity(proto.upvalues.len());
            for index in 0..proto.upvalues.len() {
                let value = if index == 0 { environment } else { Value::Nil };
                cells.push(state.heap.cell(value)?);
            }
            let upvalues = Upvalues::collect(cells.len(), cells.into_iter());
            state.heap.closure(loaded, upvalues).map(Value::Closure)
        })
    }

    pub(super) fn load_proto(&mut self, proto: &Arc<Proto>) -> Result<u32, OutOfMemory> {
        let growth = self.loaded.growth();
        let bytes = proto.size() + self.heap.long_names.cost(&proto.name);
        self.heap.account.charge_object(growth, bytes, size_of::<Loaded>())?;
        self.heap.long_names.add(&proto.name);
        if let Some(coverage) = &mut self.coverage {
            // Its lines are told of even if it is never called.
            coverage.number(proto);
        }
        Ok(self.loaded.insert(Loaded::new(proto.clone())))
    }

    /// Gives a function that is called for the first time its constants.
    #[cold]
    pub(super) fn make_ready(&mut self, loaded: u32) -> Result<(), Value> {
        let proto = self.loaded.get(loaded).proto.clone().expect("a closure's code is loaded");
        let body = proto.body();
        let mut own = self.retry(|state| state.heap.constants(body))?;
        if let Some(coverage) = &mut self.coverage {
            own.counter = coverage.number(&proto);
        }
        let code = self.loaded.get_mut(loaded);
        code.body = Some(body.clone());
        code.own = Some(Box::new(own));
        Ok(())
    }

    pub(crate) fn proto(&self, loaded: u32) -> &Proto {
        self.loaded.get(loaded).proto.as_deref().expect("a function that exists is loaded")
    }

    /// How many bytes of large texts were compiled since this was asked last. Compiling takes many times as much, in small
    /// blocks that an allocator may keep: a host that wants them back asks it then.
    pub fn take_compiled(&mut self) -> usize {
        std::mem::take(&mut self.compiled)
    }

    /// How many bytes may still be used.
    pub fn room(&self) -> usize {
        self.heap.account.limit.saturating_sub(self.heap.account.used)
    }

    pub(crate) fn is_memory_error(&self, error: Value) -> bool {
        error.raw_equals(self.heap.out_of_memory())
    }

    /// Tries an allocation again after a collection. It must have no effect when it fails.
    pub(crate) fn retry<T>(
        &mut self,
        mut allocate: impl FnMut(&mut Self) -> Result<T, OutOfMemory>,
    ) -> Result<T, Value> {
        if let Ok(value) = allocate(self) {
            return Ok(value);
        }
        self.collect();
        allocate(self).map_err(|_| self.heap.out_of_memory())
    }

    /// An error when so many bytes could not be allocated.
    pub(crate) fn check_room(&mut self, bytes: usize) -> Result<(), Value> {
        if bytes > self.room() { Err(self.heap.out_of_memory()) } else { Ok(()) }
    }

    /// Begins a program: the next run calls that function with these arguments.
    pub fn start(&mut self, function: Value, arguments: &[Value]) -> Result<(), Value> {
        let serial = self.heap.next_serial();
        if self.current != self.main {
            self.switch_to(self.main);
        }
        let before = self.thread.bytes();
        *self.thread = Thread::new(function, serial);
        // What a state begins with is there whatever the limit says.
        self.heap.account.release(before);
        self.heap.account.used += self.thread.bytes();
        self.thread.status = Status::Running;
        self.outgoing = None;
        self.nested = 0;
        self.give(true, arguments)
    }

    /// Gives a program that has left with [`Run::Yielded`] what it waits for.
    pub fn resume(&mut self, values: &[Value]) -> Result<(), Value> {
        self.fill_stack(self.current)?;
        self.thread.status = Status::Running;
        self.give(false, values)
    }

    pub(crate) fn is_main_thread(&self, thread: ThreadId) -> bool {
        thread == self.main
    }

    /// Charges bytes that a native holds between two of its steps. What is lost when a native never ends is found at
    /// the next collection.
    pub(crate) fn charge_buffer(&mut self, bytes: usize) -> Result<(), Value> {
        self.heap.account.charge(bytes).map_err(|_| self.heap.out_of_memory())?;
        self.heap.buffers += bytes;
        Ok(())
    }

    pub(crate) fn release_buffer(&mut self, bytes: usize) {
        self.heap.buffers = self.heap.buffers.saturating_sub(bytes);
        self.heap.account.release(bytes);
    }

    /// Whether the program waits for [`State::resume`].
    pub fn is_waiting(&self) -> bool {
        self.current == self.main && self.thread.status == Status::Suspended
    }

    /// Runs at most that many instructions. A program that has made many keys or texts collide gets fewer, as each may take as
    /// much longer.
    pub fn run(&mut self, host: &mut dyn Host, instructions: u64) -> Run {
        self.given = instructions;
        self.price = 1 + (self.heap.account.longest_chain / LONG_CHAIN) as u64;
        self.budget = (instructions / self.price).max(instructions.min(1));
        // While weak tables are cleared no program runs, and no handler of an error: it could find what is dead.
        if !self.is_clearing()
            && let Some(error) = self.interrupted()
            && let Err(error) = self.throw(host, error)
        {
            return Run::Error(error);
        }
        loop {
            if let Some(ended) = self.turn(host) {
                return ended;
            }
            if self.budget == 0 {
                return Run::OutOfBudget;
            }
        }
    }

    /// Runs until something had to be looked at; tells how the program ended or left, if it did.
    #[inline]
    pub(super) fn turn(&mut self, host: &mut dyn Host) -> Option<Run> {
        if let Err(error) = self.advance(host)
            && let Err(error) = self.throw(host, error)
        {
            return Some(Run::Error(error));
        }
        self.outgoing.as_ref()?;
        let (values, yielded) = self.outgoing.take()?;
        if !yielded {
            return Some(Run::Finished(values));
        }
        self.collect_while_waiting(&values);
        Some(Run::Yielded(values))
    }

    /// Whether something else comes before the next instruction: the begin of a coroutine, a hook, or weak tables.
    pub(super) fn is_between(&self) -> bool {
        self.starting.is_some() || self.hook_event.is_some() || self.is_clearing()
    }

    /// How many of the instructions of the last run are left.
    pub fn instructions_left(&self) -> u64 {
        self.budget.saturating_mul(self.price).min(self.given)
    }

    /// Runs until something has to be looked at.
    fn advance(&mut self, host: &mut dyn Host) -> Result<(), Value> {
        if self.is_clearing() {
            self.collect_some();
            return Ok(());
        }
        if let Some(count) = self.starting.take() {
            return self.call(host, 0, count, Ret::Finish);
        }
        if self.hook_event.is_some() {
            return self.hook_pending(host);
        }
        let exit = match self.unhooked() {
            u64::MAX => self.execute(),
            0 => {
                if self.hook_before(host)? {
                    return Ok(());
                }
                let budget = self.budget;
                self.budget = budget.min(1);
                let exit = self.execute();
                self.budget = budget.saturating_sub(1);
                exit
            }
            most => self.execute_some(most),
        };
        match exit {
            Exit::Slow(op) => {
                self.slow(host, op)?;
                if self.heap.account.is_due() && self.outgoing.is_none() {
                    self.collect_some();
                }
                Ok(())
            }
            Exit::Native => {
                let result = self.resume_native(host);
                // Counted afterwards, so that a native that only has one instruction's time gets somewhere.
                self.budget = self.budget.saturating_sub(1);
                result
            }
            Exit::Budget => Ok(()),
            Exit::Collect => {
                self.collect_some();
                Ok(())
            }
        }
    }
}
