//! Expressions that decide: comparisons, `and`, `or`, `not`.

use super::emit::{Generated, Generator, Patch};
use super::op::Op;
use super::tree::{Binary, Expr, ExprId, Unary};

impl Generator<'_, '_> {
    /// Jumps when the truth of the expression is `when`, and goes on otherwise. Gives the jumps to patch.
    pub fn jump_if(&mut self, id: ExprId, when: bool) -> Generated<Vec<Patch>> {
        match self.expr(id) {
            Expr::Nil | Expr::Bool(false) => Ok(if when { Vec::new() } else { vec![self.jump()] }),
            Expr::Bool(true) | Expr::Number(_) | Expr::String(_) => {
                Ok(if when { vec![self.jump()] } else { Vec::new() })
            }
            Expr::Single(inner) => self.jump_if(*inner, when),
            Expr::Unary { operator: Unary::Not, operand, .. } => self.jump_if(*operand, !when),
            Expr::Binary { operator, left, right, line } if operator.compares() => {
                self.compare(*operator, *left, *right, *line, when).map(|patch| vec![patch])
            }
            Expr::And(..) => self.chain_jumps(id, when, false),
            Expr::Or(..) => self.chain_jumps(id, when, true),
            _ => {
                let free = self.free;
                let a = self.to_any(id)?;
                self.free = free;
                let jump = if when { Op::JumpIf { a, to: 0 } } else { Op::JumpIfNot { a, to: 0 } };
                Ok(vec![self.emit(jump)])
            }
        }
    }

    /// The operands of a chain of `and`s or of `or`s, in order.
    fn chain_operands(&self, id: ExprId) -> Vec<ExprId> {
        let is_or = matches!(self.expr(id), Expr::Or(..));
        let mut operands = Vec::new();
        let mut current = id;
        loop {
            match self.expr(current) {
                Expr::And(left, right) if !is_or => {
                    operands.push(*right);
                    current = *left;
                }
                Expr::Or(left, right) if is_or => {
                    operands.push(*right);
                    current = *left;
                }
                _ => break,
            }
        }
        operands.push(current);
        operands.reverse();
        operands
    }

    /// `decides` is the truth that ends the chain at once: true for `or`.
    fn chain_jumps(&mut self, id: ExprId, when: bool, decides: bool) -> Generated<Vec<Patch>> {
        let operands = self.chain_operands(id);
        let (last, others) = operands.split_last().expect("a chain has two operands");
        let mut jumps = Vec::new();
        let mut past = Vec::new();
        for &operand in others {
            let decided = self.jump_if(operand, decides)?;
            if when == decides { jumps.extend(decided) } else { past.extend(decided) }
        }
        jumps.extend(self.jump_if(*last, when)?);
        self.patch_here(&past);
        Ok(jumps)
    }

    /// Compares two expressions and jumps when the outcome is `when`.
    fn compare(
        &mut self,
        operator: Binary,
        left: ExprId,
        right: ExprId,
        line: u32,
        when: bool,
    ) -> Generated<Patch> {
        let free = self.free;
        let a = self.to_any(left)?;
        let patch = self.compare_with(operator, a, right, line, when)?;
        self.free = free;
        Ok(patch)
    }

    pub fn compare_with(
        &mut self,
        operator: Binary,
        a: u8,
        right: ExprId,
        line: u32,
        when: bool,
    ) -> Generated<Patch> {
        let to = 0;
        if let Some(k) = self.small_constant(operator, right) {
            self.line = line;
            return Ok(self.emit(match operator {
                Binary::Equal => Op::EqualK { a, k, when, to },
                Binary::NotEqual => Op::EqualK { a, k, when: !when, to },
                Binary::Less => Op::LessK { a, k, when, to },
                Binary::LessEqual => Op::LessEqualK { a, k, when, to },
                Binary::Greater => Op::GreaterK { a, k, when, to },
                _ => Op::GreaterEqualK { a, k, when, to },
            }));
        }
        let b = self.to_any(right)?;
        self.line = line;
        Ok(self.emit(match operator {
            Binary::Equal => Op::Equal { a, b, when, to },
            Binary::NotEqual => Op::Equal { a, b, when: !when, to },
            Binary::Less => Op::Less { a, b, when, to },
            Binary::LessEqual => Op::LessEqual { a, b, when, to },
            Binary::Greater => Op::Less { a: b, b: a, when, to },
            _ => Op::LessEqual { a: b, b: a, when, to },
        }))
    }

    /// A constant that a comparison can hold itself.
    fn small_constant(&mut self, operator: Binary, id: ExprId) -> Option<u8> {
        let index = match self.expr(id) {
            Expr::Number(number) => self.number_constant(*number),
            Expr::String(text) if matches!(operator, Binary::Equal | Binary::NotEqual) => {
                self.string_constant(text)
            }
            _ => return None,
        };
        u8::try_from(index).ok()
    }

    /// The truth of an expression as a boolean in a register.
    pub fn truth(&mut self, id: ExprId, a: u8) -> Generated<()> {
        let jumps = self.jump_if(id, true)?;
        self.booleans(&jumps, a);
        Ok(())
    }

    /// False where nothing jumped, true where one of the jumps arrives.
    pub fn booleans(&mut self, jumps: &[Patch], a: u8) {
        self.emit(Op::LoadBool { a, value: false });
        let end = self.jump();
        self.patch_here(jumps);
        self.emit(Op::LoadBool { a, value: true });
        self.patch_here(&[end]);
    }

    /// The value of a chain of `and`s or `or`s.
    pub fn chain_value(&mut self, id: ExprId, a: u8) -> Generated<()> {
        let decides = matches!(self.expr(id), Expr::Or(..));
        let operands = self.chain_operands(id);
        let (last, others) = operands.split_last().expect("a chain has two operands");
        let mut ends = Vec::new();
        for &operand in others {
            self.value_if(operand, a, decides, &mut ends)?;
        }
        self.to_register(*last, a)?;
        self.patch_here(&ends);
        Ok(())
    }

    /// Sets the register and jumps to an end when the truth of the expression is `when`; the register's value does not
    /// matter otherwise.
    fn value_if(&mut self, id: ExprId, a: u8, when: bool, ends: &mut Vec<Patch>) -> Generated<()> {
        let other_chain = match self.expr(id) {
            Expr::And(..) => when,
            Expr::Or(..) => !when,
            _ => false,
        };
        let decides = matches!(self.expr(id), Expr::Binary { operator, .. } if operator.compares());
        let mut past = Vec::new();
        if other_chain {
            let operands = self.chain_operands(id);
            let (last, others) = operands.split_last().expect("a chain has two operands");
            for &operand in others {
                past.extend(self.jump_if(operand, !when)?);
            }
            self.value_if(*last, a, when, ends)?;
        } else if decides {
            past = self.jump_if(id, !when)?;
            self.emit(Op::LoadBool { a, value: when });
            ends.push(self.jump());
        } else {
            self.to_register(id, a)?;
            let jump = if when { Op::JumpIf { a, to: 0 } } else { Op::JumpIfNot { a, to: 0 } };
            ends.push(self.emit(jump));
        }
        self.patch_here(&past);
        Ok(())
    }
}
