//! The loop that runs instructions.
//!
//! It does what needs no other function; everything else leaves the loop with [`Exit::Slow`] and is done by `slow`,
//! which sees the whole state. The instruction counter lives in a register while the loop runs.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "slots and instructions are counted in 32 bits, and a count of results was checked to be positive"
)]

use super::number::{modulo, power};
use super::thread::{Frame, MAX_FRAMES, Ret, Thread, WINDOW};
use super::{Cont, State};
use crate::compile::op::Op;
use crate::heap::{NO_TABLE, Set};
use crate::library::{IPAIRS_STEP, NEXT, QUICK, Quick, Scene};
use crate::value::{ClosureId, NativeId, Value};

/// Why the loop stopped.
#[derive(Debug, Clone, Copy)]
pub enum Exit {
    /// The instruction that was just fetched needs more than the loop has.
    Slow(Op),
    /// A native's frame is on top.
    Native,
    /// No instructions are left to run.
    Budget,
    /// More is in use than there should be without a collection.
    Collect,
}

#[inline]
fn window(stack: &mut [Value], base: usize) -> &mut [Value; WINDOW] {
    (&mut stack[base..base + WINDOW]).try_into().expect("the slice has that length")
}

impl State {
    /// Runs instructions of Lua functions until something else is needed.
    pub(super) fn execute(&mut self) -> Exit {
        if self.coverage.is_some() { self.execute_with::<true>() } else { self.execute_with::<false>() }
    }

