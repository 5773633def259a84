//! The heap of a state: its arenas, its account of bytes, and the names of metamethods.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Arena;
use super::collect::Collection;
use super::names::LongNames;
use super::small::{Bytes, Upvalues};
use super::strings::{Strings, Text, hash};
use super::table::Table;
use crate::compile::{Body, Constant, Proto};
use crate::machine::Thread;
use crate::value::{BoundId, ClosureId, NativeId, StringId, TableId, ThreadId, Value};

/// No metatable.
pub const NO_TABLE: u32 = u32::MAX;
/// What may be used above the limit to make an error message.
const RESERVE: usize = 4096;

/// What coroutines may use above the limit until the next collection.
const GROWTH_RESERVE: usize = 64 * 1024;

/// This share of the limit may a collection use above it for itself, until it ends: less than the tenth by which the process
/// may differ, and enough for half of the entries that tables with weak keys can have.
const COLLECTION_SHARE: usize = 16;

/// The least of it.
const COLLECTION_RESERVE: usize = 64 * 1024;

/// So many tables answer for a field without being counted: a program's globals are found behind two or three.
const SHORT_CHAIN: usize = 8;

/// The limit does not allow an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory;

/// Bytes in use and their limit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Account {
    pub used: usize,
    pub limit: usize,
    /// What was allocated since the last collection, with the slots of objects: those that are used again count too.
    pub allocated: usize,
    /// A collection is due when more than this was allocated.
    pub quota: usize,
    /// How often something was charged: in debug mode each time is followed by a collection.
    pub charges: u64,
    /// The charge at which memory runs out, for tests.
    pub fail_at: Option<u64>,
    /// How many keys or texts with one place were passed at most when another was added. Looking for one there may take as
    /// long each time: the machine runs fewer instructions at a time.
    pub longest_chain: usize,
}

impl Account {
    /// Notes how many were passed before something was added.
    #[inline]
    pub fn passed(&mut self, steps: usize) {
        self.longest_chain = self.longest_chain.max(steps);
    }

    #[inline]
    pub fn charge(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        if bytes == 0 {
            return Ok(());
        }
        self.charge_object(0, bytes, 0)
    }

    /// Charges an object: what its arena has to grow by, its own bytes, and the size of its slot.
    #[inline]
    pub fn charge_object(&mut self, growth: usize, bytes: usize, slot: usize) -> Result<(), OutOfMemory> {
        self.allocated += bytes + slot;
        let more = growth.saturating_add(bytes);
        if more == 0 {
            return Ok(());
        }
        let used = self.used.saturating_add(more);
        if used > self.limit {
            return Err(OutOfMemory);
        }
        self.charges += 1;
        if self.fail_at == Some(self.charges) {
            return Err(OutOfMemory);
        }
        self.used = used;
        Ok(())
    }

    /// Charges what a coroutine grows by. In the midst of a call nothing can be collected: a little may be taken above the
    /// limit, and the collection comes as soon as it can.
    pub fn charge_growth(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        if self.charge(bytes).is_ok() {
            return Ok(());
        }
        let used = self.used.saturating_add(bytes);
        if used <= self.limit || used > self.limit.saturating_add(GROWTH_RESERVE) {
            return Err(OutOfMemory);
        }
        self.used = used;
        self.quota = 0;
        Ok(())
    }

    /// Charges what a collection uses for itself, and gives back when it ends. False where memory does not allow it.
    pub fn charge_collection(&mut self, bytes: usize) -> bool {
        let used = self.used.saturating_add(bytes);
        let reserve = COLLECTION_RESERVE.max(self.limit / COLLECTION_SHARE);
        let allowed = used <= self.limit.saturating_add(reserve);
        if allowed {
            self.used = used;
        }
        allowed
    }

    /// Whether a collection is due.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.allocated > self.quota
    }

    #[inline]
    pub fn release(&mut self, bytes: usize) {
        self.used = self.used.saturating_sub(bytes);
    }
}

/// A Lua function: its code and what it shares with other functions.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Closure {
    pub loaded: u32,
    pub upvalues: Upvalues,
    pub serial: u32,
}

