//! `table.sort`: a merge sort from the bottom up, whose place is a handful of numbers. It pauses between two
//! comparisons, whether they are calls or not.

use serde::{Deserialize, Serialize};

use super::Ended;
use super::proxies::{Helper, call_helper, is_proxy};
use crate::dialect::Dialect;
use crate::heap::{Event, Heap};
use crate::machine::{Call, Cont, Outcome};
use crate::value::{TableId, Value};

/// How many comparisons run between two looks at the budget.
const SLICE: u64 = 256;
/// Numbers and short texts are sorted at once in runs of this many, which are merged.
const RUN: usize = 256;
/// How long a text may be to be compared without a look at the budget.
const SHORT_TEXT: usize = 256;

/// A sort in progress. Both lists are the machine's own: the table that is sorted changes only at the end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sort {
    table: TableId,
    compare: Value,
    /// What is merged, and where to.
    source: Vec<Value>,
    target: Vec<Value>,
    /// How long the sorted runs are, and where the pair begins that is being merged.
    width: usize,
    low: usize,
    left: usize,
    right: usize,
    out: usize,
    /// The answer of a comparison is awaited.
    asked: bool,
}

impl Sort {
    pub fn values(&self, each: &mut dyn FnMut(Value)) {
        each(Value::Table(self.table));
        each(self.compare);
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
}

/// What both lists of a sort take.
fn buffer_size(count: usize) -> usize {
    2 * count * size_of::<Value>()
}

pub fn sort(call: &mut Call<'_>) -> Ended {
    let table = call.table(1)?;
    let compare = call.arg(2);
    if !compare.is_nil() {
        call.function(2)?;
    }
    if is_proxy(call, table) {
        let native = call.state.thread.stack[call.function];
        return call_helper(call, Helper::Sort, &[Value::Table(table), compare, native]);
    }
    let count = call.state.heap.tables.get(table.0).length();
    if count < 2 {
        return Ok(Outcome::NONE);
    }
    call.state.charge_buffer(buffer_size(count))?;
    let source = call.state.heap.tables.get(table.0).array()[..count].to_vec();
    call.spend(count / 4);
    let mut sort = Sort {
        table,
        compare,
        target: source.clone(),
        source,
        width: 1,
        low: 0,
        left: 0,
        right: 0,
        out: 0,
        asked: false,
    };
    if compare.is_nil() && sort_runs(&call.state.heap, &mut sort.source) {
        sort.width = RUN;
        call.spend(count);
    }
    sort.begin_pair();
    run(call, Box::new(sort))
}

/// Sorts each run at once, where there are only numbers or only short texts.
fn sort_runs(heap: &Heap, values: &mut [Value]) -> bool {
    if values.iter().all(|value| matches!(value, Value::Number(number) if !number.is_nan())) {
        for run in values.chunks_mut(RUN) {
            run.sort_by(|one, two| {
                let (one, two) = (one.as_number().unwrap_or(0.0), two.as_number().unwrap_or(0.0));
                one.partial_cmp(&two).unwrap_or(std::cmp::Ordering::Equal)
            });
        }
        return true;
    }
    let is_short =
        |value: &Value| matches!(value, Value::String(text) if heap.bytes(*text).len() < SHORT_TEXT);
    if values.iter().all(is_short) {
        for run in values.chunks_mut(RUN) {
            run.sort_by(|one, two| match (one, two) {
                (Value::String(one), Value::String(two)) => heap.bytes(*one).cmp(heap.bytes(*two)),
                _ => std::cmp::Ordering::Equal,
            });
        }
        return true;
    }
    false
}

pub fn go_on(call: &mut Call<'_>, mut sort: Box<Sort>, value: Value) -> Ended {
    if sort.asked {
        sort.asked = false;
        sort.take(value.is_true());
    }
    run(call, sort)
}

fn run(call: &mut Call<'_>, mut sort: Box<Sort>) -> Ended {
    let mut slice = 0;
    while sort.width < sort.source.len() {
        slice += 1;
        if slice % SLICE == 0 {
            call.spend(usize::try_from(SLICE).unwrap_or(0));
            if call.state.budget == 0 {
                return Ok(Outcome::Again(Cont::Sort(sort)));
            }
        }
        let (middle, high) = (sort.middle(), sort.high());
        if sort.out == high {
            sort.low = high;
            if sort.low >= sort.source.len() {
                let Sort { source, target, .. } = &mut *sort;
                std::mem::swap(source, target);
                sort.width *= 2;
                sort.low = 0;
            }
            sort.begin_pair();
            continue;
        }
        if sort.left == middle || sort.right == high {
            let right_first = sort.left == middle;
            sort.take(right_first);
            continue;
        }
        let (left, right) = (sort.source[sort.left], sort.source[sort.right]);
        // The right one goes first only when it is smaller: equal values keep their order.
        match ask(call, sort.compare, right, left)? {
            Answer::Known(right_first) => sort.take(right_first),
            Answer::Call(function) => {
                call.push_all(&[function, right, left])?;
                sort.asked = true;
                return Ok(Outcome::Call(2, Cont::Sort(sort)));
            }
        }
    }
    finish(call, *sort)
}

/// Puts the sorted values into the table.
fn finish(call: &mut Call<'_>, sort: Sort) -> Ended {
    call.state.release_buffer(sort.bytes());
    let heap = &mut call.state.heap;
    let table = heap.tables.get_mut(sort.table.0);
    if let Some(array) = table.array_mut().get_mut(..sort.source.len()) {
        array.copy_from_slice(&sort.source);
        return Ok(Outcome::NONE);
    }
    // The comparison has made the table shorter.
    for (index, value) in (1_u32..).zip(sort.source) {
        let stored = table.set(Value::Number(index.into()), value, &mut heap.account);
        if stored.is_err() {
            return Err(heap.out_of_memory());
        }
    }
    Ok(Outcome::NONE)
}

enum Answer {
    Known(bool),
    Call(Value),
}

/// Whether one value is less than another, or what has to be called to know it.
fn ask(call: &mut Call<'_>, compare: Value, one: Value, two: Value) -> Result<Answer, Value> {
    if !compare.is_nil() {
        return Ok(Answer::Call(compare));
    }
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => Ok(Answer::Known(one < two)),
        (Value::String(one), Value::String(two)) => {
            Ok(Answer::Known(call.state.compare_texts(one, two).is_lt()))
        }
        _ => {
            let mut handler = Value::Nil;
            if call.state.may_compare(one, two) {
                handler = call.state.heap.handler(one, Event::Less);
                if handler.is_nil() {
                    handler = call.state.heap.handler(two, Event::Less);
                }
            }
            if handler.is_nil() {
                let (first, second) = (call.state.type_text(one), call.state.type_text(two));
                let message = if first == second {
                    format!("attempt to compare two {first} values")
                } else {
                    format!("attempt to compare {first} with {second}")
                };
                return Err(match call.state.dialect {
                    Dialect::Stock => call.state.heap.message(message.as_bytes()),
                    Dialect::CraftosPc => call.error(&message),
                });
            }
            Ok(Answer::Call(handler))
        }
    }
}
