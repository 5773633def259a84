//! Expressions to instructions.

use super::emit::{Generated, Generator};
use super::op::Op;
use super::tree::{Binary, Expr, ExprId, Item, Text, Unary};

/// A table's positional items are stored in batches of this many, as in Lua (`LFIELDS_PER_FLUSH`).
const BATCH: u8 = 50;

/// What is wanted of a call: its count of results plus one, as the instruction has it.
const OPEN: u8 = 0;
const ONE: u8 = 2;

/// The key of a field: a constant that fits the instruction, or a register.
pub enum Key {
    Constant(u16),
    Register(u8),
}

/// Where a chain of indices and calls has got to.
enum Base {
    Register(u8),
    Upvalue(u8),
}

impl Generator<'_, '_> {
    /// Whether it may have any number of values.
    pub fn is_multiple(&self, id: ExprId) -> bool {
        matches!(self.expr(id), Expr::Call { .. } | Expr::Method { .. } | Expr::VarArgs)
    }

    /// Evaluates into the next free register.
    pub fn to_next(&mut self, id: ExprId) -> Generated<u8> {
        if let Expr::Index { .. } | Expr::Call { .. } | Expr::Method { .. } = self.expr(id) {
            return self.chain(id, ONE, None);
        }
        let register = self.allocate()?;
        self.to_register(id, register)?;
        Ok(register)
    }

    /// Evaluates into some register: that of a local, or the next free one.
    pub fn to_any(&mut self, id: ExprId) -> Generated<u8> {
        match self.expr(id) {
            Expr::Single(inner) => {
                if let Some(register) = self.plain_local(*inner) {
                    return Ok(register);
                }
            }
            _ => {
                if let Some(register) = self.plain_local(id) {
                    return Ok(register);
                }
            }
        }
        self.to_next(id)
    }

    /// Evaluates into consecutive free registers: `count` values of something that may have any number.
    pub fn several(&mut self, id: ExprId, count: usize) -> Generated<()> {
        let wanted = u8::try_from(count + 1)
            .map_err(|_| self.error("function or expression needs too many registers"))?;
        let first = self.free;
        if matches!(self.expr(id), Expr::VarArgs) {
            let a = self.allocate()?;
            self.emit(Op::VarArgs { a, count: wanted });
        } else {
            self.chain(id, wanted, None)?;
        }
        self.free = first;
        for _ in 0..count {
            self.allocate()?;
        }
        Ok(())
    }

    /// Evaluates all values of something that may have any number, up to the top.
    pub fn open(&mut self, id: ExprId) -> Generated<()> {
        if matches!(self.expr(id), Expr::VarArgs) {
            let a = self.allocate()?;
            self.emit(Op::VarArgs { a, count: OPEN });
        } else {
            self.chain(id, OPEN, None)?;
        }
        Ok(())
    }

    /// Evaluates a list into consecutive registers; true when the last one is open.
    pub fn list(&mut self, values: &[ExprId]) -> Generated<bool> {
        for (position, &value) in values.iter().enumerate() {
            if position + 1 == values.len() && self.is_multiple(value) {
                self.open(value)?;
                return Ok(true);
            }
            self.to_next(value)?;
        }
        Ok(false)
    }

    /// Evaluates into a given register. Nothing but the last instruction writes to it, except for tables, `and` and
    /// `or`: those must not be given the register of a local that they may read.
    pub fn to_register(&mut self, id: ExprId, a: u8) -> Generated<()> {
        let free = self.free;
        match self.expr(id) {
            Expr::Nil => {
                self.emit(Op::LoadNil { a, n: 1 });
            }
            Expr::Bool(value) => {
                self.emit(Op::LoadBool { a, value: *value });
            }
            Expr::Number(number) => {
                let k = self.number_constant(*number);
                self.emit(Op::LoadK { a, k });
            }
            Expr::String(text) => {
                let k = self.string_constant(text);
                self.emit(Op::LoadK { a, k });
            }
            Expr::VarArgs => {
                self.emit(Op::VarArgs { a, count: ONE });
            }
            Expr::Function(index) => {
                let child = self.child(*index)?;
                self.line = self.tree.functions[*index as usize].last_line;
                self.emit(Op::Closure { a, child });
            }
            Expr::Local(local) => {
                let b = self.registers[*local as usize];
                if self.is_captured(*local) {
                    self.emit(Op::GetCell { a, b });
                } else if a != b {
                    self.emit(Op::Move { a, b });
                }
            }
            Expr::Upvalue(up) => {
                self.emit(Op::GetUpvalue { a, up: *up });
            }
            Expr::Single(inner) => self.to_register(*inner, a)?,
            Expr::Index { .. } | Expr::Call { .. } | Expr::Method { .. } => {
                self.chain(id, ONE, Some(a))?;
            }
            Expr::Binary { .. } => self.arithmetic(id, a)?,
            Expr::Concat { parts, line } => {
                let first = self.free;
                for &part in parts {
                    self.to_next(part)?;
                }
                self.line = *line;
                let b = u8::try_from(first).expect("registers fit");
                let n = u8::try_from(parts.len()).expect("a chain has at most 200 levels");
                self.emit(Op::Concat { a, b, n });
            }
            Expr::Unary { operator: Unary::Not, operand, .. }
                if matches!(
                    self.expr(*operand),
                    Expr::Binary { .. } | Expr::And(..) | Expr::Or(..) | Expr::Single(_)
                ) =>
            {
                self.truth(id, a)?;
            }
            Expr::Unary { operator, operand, line } => {
                let b = self.to_any(*operand)?;
                self.line = *line;
                self.emit(match operator {
                    Unary::Negate => Op::Negate { a, b },
                    Unary::Not => Op::Not { a, b },
                    Unary::Length => Op::Length { a, b },
                });
            }
            Expr::And(..) | Expr::Or(..) => self.chain_value(id, a)?,
            Expr::Table { items, line } => self.table(items, *line, a)?,
        }
        self.free = free;
        Ok(())
    }

