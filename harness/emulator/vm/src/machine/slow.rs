//! Instructions that need more than the loop has: metamethods, calls of natives, allocations that collect first.

use super::State;
use super::native::Host;
use super::number::{modulo, power};
use super::thread::Ret;
use crate::compile::op::Op;
use crate::dialect::Dialect;
use crate::heap::{Event, NO_TABLE, Upvalues};
use crate::text::number::{CHARACTERS_PER_STEP, parse};
use crate::value::{ClosureId, StringId, Value};

/// How many tables `__index` and `__newindex` may lead through, as in Lua (`MAXTAGLOOP`).
const MAX_CHAIN: usize = 100;
/// One instruction's worth of bytes that are copied.
pub(super) const BYTES_PER_STEP: usize = 64;

pub(super) type Done = Result<(), Value>;

/// Where the value of an index comes from.
enum Found {
    Value(Value),
    /// A function that has to be called with the object and the key.
    Handler(Value, Value),
}

impl State {
    fn register(&self, index: u8) -> Value {
        self.thread.stack[self.thread.frame().base as usize + usize::from(index)]
    }

    pub(super) fn set_register(&mut self, index: u8, value: Value) {
        let slot = self.thread.frame().base as usize + usize::from(index);
        self.thread.stack[slot] = value;
    }

    pub(super) fn slot_of(&self, index: u8) -> usize {
        self.thread.frame().base as usize + usize::from(index)
    }

    fn constant(&self, index: impl Into<usize>) -> Value {
        let index: usize = index.into();
        self.loaded.get(self.thread.frame().loaded).constants()[index]
    }

    fn upvalue_cell(&self, up: u8) -> u32 {
        self.heap.closures.get(self.thread.frame().closure).upvalues[usize::from(up)]
    }

