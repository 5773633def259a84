//! The end of marking where there are weak tables: values are reached through their weak keys, then entries whose key or
//! value is dead are cleared.
//!
//! Meanwhile the program stands still: it could find what is dead. The host does not: it is a step at a time.

use serde::{Deserialize, Serialize};

use super::ephemerons::Waiting;
use super::mark::{Marker, SLICE};

/// How far the weak tables have come.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Clearing {
    /// Entries whose keys were not reached yet.
    pub waiting: Waiting,
    /// Whether all that is reached was found, so that the rest is dead.
    clears: bool,
    /// The position of a table in the list of weak ones, and where it goes on in that.
    table: usize,
    entry: usize,
}

impl Clearing {
    /// With room for the entries of tables with weak keys.
    pub fn new(waiting: Waiting) -> Self {
        Self { waiting, ..Self::default() }
    }

    /// The next entries of a table, which has so many.
    fn slice(&mut self, entries: usize) -> std::ops::Range<usize> {
        let from = self.entry;
        let to = entries.min(from + SLICE);
        if to == entries {
            self.table += 1;
            self.entry = 0;
        } else {
            self.entry = to;
        }
        from..to
    }
}

impl Marker<'_> {
    /// Looks at weak tables until so much work is done; false when all are cleared.
    pub fn clear(&mut self, work: usize) -> bool {
        let limit = self.work.saturating_add(work);
        self.clearing = self.heap.collection.clearing.take();
        while self.work < limit {
            // What the last entries have led to comes first.
            if self.trace(limit) {
                break;
            }
            let Some(clearing) = &mut self.clearing else { return false };
            self.work += 1;
            match self.heap.collection.weak.get(clearing.table).copied() {
                Some((index, keys, values)) => {
                    if clearing.clears {
                        self.clear_entries(index, keys, values);
                    } else if keys && !values {
                        self.look_through_keys(index);
                    } else {
                        clearing.table += 1;
                    }
                }
                None if clearing.clears => {
                    self.heap.collection.weak.clear();
                    return false;
                }
                None => {
                    (clearing.clears, clearing.table) = (true, 0);
                    // Nothing more is reached.
                    let waiting = std::mem::take(&mut clearing.waiting);
                    self.heap.account.release(waiting.bytes());
                }
            }
        }
        self.heap.collection.clearing = self.clearing.take();
        true
    }

    /// Marks the values of entries whose keys were reached; the others wait. Those that there is no memory for stay until the
    /// next collection, which finds more of it: what goes now takes more than its entry here.
    fn look_through_keys(&mut self, index: u32) {
        let Some(mut clearing) = self.clearing.take() else { return };
        let table = std::mem::take(self.heap.tables.quiet_mut(index));
        let array = table.array();
        let range = clearing.slice(table.entry_count());
        self.work += range.len();
        for entry in range {
            let Some(node) = entry.checked_sub(array.len()) else {
                self.mark(array[entry]);
                continue;
            };
            let (key, value) = table.node(node);
            if value.is_nil() {
                continue;
            }
            match self.heap.unreached(key) {
                None => self.mark(value),
                Some(object) => {
                    if let Some(waits) = self.heap.unreached(value)
                        && !clearing.waiting.add(object, waits, &mut self.heap.account)
                    {
                        self.mark(key);
                        self.mark(value);
                    }
                }
            }
        }
        *self.heap.tables.quiet_mut(index) = table;
        self.clearing = Some(clearing);
    }

    fn clear_entries(&mut self, index: u32, keys: bool, values: bool) {
        let Some(clearing) = &mut self.clearing else { return };
        let mut table = std::mem::take(self.heap.tables.quiet_mut(index));
        let range = clearing.slice(table.entry_count());
        self.work += range.len();
        table.clear_dead(range, |value| self.heap.is_dead(value), keys, values);
        *self.heap.tables.quiet_mut(index) = table;
    }
}