    /// A chain of operators whose left operands nest, from the innermost outwards.
    fn arithmetic(&mut self, id: ExprId, a: u8) -> Generated<()> {
        let mut nodes = Vec::new();
        let mut current = id;
        while let Expr::Binary { operator, left, right, line } = self.expr(current) {
            nodes.push((*operator, *right, *line));
            current = *left;
        }
        let free = self.free;
        let mut left = self.to_any(current)?;
        while let Some((operator, right, line)) = nodes.pop() {
            if operator.compares() {
                let jump = self.compare_with(operator, left, right, line, true)?;
                self.free = free;
                let target = if nodes.is_empty() { a } else { self.allocate()? };
                self.booleans(&[jump], target);
                left = target;
                continue;
            }
            let key = match self.expr(right) {
                Expr::Number(number) => {
                    let number = *number;
                    u16::try_from(self.number_constant(number)).ok()
                }
                _ => None,
            };
            let (b, c) = if key.is_some() { (left, 0) } else { (left, self.to_any(right)?) };
            self.line = line;
            self.free = free;
            let a = if nodes.is_empty() { a } else { self.allocate()? };
            self.emit(match (operator, key) {
                (Binary::Add, None) => Op::Add { a, b, c },
                (Binary::Sub, None) => Op::Sub { a, b, c },
                (Binary::Mul, None) => Op::Mul { a, b, c },
                (Binary::Div, None) => Op::Div { a, b, c },
                (Binary::Mod, None) => Op::Mod { a, b, c },
                (_, None) => Op::Pow { a, b, c },
                (Binary::Add, Some(k)) => Op::AddK { a, b, k },
                (Binary::Sub, Some(k)) => Op::SubK { a, b, k },
                (Binary::Mul, Some(k)) => Op::MulK { a, b, k },
                (Binary::Div, Some(k)) => Op::DivK { a, b, k },
                (Binary::Mod, Some(k)) => Op::ModK { a, b, k },
                (_, Some(k)) => Op::PowK { a, b, k },
            });
            left = a;
        }
        Ok(())
    }

    /// The key of an index: a constant text, or a register.
    pub fn key(&mut self, id: ExprId) -> Generated<Key> {
        if let Expr::String(text) = self.expr(id)
            && let Ok(k) = u16::try_from(self.string_constant(text))
        {
            return Ok(Key::Constant(k));
        }
        Ok(Key::Register(self.to_any(id)?))
    }

    /// A chain of indices and calls from the innermost outwards. The result is in `into`, or in the register that was
    /// free before. `results` is what the last call is asked for.
    fn chain(&mut self, id: ExprId, results: u8, into: Option<u8>) -> Generated<u8> {
        let mut nodes = Vec::new();
        let mut current = id;
        while let Expr::Index { base: inner, .. }
        | Expr::Call { function: inner, .. }
        | Expr::Method { object: inner, .. } = self.expr(current)
        {
            nodes.push(current);
            current = *inner;
        }
        let start = self.free;
        let mut base = match self.expr(current) {
            Expr::Upvalue(up) => Base::Upvalue(*up),
            _ => Base::Register(self.to_any(current)?),
        };
        while let Some(node) = nodes.pop() {
            let last = nodes.is_empty();
            let register = match self.expr(node) {
                Expr::Index { key, line, .. } => {
                    let target = if last { into } else { None };
                    self.index(base, *key, *line, start, target)?
                }
                Expr::Call { arguments, line, .. } => {
                    let function = self.function_register(&base, start)?;
                    self.call(function, 0, arguments, *line, if last { results } else { ONE })?
                }
                Expr::Method { name, arguments, line, .. } => {
                    let function = self.method(&base, name, *line, start)?;
                    self.call(function, 1, arguments, *line, if last { results } else { ONE })?
                }
                _ => unreachable!("only indices and calls were collected"),
            };
            base = Base::Register(register);
        }
        let Base::Register(register) = base else { unreachable!("the chain has a node") };
        match into {
            Some(a) if a != register => {
                self.emit(Op::Move { a, b: register });
                self.free = start;
                Ok(a)
            }
            _ => Ok(register),
        }
    }