    /// Does an instruction that the loop could not.
    pub(super) fn slow(&mut self, host: &mut dyn Host, op: Op) -> Done {
        match op {
            Op::NewCell { a } => {
                let value = self.register(a);
                let cell = self.retry(|state| state.heap.cell(value))?;
                self.set_register(a, Value::Cell(cell));
                Ok(())
            }
            Op::GetGlobal { a, up, k } => {
                let object = *self.heap.cells.get(self.upvalue_cell(up));
                self.index_into(host, object, self.constant(k), a, Operand::Upvalue(up))
            }
            Op::GetField { a, b, k } => {
                self.index_into(host, self.register(b), self.constant(k), a, Operand::Register(b))
            }
            Op::GetIndex { a, b, c } => {
                self.index_into(host, self.register(b), self.register(c), a, Operand::Register(b))
            }
            Op::Method { a, b, k } => {
                let object = self.register(b);
                let key = self.constant(k);
                let found = self.index(object, key, Operand::Register(b))?;
                self.set_register(a + 1, object);
                self.finish_index(host, found, key, a)
            }
            Op::SetGlobal { up, c, k } => {
                let object = *self.heap.cells.get(self.upvalue_cell(up));
                self.assign(host, object, self.constant(k), self.register(c), Operand::Upvalue(up))
            }
            Op::SetField { a, c, k } => {
                self.assign(host, self.register(a), self.constant(k), self.register(c), Operand::Register(a))
            }
            Op::SetIndex { a, b, c } => {
                self.assign(host, self.register(a), self.register(b), self.register(c), Operand::Register(a))
            }
            Op::Add { a, b, c } => self.arithmetic(host, Event::Add, a, b, Right::Register(c)),
            Op::Sub { a, b, c } => self.arithmetic(host, Event::Sub, a, b, Right::Register(c)),
            Op::Mul { a, b, c } => self.arithmetic(host, Event::Mul, a, b, Right::Register(c)),
            Op::Div { a, b, c } => self.arithmetic(host, Event::Div, a, b, Right::Register(c)),
            Op::Mod { a, b, c } => self.arithmetic(host, Event::Mod, a, b, Right::Register(c)),
            Op::Pow { a, b, c } => self.arithmetic(host, Event::Pow, a, b, Right::Register(c)),
            Op::AddK { a, b, k } => self.arithmetic(host, Event::Add, a, b, Right::Constant(k)),
            Op::SubK { a, b, k } => self.arithmetic(host, Event::Sub, a, b, Right::Constant(k)),
            Op::MulK { a, b, k } => self.arithmetic(host, Event::Mul, a, b, Right::Constant(k)),
            Op::DivK { a, b, k } => self.arithmetic(host, Event::Div, a, b, Right::Constant(k)),
            Op::ModK { a, b, k } => self.arithmetic(host, Event::Mod, a, b, Right::Constant(k)),
            Op::PowK { a, b, k } => self.arithmetic(host, Event::Pow, a, b, Right::Constant(k)),
            Op::Negate { a, b } => self.arithmetic(host, Event::Negate, a, b, Right::Register(b)),
            Op::Length { a, b } => self.length(host, a, b),
            Op::Concat { a, b, n } => self.concat(host, a, b, n),
            Op::Equal { a, b, .. } => self.equal(host, self.register(a), self.register(b)),
            Op::Less { a, b, .. } => self.less(host, self.register(a), self.register(b), Event::Less),
            Op::LessEqual { a, b, .. } => {
                self.less(host, self.register(a), self.register(b), Event::LessEqual)
            }
            Op::LessK { a, k, .. } => self.less(host, self.register(a), self.constant(k), Event::Less),
            Op::LessEqualK { a, k, .. } => {
                self.less(host, self.register(a), self.constant(k), Event::LessEqual)
            }
            Op::GreaterK { a, k, .. } => self.less(host, self.constant(k), self.register(a), Event::Less),
            Op::GreaterEqualK { a, k, .. } => {
                self.less(host, self.constant(k), self.register(a), Event::LessEqual)
            }
            Op::Call { a, args, results } => {
                let at = self.slot_of(a);
                let count = if args == 0 { self.thread.top - at - 1 } else { usize::from(args) - 1 };
                self.call(host, at, count, Ret::Call(i32::from(results) - 1))
            }
            Op::TailCall { a, args } => self.tail_call(host, a, args),
            Op::Return0 | Op::Return1 { .. } | Op::Return { .. } => self.return_slowly(op),
            Op::VarArgs { a, .. } => {
                let frame = self.thread.frame();
                let (given, base) = (frame.varargs as usize, frame.base as usize);
                let target = base + usize::from(a);
                self.count_values(given);
                self.thread.top = target;
                self.reserve(given)?;
                self.thread.stack.copy_within(base - given..base, target);
                self.thread.top = target + given;
                Ok(())
            }
            Op::Closure { a, child } => self.closure(a, child),
            Op::ForPrepare { a, .. } => self.prepare_for(a),
            Op::GenericCall { a, n } => {
                let first = self.slot_of(a);
                let target = first + 3;
                self.thread.stack.copy_within(first..first + 3, target);
                self.thread.top = target + 3;
                self.call(host, target, 2, Ret::Generic { a, n })
            }
            Op::NewTable { a, hash, array } => {
                let table = self.retry(|state| state.heap.table(array as usize, usize::from(hash)))?;
                self.set_register(a, Value::Table(table));
                Ok(())
            }
            Op::SetList { a, count, first } => self.set_list(a, count, first),
            other => unreachable!("{other:?} never leaves the loop"),
        }
    }

    fn index_into(
        &mut self,
        host: &mut dyn Host,
        object: Value,
        key: Value,
        a: u8,
        operand: Operand,
    ) -> Done {
        let found = self.index(object, key, operand)?;
        self.finish_index(host, found, key, a)
    }

    fn finish_index(&mut self, host: &mut dyn Host, found: Found, key: Value, a: u8) -> Done {
        match found {
            Found::Value(value) => {
                self.set_register(a, value);
                Ok(())
            }
            Found::Handler(handler, object) => {
                self.call_with(host, handler, &[object, key], Ret::Register(a))
            }
        }
    }

