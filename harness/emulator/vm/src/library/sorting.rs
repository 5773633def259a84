//! `table.sort`. Numbers and short texts without a function have one order only, so a list of those is merged, which
//! is quick; everything else is sorted by partitions, in the order of comparisons that programs know from Lua 5.2.

use super::Ended;
use super::merging::Merge;
use super::partitioning::Partition;
use super::proxies::{Helper, call_helper, is_proxy};
use crate::heap::Heap;
use crate::machine::{Call, Outcome};
use crate::value::Value;

/// How long a text may be to be compared without a look at the budget.
const SHORT_TEXT: usize = 256;

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
    let list = call.state.heap.tables.get(table.0);
    let count = list.length();
    if count < 2 {
        return Ok(Outcome::NONE);
    }
    call.spend(count / 4);
    let list = &call.state.heap.tables.get(table.0).array()[..count];
    if compare.is_nil() && has_one_order(&call.state.heap, list) {
        return Merge::begin(call, table, count);
    }
    Partition::begin(call, table, compare, count)
}

/// Whether there are only numbers or only short texts, of which those that are equal cannot be told apart.
fn has_one_order(heap: &Heap, values: &[Value]) -> bool {
    let is_negative_zero = |number: f64| number == 0.0 && number.is_sign_negative();
    let is_plain = |value: &Value| matches!(value, Value::Number(number) if !number.is_nan() && !is_negative_zero(*number));
    let is_short =
        |value: &Value| matches!(value, Value::String(text) if heap.bytes(*text).len() < SHORT_TEXT);
    values.iter().all(is_plain) || values.iter().all(is_short)
}
