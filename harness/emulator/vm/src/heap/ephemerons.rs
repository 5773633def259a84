//! Entries of tables with weak keys whose keys were not reached yet: a value is reached through its key only.
//!
//! Once its key is reached, an entry is found by it, so that a chain of such entries takes no longer than as many others.

use serde::{Deserialize, Serialize};

use super::objects::{Account, Heap};
use crate::value::{BoundId, ClosureId, TableId, ThreadId, Value};

/// Room where the number of entries was not known, and the least that is worth a part of its own.
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

/// The entries that wait for their keys. It grows by parts, each with room for twice as many as the one before, where memory
/// allows it: none is arranged anew, which would take long.
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
    /// For so many entries.
    room: usize,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Entry {
    key: Object,
    value: Object,
    next: u32,
}

impl Waiting {
    /// For about so many entries, or as many as there is memory for.
    pub fn with_room(entries: usize, account: &mut Account) -> Self {
        let mut waiting = Self::default();
        if entries > 0 {
            waiting.grow(entries, account);
        }
        waiting
    }

    /// False where there is no memory for another entry.
    pub fn add(&mut self, key: Object, value: Object, account: &mut Account) -> bool {
        if self.parts.last().is_none_or(Part::is_full) {
            // Tables that were found through others.
            let room = self.parts.last().map_or(SMALLEST, |part| SMALLEST.max(2 * part.room));
            if !self.grow(room, account) {
                return false;
            }
        }
        let part = self.parts.last_mut().expect("one that is not full was there or was just put there");
        part.add(key, value);
        true
    }

    /// The bytes that it takes and that were charged for it.
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|part| Part::bytes(part.room)).sum()
    }

    /// Adds a part, a smaller one where memory is short: each next one is half as large then, so that they stay few.
    fn grow(&mut self, mut room: usize, account: &mut Account) -> bool {
        while !account.charge_collection(Part::bytes(room)) {
            if room <= SMALLEST {
                return false;
            }
            room = SMALLEST.max(room / 2);
        }
        self.parts.push(Part::with_room(room));
        true
    }

    /// Calls back with the value of each entry with a key; tells how many entries were looked at.
    pub fn each_value(&self, key: Object, mut each: impl FnMut(Value)) -> usize {
        let mut seen = 0;
        for part in &self.parts {
            let mut at = part.chains[part.chain(key)];
            while at != LAST {
                let entry = part.entries[at as usize];
                if entry.key == key {
                    each(entry.value.value());
                }
                at = entry.next;
                seen += 1;
            }
        }
        seen
    }
}

impl Part {
    fn with_room(room: usize) -> Self {
        Self { chains: vec![LAST; Self::chains(room)], entries: Vec::with_capacity(room), room }
    }

    fn chains(room: usize) -> usize {
        room.div_ceil(2).next_power_of_two()
    }

    fn bytes(room: usize) -> usize {
        room * size_of::<Entry>() + Self::chains(room) * size_of::<u32>()
    }

    fn is_full(&self) -> bool {
        self.entries.len() == self.room
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