    /// Follows `__index` until there is a value or a function to call.
    fn index(&mut self, object: Value, key: Value, operand: Operand) -> Result<Found, Value> {
        let mut object = object;
        for step in 0..MAX_CHAIN {
            let handler = if let Value::Table(table) = object {
                let table = self.heap.tables.get(table.0);
                let value = table.get(key);
                let meta = table.meta;
                if !value.is_nil() {
                    return Ok(Found::Value(value));
                }
                let handler = self.heap.handler_in(meta, Event::Index);
                if handler.is_nil() {
                    return Ok(Found::Value(Value::Nil));
                }
                handler
            } else {
                let handler = self.heap.handler(object, Event::Index);
                if handler.is_nil() {
                    let operand = if step == 0 { operand } else { Operand::Unknown };
                    return Err(self.bad_operand("index", object, operand));
                }
                handler
            };
            if handler.is_function() {
                return Ok(Found::Handler(handler, object));
            }
            object = handler;
        }
        Err(self.runtime_error("loop in gettable"))
    }

    /// The value of an index, or the function that gives it, for natives.
    pub(crate) fn index_plainly(&mut self, object: Value, key: Value) -> Result<Result<Value, Value>, Value> {
        Ok(match self.index(object, key, Operand::Unknown)? {
            Found::Value(value) => Ok(value),
            Found::Handler(handler, _) => Err(handler),
        })
    }

    /// Assigns, following `__newindex`.
    fn assign(
        &mut self,
        host: &mut dyn Host,
        object: Value,
        key: Value,
        value: Value,
        operand: Operand,
    ) -> Done {
        let mut object = object;
        for step in 0..MAX_CHAIN {
            let handler = if let Value::Table(id) = object {
                let table = self.heap.tables.get(id.0);
                let handler = if table.meta == NO_TABLE || !table.get(key).is_nil() {
                    Value::Nil
                } else {
                    let meta = table.meta;
                    self.heap.handler_in(meta, Event::NewIndex)
                };
                if handler.is_nil() {
                    return self.raw_assign(id.0, key, value);
                }
                handler
            } else {
                let handler = self.heap.handler(object, Event::NewIndex);
                if handler.is_nil() {
                    let operand = if step == 0 { operand } else { Operand::Unknown };
                    return Err(self.bad_operand("index", object, operand));
                }
                handler
            };
            if handler.is_function() {
                return self.call_with(host, handler, &[object, key, value], Ret::Discard);
            }
            object = handler;
        }
        Err(self.runtime_error("loop in settable"))
    }

    fn raw_assign(&mut self, table: u32, key: Value, value: Value) -> Done {
        match key {
            Value::Nil => return Err(self.runtime_error("table index is nil")),
            Value::Number(number) if number.is_nan() => {
                return Err(self.runtime_error("table index is NaN"));
            }
            _ => {}
        }
        self.retry(|state| state.heap.tables.get_mut(table).set(key, value, &mut state.heap.account))
    }

    /// A number, or the number that a text is.
    pub(crate) fn to_number(&mut self, value: Value) -> Option<f64> {
        match value {
            Value::Number(number) => Some(number),
            Value::String(text) => self.number_in(text),
            _ => None,
        }
    }

    /// The number that a text is. A long one is work that no instruction stands for.
    pub(crate) fn number_in(&mut self, text: StringId) -> Option<f64> {
        let bytes = self.heap.bytes(text);
        self.budget = self.budget.saturating_sub((bytes.len() / CHARACTERS_PER_STEP) as u64);
        parse(bytes)
    }

    fn arithmetic(&mut self, host: &mut dyn Host, event: Event, a: u8, b: u8, right: Right) -> Done {
        let left = self.register(b);
        let named = if event == Event::Negate { Operand::Register } else { Operand::Foldable };
        let (other, operand) = match right {
            Right::Register(c) => (self.register(c), named(c)),
            Right::Constant(k) => (self.constant(k), Operand::Unknown),
        };
        if let (Some(one), Some(two)) = (self.to_number(left), self.to_number(other)) {
            let number = match event {
                Event::Add => one + two,
                Event::Sub => one - two,
                Event::Mul => one * two,
                Event::Div => one / two,
                Event::Mod => modulo(one, two),
                Event::Pow => power(one, two),
                _ => -one,
            };
            self.set_register(a, Value::Number(number));
            return Ok(());
        }
        let mut handler = self.heap.handler(left, event);
        if handler.is_nil() {
            handler = self.heap.handler(other, event);
        }
        if handler.is_nil() {
            let (culprit, operand) =
                if self.to_number(left).is_none() { (left, named(b)) } else { (other, operand) };
            return Err(self.bad_operand("perform arithmetic on", culprit, operand));
        }
        self.call_with(host, handler, &[left, other], Ret::Register(a))
    }

