//! Entries of tables with weak keys whose keys were not reached yet: a value is reached through its key only.
//!
//! Once its key is reached, an entry is found by it, so that a chain of such entries takes no longer than as many others.

use super::objects::Heap;
use crate::value::{BoundId, ClosureId, TableId, ThreadId, Value};

/// The key of an entry and its value.
type Entry = (Object, Object);

/// An object: its kind and its handle, in half the place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object(u64);

/// The kinds of objects; the handle stands below them.
const TABLE: u64 = 0;
const CLOSURE: u64 = 1 << 32;
const BOUND: u64 = 2 << 32;
const THREAD: u64 = 3 << 32;

impl Object {
    pub fn table(index: u32) -> Self {
        Self(TABLE | u64::from(index))
    }

    pub fn closure(index: u32) -> Self {
        Self(CLOSURE | u64::from(index))
    }

    pub fn bound(index: u32) -> Self {
        Self(BOUND | u64::from(index))
    }

    pub fn thread(index: u32) -> Self {
        Self(THREAD | u64::from(index))
    }

    #[expect(clippy::cast_possible_truncation, reason = "the handle is the lower half")]
    fn value(self) -> Value {
        let handle = self.0 as u32;
        match self.0 - u64::from(handle) {
            TABLE => Value::Table(TableId(handle)),
            CLOSURE => Value::Closure(ClosureId(handle)),
            BOUND => Value::Bound(BoundId(handle)),
            _ => Value::Thread(ThreadId(handle)),
        }
    }
}

impl Heap {
    /// The object that a value is, where it was not reached yet.
    pub fn unreached(&self, value: Value) -> Option<Object> {
        if !self.is_dead(value) {
            return None;
        }
        match value {
            Value::Table(id) => Some(Object::table(id.0)),
            Value::Closure(id) => Some(Object::closure(id.0)),
            Value::Bound(id) => Some(Object::bound(id.0)),
            Value::Thread(id) => Some(Object::thread(id.0)),
            _ => None,
        }
    }
}

/// The entries that wait for their keys: sorted lists, each at least twice as long as the one after it.
#[derive(Debug, Default)]
pub struct Waiting {
    lists: Vec<Vec<Entry>>,
}

impl Waiting {
    pub fn add(&mut self, entries: Vec<Entry>) {
        if entries.is_empty() {
            return;
        }
        let mut entries = entries;
        entries.sort_unstable();
        while let Some(last) = self.lists.pop_if(|last| last.len() < entries.len() * 2) {
            entries.extend(last);
            // Of two sorted parts this makes one without comparing each with each.
            entries.sort();
        }
        self.lists.push(entries);
    }

    /// The values of the entries with a key.
    pub fn values(&self, key: Object) -> Vec<Value> {
        let mut values = Vec::new();
        for list in &self.lists {
            let first = list.partition_point(|(other, _)| *other < key);
            let same = list[first..].iter().take_while(|(other, _)| *other == key);
            values.extend(same.map(|(_, value)| value.value()));
        }
        values
    }
}