    /// The loop, in two copies: one that counts each instruction for its line, and one that does not.
    #[expect(clippy::too_many_lines, reason = "one match is the loop; its arms are short")]
    fn execute_with<const COUNTED: bool>(&mut self) -> Exit {
        let Self { heap, loaded, thread, budget, incoming, coverage, random, .. } = self;
        let Thread { stack, frames, conts, top, hook, .. } = &mut **thread;
        // A hook that wants to know of calls or returns is told by the slower paths.
        let told = hook.call || hook.ret;
        let mut left = *budget;

        'frame: loop {
            let may_call = !told && frames.len() < frames.capacity().min(MAX_FRAMES);
            let frame = frames.last_mut().expect("a coroutine that runs has a frame");
            if !frame.is_lua() {
                *budget = left;
                return Exit::Native;
            }
            let base = frame.base as usize;
            let closure = frame.closure;
            let mut pc = frame.pc as usize;
            let code_of = loaded.get(frame.loaded);
            let own = code_of.own.as_ref().expect("a function that runs is ready");
            let constants = &own.constants[..];
            let body = code_of.body.as_ref().expect("a function that runs is ready");
            let code = &body.code[..];
            let mut r = window(stack, base);
            let hits: &mut [u32] = match coverage {
                Some(coverage) if COUNTED => coverage.hits(own.counter),
                _ => &mut [],
            };

            macro_rules! leave {
                ($exit:expr) => {{
                    frame.pc = pc as u32;
                    *budget = left;
                    return $exit;
                }};
            }
            macro_rules! reg {
                ($index:expr) => {
                    r[usize::from($index)]
                };
            }
            macro_rules! constant {
                ($k:expr) => {
                    constants[usize::from($k)]
                };
            }
            macro_rules! arithmetic {
                ($op:ident, $a:expr, $b:expr, $c:expr, |$x:ident, $y:ident| $result:expr) => {
                    if let (Value::Number($x), Value::Number($y)) = (reg!($b), $c) {
                        reg!($a) = Value::Number($result);
                    } else {
                        leave!(Exit::Slow(*$op));
                    }
                };
            }
            macro_rules! compare {
                ($op:ident, $a:expr, $b:expr, $when:expr, $to:expr, |$x:ident, $y:ident| $result:expr) => {
                    if let (Value::Number($x), Value::Number($y)) = ($a, $b) {
                        if ($result) == $when {
                            pc = $to as usize;
                        }
                    } else {
                        leave!(Exit::Slow(*$op));
                    }
                };
            }
            macro_rules! collect_if_due {
                () => {
                    if heap.account.is_due() {
                        leave!(Exit::Collect);
                    }
                };
            }

            loop {
                if left == 0 {
                    leave!(Exit::Budget);
                }
                left -= 1;
                let op = &code[pc];
                if COUNTED && let Some(hits) = hits.get_mut(pc) {
                    *hits = hits.saturating_add(1);
                }
                pc += 1;
                match *op {
                    Op::Move { a, b } => reg!(a) = reg!(b),
                    Op::LoadNil { a, n } => {
                        for index in 0..n {
                            reg!(a.wrapping_add(index)) = Value::Nil;
                        }
                    }
                    Op::LoadBool { a, value } => reg!(a) = Value::Bool(value),
                    Op::LoadK { a, k } => reg!(a) = constants[k as usize],
                    Op::GetUpvalue { a, up } => {
                        let cell = heap.closures.get(closure).upvalues[usize::from(up)];
                        reg!(a) = *heap.cells.get(cell);
                    }
                    Op::SetUpvalue { a, up } => {
                        let cell = heap.closures.get(closure).upvalues[usize::from(up)];
                        *heap.cells.get_mut(cell) = reg!(a);
                    }
                    Op::NewCell { a } => {
                        let Ok(cell) = heap.cell(reg!(a)) else { leave!(Exit::Slow(*op)) };
                        reg!(a) = Value::Cell(cell);
                        collect_if_due!();
                    }
                    Op::GetCell { a, b } => {
                        if let Value::Cell(cell) = reg!(b) {
                            reg!(a) = *heap.cells.get(cell);
                        }
                    }
                    Op::SetCell { a, b } => {
                        if let Value::Cell(cell) = reg!(a) {
                            *heap.cells.get_mut(cell) = reg!(b);
                        }
                    }
                    Op::GetGlobal { a, up, k } => {
                        let cell = heap.closures.get(closure).upvalues[usize::from(up)];
                        let (Value::Table(table), Value::String(key)) = (*heap.cells.get(cell), constant!(k))
                        else {
                            leave!(Exit::Slow(*op))
                        };
                        let table = heap.tables.get(table.0);
                        let mut value = table.get_string(key);
                        if value.is_nil() && table.meta != NO_TABLE {
                            let meta = table.meta;
                            let Some(found) = heap.inherited(meta, key) else { leave!(Exit::Slow(*op)) };
                            value = found;
                        }
                        reg!(a) = value;
                    }
                    Op::SetGlobal { up, c, k } => {
                        let cell = heap.closures.get(closure).upvalues[usize::from(up)];
                        let (Value::Table(table), Value::String(key)) = (*heap.cells.get(cell), constant!(k))
                        else {
                            leave!(Exit::Slow(*op))
                        };
                        if heap.tables.get_mut(table.0).replace_string(key, reg!(c)) == Set::Absent {
                            leave!(Exit::Slow(*op));
                        }
                    }
                    Op::GetField { a, b, k } => {
                        let (Value::Table(table), Value::String(key)) = (reg!(b), constant!(k)) else {
                            leave!(Exit::Slow(*op))
                        };
                        let table = heap.tables.get(table.0);
                        let mut value = table.get_string(key);
                        if value.is_nil() && table.meta != NO_TABLE {
                            let meta = table.meta;
                            let Some(found) = heap.inherited(meta, key) else { leave!(Exit::Slow(*op)) };
                            value = found;
                        }
                        reg!(a) = value;
                    }
                    Op::SetField { a, c, k } => {
                        let (Value::Table(table), Value::String(key)) = (reg!(a), constant!(k)) else {
                            leave!(Exit::Slow(*op))
                        };
                        let table = heap.tables.get_mut(table.0);
                        if table.replace_string(key, reg!(c)) == Set::Absent {
                            if table.meta != NO_TABLE {
                                leave!(Exit::Slow(*op));
                            }
                            let value = reg!(c);
                            if table.set(Value::String(key), value, &mut heap.account).is_err() {
                                leave!(Exit::Slow(*op));
                            }
                            collect_if_due!();
                        }
                    }
                    Op::GetIndex { a, b, c } => {
                        let Value::Table(table) = reg!(b) else { leave!(Exit::Slow(*op)) };
                        let table = heap.tables.get(table.0);
                        let value = match reg!(c) {
                            Value::Number(number) => table.get_number(number),
                            other => table.get(other),
                        };
                        if value.is_nil() && table.meta != NO_TABLE {
                            let meta = table.meta;
                            let Value::String(key) = reg!(c) else { leave!(Exit::Slow(*op)) };
                            let Some(found) = heap.inherited(meta, key) else { leave!(Exit::Slow(*op)) };
                            reg!(a) = found;
                            continue;
                        }
                        reg!(a) = value;
                    }
                    Op::SetIndex { a, b, c } => {
                        let Value::Table(table) = reg!(a) else { leave!(Exit::Slow(*op)) };
                        let table = heap.tables.get_mut(table.0);
                        let (key, value) = (reg!(b), reg!(c));
                        if table.replace(key, value) == Set::Absent {
                            let valid = match key {
                                Value::Nil => false,
                                Value::Number(number) => !number.is_nan(),
                                _ => true,
                            };
                            if table.meta != NO_TABLE
                                || !valid
                                || table.set(key, value, &mut heap.account).is_err()
                            {
                                leave!(Exit::Slow(*op));
                            }
                            collect_if_due!();
                        }
                    }
                    Op::Method { a, b, k } => {
                        let object = reg!(b);
                        let Value::String(key) = constant!(k) else { leave!(Exit::Slow(*op)) };
                        let (mut found, meta) = match object {
                            Value::Table(table) => {
                                let table = heap.tables.get(table.0);
                                (table.get_string(key), table.meta)
                            }
                            Value::String(_) => (Value::Nil, heap.string_meta),
                            _ => leave!(Exit::Slow(*op)),
                        };
                        if found.is_nil() {
                            // The class of an object, or the library of texts.
                            match heap.inherited(meta, key) {
                                Some(value) if !value.is_nil() => found = value,
                                _ => leave!(Exit::Slow(*op)),
                            }
                        }
                        reg!(a.wrapping_add(1)) = object;
                        reg!(a) = found;
                    }
                    Op::Add { a, b, c } => arithmetic!(op, a, b, reg!(c), |x, y| x + y),
                    Op::Sub { a, b, c } => arithmetic!(op, a, b, reg!(c), |x, y| x - y),
                    Op::Mul { a, b, c } => arithmetic!(op, a, b, reg!(c), |x, y| x * y),
                    Op::Div { a, b, c } => arithmetic!(op, a, b, reg!(c), |x, y| x / y),
                    Op::Mod { a, b, c } => arithmetic!(op, a, b, reg!(c), |x, y| modulo(x, y)),
                    Op::Pow { a, b, c } => arithmetic!(op, a, b, reg!(c), |x, y| power(x, y)),
                    Op::AddK { a, b, k } => arithmetic!(op, a, b, constant!(k), |x, y| x + y),
                    Op::SubK { a, b, k } => arithmetic!(op, a, b, constant!(k), |x, y| x - y),
                    Op::MulK { a, b, k } => arithmetic!(op, a, b, constant!(k), |x, y| x * y),
                    Op::DivK { a, b, k } => arithmetic!(op, a, b, constant!(k), |x, y| x / y),
                    Op::ModK { a, b, k } => arithmetic!(op, a, b, constant!(k), |x, y| modulo(x, y)),
                    Op::PowK { a, b, k } => arithmetic!(op, a, b, constant!(k), |x, y| power(x, y)),
                    Op::Negate { a, b } => {
                        if let Value::Number(number) = reg!(b) {
                            reg!(a) = Value::Number(-number);
                        } else {
                            leave!(Exit::Slow(*op));
                        }
                    }
                    Op::Not { a, b } => reg!(a) = Value::Bool(!reg!(b).is_true()),
                    Op::Length { a, b } => match reg!(b) {
                        Value::Table(table) if heap.tables.get(table.0).meta == NO_TABLE => {
                            reg!(a) = Value::Number(heap.tables.get(table.0).length() as f64);
                        }
                        Value::String(text) => reg!(a) = Value::Number(heap.bytes(text).len() as f64),
                        _ => leave!(Exit::Slow(*op)),
                    },
                    Op::Jump { to } => pc = to as usize,
                    Op::JumpIf { a, to } => {
                        if reg!(a).is_true() {
                            pc = to as usize;
                        }
                    }
                    Op::JumpIfNot { a, to } => {
                        if !reg!(a).is_true() {
                            pc = to as usize;
                        }
                    }
                    Op::Equal { a, b, when, to } => {
                        let (one, two) = (reg!(a), reg!(b));
                        let equal = one.raw_equals(two);
                        if !equal && matches!((one, two), (Value::Table(_), Value::Table(_))) {
                            leave!(Exit::Slow(*op));
                        }
                        if equal == when {
                            pc = to as usize;
                        }
                    }
                    Op::EqualK { a, k, when, to } => {
                        if reg!(a).raw_equals(constant!(k)) == when {
                            pc = to as usize;
                        }
                    }
                    Op::Less { a, b, when, to } => compare!(op, reg!(a), reg!(b), when, to, |x, y| x < y),
                    Op::LessEqual { a, b, when, to } => {
                        compare!(op, reg!(a), reg!(b), when, to, |x, y| x <= y);
                    }
                    Op::LessK { a, k, when, to } => {
                        compare!(op, reg!(a), constant!(k), when, to, |x, y| x < y);
                    }
                    Op::LessEqualK { a, k, when, to } => {
                        compare!(op, reg!(a), constant!(k), when, to, |x, y| x <= y);
                    }
                    Op::GreaterK { a, k, when, to } => {
                        compare!(op, reg!(a), constant!(k), when, to, |x, y| x > y);
                    }
                    Op::GreaterEqualK { a, k, when, to } => {
                        compare!(op, reg!(a), constant!(k), when, to, |x, y| x >= y);
                    }
                    Op::Call { a, args, results } => {
                        let function = base + usize::from(a);
                        let count = if args == 0 { *top - function - 1 } else { usize::from(args) - 1 };
                        let callee = match reg!(a) {
                            Value::Closure(ClosureId(callee)) => callee,
                            Value::Native(NativeId(native)) if !told => {
                                let first = usize::from(a) + 1;
                                let (Some(Some(quick)), Some(given)) =
                                    (QUICK.get(native as usize), r.get(first..first + count))
                                else {
                                    leave!(Exit::Slow(*op))
                                };
                                let results = usize::from(results);
                                let value = match quick(&mut Scene { heap, random }, given) {
                                    Quick::One(value) => {
                                        *top = function + 1;
                                        value
                                    }
                                    Quick::None => {
                                        *top = function;
                                        Value::Nil
                                    }
                                    Quick::Slow => leave!(Exit::Slow(*op)),
                                };
                                if results != 1 {
                                    reg!(a) = value;
                                }
                                for extra in 1..results.saturating_sub(1) {
                                    reg!(usize::from(a) + extra) = Value::Nil;
                                }
                                collect_if_due!();
                                continue;
                            }
                            _ => leave!(Exit::Slow(*op)),
                        };
                        let callee_loaded = heap.closures.get(callee).loaded;
                        let code = loaded.get(callee_loaded);
                        // One that is called for the first time has no constants yet.
                        let Some(called) = &code.body else { leave!(Exit::Slow(*op)) };
                        let parameters = usize::from(called.parameters);
                        let new_base = function + 1;
                        if called.is_vararg || new_base + parameters + WINDOW > stack.len() || !may_call {
                            leave!(Exit::Slow(*op));
                        }
                        frame.pc = pc as u32;
                        if count < parameters {
                            stack[new_base + count..new_base + parameters].fill(Value::Nil);
                        }
                        frames.push(Frame {
                            base: new_base as u32,
                            function: function as u32,
                            pc: 0,
                            loaded: callee_loaded,
                            closure: callee,
                            varargs: 0,
                            ret: Ret::Call(i32::from(results) - 1),
                            tail: false,
                        });
                        continue 'frame;
                    }
                    Op::Return0 | Op::Return1 { .. } | Op::Return { .. } => {
                        let (first, count) = match *op {
                            Op::Return1 { a } => (base + usize::from(a), 1),
                            Op::Return { a, count } => {
                                let first = base + usize::from(a);
                                (first, if count == 0 { *top - first } else { usize::from(count) - 1 })
                            }
                            _ => (base, 0),
                        };
                        let want = match frame.ret {
                            Ret::Call(want) if !told => want,
                            Ret::Native if !told => {
                                // To the native that called it: `pcall` needs no more than that.
                                let target = frame.function as usize;
                                frames.pop();
                                let caller = frames.last().expect("a native has called it");
                                if let (Ret::Call(want), Some(Cont::Pcall)) = (caller.ret, conts.last()) {
                                    let target = caller.function as usize;
                                    stack.copy_within(first..first + count, target + 1);
                                    stack[target] = Value::Bool(true);
                                    let count = count + 1;
                                    if want < 0 {
                                        *top = target + count;
                                    } else if count < want as usize {
                                        stack[target + count..target + want as usize].fill(Value::Nil);
                                    }
                                    frames.pop();
                                    conts.pop();
                                    continue 'frame;
                                }
                                stack.copy_within(first..first + count, target);
                                *top = target + count;
                                *incoming = (target, count);
                                *budget = left;
                                return Exit::Native;
                            }
                            _ => leave!(Exit::Slow(*op)),
                        };
                        let target = frame.function as usize;
                        if want == 1 && count > 0 {
                            stack[target] = stack[first];
                        } else {
                            stack.copy_within(first..first + count, target);
                            if want < 0 {
                                *top = target + count;
                            } else if count < want as usize {
                                stack[target + count..target + want as usize].fill(Value::Nil);
                            }
                        }
                        frames.pop();
                        continue 'frame;
                    }
                    Op::ForPrepare { a, to } => {
                        let (Value::Number(start), Value::Number(limit), Value::Number(step)) =
                            (reg!(a), reg!(a.wrapping_add(1)), reg!(a.wrapping_add(2)))
                        else {
                            leave!(Exit::Slow(*op))
                        };
                        if if step > 0.0 { start <= limit } else { limit <= start } {
                            reg!(a.wrapping_add(3)) = Value::Number(start);
                        } else {
                            pc = to as usize;
                        }
                    }
                    Op::ForLoop { a, to } => {
                        if let (Value::Number(at), Value::Number(limit), Value::Number(step)) =
                            (reg!(a), reg!(a.wrapping_add(1)), reg!(a.wrapping_add(2)))
                        {
                            let next = at + step;
                            if if step > 0.0 { next <= limit } else { limit <= next } {
                                reg!(a) = Value::Number(next);
                                reg!(a.wrapping_add(3)) = Value::Number(next);
                                pc = to as usize;
                            }
                        }
                    }
                    Op::GenericCall { a, n } => {
                        let (Value::Native(function), Value::Table(table)) =
                            (reg!(a), reg!(a.wrapping_add(1)))
                        else {
                            leave!(Exit::Slow(*op))
                        };
                        if function == IPAIRS_STEP {
                            let Value::Number(before) = reg!(a.wrapping_add(2)) else {
                                leave!(Exit::Slow(*op))
                            };
                            let index = before + 1.0;
                            let table = heap.tables.get(table.0);
                            let value = table.get_number(index);
                            if value.is_nil() && table.meta != NO_TABLE {
                                leave!(Exit::Slow(*op));
                            }
                            let key = if value.is_nil() { Value::Nil } else { Value::Number(index) };
                            reg!(a.wrapping_add(3)) = key;
                            if n > 1 {
                                reg!(a.wrapping_add(4)) = value;
                            }
                            for extra in 2..n {
                                reg!(a.wrapping_add(3 + extra)) = Value::Nil;
                            }
                            continue;
                        }
                        if function != NEXT {
                            leave!(Exit::Slow(*op));
                        }
                        let Ok(found) = heap.tables.get(table.0).next(reg!(a.wrapping_add(2))) else {
                            leave!(Exit::Slow(*op))
                        };
                        left = left.saturating_sub(found.work() as u64);
                        let (key, value) = found.entry.unwrap_or_default();
                        reg!(a.wrapping_add(3)) = key;
                        if n > 1 {
                            reg!(a.wrapping_add(4)) = value;
                        }
                        for extra in 2..n {
                            reg!(a.wrapping_add(3 + extra)) = Value::Nil;
                        }
                    }
                    Op::GenericLoop { a, to } => {
                        let control = reg!(a.wrapping_add(3));
                        if !control.is_nil() {
                            reg!(a.wrapping_add(2)) = control;
                            pc = to as usize;
                        }
                    }
                    Op::NewTable { a, hash, array } => {
                        let Ok(table) = heap.table(array as usize, usize::from(hash)) else {
                            leave!(Exit::Slow(*op))
                        };
                        reg!(a) = Value::Table(table);
                        collect_if_due!();
                    }
                    Op::VarArgs { a, count } if count > 0 => {
                        let given = frame.varargs as usize;
                        let first = base - given;
                        let want = usize::from(count) - 1;
                        let target = base + usize::from(a);
                        let copied = want.min(given);
                        stack.copy_within(first..first + copied, target);
                        stack[target + copied..target + want].fill(Value::Nil);
                        r = window(stack, base);
                    }
                    Op::VarArgs { .. }
                    | Op::Concat { .. }
                    | Op::TailCall { .. }
                    | Op::Closure { .. }
                    | Op::SetList { .. } => leave!(Exit::Slow(*op)),
                }
            }
        }
    }
}
