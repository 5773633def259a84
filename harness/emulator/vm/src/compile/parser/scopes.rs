//! Which names are visible where, and what they stand for.

use super::chunk::{Parsed, Parser, index};
use crate::compile::tree::{Expr, LocalId, LocalInfo, Text, UpvalueInfo};

/// As in Lua (`MAXVARS`): registers are one byte.
const MAX_LOCALS: usize = 200;
/// As in Lua (`MAXUPVAL`).
const MAX_UPVALUES: usize = 255;

/// What is known of a function while it is parsed.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) locals: Vec<LocalInfo>,
    /// Locals that are visible here, the innermost last.
    pub(super) active: Vec<LocalId>,
    pub(super) upvalues: Vec<UpvalueInfo>,
    pub(super) is_vararg: bool,
    pub(super) line: u32,
}

impl Parser<'_, '_> {
    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("a function is being parsed")
    }

    /// Makes a local variable that is not yet visible.
    pub(super) fn new_local(&mut self, name: Text) -> Parsed<LocalId> {
        let watch = self.watch;
        let scope = self.scope();
        watch.push(&mut scope.locals, LocalInfo { name, captured: false })?;
        Ok(index(scope.locals.len() - 1))
    }

    pub(super) fn check_locals(&self, more: usize) -> Parsed<()> {
        let active = self.scopes.last().map_or(0, |scope| scope.active.len());
        if active + more > MAX_LOCALS { Err(self.limit("local variables", MAX_LOCALS)) } else { Ok(()) }
    }

    pub(super) fn activate(&mut self, locals: &[LocalId]) -> Parsed<()> {
        self.check_locals(locals.len())?;
        self.scope().active.extend_from_slice(locals);
        Ok(())
    }

    pub(super) fn resolve(&mut self, name: &Text) -> Parsed<Option<Expr>> {
        let find = |scope: &Scope| {
            scope.active.iter().rev().copied().find(|&id| scope.locals[id as usize].name == *name)
        };
        let find_upvalue = |scope: &Scope| scope.upvalues.iter().position(|upvalue| upvalue.name == *name);
        let innermost = self.scopes.len() - 1;
        let mut found = None;
        for depth in (0..=innermost).rev() {
            if let Some(id) = find(&self.scopes[depth]) {
                if depth == innermost {
                    return Ok(Some(Expr::Local(id)));
                }
                self.scopes[depth].locals[id as usize].captured = true;
                found = Some((depth, true, id));
                break;
            }
            if let Some(position) = find_upvalue(&self.scopes[depth]) {
                found = Some((depth, false, index(position)));
                break;
            }
        }
        let Some((depth, mut from_local, mut position)) = found else { return Ok(None) };
        for inner in depth + 1..=innermost {
            let upvalues = &mut self.scopes[inner].upvalues;
            upvalues.push(UpvalueInfo { name: name.clone(), from_local, index: position });
            from_local = false;
            position = index(upvalues.len() - 1);
            if upvalues.len() > MAX_UPVALUES {
                return Err(self.limit("upvalues", MAX_UPVALUES));
            }
        }
        Ok(Some(Expr::Upvalue(u8::try_from(position).expect("the limit was checked"))))
    }
}
