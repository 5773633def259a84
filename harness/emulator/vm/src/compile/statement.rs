//! Statements to instructions.

use super::emit::{BlockState, Generated, Generator, Mark};
use super::expression::Key;
use super::op::Op;
use super::tree::{Block, Expr, ExprId, LocalId, Statement, Text};

/// Where an assignment stores its value.
enum Target {
    Local(u8),
    Cell(u8),
    Upvalue(u8),
    Global { up: u8, k: u16 },
    Field { table: u8, k: u16 },
    Index { table: u8, key: u8 },
}

impl Generator<'_, '_> {
    fn open_block(&mut self, is_loop: bool) {
        let locals = self.visible.len();
        self.blocks.push(BlockState { is_loop, locals, first_free: self.free, ..BlockState::default() });
    }

    /// Ends the scope of the block's locals and ties its jumps to its labels.
    fn close_block(&mut self) -> Generated<()> {
        let block = self.blocks.pop().expect("a block that is closed was opened");
        let end = self.here();
        for &local in &self.visible[block.locals..] {
            self.local_names[local].end = end;
        }
        let names: Vec<usize> = self.visible.split_off(block.locals);
        self.free = block.first_free;
        for goto in block.gotos {
            let Some(label) = block.labels.get(&goto.name) else {
                self.leave_goto(goto, block.locals)?;
                continue;
            };
            if label.locals > goto.locals {
                let local = names[goto.locals - block.locals];
                let message = format!(
                    "<goto {}> at line {} jumps into the scope of local '{}'",
                    String::from_utf8_lossy(&goto.name),
                    goto.line,
                    String::from_utf8_lossy(&self.local_names[local].name),
                );
                return Err(self.error(&message));
            }
            let target = u32::try_from(label.at).expect("code is shorter");
            self.patch(&[goto.at], target);
        }
        self.patch_here(&block.breaks);
        Ok(())
    }

    /// A jump whose label may stand in the block around.
    fn leave_goto(&mut self, mut goto: Mark, locals: usize) -> Generated<()> {
        goto.locals = goto.locals.min(locals);
        if let Some(outer) = self.blocks.last_mut() {
            outer.gotos.push(goto);
            return Ok(());
        }
        let name = String::from_utf8_lossy(&goto.name).into_owned();
        Err(self.error(&format!("no visible label '{name}' for <goto> at line {}", goto.line)))
    }

    fn statements(&mut self, block: &Block, label_may_end: bool) -> Generated<()> {
        let is_label = |(statement, _): &&(Statement, u32)| matches!(statement, Statement::Label(_));
        // From there on there is nothing but labels.
        let last = block.statements.len() - block.statements.iter().rev().take_while(is_label).count();
        for (position, (statement, line)) in block.statements.iter().enumerate() {
            self.line = *line;
            if let Statement::Label(name) = statement {
                self.label(name, *line, label_may_end && position >= last)?;
                continue;
            }
            self.statement(statement, *line)?;
            self.count()?;
            self.free = self.visible.last().map_or_else(
                || self.blocks.last().map_or(0, |block| block.first_free),
                |&local| {
                    let above = usize::from(self.local_names[local].register) + 1;
                    above.max(self.blocks.last().map_or(0, |block| block.first_free))
                },
            );
        }
        self.line = block.last_line;
        Ok(())
    }

    pub fn body(&mut self, block: &Block) -> Generated<()> {
        self.scoped(block, false)
    }

    fn scoped(&mut self, block: &Block, is_loop: bool) -> Generated<()> {
        self.open_block(is_loop);
        self.statements(block, true)?;
        self.close_block()
    }

