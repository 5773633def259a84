//! A function of the tree to a proto.

use std::sync::Arc;

use super::ChunkName;
use super::emit::{Generated, Generator};
use super::op::Op;
use super::proto::{Body, Head, Notes, Proto, UpvalueSource};
use super::tree::{ExprId, Tree};
use super::watch::Watch;

/// Makes the code of a whole chunk.
pub fn generate(tree: &Tree, name: &Arc<ChunkName>, watch: &Watch<'_>) -> Generated<Arc<Proto>> {
    function(tree, tree.main, name, Vec::new().into(), watch)
}

fn function(
    tree: &Tree,
    index: u32,
    name: &Arc<ChunkName>,
    upvalues: Box<[UpvalueSource]>,
    watch: &Watch<'_>,
) -> Generated<Arc<Proto>> {
    let function = &tree.functions[index as usize];
    let mut generator = Generator::new(tree, function, name.clone(), watch);
    // The line of a function's head has no instruction, as in Lua.
    generator.line = function.body.statements.first().map_or(function.last_line, |(_, line)| *line);
    for &parameter in &function.parameters {
        let register = generator.allocate()?;
        generator.declare(parameter, register);
    }
    generator.body(&function.body)?;
    generator.line = function.last_line;
    generator.emit(Op::Return0);
    let end = generator.here();
    for local in &mut generator.local_names {
        local.end = local.end.min(end);
    }
    let names = function.upvalues.iter().map(|upvalue| upvalue.name.clone()).collect();
    let upvalues = if index == tree.main {
        function.upvalues.iter().map(|_| UpvalueSource { in_register: true, index: 0 }).collect()
    } else {
        upvalues
    };
    let head = Head {
        line: function.line,
        last_line: if index == tree.main { 0 } else { function.last_line },
        parameters: u8::try_from(function.parameters.len()).expect("there are at most 200 locals"),
        is_vararg: function.is_vararg,
        registers: u8::try_from(generator.most).expect("there are at most 250 registers"),
    };
    let body = Body {
        code: generator.code.into(),
        constants: generator.constants.into(),
        children: generator.children.into(),
        parameters: head.parameters,
        is_vararg: head.is_vararg,
    };
    let notes =
        Notes { lines: generator.lines.into(), locals: generator.local_names.into(), upvalues: names };
    Ok(Arc::new(Proto::new(head, upvalues, name.clone(), body, notes)))
}

impl Generator<'_, '_> {
    /// The child's index for a `Closure` instruction.
    pub fn child(&mut self, index: u32) -> Generated<u32> {
        let upvalues = self.tree.functions[index as usize]
            .upvalues
            .iter()
            .map(|upvalue| UpvalueSource {
                in_register: upvalue.from_local,
                index: if upvalue.from_local {
                    self.registers[upvalue.index as usize]
                } else {
                    u8::try_from(upvalue.index).expect("there are at most 255 upvalues")
                },
            })
            .collect();
        let proto = function(self.tree, index, &self.name, upvalues, self.watch)?;
        self.children.push(proto);
        Ok(u32::try_from(self.children.len() - 1).expect("fewer functions than bytes of text"))
    }

    /// Evaluates a list into consecutive registers from the first free one, cut or filled to `want` values.
    pub fn adjusted(&mut self, values: &[ExprId], want: usize) -> Generated<()> {
        for (position, &value) in values.iter().enumerate() {
            if position + 1 == values.len() && position < want && self.is_multiple(value) {
                self.several(value, want - position)?;
                return Ok(());
            }
            self.to_next(value)?;
            if position >= want {
                self.free -= 1;
            }
        }
        if values.len() < want {
            let missing = u8::try_from(want - values.len()).expect("there are at most 200 locals");
            let first = self.allocate()?;
            for _ in 1..missing {
                self.allocate()?;
            }
            self.emit(Op::LoadNil { a: first, n: missing });
        }
        Ok(())
    }
}