/// What the allocator of the process takes for a small block: a word of its own, in steps of sixteen bytes.
pub fn block(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}

impl Closure {
    pub fn bytes(&self) -> usize {
        self.upvalues.bytes()
    }
}

/// A native with values of its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Bound {
    pub native: NativeId,
    pub values: Box<[Value]>,
    pub serial: u32,
}

impl Bound {
    pub fn bytes(&self) -> usize {
        block(size_of_val(&*self.values))
    }
}

impl Default for Bound {
    fn default() -> Self {
        Self { native: NativeId(0), values: Box::default(), serial: 0 }
    }
}

/// A compiled function in one state: its constants as values of that state.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Loaded {
    #[serde(skip)]
    pub proto: Option<Arc<Proto>>,
    /// What runs, once it was called: many functions never are.
    #[serde(skip)]
    pub body: Option<Arc<Body>>,
    /// What it has in this state, once it was called.
    pub own: Option<Box<Own>>,
}

/// What a compiled function that was called has in one state.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Own {
    pub constants: Box<[Value]>,
    /// The handles of its children, once they are used.
    pub children: Box<[u32]>,
    /// Under which number its lines are counted, where they are.
    #[serde(skip, default = "not_counted")]
    pub counter: u32,
}

macro_rules! events {
    ($($name:ident $text:literal),* $(,)?) => {
        /// What a metatable can answer to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Event { $($name),* }

        impl Event {
            const ALL: &'static [&'static str] = &[$($text),*];
        }
    };
}

events! {
    Index "__index", NewIndex "__newindex", Call "__call", Equal "__eq", Less "__lt", LessEqual "__le",
    Concat "__concat", Length "__len", Add "__add", Sub "__sub", Mul "__mul", Div "__div", Mod "__mod",
    Pow "__pow", Negate "__unm", Mode "__mode", ToString "__tostring", Name "__name", Metatable "__metatable",
    Pairs "__pairs", IPairs "__ipairs",
}

/// Everything that a state's program can reach.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Heap {
    pub strings: Strings,
    pub tables: Arena<Table>,
    pub closures: Arena<Closure>,
    pub bounds: Arena<Bound>,
    pub cells: Arena<Value>,
    /// The coroutines but for the one that runs, which the state holds.
    pub threads: Arena<Option<Box<Thread>>>,
    pub account: Account,
    pub serial: u32,
    /// The names of metamethods.
    events: Box<[StringId]>,
    /// The metatable of all strings.
    pub string_meta: u32,
    /// Metatables of nil, booleans, numbers, functions and coroutines, which only `debug.setmetatable` sets.
    pub other_meta: [u32; 5],
    pub memory_message: StringId,
    /// Bytes that natives hold between their steps.
    pub buffers: usize,
    pub collection: Collection,
    #[serde(skip)]
    pub long_names: LongNames,
}

impl Heap {
    pub fn new(limit: usize) -> Self {
        let account = Account {
            used: 0,
            limit: usize::MAX,
            allocated: 0,
            quota: usize::MAX,
            charges: 0,
            fail_at: None,
            longest_chain: 0,
        };
        let mut heap = Self {
            strings: Strings::default(),
            tables: Arena::default(),
            closures: Arena::default(),
            bounds: Arena::default(),
            cells: Arena::default(),
            threads: Arena::default(),
            account,
            serial: 0,
            events: Box::default(),
            string_meta: NO_TABLE,
            other_meta: [NO_TABLE; 5],
            memory_message: StringId { index: 0, hash: 0 },
            buffers: 0,
            collection: Collection::default(),
            long_names: LongNames::default(),
        };
        let first = "there is no limit while a state is made";
        heap.memory_message = heap.string(b"not enough memory").expect(first);
        heap.events = Event::ALL.iter().map(|name| heap.string(name.as_bytes()).expect(first)).collect();
        heap.account.limit = limit;
        heap
    }

    pub fn events(&self) -> &[StringId] {
        &self.events
    }