    fn label(&mut self, name: &Text, line: u32, ends: bool) -> Generated<()> {
        let at = self.code.len();
        let visible = self.visible.len();
        let block = self.blocks.last_mut().expect("statements stand in blocks");
        if let Some(other) = block.labels.get(name) {
            let message =
                format!("label '{}' already defined on line {}", String::from_utf8_lossy(name), other.line);
            return Err(self.error(&message));
        }
        let locals = if ends { block.locals } else { visible };
        // With its place in the index.
        self.owed += 2 * (size_of::<Mark>() + size_of::<Text>());
        block.labels.insert(name.clone(), Mark { name: name.clone(), at, line, locals });
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, line: u32) -> Generated<()> {
        match statement {
            Statement::Local { locals, values } => {
                let first = self.free;
                self.adjusted(values, locals.len())?;
                self.declare_all(locals, first);
            }
            Statement::LocalFunction { local, function } => {
                let register = self.allocate()?;
                if self.is_captured(*local) {
                    self.emit(Op::LoadNil { a: register, n: 1 });
                    self.declare(*local, register);
                    let value = self.to_next(*function)?;
                    self.emit(Op::SetCell { a: register, b: value });
                } else {
                    self.declare(*local, register);
                    self.to_register(*function, register)?;
                }
            }
            Statement::Assign { targets, values } => self.assign(targets, values, line)?,
            Statement::Call(call) => {
                self.several(*call, 0)?;
            }
            Statement::Do(body) => self.scoped(body, false)?,
            Statement::While { condition, body } => {
                let start = self.here();
                self.open_block(true);
                let exits = self.jump_if(*condition, false)?;
                self.scoped(body, false)?;
                self.jump_to(start);
                self.patch_here(&exits);
                self.close_block()?;
            }
            Statement::Repeat { body, condition } => {
                let start = self.here();
                self.open_block(true);
                self.open_block(false);
                self.statements(body, false)?;
                let again = self.jump_if(*condition, false)?;
                self.patch(&again, start);
                self.close_block()?;
                self.close_block()?;
            }
            Statement::If { arms, otherwise } => {
                let mut ends = Vec::new();
                for (position, (condition, body)) in arms.iter().enumerate() {
                    let next = self.jump_if(*condition, false)?;
                    self.scoped(body, false)?;
                    if position + 1 < arms.len() || otherwise.is_some() {
                        ends.push(self.jump());
                    }
                    self.patch_here(&next);
                }
                if let Some(body) = otherwise {
                    self.scoped(body, false)?;
                }
                self.patch_here(&ends);
            }
            Statement::NumericFor { local, start, limit, step, body } => {
                self.numeric_for(*local, [Some(*start), Some(*limit), *step], body, line)?;
            }
            Statement::GenericFor { locals, values, body, line } => {
                self.generic_for(locals, values, body, *line)?;
            }
            Statement::Return(values) => self.return_values(values)?,
            Statement::Break => {
                let patch = self.jump();
                let Some(block) = self.blocks.iter_mut().rev().find(|block| block.is_loop) else {
                    return Err(self.error(&format!("<break> at line {line} not inside a loop")));
                };
                block.breaks.push(patch);
            }
            Statement::Goto(name) => {
                let at = self.jump();
                let locals = self.visible.len();
                let block = self.blocks.last_mut().expect("statements stand in blocks");
                self.owed += size_of::<Mark>();
                block.gotos.push(Mark { name: name.clone(), at, line, locals });
            }
            Statement::Label(_) => unreachable!("labels are handled with their block"),
        }
        Ok(())
    }

    fn declare_all(&mut self, locals: &[LocalId], first: usize) {
        for (position, &local) in locals.iter().enumerate() {
            let register = u8::try_from(first + position).expect("registers fit");
            self.declare(local, register);
        }
    }

    fn numeric_for(
        &mut self,
        local: LocalId,
        numbers: [Option<ExprId>; 3],
        body: &Block,
        line: u32,
    ) -> Generated<()> {
        self.open_block(true);
        let base = self.free;
        for number in numbers {
            if let Some(number) = number {
                self.to_next(number)?;
            } else {
                let a = self.allocate()?;
                let k = self.number_constant(1.0);
                self.emit(Op::LoadK { a, k });
            }
        }
        let a = u8::try_from(base).expect("registers fit");
        self.declare_hidden(a, ["(for index)", "(for limit)", "(for step)"]);
        self.line = line;
        let prepare = self.emit(Op::ForPrepare { a, to: 0 });
        let start = self.here();
        self.open_block(false);
        let register = self.allocate()?;
        self.declare(local, register);
        self.statements(body, true)?;
        self.close_block()?;
        self.line = line;
        self.emit(Op::ForLoop { a, to: start });
        self.patch_here(&[prepare]);
        self.close_block()
    }

    fn generic_for(
        &mut self,
        locals: &[LocalId],
        values: &[ExprId],
        body: &Block,
        line: u32,
    ) -> Generated<()> {
        self.open_block(true);
        let base = self.free;
        self.adjusted(values, 3)?;
        // The iterator is called above its variables.
        let a = u8::try_from(base).expect("registers fit");
        self.declare_hidden(a, ["(for generator)", "(for state)", "(for control)"]);
        self.line = line;
        let enter = self.jump();
        let start = self.here();
        self.open_block(false);
        for _ in locals {
            self.allocate()?;
        }
        self.most = self.most.max(base + 3 + locals.len().max(3));
        self.declare_all(locals, base + 3);
        self.statements(body, true)?;
        self.close_block()?;
        self.patch_here(&[enter]);
        self.line = line;
        let n = u8::try_from(locals.len()).expect("there are at most 200 locals");
        self.emit(Op::GenericCall { a, n });
        self.emit(Op::GenericLoop { a, to: start });
        self.close_block()
    }

