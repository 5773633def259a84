//! `table.sort`: a merge sort from the bottom up, whose place is a handful of numbers. It pauses between two
//! comparisons, whether they are calls or not.

use super::Ended;
use super::proxies::{Helper, call_helper, is_proxy};
use crate::dialect::Dialect;
use crate::heap::Event;
use crate::machine::{Call, Cont, Outcome};
use crate::value::{TableId, Value};

/// How many comparisons run between two looks at the budget.
const SLICE: u64 = 256;

/// A sort in progress. Both tables are the machine's own: the one that is sorted changes only at the end.
#[derive(Debug, Clone)]
pub struct Sort {
    table: TableId,
    compare: Value,
    count: usize,
    /// What is merged, and where to.
    source: TableId,
    target: TableId,
    /// How long the sorted runs are, and where the pair begins that is being merged.
    width: usize,
    low: usize,
    left: usize,
    right: usize,
    out: usize,
    /// The answer of a comparison is awaited.
    asked: bool,
    negate: bool,
}

impl Sort {
    pub fn values(&self, each: &mut dyn FnMut(Value)) {
        each(Value::Table(self.table));
        each(Value::Table(self.source));
        each(Value::Table(self.target));
        each(self.compare);
    }

    fn middle(&self) -> usize {
        (self.low + self.width).min(self.count)
    }

    fn high(&self) -> usize {
        (self.low + 2 * self.width).min(self.count)
    }

    fn begin_pair(&mut self) {
        self.left = self.low;
        self.right = self.middle();
        self.out = self.low;
    }
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
    let mut values = call.state.heap.tables.get(table.0).array()[..count].to_vec();
    if compare.is_nil() && count < 1000 && sort_simply(call, &mut values) {
        call.spend(count * 2);
        call.state.heap.tables.get_mut(table.0).array_mut()[..count].copy_from_slice(&values);
        return Ok(Outcome::NONE);
    }
    let source = call.new_table(count, 0)?;
    call.push(Value::Table(source))?;
    let target = call.new_table(count, 0)?;
    call.push(Value::Table(target))?;
    for copy in [source, target] {
        let heap = &mut call.state.heap;
        let stored = heap.tables.get_mut(copy.0).store(0, &values, &mut heap.account);
        stored.map_err(|error| call.memory(error))?;
    }
    call.spend(count / 4);
    let mut sort = Sort {
        table,
        compare,
        count,
        source,
        target,
        width: 1,
        low: 0,
        left: 0,
        right: 0,
        out: 0,
        asked: false,
        negate: false,
    };
    sort.begin_pair();
    run(call, Box::new(sort))
}

/// Sorts numbers or texts at once, where there are few and nothing else.
fn sort_simply(call: &Call<'_>, values: &mut [Value]) -> bool {
    if values.iter().all(|value| matches!(value, Value::Number(number) if !number.is_nan())) {
        values.sort_by(|one, two| {
            let (one, two) = (one.as_number().unwrap_or(0.0), two.as_number().unwrap_or(0.0));
            one.total_cmp(&two)
        });
        return true;
    }
    let heap = &call.state.heap;
    if values.iter().all(|value| matches!(value, Value::String(text) if heap.bytes(*text).len() < 256)) {
        values.sort_by(|one, two| match (one, two) {
            (Value::String(one), Value::String(two)) => heap.bytes(*one).cmp(heap.bytes(*two)),
            _ => std::cmp::Ordering::Equal,
        });
        return true;
    }
    false
}

pub fn go_on(call: &mut Call<'_>, mut sort: Box<Sort>, value: Value) -> Ended {
    if sort.asked {
        sort.asked = false;
        let right_first = value.is_true() != sort.negate;
        take(call, &mut sort, right_first);
    }
    run(call, sort)
}

/// Moves the smaller value to the target.
fn take(call: &mut Call<'_>, sort: &mut Sort, right_first: bool) {
    let tables = &mut call.state.heap.tables;
    let from = if right_first { &mut sort.right } else { &mut sort.left };
    let value = tables.get(sort.source.0).array().get(*from).copied().unwrap_or_default();
    *from += 1;
    if let Some(slot) = tables.get_mut(sort.target.0).array_mut().get_mut(sort.out) {
        *slot = value;
    }
    sort.out += 1;
}

fn run(call: &mut Call<'_>, mut sort: Box<Sort>) -> Ended {
    let mut slice = 0;
    while sort.width < sort.count {
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
            if sort.low >= sort.count {
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
            take(call, &mut sort, right_first);
            continue;
        }
        let array = call.state.heap.tables.get(sort.source.0).array();
        let (left, right) = (array[sort.left], array[sort.right]);
        // The right one goes first only when it is smaller: equal values keep their order.
        match ask(call, &sort, right, left)? {
            Answer::Known(right_first) => take(call, &mut sort, right_first),
            Answer::Call { function, negate } => {
                let (one, two) = if negate { (left, right) } else { (right, left) };
                call.push(function)?;
                call.push(one)?;
                call.push(two)?;
                sort.asked = true;
                sort.negate = negate;
                return Ok(Outcome::Call(2, Cont::Sort(sort)));
            }
        }
    }
    let values = call.state.heap.tables.get(sort.source.0).array().to_vec();
    let heap = &mut call.state.heap;
    let table = heap.tables.get_mut(sort.table.0);
    if let Some(array) = table.array_mut().get_mut(..values.len()) {
        array.copy_from_slice(&values);
        return Ok(Outcome::NONE);
    }
    // The comparison has made the table shorter.
    for (index, value) in (1_u32..).zip(values) {
        let stored = table.set(Value::Number(index.into()), value, &mut heap.account);
        if stored.is_err() {
            return Err(heap.out_of_memory());
        }
    }
    Ok(Outcome::NONE)
}

enum Answer {
    Known(bool),
    Call { function: Value, negate: bool },
}

fn ask(call: &mut Call<'_>, sort: &Sort, one: Value, two: Value) -> Result<Answer, Value> {
    if !sort.compare.is_nil() {
        return Ok(Answer::Call { function: sort.compare, negate: false });
    }
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => Ok(Answer::Known(one < two)),
        (Value::String(one), Value::String(two)) => {
            Ok(Answer::Known(call.state.compare_texts(one, two).is_lt()))
        }
        _ => {
            let mut handler = call.state.heap.handler(one, Event::Less);
            if handler.is_nil() {
                handler = call.state.heap.handler(two, Event::Less);
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
            Ok(Answer::Call { function: handler, negate: false })
        }
    }
}