    pub fn next_serial(&mut self) -> u32 {
        self.serial = self.serial.wrapping_add(1);
        self.serial
    }

    pub fn string(&mut self, bytes: &[u8]) -> Result<StringId, OutOfMemory> {
        let hash = hash(bytes);
        match self.strings.find(bytes, hash) {
            Ok(id) => return Ok(id),
            Err(passed) => self.account.passed(passed),
        }
        let (growth, cost) = self.strings.cost(bytes.len());
        self.account.charge_object(growth, cost, size_of::<Text>())?;
        Ok(self.strings.add(Bytes::copy(bytes), hash))
    }

    /// A part of a text.
    pub fn substring(&mut self, text: StringId, range: Range<usize>) -> Result<StringId, OutOfMemory> {
        let (found, hash) = self.strings.find_part(text, range.clone());
        match found {
            Ok(id) => return Ok(id),
            Err(passed) => self.account.passed(passed),
        }
        let (growth, cost) = self.strings.cost(range.len());
        self.account.charge_object(growth, cost, size_of::<Text>())?;
        let bytes = Bytes::copy(&self.strings.bytes(text)[range]);
        Ok(self.strings.add(bytes, hash))
    }

    /// A text whose bytes have been made already.
    pub fn string_from(&mut self, bytes: Vec<u8>) -> Result<StringId, OutOfMemory> {
        let hash = hash(&bytes);
        match self.strings.find(&bytes, hash) {
            Ok(id) => return Ok(id),
            Err(passed) => self.account.passed(passed),
        }
        let (growth, cost) = self.strings.cost(bytes.len());
        self.account.charge_object(growth, cost, size_of::<Text>())?;
        Ok(self.strings.add(Bytes::from(bytes), hash))
    }

    /// How many bytes lie in slots without an object.
    pub fn spare(&self) -> usize {
        self.strings.spare()
            + self.tables.spare()
            + self.closures.spare()
            + self.bounds.spare()
            + self.cells.spare()
            + self.threads.spare()
    }

    /// Gives back the room that no object has used; tells how many bytes of that were counted.
    pub fn fit(&mut self) -> usize {
        self.tables.fit();
        self.closures.fit();
        self.bounds.fit();
        self.cells.fit();
        self.threads.fit();
        self.strings.fit()
    }

    /// Makes room for as many objects again, for copies that go on from here.
    pub fn double_room(&mut self) {
        self.tables.double_room();
        self.closures.double_room();
        self.bounds.double_room();
        self.cells.double_room();
        self.strings.double_room();
    }

    /// How many bytes are in use, counted from the objects that are there.
    pub fn measured(&self) -> usize {
        fn all<T: Default>(arena: &Arena<T>, size: impl Fn(&T) -> usize) -> usize {
            arena.bytes() + arena.iter_used().map(|(_, object)| size(object)).sum::<usize>()
        }
        self.strings.measured()
            + all(&self.tables, Table::bytes)
            + all(&self.closures, Closure::bytes)
            + all(&self.bounds, Bound::bytes)
            + all(&self.cells, |_| 0)
            + all(&self.threads, |thread| thread.as_ref().map_or(0, |thread| thread.bytes()))
            + self.buffers
            + self.collection.bytes()
    }

    /// The text of an error, for which a little more than the limit may be used.
    pub fn message(&mut self, bytes: &[u8]) -> Value {
        let limit = self.account.limit;
        let fail_at = self.account.fail_at.take();
        self.account.limit = limit.saturating_add(RESERVE);
        let text = self.string(bytes);
        self.account.limit = limit;
        self.account.fail_at = fail_at;
        Value::String(text.unwrap_or(self.memory_message))
    }

    pub fn out_of_memory(&self) -> Value {
        Value::String(self.memory_message)
    }

    #[inline]
    pub fn bytes(&self, id: StringId) -> &[u8] {
        self.strings.bytes(id)
    }

