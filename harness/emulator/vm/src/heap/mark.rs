//! What a collection reaches from the roots.

use serde::{Deserialize, Serialize};

use super::Arena;
use super::clearing::Clearing;
use super::collect::Roots;
use super::ephemerons::Object;
use super::objects::{Event, Heap, Loaded, NO_TABLE, NOT_LOADED};
use crate::machine::{NO_CLOSURE, Thread};
use crate::value::{StringId, Value};

/// So many entries of a table are looked at in one go.
pub(super) const SLICE: usize = 4096;

/// An object whose parts have not been looked at.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub enum Grey {
    /// A table, from an entry on: those of the array come first.
    Table(u32, usize),
    /// The same for one that has changed since it was looked at.
    Again(u32, usize),
    Closure(u32),
    Bound(u32),
    Thread(u32),
    Loaded(u32),
}

/// Marks objects. One unit of work is one value that was looked at.
pub struct Marker<'a> {
    pub(super) heap: &'a mut Heap,
    loaded: &'a mut Arena<Loaded>,
    pub(super) work: usize,
    /// While weak tables are cleared.
    pub(super) clearing: Option<Box<Clearing>>,
}

impl<'a> Marker<'a> {
    pub fn new(heap: &'a mut Heap, loaded: &'a mut Arena<Loaded>) -> Self {
        Self { heap, loaded, work: 0, clearing: None }
    }

    /// How much work it was.
    pub fn done(self) -> usize {
        self.work
    }

    pub fn roots(&mut self, roots: &Roots<'_>) {
        self.work += roots.values.len() + roots.used;
        for &value in roots.values {
            self.mark(value);
        }
        self.thread_parts(roots.thread, roots.used);
        for index in 0..self.heap.events().len() {
            let name = self.heap.events()[index];
            self.mark_text(name);
        }
        self.mark_text(self.heap.memory_message);
        for meta in self.heap.other_meta {
            self.mark_table(meta);
        }
        self.mark_table(self.heap.string_meta);
    }

    fn mark_text(&mut self, text: StringId) {
        self.heap.strings.reach(text);
    }

    fn mark_table(&mut self, index: u32) {
        if index != NO_TABLE && self.heap.tables.reach(index) {
            self.note(Grey::Table(index, 0));
        }
    }

    fn mark_loaded(&mut self, index: u32) {
        if self.loaded.reach(index) {
            self.note(Grey::Loaded(index));
        }
    }

    #[inline]
    pub(super) fn mark(&mut self, value: Value) {
        let grey = match value {
            Value::String(id) => return self.mark_text(id),
            Value::Table(id) if self.heap.tables.reach(id.0) => Grey::Table(id.0, 0),
            Value::Closure(id) if self.heap.closures.reach(id.0) => Grey::Closure(id.0),
            Value::Bound(id) if self.heap.bounds.reach(id.0) => Grey::Bound(id.0),
            Value::Thread(id) if self.heap.threads.reach(id.0) => Grey::Thread(id.0),
            // The mark of a key that is gone is no cell.
            Value::Cell(id) if id != u32::MAX => return self.mark_cell(id),
            _ => return,
        };
        self.note(grey);
    }

    /// Notes an object that was just reached. Where there is no memory for that, its mark says so.
    #[inline]
    fn note(&mut self, grey: Grey) {
        let heap = &mut *self.heap;
        if heap.collection.grey.push(grey, &mut heap.account) {
            return;
        }
        match grey {
            Grey::Table(index, _) | Grey::Again(index, _) => heap.tables.put_off(index),
            Grey::Closure(index) => heap.closures.put_off(index),
            Grey::Bound(index) => heap.bounds.put_off(index),
            Grey::Thread(index) => heap.threads.put_off(index),
            Grey::Loaded(index) => self.loaded.put_off(index),
        }
    }

    fn mark_cell(&mut self, id: u32) {
        if self.heap.cells.reach(id) {
            // No cell holds another.
            self.mark(*self.heap.cells.get(id));
        }
    }