    fn length(&mut self, host: &mut dyn Host, a: u8, b: u8) -> Done {
        let value = self.register(b);
        let handler = self.heap.handler(value, Event::Length);
        if handler.is_nil() {
            let Value::Table(table) = value else {
                return Err(self.bad_operand("get length of", value, Operand::Register(b)));
            };
            let length = self.heap.tables.get(table.0).length();
            self.set_register(a, Value::Number(length as f64));
            return Ok(());
        }
        self.call_with(host, handler, &[value, value], Ret::Register(a))
    }

    /// Jumps as the comparison before says.
    pub(super) fn decide(&mut self, truth: bool) {
        let frame = self.thread.frame();
        let op = self.proto(frame.loaded).code()[frame.pc as usize - 1];
        if let Op::Equal { when, to, .. }
        | Op::Less { when, to, .. }
        | Op::LessEqual { when, to, .. }
        | Op::LessK { when, to, .. }
        | Op::LessEqualK { when, to, .. }
        | Op::GreaterK { when, to, .. }
        | Op::GreaterEqualK { when, to, .. } = op
            && truth == when
        {
            self.thread.frame_mut().pc = to;
        }
    }

    fn equal(&mut self, host: &mut dyn Host, one: Value, two: Value) -> Done {
        // Both must have the same handler, as in Lua 5.2.
        let handler = self.heap.handler(one, Event::Equal);
        let other = self.heap.handler(two, Event::Equal);
        if handler.is_nil() || !handler.raw_equals(other) {
            self.decide(false);
            return Ok(());
        }
        self.call_with(host, handler, &[one, two], Ret::Condition { negate: false })
    }

    fn less(&mut self, host: &mut dyn Host, one: Value, two: Value, event: Event) -> Done {
        match (one, two) {
            (Value::Number(one), Value::Number(two)) => {
                self.decide(if event == Event::Less { one < two } else { one <= two });
                return Ok(());
            }
            (Value::String(one), Value::String(two)) => {
                let order = self.compare_texts(one, two);
                self.decide(if event == Event::Less { order.is_lt() } else { order.is_le() });
                return Ok(());
            }
            _ if !self.may_compare(one, two) => return Err(self.compare_error(one, two)),
            _ => {}
        }
        let mut handler = self.heap.handler(one, event);
        if handler.is_nil() {
            handler = self.heap.handler(two, event);
        }
        if !handler.is_nil() {
            return self.call_with(host, handler, &[one, two], Ret::Condition { negate: false });
        }
        if event == Event::LessEqual {
            // `a <= b` is `not (b < a)` where only that is known.
            let mut handler = self.heap.handler(two, Event::Less);
            if handler.is_nil() {
                handler = self.heap.handler(one, Event::Less);
            }
            if !handler.is_nil() {
                return self.call_with(host, handler, &[two, one], Ret::Condition { negate: true });
            }
        }
        Err(self.compare_error(one, two))
    }

    /// Whether metamethods may compare two values: on CraftOS-PC, and in the game until 1.115, only those of one type.
    pub(crate) fn may_compare(&self, one: Value, two: Value) -> bool {
        self.dialect == Dialect::Stock || one.type_name() == two.type_name()
    }

    pub(crate) fn compare_texts(&mut self, one: StringId, two: StringId) -> std::cmp::Ordering {
        let (one, two) = (self.heap.bytes(one), self.heap.bytes(two));
        let work = one.len().min(two.len()) / BYTES_PER_STEP;
        let order = one.cmp(two);
        self.budget = self.budget.saturating_sub(work as u64);
        order
    }

