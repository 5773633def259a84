//! What every part of code generation uses: instructions, constants, registers, jumps.

use std::collections::HashMap;
use std::sync::Arc;

use super::op::Op;
use super::proto::{Constant, LocalName, Proto};
use super::tree::{Expr, ExprId, Function, LocalId, Text, Tree};
use super::watch::Watch;
use super::{ChunkName, CompileError};

/// Registers are one byte, and a call needs a few above those that a function names.
const MAX_REGISTERS: usize = 250;

pub type Generated<T> = Result<T, CompileError>;

/// A jump whose target is not known yet: the index of its instruction.
pub type Patch = usize;

#[derive(Debug, PartialEq, Eq, Hash)]
enum ConstantKey {
    Number(u64),
    String(Text),
}

/// A label, or a jump to one, with how many locals are visible there.
#[derive(Debug)]
pub struct Mark {
    pub name: Text,
    pub at: usize,
    pub line: u32,
    pub locals: usize,
}

#[derive(Debug, Default)]
pub struct BlockState {
    /// By name: a text may have very many.
    pub labels: HashMap<Text, Mark>,
    pub gotos: Vec<Mark>,
    pub is_loop: bool,
    pub breaks: Vec<Patch>,
    /// How many locals are visible where it begins.
    pub locals: usize,
    pub first_free: usize,
}

/// Makes the code of one function.
pub struct Generator<'t, 'w> {
    pub tree: &'t Tree,
    pub function: &'t Function,
    pub name: Arc<ChunkName>,
    pub code: Vec<Op>,
    pub lines: Vec<u32>,
    pub constants: Vec<Constant>,
    constant_index: HashMap<ConstantKey, u32>,
    pub children: Vec<Arc<Proto>>,
    /// The register of each local that was declared.
    pub registers: Vec<u8>,
    pub local_names: Vec<LocalName>,
    /// Indices into `local_names` of what is visible.
    pub visible: Vec<usize>,
    pub free: usize,
    pub most: usize,
    pub line: u32,
    pub blocks: Vec<BlockState>,
    pub watch: &'t Watch<'w>,
    /// What was made and has not been counted yet, in bytes.
    pub owed: usize,
}

/// What a constant takes, with its place in the index.
const CONSTANT_SIZE: usize = size_of::<Constant>() + 2 * (size_of::<ConstantKey>() + size_of::<u32>());

/// What an instruction takes, with its line.
const INSTRUCTION_SIZE: usize = size_of::<Op>() + size_of::<u32>();

impl<'t, 'w> Generator<'t, 'w> {
    pub fn new(tree: &'t Tree, function: &'t Function, name: Arc<ChunkName>, watch: &'t Watch<'w>) -> Self {
        Self {
            tree,
            function,
            name,
            code: Vec::new(),
            lines: Vec::new(),
            constants: Vec::new(),
            constant_index: HashMap::new(),
            children: Vec::new(),
            registers: vec![0; function.locals.len()],
            local_names: Vec::new(),
            visible: Vec::new(),
            free: 0,
            // A call of the shortest function needs room for what it calls.
            most: 2,
            line: function.line,
            blocks: Vec::new(),
            watch,
            owed: 0,
        }
    }

    /// Counts what was made since the last time.
    pub fn count(&mut self) -> Generated<()> {
        let owed = std::mem::take(&mut self.owed);
        self.watch.take(owed)
    }

    pub fn expr(&self, id: ExprId) -> &'t Expr {
        &self.tree.expressions[id as usize]
    }

    pub fn error(&self, message: &str) -> CompileError {
        CompileError::at(&self.name.short, self.line, message.as_bytes())
    }

    pub fn emit(&mut self, op: Op) -> usize {
        self.owed += INSTRUCTION_SIZE;
        self.code.push(op);
        self.lines.push(self.line);
        self.code.len() - 1
    }

    pub fn here(&self) -> u32 {
        u32::try_from(self.code.len()).expect("a function has fewer instructions than its text has bytes")
    }

    // Registers.

    pub fn allocate(&mut self) -> Generated<u8> {
        self.watch.step()?;
        self.count()?;
        if self.free >= MAX_REGISTERS {
            return Err(self.error("function or expression needs too many registers"));
        }
        let register = self.free;
        self.free += 1;
        self.most = self.most.max(self.free);
        Ok(u8::try_from(register).expect("the limit was checked"))
    }

    /// The register of a local that lives in no cell.
    pub fn plain_local(&self, id: ExprId) -> Option<u8> {
        match self.expr(id) {
            Expr::Local(local) if !self.is_captured(*local) => Some(self.registers[*local as usize]),
            _ => None,
        }
    }

    pub fn is_captured(&self, local: LocalId) -> bool {
        self.function.locals[local as usize].captured
    }

    /// Makes a local visible from here on, in a register that holds its value.
    pub fn declare(&mut self, local: LocalId, register: u8) {
        self.registers[local as usize] = register;
        let captured = self.is_captured(local);
        if captured {
            self.emit(Op::NewCell { a: register });
        }
        let name = self.function.locals[local as usize].name.clone();
        self.visible.push(self.local_names.len());
        let start = self.here();
        self.owed += size_of::<LocalName>();
        self.local_names.push(LocalName { name, register, captured, start, end: u32::MAX });
    }

    /// Names the three registers of a loop, which a program sees through `debug` alone.
    pub fn declare_hidden(&mut self, first: u8, names: [&str; 3]) {
        let start = self.here();
        for (register, name) in (first..).zip(names) {
            self.visible.push(self.local_names.len());
            let name = Arc::from(name.as_bytes());
            self.owed += 2 * size_of::<LocalName>();
            self.local_names.push(LocalName { name, register, captured: false, start, end: u32::MAX });
        }
    }

    // Constants.

    fn constant(&mut self, key: ConstantKey, value: Constant) -> u32 {
        let next = u32::try_from(self.constants.len()).expect("fewer constants than bytes of text");
        *self.constant_index.entry(key).or_insert_with(|| {
            self.owed += CONSTANT_SIZE;
            self.constants.push(value);
            next
        })
    }

    pub fn number_constant(&mut self, number: f64) -> u32 {
        self.constant(ConstantKey::Number(number.to_bits()), Constant::Number(number))
    }

    pub fn string_constant(&mut self, text: &Text) -> u32 {
        self.constant(ConstantKey::String(text.clone()), Constant::String(text.clone()))
    }

    // Jumps.

    pub fn jump(&mut self) -> Patch {
        self.emit(Op::Jump { to: 0 })
    }

    pub fn jump_to(&mut self, to: u32) {
        self.emit(Op::Jump { to });
    }

    pub fn patch_here(&mut self, patches: &[Patch]) {
        let here = self.here();
        self.patch(patches, here);
    }

    pub fn patch(&mut self, patches: &[Patch], target: u32) {
        for &patch in patches {
            match &mut self.code[patch] {
                Op::Jump { to }
                | Op::JumpIf { to, .. }
                | Op::JumpIfNot { to, .. }
                | Op::Equal { to, .. }
                | Op::EqualK { to, .. }
                | Op::Less { to, .. }
                | Op::LessEqual { to, .. }
                | Op::LessK { to, .. }
                | Op::LessEqualK { to, .. }
                | Op::GreaterK { to, .. }
                | Op::GreaterEqualK { to, .. }
                | Op::ForPrepare { to, .. }
                | Op::ForLoop { to, .. }
                | Op::GenericLoop { to, .. } => *to = target,
                other => unreachable!("{other:?} does not jump"),
            }
        }
    }
}
