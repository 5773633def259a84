//! Sorts numbers and short texts: a merge sort from the bottom up, whose place is a handful of numbers, so that it can
//! pause. Nothing is called.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::Ended;
use crate::heap::Heap;
use crate::machine::{Call, Cont, Outcome};
use crate::value::{TableId, Value};

/// How many comparisons run between two looks at the budget.
const SLICE: u64 = 256;
/// Values are sorted at once in runs of this many, which are merged.
const RUN: usize = 256;

/// A sort in progress. Both lists are the machine's own: the table that is sorted changes only at the end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Merge {
    table: TableId,
    /// What is merged, and where to.
    source: Vec<Value>,
    target: Vec<Value>,
    /// How long the sorted runs are, and where the pair begins that is being merged.
    width: usize,
    low: usize,
    left: usize,
    right: usize,
    out: usize,
}

impl Merge {
    pub fn begin(call: &mut Call<'_>, table: TableId, count: usize) -> Ended {
        call.state.charge_buffer(buffer_size(count))?;
        let mut source = call.state.heap.tables.get(table.0).array()[..count].to_vec();
        for run in source.chunks_mut(RUN) {
            run.sort_by(|one, two| order(&call.state.heap, *one, *two));
        }
        call.spend(count);
        let target = source.clone();
        let mut merge = Self { table, source, target, width: RUN, low: 0, left: 0, right: 0, out: 0 };
        merge.begin_pair();
        Box::new(merge).run(call)
    }

    pub fn values(&self, each: &mut dyn FnMut(Value)) {
        each(Value::Table(self.table));
        // What is in the target is in the source as well.
        for value in &self.source {
            each(*value);
        }
    }

    pub fn bytes(&self) -> usize {
        buffer_size(self.source.len())
    }

    fn middle(&self) -> usize {
        (self.low + self.width).min(self.source.len())
    }

    fn high(&self) -> usize {
        (self.low + 2 * self.width).min(self.source.len())
    }

    fn begin_pair(&mut self) {
        self.left = self.low;
        self.right = self.middle();
        self.out = self.low;
    }

    /// Moves the smaller value to the target.
    fn take(&mut self, right_first: bool) {
        let from = if right_first { &mut self.right } else { &mut self.left };
        self.target[self.out] = self.source[*from];
        *from += 1;
        self.out += 1;
    }

    pub fn run(mut self: Box<Self>, call: &mut Call<'_>) -> Ended {
        let mut slice = 0;
        while self.width < self.source.len() {
            slice += 1;
            if slice % SLICE == 0 {
                call.spend(usize::try_from(SLICE).unwrap_or(0));
                if call.state.budget == 0 {
                    return Ok(Outcome::Again(Cont::Merge(self)));
                }
            }
            let (middle, high) = (self.middle(), self.high());
            if self.out == high {
                self.low = high;
                if self.low >= self.source.len() {
                    std::mem::swap(&mut self.source, &mut self.target);
                    self.width *= 2;
                    self.low = 0;
                }
                self.begin_pair();
                continue;
            }
            let right_first = self.left == middle
                || self.right != high
                    && order(&call.state.heap, self.source[self.right], self.source[self.left]).is_lt();
            self.take(right_first);
        }
        self.finish(call)
    }

    /// Puts the sorted values into the table.
    fn finish(&self, call: &mut Call<'_>) -> Ended {
        call.state.release_buffer(self.bytes());
        let array = call.state.heap.tables.get_mut(self.table.0).array_mut();
        // Nothing runs while values are merged: only in a state that was saved and changed is the table shorter.
        if let Some(sorted) = array.get_mut(..self.source.len()) {
            sorted.copy_from_slice(&self.source);
        }
        Ok(Outcome::NONE)
    }
}

/// What both lists of a sort take.
fn buffer_size(count: usize) -> usize {
    2 * count * size_of::<Value>()
}

fn order(heap: &Heap, one: Value, two: Value) -> Ordering {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => one.partial_cmp(&two).unwrap_or(Ordering::Equal),
        (Value::String(one), Value::String(two)) => heap.bytes(one).cmp(heap.bytes(two)),
        _ => Ordering::Equal,
    }
}