    pub(crate) fn compare_error(&mut self, one: Value, two: Value) -> Value {
        let (first, second) = (self.type_text(one), self.type_text(two));
        let message = if first == second {
            format!("attempt to compare two {first} values")
        } else {
            format!("attempt to compare {first} with {second}")
        };
        self.runtime_error(&message)
    }

    // Calls.

    fn tail_call(&mut self, host: &mut dyn Host, a: u8, args: u8) -> Done {
        let at = self.slot_of(a);
        let count = if args == 0 { self.thread.top - at - 1 } else { usize::from(args) - 1 };
        let frame = self.thread.frame();
        let is_lua = matches!(self.thread.stack[at], Value::Closure(_));
        if !is_lua {
            // The `Return` that follows gives its results on.
            return self.call(host, at, count, Ret::Call(-1));
        }
        let (function, ret) = (frame.function as usize, frame.ret);
        self.thread.stack.copy_within(at..=at + count, function);
        self.thread.pop();
        self.thread.top = function + 1 + count;
        self.call(host, function, count, ret)?;
        self.thread.frame_mut().tail = true;
        self.hook_tail_call();
        Ok(())
    }

    fn return_slowly(&mut self, op: Op) -> Done {
        if self.hook_return() {
            return Ok(());
        }
        let frame = self.thread.pop();
        let base = frame.base as usize;
        let (first, count) = match op {
            Op::Return1 { a } => (base + usize::from(a), 1),
            Op::Return { a, count } => {
                let first = base + usize::from(a);
                (first, if count == 0 { self.thread.top - first } else { usize::from(count) - 1 })
            }
            _ => (base, 0),
        };
        self.deliver(frame.function as usize, frame.ret, first, count)
    }

    fn closure(&mut self, a: u8, child: u32) -> Done {
        let frame = self.thread.frame();
        let (parent, base, closure) = (frame.loaded, frame.base as usize, frame.closure);
        let mut loaded = self.loaded.get(parent).children()[child as usize];
        if loaded == u32::MAX {
            let proto = self.proto(parent).children()[child as usize].clone();
            loaded = self.retry(|state| state.load_proto(&proto))?;
            if let Some(own) = &mut self.loaded.get_mut(parent).own {
                own.children[child as usize] = loaded;
            }
        }
        let proto = self.proto(loaded);
        let cells = proto.upvalues.iter().map(|source| {
            let index = usize::from(source.index);
            if !source.in_register {
                return self.heap.closures.get(closure).upvalues[index];
            }
            if let Value::Cell(cell) = self.thread.stack[base + index] { cell } else { 0 }
        });
        let upvalues = Upvalues::collect(proto.upvalues.len(), cells);
        let made = self.retry(|state| state.heap.closure(loaded, upvalues.clone()))?;
        self.set_register(a, Value::Closure(ClosureId(made.0)));
        Ok(())
    }

    fn prepare_for(&mut self, a: u8) -> Done {
        for (offset, what) in [(1, "limit"), (2, "step"), (0, "initial value")] {
            let value = self.register(a + offset);
            let Some(number) = self.to_number(value) else {
                return Err(self.runtime_error(&format!("'for' {what} must be a number")));
            };
            self.set_register(a + offset, Value::Number(number));
        }
        // The loop runs it again, now with numbers.
        self.thread.frame_mut().pc -= 1;
        Ok(())
    }

    fn set_list(&mut self, a: u8, count: u8, first: u32) -> Done {
        let at = self.slot_of(a);
        let count = if count == 0 { self.thread.top - at - 1 } else { usize::from(count) };
        let Value::Table(table) = self.thread.stack[at] else { return Ok(()) };
        self.budget = self.budget.saturating_sub((count / 8) as u64);
        self.retry(|state| {
            let values = &state.thread.stack[at + 1..=at + count];
            let table = state.heap.tables.get_mut(table.0);
            table.store(first as usize - 1, values, &mut state.heap.account)
        })
    }
}

/// What an error message may call an operand.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operand {
    Register(u8),
    /// A register that stock Lua would not use for a constant: a constant has no name there.
    Foldable(u8),
    Upvalue(u8),
    Unknown,
}

enum Right {
    Register(u8),
    Constant(u16),
}
