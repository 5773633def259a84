//! Entries of tables with weak keys whose keys were not reached yet: a value is reached through its key only.
//!
//! Once its key is reached, an entry is found by it, so that a chain of such entries takes no longer than as many others.

use serde::{Deserialize, Serialize};

use super::objects::Heap;
use crate::value::{BoundId, ClosureId, TableId, ThreadId, Value};

/// Room where the number of entries was not known.
const SMALLEST: usize = 1024;

/// An object: its kind and its handle, in half the place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// No further entry in a chain.
const LAST: u32 = u32::MAX;

/// The entries that wait for their keys. It grows by parts, each with room for twice as many as the one before: none is
/// arranged anew, which would take long.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Waiting {
    parts: Vec<Part>,
}

/// Entries in chains by the hashes of their keys.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Part {
    /// Where the chains begin: a power of two.
    chains: Vec<u32>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Entry {
    key: Object,
    value: Object,
    next: u32,
}

impl Waiting {
    /// For about so many entries.
    pub fn with_room(entries: usize) -> Self {
        Self { parts: if entries == 0 { Vec::new() } else { vec![Part::with_room(entries)] } }
    }

    pub fn add(&mut self, key: Object, value: Object) {
        let part = match self.parts.last_mut() {
            Some(part) if !part.is_full() => part,
            // Tables that were found through others.
            last => {
                let room = last.map_or(SMALLEST, |part| SMALLEST.max(2 * part.entries.len()));
                self.parts.push(Part::with_room(room));
                self.parts.last_mut().expect("it was just put there")
            }
        };
        part.add(key, value);
    }

    /// The values of the entries with a key, and how many entries were looked at.
    pub fn values(&self, key: Object) -> (Vec<Value>, usize) {
        let (mut values, mut seen) = (Vec::new(), 0);
        for part in &self.parts {
            let mut at = part.chains[part.chain(key)];
            while at != LAST {
                let entry = part.entries[at as usize];
                if entry.key == key {
                    values.push(entry.value.value());
                }
                at = entry.next;
                seen += 1;
            }
        }
        (values, seen)
    }
}

impl Part {
    fn with_room(entries: usize) -> Self {
        let chains = entries.div_ceil(2).next_power_of_two();
        Self { chains: vec![LAST; chains], entries: Vec::with_capacity(entries) }
    }

    fn is_full(&self) -> bool {
        self.entries.len() == self.entries.capacity()
    }

    fn add(&mut self, key: Object, value: Object) {
        let chain = self.chain(key);
        let entry = Entry { key, value, next: self.chains[chain] };
        self.chains[chain] = u32::try_from(self.entries.len()).expect("there are fewer objects than handles");
        self.entries.push(entry);
    }

    fn chain(&self, key: Object) -> usize {
        let hash = (key.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        hash & (self.chains.len() - 1)
    }
}
