//! Mark and sweep: everything that the machine can reach stays.
//!
//! It runs only between two instructions, when all that a program can still use is in the heap's roots.

use super::Arena;
use super::objects::{Bound, Closure, Event, Heap, Loaded, NO_TABLE};
use super::table::Table;
use crate::machine::Thread;
use crate::value::Value;

/// What a collection begins with.
#[derive(Debug)]
pub struct Roots<'a> {
    pub values: &'a [Value],
    pub thread: &'a Thread,
    /// How many registers of the running coroutine are in use.
    pub used: usize,
}

struct Marker<'a> {
    heap: &'a mut Heap,
    loaded: &'a mut Arena<Loaded>,
    /// Tables, functions and coroutines whose parts have not been looked at.
    grey: Vec<Value>,
    /// Tables with weak values, weak keys, or both.
    weak: Vec<(u32, bool, bool)>,
    work: u64,
    /// Bytes that living natives hold between their steps.
    buffers: usize,
}

impl Heap {
    /// Frees everything that cannot be reached; gives how much work it was.
    pub fn collect(&mut self, loaded: &mut Arena<Loaded>, roots: &Roots<'_>) -> u64 {
        let mut marker =
            Marker { heap: self, loaded, grey: Vec::new(), weak: Vec::new(), work: 0, buffers: 0 };
        marker.roots(roots);
        marker.trace();
        marker.ephemerons();
        let (work, buffers) = (marker.work, marker.buffers);
        let weak = std::mem::take(&mut marker.weak);
        for (table, keys, values) in weak {
            let mut owned = std::mem::take(self.tables.get_mut(table));
            owned.clear_dead(|value| self.is_dead(value), keys, values);
            *self.tables.get_mut(table) = owned;
        }
        self.sweep(loaded);
        self.account.release(self.buffers.saturating_sub(buffers));
        self.buffers = buffers;
        work
    }

    fn is_dead(&self, value: Value) -> bool {
        match value {
            Value::Table(id) => !self.tables.is_reached(id.0),
            Value::Closure(id) => !self.closures.is_reached(id.0),
            Value::Bound(id) => !self.bounds.is_reached(id.0),
            Value::Thread(id) => !self.threads.is_reached(id.0),
            _ => false,
        }
    }

    fn sweep(&mut self, loaded: &mut Arena<Loaded>) {
        let mut gone = self.strings.sweep();
        gone += sweep(&mut self.tables, Table::bytes);
        gone += sweep(&mut self.closures, Closure::bytes);
        gone += sweep(&mut self.bounds, Bound::bytes);
        gone += sweep(&mut self.cells, |_| 0);
        gone += sweep(&mut self.threads, |thread| thread.as_ref().map_or(0, |thread| thread.bytes()));
        gone += sweep(loaded, Loaded::bytes);
        self.account.release(gone);
    }
}

fn sweep<T: Default>(arena: &mut Arena<T>, size: impl Fn(&T) -> usize) -> usize {
    let mut gone = 0;
    let slots = arena.sweep(|object, _| gone += size(object));
    gone + slots
}