    fn index(&mut self, base: Base, key: ExprId, line: u32, start: usize, into: Option<u8>) -> Generated<u8> {
        let b = match base {
            Base::Register(register) => register,
            Base::Upvalue(up) => {
                if let Expr::String(text) = self.expr(key)
                    && let Ok(k) = u16::try_from(self.string_constant(text))
                {
                    self.line = line;
                    let a = self.result_register(into, start)?;
                    self.emit(Op::GetGlobal { a, up, k });
                    return Ok(a);
                }
                let a = self.allocate()?;
                self.emit(Op::GetUpvalue { a, up });
                a
            }
        };
        let key = self.key(key)?;
        self.line = line;
        let a = self.result_register(into, start)?;
        self.emit(match key {
            Key::Constant(k) => Op::GetField { a, b, k },
            Key::Register(c) => Op::GetIndex { a, b, c },
        });
        Ok(a)
    }

    /// Lets go of every register from `start` and takes the one to write to.
    fn result_register(&mut self, into: Option<u8>, start: usize) -> Generated<u8> {
        self.free = start;
        if let Some(register) = into { Ok(register) } else { self.allocate() }
    }

    /// The function of a call in the register `start`.
    fn function_register(&mut self, base: &Base, start: usize) -> Generated<u8> {
        match *base {
            Base::Register(register) if usize::from(register) == start => {
                self.free = start + 1;
                Ok(register)
            }
            Base::Register(b) => {
                self.free = start;
                let a = self.allocate()?;
                self.emit(Op::Move { a, b });
                Ok(a)
            }
            Base::Upvalue(up) => {
                self.free = start;
                let a = self.allocate()?;
                self.emit(Op::GetUpvalue { a, up });
                Ok(a)
            }
        }
    }

    fn method(&mut self, base: &Base, name: &Text, line: u32, start: usize) -> Generated<u8> {
        let b = match *base {
            Base::Register(register) => register,
            Base::Upvalue(up) => {
                let a = self.allocate()?;
                self.emit(Op::GetUpvalue { a, up });
                a
            }
        };
        self.free = start;
        let a = self.allocate()?;
        self.allocate()?;
        self.line = line;
        let constant = self.string_constant(name);
        if let Ok(k) = u16::try_from(constant) {
            self.emit(Op::Method { a, b, k });
        } else {
            self.emit(Op::Move { a: a + 1, b });
            self.emit(Op::LoadK { a, k: constant });
            self.emit(Op::GetIndex { a, b: a + 1, c: a });
        }
        Ok(a)
    }

    /// Arguments and the call itself; its first result is where the function was.
    fn call(&mut self, a: u8, before: u8, arguments: &[ExprId], line: u32, results: u8) -> Generated<u8> {
        let open = self.list(arguments)?;
        let count = u8::try_from(arguments.len())
            .map_err(|_| self.error("function or expression needs too many registers"))?;
        let args = if open { OPEN } else { count + before + 1 };
        self.line = line;
        self.emit(Op::Call { a, args, results });
        self.free = usize::from(a) + 1;
        Ok(a)
    }

    fn table(&mut self, items: &[Item], line: u32, into: u8) -> Generated<()> {
        let positional = items.iter().filter(|item| matches!(item, Item::Positional(_))).count();
        let array = u32::try_from(positional).unwrap_or(u32::MAX);
        let hash = u16::try_from(items.len() - positional).unwrap_or(u16::MAX);
        let free = self.free;
        // Positional items stand right after the table, so it is built at the top.
        let at_top = usize::from(into) + 1 == free;
        let a = if at_top { into } else { self.allocate()? };
        self.line = line;
        self.emit(Op::NewTable { a, hash, array });
        let mut pending = 0;
        let mut stored = 1;
        for (position, item) in items.iter().enumerate() {
            match item {
                Item::Positional(value) => {
                    if position + 1 == items.len() && self.is_multiple(*value) {
                        self.open(*value)?;
                        self.emit(Op::SetList { a, count: OPEN, first: stored });
                        pending = 0;
                        continue;
                    }
                    self.to_next(*value)?;
                    pending += 1;
                    if pending == BATCH {
                        self.flush(a, &mut pending, &mut stored);
                    }
                }
                Item::Keyed(key, value, line) => {
                    let free = self.free;
                    self.line = *line;
                    let key = self.key(*key)?;
                    let c = self.to_any(*value)?;
                    self.emit(match key {
                        Key::Constant(k) => Op::SetField { a, c, k },
                        Key::Register(b) => Op::SetIndex { a, b, c },
                    });
                    self.free = free;
                }
            }
        }
        if pending > 0 {
            self.flush(a, &mut pending, &mut stored);
        }
        if !at_top {
            self.emit(Op::Move { a: into, b: a });
        }
        self.free = free;
        Ok(())
    }

    fn flush(&mut self, a: u8, pending: &mut u8, stored: &mut u32) {
        self.emit(Op::SetList { a, count: *pending, first: *stored });
        *stored += u32::from(*pending);
        self.free = usize::from(a) + 1;
        *pending = 0;
    }
}