    #[inline]
    pub fn table(&mut self, array: usize, nodes: usize) -> Result<TableId, OutOfMemory> {
        // The slots of an arena are counted when it grows; a table is counted so that collections keep pace.
        let growth = self.tables.growth();
        self.account.charge_object(growth, 0, size_of::<Table>())?;
        let mut table = Table::default();
        table.serial = self.next_serial();
        let reserved = table.reserve_array(array, &mut self.account);
        if let Err(error) = reserved.and_then(|()| table.reserve_nodes(nodes, &mut self.account)) {
            self.account.release(growth + table.bytes());
            return Err(error);
        }
        Ok(TableId(self.tables.insert(table)))
    }

    #[inline]
    pub fn cell(&mut self, value: Value) -> Result<u32, OutOfMemory> {
        self.account.charge_object(self.cells.growth(), 0, size_of::<Value>())?;
        Ok(self.cells.insert(value))
    }

    pub fn closure(&mut self, loaded: u32, upvalues: Upvalues) -> Result<ClosureId, OutOfMemory> {
        let bytes = upvalues.bytes();
        self.account.charge_object(self.closures.growth(), bytes, size_of::<Closure>())?;
        let serial = self.next_serial();
        Ok(ClosureId(self.closures.insert(Closure { loaded, upvalues, serial })))
    }

    pub fn bound(&mut self, native: NativeId, values: &[Value]) -> Result<BoundId, OutOfMemory> {
        let bytes = block(size_of_val(values));
        self.account.charge_object(self.bounds.growth(), bytes, size_of::<Bound>())?;
        let serial = self.next_serial();
        Ok(BoundId(self.bounds.insert(Bound { native, values: values.into(), serial })))
    }

    pub fn thread(&mut self, thread: Thread) -> Result<ThreadId, OutOfMemory> {
        self.account.charge_object(self.threads.growth(), thread.bytes(), 0)?;
        Ok(ThreadId(self.threads.insert(Some(Box::new(thread)))))
    }

    pub fn set(&mut self, table: TableId, key: Value, value: Value) -> Result<(), OutOfMemory> {
        self.tables.get_mut(table.0).set(key, value, &mut self.account)
    }

    /// Natives have other numbers than when they became keys.
    pub fn natives_have_moved(&mut self) {
        self.tables.for_each_used(|_, table| table.natives_have_moved());
    }

    pub fn get(&self, table: TableId, key: Value) -> Value {
        self.tables.get(table.0).get(key)
    }

    /// The metatable of any value.
    #[inline]
    pub fn metatable(&self, value: Value) -> u32 {
        match value {
            Value::Table(id) => self.tables.get(id.0).meta,
            Value::String(_) => self.string_meta,
            Value::Nil => self.other_meta[0],
            Value::Bool(_) => self.other_meta[1],
            Value::Number(_) => self.other_meta[2],
            Value::Closure(_) | Value::Native(_) | Value::Bound(_) => self.other_meta[3],
            Value::Thread(_) => self.other_meta[4],
            Value::Cell(_) => NO_TABLE,
        }
    }

    pub fn set_metatable(&mut self, value: Value, meta: u32) {
        match value {
            Value::Table(id) => self.tables.get_mut(id.0).meta = meta,
            Value::String(_) => self.string_meta = meta,
            Value::Nil => self.other_meta[0] = meta,
            Value::Bool(_) => self.other_meta[1] = meta,
            Value::Number(_) => self.other_meta[2] = meta,
            Value::Closure(_) | Value::Native(_) | Value::Bound(_) => self.other_meta[3] = meta,
            Value::Thread(_) => self.other_meta[4] = meta,
            Value::Cell(_) => {}
        }
    }

    /// What a metatable answers to an event with.
    #[inline]
    pub fn handler_in(&mut self, meta: u32, event: Event) -> Value {
        if meta == NO_TABLE {
            return Value::Nil;
        }
        let bit = 1 << event as u32;
        let table = self.tables.quiet_mut(meta);
        if table.absent & bit != 0 {
            return Value::Nil;
        }
        let found = table.get_string(self.events[event as usize]);
        if found.is_nil() {
            table.absent |= bit;
        }
        found
    }