    /// Looks at objects until so much work is done; false when none are left.
    pub fn trace(&mut self, limit: usize) -> bool {
        while self.work < limit {
            self.work += 1;
            let heap = &mut *self.heap;
            match heap.collection.grey.pop(&mut heap.account) {
                Some(Grey::Table(index, from)) => {
                    if from == 0 {
                        self.reached(Object::table(index));
                    }
                    self.table(index, from, Grey::Table);
                }
                Some(Grey::Again(index, from)) => {
                    if from == 0 {
                        self.reached(Object::table(index));
                    }
                    // Empty ones count too: there may be very many.
                    self.heap.collection.again += 1 + self.table(index, from, Grey::Again);
                }
                Some(Grey::Closure(index)) => {
                    self.reached(Object::closure(index));
                    self.closure(index);
                }
                Some(Grey::Bound(index)) => {
                    self.reached(Object::bound(index));
                    self.bound(index);
                }
                Some(Grey::Thread(index)) => {
                    self.reached(Object::thread(index));
                    self.thread(index);
                }
                Some(Grey::Loaded(index)) => self.code(index),
                None => {
                    if !self.touched() {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Looks at objects that have changed or were put off; false when there are none.
    fn touched(&mut self) -> bool {
        if let Some(index) = self.heap.tables.take_touched(&mut self.work) {
            self.heap.collection.grey.push_anyway(Grey::Again(index, 0));
        } else if let Some(index) = self.heap.cells.take_touched(&mut self.work) {
            self.mark(*self.heap.cells.get(index));
        } else if let Some(index) = self.heap.closures.take_touched(&mut self.work) {
            self.reached(Object::closure(index));
            self.closure(index);
        } else if let Some(index) = self.heap.bounds.take_touched(&mut self.work) {
            self.reached(Object::bound(index));
            self.bound(index);
        } else if let Some(index) = self.heap.threads.take_touched(&mut self.work) {
            self.reached(Object::thread(index));
            self.thread(index);
        } else if let Some(index) = self.loaded.take_touched(&mut self.work) {
            self.code(index);
        } else {
            return false;
        }
        true
    }

    fn closure(&mut self, index: u32) {
        let count = self.heap.closures.get(index).upvalues.len();
        self.work += count;
        for position in 0..count {
            let cell = self.heap.closures.get(index).upvalues[position];
            self.mark_cell(cell);
        }
        self.mark_loaded(self.heap.closures.get(index).loaded);
    }

    fn bound(&mut self, index: u32) {
        let count = self.heap.bounds.get(index).values.len();
        self.work += count;
        for position in 0..count {
            self.mark(self.heap.bounds.get(index).values[position]);
        }
    }

    fn thread(&mut self, index: u32) {
        // The one that runs is among the roots.
        if let Some(thread) = self.heap.threads.quiet_mut(index).take() {
            self.work += thread.stack.len();
            self.thread_parts(&thread, thread.stack.len());
            *self.heap.threads.quiet_mut(index) = Some(thread);
        }
    }

    /// A function's code keeps its constants, and the code of functions that were made in it.
    fn code(&mut self, index: u32) {
        self.work += self.loaded.get(index).constants().len();
        for position in 0..self.loaded.get(index).constants().len() {
            self.mark(self.loaded.get(index).constants()[position]);
        }
        for position in 0..self.loaded.get(index).children().len() {
            let child = self.loaded.get(index).children()[position];
            if child != NOT_LOADED {
                self.mark_loaded(child);
            }
        }
    }

    /// Looks at a part of a table's entries, from one on; gives how many there were.
    fn table(&mut self, index: u32, from: usize, rest: fn(u32, usize) -> Grey) -> usize {
        let meta = self.heap.tables.get(index).meta;
        self.mark_table(meta);
        let (weak_keys, weak_values) = self.weakness(meta);
        let table = std::mem::take(self.heap.tables.quiet_mut(index));
        let entries = table.entry_count();
        let to = entries.min(from + SLICE);
        let count = to.saturating_sub(from);
        self.work += count;
        if to < entries {
            // What this part leads to is looked at before the rest: few objects wait at a time.
            self.heap.collection.grey.push_anyway(rest(index, to));
        }
        // With every part: it may have become weak since the one before. Where there is no memory to note it, it keeps what it
        // has until the next collection.
        let heap = &mut *self.heap;
        let is_weak = (weak_keys || weak_values)
            && heap.collection.add_weak((index, weak_keys, weak_values), &mut heap.account);
        let weak_keys = weak_keys && is_weak;
        // A weak table keeps texts, which are values and never vanish from it, and keys where only its values are weak.
        let keeps = |value: Value| !is_weak || matches!(value, Value::String(_));
        let keeps_key = |key: Value| !weak_keys || matches!(key, Value::String(_));
        let array = table.array();
        for &value in array.get(from..to.min(array.len())).unwrap_or_default() {
            if keeps(value) {
                self.mark(value);
            }
        }
        for node in from.max(array.len())..to {
            let (key, value) = table.node(node - array.len());
            if keeps_key(key) {
                self.mark(key);
            }
            if keeps(value) {
                self.mark(value);
            }
        }
        *self.heap.tables.quiet_mut(index) = table;
        count
    }

    fn weakness(&mut self, meta: u32) -> (bool, bool) {
        if let Value::String(mode) = self.heap.handler_in(meta, Event::Mode) {
            let mode: &[u8] = self.heap.bytes(mode);
            return (mode.contains(&b'k'), mode.contains(&b'v'));
        }
        (false, false)
    }

    /// Marks what was not marked yet. False where that is more than so much work: then what is left has to be traced first,
    /// and the program may run meanwhile.
    pub fn finish(&mut self, roots: &Roots<'_>, work: usize) -> bool {
        self.roots(roots);
        self.check_weakness();
        let limit = self.work.saturating_add(work);
        !self.trace(limit)
    }

    /// Looks again at tables whose metatable has changed since they were found to be weak.
    fn check_weakness(&mut self) {
        let mut weak = std::mem::take(&mut self.heap.collection.weak);
        // One that was looked at again is there more than once.
        weak.sort_unstable();
        weak.dedup();
        self.work += weak.len();
        weak.retain(|&(index, keys, values)| {
            let meta = self.heap.tables.get(index).meta;
            let stays = self.weakness(meta) == (keys, values);
            if !stays {
                self.note(Grey::Table(index, 0));
            }
            stays
        });
        self.heap.collection.weak = weak;
    }

    /// Marks what has waited for an object that was reached.
    #[inline]
    fn reached(&mut self, object: Object) {
        if let Some(clearing) = self.clearing.take() {
            self.work += clearing.waiting.each_value(object, |value| self.mark(value));
            self.clearing = Some(clearing);
        }
    }

    fn thread_parts(&mut self, thread: &Thread, used: usize) {
        for &value in &thread.stack[..used.min(thread.stack.len())] {
            self.mark(value);
        }
        for frame in &thread.frames {
            if frame.closure != NO_CLOSURE {
                self.mark(Value::Closure(crate::value::ClosureId(frame.closure)));
            }
        }
        for cont in &thread.conts {
            cont.values(&mut |value| self.mark(value));
        }
        self.mark(thread.hook.function);
        if let Some(resumer) = thread.resumer {
            self.mark(Value::Thread(resumer));
        }
    }
}

impl Heap {
    pub fn is_dead(&self, value: Value) -> bool {
        match value {
            Value::Table(id) => !self.tables.is_reached(id.0),
            Value::Closure(id) => !self.closures.is_reached(id.0),
            Value::Bound(id) => !self.bounds.is_reached(id.0),
            Value::Thread(id) => !self.threads.is_reached(id.0),
            _ => false,
        }
    }
}