impl Marker<'_> {
    fn roots(&mut self, roots: &Roots<'_>) {
        for &value in roots.values {
            self.mark(value);
        }
        self.thread_parts(roots.thread, roots.used);
        for index in 0..self.heap.events().len() {
            let name = self.heap.events()[index];
            self.heap.strings.reach(name);
        }
        self.heap.strings.reach(self.heap.memory_message);
        let mut metas = self.heap.other_meta.to_vec();
        metas.push(self.heap.string_meta);
        for meta in metas {
            self.mark_table(meta);
        }
    }

    fn mark_table(&mut self, index: u32) {
        if index != NO_TABLE && self.heap.tables.reach(index) {
            self.grey.push(Value::Table(crate::value::TableId(index)));
        }
    }

    #[inline]
    fn mark(&mut self, value: Value) {
        match value {
            Value::String(id) => self.heap.strings.reach(id),
            Value::Table(id) => {
                if self.heap.tables.reach(id.0) {
                    self.grey.push(value);
                }
            }
            Value::Closure(id) => {
                if self.heap.closures.reach(id.0) {
                    self.grey.push(value);
                }
            }
            Value::Bound(id) => {
                if self.heap.bounds.reach(id.0) {
                    self.grey.push(value);
                }
            }
            Value::Thread(id) => {
                if self.heap.threads.reach(id.0) {
                    self.grey.push(value);
                }
            }
            // The mark of a key that is gone is no cell.
            Value::Cell(id) if id != u32::MAX => {
                if self.heap.cells.reach(id) {
                    let content = *self.heap.cells.get(id);
                    self.mark(content);
                }
            }
            Value::Nil | Value::Bool(_) | Value::Number(_) | Value::Native(_) | Value::Cell(_) => {}
        }
    }

    fn trace(&mut self) {
        while let Some(value) = self.grey.pop() {
            self.work += 1;
            match value {
                Value::Table(id) => self.table(id.0),
                Value::Closure(id) => {
                    let loaded = self.heap.closures.get(id.0).loaded;
                    let count = self.heap.closures.get(id.0).upvalues.len();
                    for index in 0..count {
                        let cell = self.heap.closures.get(id.0).upvalues[index];
                        self.mark(Value::Cell(cell));
                    }
                    self.loaded(loaded);
                }
                Value::Bound(id) => {
                    for index in 0..self.heap.bounds.get(id.0).values.len() {
                        self.mark(self.heap.bounds.get(id.0).values[index]);
                    }
                }
                Value::Thread(id) => {
                    // The one that runs is among the roots.
                    if let Some(thread) = self.heap.threads.get_mut(id.0).take() {
                        self.thread_parts(&thread, thread.stack.len());
                        *self.heap.threads.get_mut(id.0) = Some(thread);
                    }
                }
                _ => {}
            }
        }
    }

    /// A function's code keeps its constants, and the code of functions that were made in it.
    fn loaded(&mut self, first: u32) {
        let mut pending = vec![first];
        while let Some(index) = pending.pop() {
            if !self.loaded.reach(index) {
                continue;
            }
            for position in 0..self.loaded.get(index).constants.len() {
                self.mark(self.loaded.get(index).constants[position]);
            }
            let children = &self.loaded.get(index).children;
            pending.extend(children.iter().filter(|&&child| child != super::objects::NOT_LOADED));
        }
    }

    fn table(&mut self, index: u32) {
        let meta = self.heap.tables.get(index).meta;
        self.mark_table(meta);
        let (weak_keys, weak_values) = self.weakness(meta);
        let table = std::mem::take(self.heap.tables.get_mut(index));
        self.work += (table.array().len() + table.node_count()) as u64 / 8;
        if !weak_values {
            for &value in table.array() {
                self.mark(value);
            }
        }
        for (key, value) in table.nodes() {
            if value.is_nil() && !weak_keys {
                self.mark(key);
                continue;
            }
            // Texts are values and never vanish from a weak table.
            if !weak_keys || matches!(key, Value::String(_)) {
                self.mark(key);
            }
            if matches!(value, Value::String(_)) || (!weak_values && !weak_keys) {
                self.mark(value);
            }
        }
        *self.heap.tables.get_mut(index) = table;
        if weak_keys || weak_values {
            self.weak.push((index, weak_keys, weak_values));
        }
    }

    fn weakness(&mut self, meta: u32) -> (bool, bool) {
        if let Value::String(mode) = self.heap.handler_in(meta, Event::Mode) {
            let mode: &[u8] = self.heap.bytes(mode);
            return (mode.contains(&b'k'), mode.contains(&b'v'));
        }
        (false, false)
    }

    /// In a table with weak keys a value is reached through its key only; repeated until nothing more is found.
    fn ephemerons(&mut self) {
        loop {
            let tables: Vec<u32> = self
                .weak
                .iter()
                .filter(|(_, keys, values)| *keys && !*values)
                .map(|(index, ..)| *index)
                .collect();
            for index in tables {
                for node in 0..self.heap.tables.get(index).node_count() {
                    let (key, value) = self.heap.tables.get(index).node(node);
                    if !value.is_nil() && !self.heap.is_dead(key) {
                        self.mark(value);
                    }
                }
                for position in 0..self.heap.tables.get(index).array().len() {
                    let value = self.heap.tables.get(index).array()[position];
                    self.mark(value);
                }
            }
            if self.grey.is_empty() {
                return;
            }
            self.trace();
        }
    }

    fn thread_parts(&mut self, thread: &Thread, used: usize) {
        for &value in &thread.stack[..used.min(thread.stack.len())] {
            self.mark(value);
        }
        for frame in &thread.frames {
            if frame.closure != crate::machine::NO_CLOSURE {
                self.mark(Value::Closure(crate::value::ClosureId(frame.closure)));
            }
        }
        for cont in &thread.conts {
            self.buffers += cont.bytes();
            cont.values(&mut |value| self.mark(value));
        }
        self.mark(thread.hook.function);
        if let Some(resumer) = thread.resumer {
            self.mark(Value::Thread(resumer));
        }
    }
}