    #[inline]
    pub fn handler(&mut self, value: Value, event: Event) -> Value {
        let meta = self.metatable(value);
        self.handler_in(meta, event)
    }

    /// What a table without a field of that name has it from: the tables that `__index` leads through from its
    /// metatable on. Nothing when something else than a table answers.
    pub fn inherited(&mut self, meta: u32, key: StringId) -> Option<Value> {
        let mut meta = meta;
        for _ in 0..SHORT_CHAIN {
            if meta == NO_TABLE {
                return Some(Value::Nil);
            }
            match self.handler_in(meta, Event::Index) {
                Value::Nil => return Some(Value::Nil),
                Value::Table(id) => {
                    let table = self.tables.get(id.0);
                    let value = table.get_string(key);
                    if !value.is_nil() {
                        return Some(value);
                    }
                    meta = table.meta;
                }
                _ => return None,
            }
        }
        None
    }

    /// The constants of a compiled function as values of this state, and room for the handles of its children.
    pub fn constants(&mut self, body: &Body) -> Result<Own, OutOfMemory> {
        let children = vec![NOT_LOADED; body.children.len()].into_boxed_slice();
        let bytes = Own::bytes(body.constants.len(), children.len());
        self.account.charge(bytes)?;
        let mut constants = Vec::with_capacity(body.constants.len());
        for constant in &body.constants {
            constants.push(match constant {
                Constant::Nil => Value::Nil,
                Constant::Bool(value) => Value::Bool(*value),
                Constant::Number(number) => Value::Number(*number),
                Constant::String(_) | Constant::Static(_) => {
                    match self.string(constant.text().unwrap_or_default()) {
                        Ok(text) => Value::String(text),
                        Err(error) => {
                            self.account.release(bytes);
                            return Err(error);
                        }
                    }
                }
            });
        }
        Ok(Own { constants: constants.into(), children, counter: u32::MAX })
    }
}

fn not_counted() -> u32 {
    u32::MAX
}

/// A child that no closure was made of yet.
pub const NOT_LOADED: u32 = u32::MAX;

impl Own {
    fn bytes(constants: usize, children: usize) -> usize {
        block(size_of::<Self>()) + block(constants * size_of::<Value>()) + block(children * size_of::<u32>())
    }
}

impl Loaded {
    pub fn constants(&self) -> &[Value] {
        self.own.as_ref().map_or(&[], |own| &own.constants)
    }

    pub fn children(&self) -> &[u32] {
        self.own.as_ref().map_or(&[], |own| &own.children)
    }

    /// A compiled function in a state. Its constants follow when it is first called: many never are.
    pub fn new(proto: Arc<Proto>) -> Self {
        Self { proto: Some(proto), ..Self::default() }
    }

    /// Whether it can run: its constants are there.
    #[inline]
    pub fn is_ready(&self) -> bool {
        self.body.is_some()
    }

    pub fn bytes(&self) -> usize {
        let own = self.own.as_ref().map_or(0, |own| Own::bytes(own.constants.len(), own.children.len()));
        own + self.proto.as_ref().map_or(0, |proto| proto.size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Make = fn(&mut Heap, &str) -> Result<StringId, OutOfMemory>;

    #[test]
    fn texts_that_collide_are_noticed_however_they_are_made() {
        let in_one_bucket = |text: &String| hash(text.as_bytes()).is_multiple_of(1 << 16);
        let texts: Vec<String> =
            (0..u32::MAX).map(|number| number.to_string()).filter(in_one_bucket).take(10).collect();
        let make: [Make; 3] = [
            |heap, text| heap.string(text.as_bytes()),
            |heap, text| heap.string_from(text.as_bytes().to_vec()),
            |heap, text| {
                let whole = heap.string(format!("-{text}").as_bytes())?;
                heap.substring(whole, 1..text.len() + 1)
            },
        ];
        for make in make {
            let mut heap = Heap::new(usize::MAX);
            let before = heap.account.longest_chain;
            for text in &texts {
                make(&mut heap, text).expect("there is room");
            }
            assert!(before < 5 && heap.account.longest_chain >= texts.len() - 1);
        }
    }
}
