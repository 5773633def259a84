//! The table functions for tables with metamethods: short Lua functions that only use operators, so that every
//! metamethod in them can do what it can anywhere else.

use std::sync::{Arc, OnceLock};

use crate::compile::{Proto, compile};
use crate::dialect::Dialect;
use crate::heap::{Event, NO_TABLE};
use crate::machine::{Call, Outcome};
use crate::value::{TableId, Value};

/// What a helper is for.
#[derive(Debug, Clone, Copy)]
pub enum Helper {
    Insert,
    Remove,
    Unpack,
    Concat,
    Sort,
    Move,
    ForEach,
    ForEachIndex,
}

const TEXTS: [&str; 8] = [
    "local t, at, value = ...
     local last = #t + 1
     if at == nil then t[last] = value return end
     if at > last then last = at end
     for i = last, at + 1, -1 do t[i] = t[i - 1] end
     t[at] = value",
    "local t, at, loose = ...
     local last = #t
     if at == nil then at = last end
     if loose and at > last then return end
     local value = t[at]
     for i = at, last - 1 do t[i] = t[i + 1] end
     if at <= last then t[last] = nil end
     return value",
    "local t, i, j, unpack = ...
     if j == nil then j = #t end
     local copy = {}
     for k = i, j do copy[k - i + 1] = t[k] end
     return unpack(copy, 1, j - i + 1)",
    "local t, separator, i, j, concat = ...
     if j == nil then j = #t end
     local copy = {}
     for k = i, j do
         local value = t[k]
         copy[k] = value
         if value == nil then j = k break end
     end
     return concat(copy, separator, i, j)",
    "local t, compare, sort = ...
     local copy = {}
     for k = 1, #t do copy[k] = t[k] end
     sort(copy, compare)
     for k = 1, #copy do t[k] = copy[k] end",
    "local from, first, last, to, into = ...
     if to > last or to <= first or from ~= into then
         for i = 0, last - first do into[to + i] = from[first + i] end
     else
         for i = last - first, 0, -1 do into[to + i] = from[first + i] end
     end
     return into",
    "local t, f, next = ...
     for key, value in next, t do
         local result = f(key, value)
         if result ~= nil then return result end
     end",
    "local t, f = ...
     for index = 1, #t do
         local result = f(index, t[index])
         if result ~= nil then return result end
     end",
];

fn proto(helper: Helper) -> Arc<Proto> {
    static COMPILED: OnceLock<Vec<Arc<Proto>>> = OnceLock::new();
    let all = COMPILED.get_or_init(|| {
        TEXTS
            .iter()
            .map(|text| {
                compile(text.as_bytes(), b"=[C]", usize::MAX, Dialect::Stock).expect("the helpers are Lua")
            })
            .collect()
    });
    all[helper as usize].clone()
}

/// Whether operators on a table may do something else than raw access.
pub fn is_proxy(call: &mut Call<'_>, table: TableId) -> bool {
    let meta = call.state.heap.tables.get(table.0).meta;
    meta != NO_TABLE
        && [Event::Index, Event::NewIndex, Event::Length]
            .into_iter()
            .any(|event| !call.state.heap.handler_in(meta, event).is_nil())
}

/// Calls a helper in the place of the native.
pub fn call_helper(call: &mut Call<'_>, helper: Helper, arguments: &[Value]) -> Result<Outcome, Value> {
    let function = call.state.instantiate(&proto(helper), Value::Nil)?;
    call.push(function)?;
    call.push_all(arguments)?;
    Ok(Outcome::TailCall(arguments.len()))
}