    fn return_values(&mut self, values: &[ExprId]) -> Generated<()> {
        match values {
            [] => {
                self.emit(Op::Return0);
            }
            [one] if matches!(self.expr(*one), Expr::Call { .. } | Expr::Method { .. }) => {
                let first = self.free;
                self.open(*one)?;
                let a = u8::try_from(first).expect("registers fit");
                if let Some(Op::Call { args, .. }) = self.code.last().copied() {
                    let last = self.code.len() - 1;
                    self.code[last] = Op::TailCall { a, args };
                }
                self.emit(Op::Return { a, count: 0 });
            }
            [one] if !self.is_multiple(*one) => {
                let a = self.to_any(*one)?;
                self.emit(Op::Return1 { a });
            }
            _ => {
                let first = u8::try_from(self.free).expect("registers fit");
                let open = self.list(values)?;
                let count = if open { 0 } else { u8::try_from(values.len() + 1).expect("registers fit") };
                self.emit(Op::Return { a: first, count });
            }
        }
        Ok(())
    }

    fn target(&mut self, id: ExprId, assigned: &[u8]) -> Generated<Target> {
        Ok(match self.expr(id) {
            Expr::Local(local) => {
                let register = self.registers[*local as usize];
                if self.is_captured(*local) { Target::Cell(register) } else { Target::Local(register) }
            }
            Expr::Upvalue(up) => Target::Upvalue(*up),
            Expr::Index { base, key, .. } => {
                if let (Expr::Upvalue(up), Expr::String(text)) = (self.expr(*base), self.expr(*key))
                    && let Ok(k) = u16::try_from(self.string_constant(text))
                {
                    return Ok(Target::Global { up: *up, k });
                }
                let table = self.to_any(*base)?;
                let table = self.keep(table, assigned)?;
                match self.key(*key)? {
                    Key::Constant(k) => Target::Field { table, k },
                    Key::Register(key) => Target::Index { table, key: self.keep(key, assigned)? },
                }
            }
            _ => unreachable!("the parser lets only variables be assigned to"),
        })
    }

    /// A copy of a local that the same statement assigns to.
    fn keep(&mut self, register: u8, assigned: &[u8]) -> Generated<u8> {
        if !assigned.contains(&register) {
            return Ok(register);
        }
        let a = self.allocate()?;
        self.emit(Op::Move { a, b: register });
        Ok(a)
    }

    fn store(&mut self, target: &Target, value: u8) {
        match *target {
            Target::Local(a) => {
                if a != value {
                    self.emit(Op::Move { a, b: value });
                }
            }
            Target::Cell(a) => {
                self.emit(Op::SetCell { a, b: value });
            }
            Target::Upvalue(up) => {
                self.emit(Op::SetUpvalue { a: value, up });
            }
            Target::Global { up, k } => {
                self.emit(Op::SetGlobal { up, c: value, k });
            }
            Target::Field { table, k } => {
                self.emit(Op::SetField { a: table, c: value, k });
            }
            Target::Index { table, key } => {
                self.emit(Op::SetIndex { a: table, b: key, c: value });
            }
        }
    }

    fn assign(&mut self, targets: &[ExprId], values: &[ExprId], line: u32) -> Generated<()> {
        if let ([target], [value]) = (targets, values) {
            let target = self.target(*target, &[])?;
            if let Target::Local(a) = target
                && !matches!(
                    self.expr(*value),
                    Expr::And(..) | Expr::Or(..) | Expr::Table { .. } | Expr::Single(_)
                )
            {
                return self.to_register(*value, a);
            }
            let value = self.to_any(*value)?;
            self.line = line;
            self.store(&target, value);
            return Ok(());
        }
        let assigned: Vec<u8> = targets.iter().filter_map(|&target| self.plain_local(target)).collect();
        let targets: Vec<Target> =
            targets.iter().map(|&target| self.target(target, &assigned)).collect::<Generated<_>>()?;
        let first = self.free;
        self.adjusted(values, targets.len())?;
        self.line = line;
        for (position, target) in targets.iter().enumerate().rev() {
            self.store(target, u8::try_from(first + position).expect("registers fit"));
        }
        Ok(())
    }
}
