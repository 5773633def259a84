//! A compiled function: immutable, without any state, shared by all machines of a process.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ChunkName;
use super::op::Op;

/// A constant of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Constant {
    Nil,
    Bool(bool),
    Number(f64),
    String(Arc<[u8]>),
}

/// Where a new closure finds one of its upvalues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpvalueSource {
    pub name: Arc<[u8]>,
    /// In a register of the function that makes the closure, or among its upvalues.
    pub in_register: bool,
    pub index: u8,
}

/// A local variable: its register and the instructions between which it has its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalName {
    pub name: Arc<[u8]>,
    pub register: u8,
    pub captured: bool,
    pub start: u32,
    pub end: u32,
}

/// A compiled function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proto {
    pub code: Box<[Op]>,
    pub constants: Box<[Constant]>,
    #[serde(skip)]
    pub children: Box<[Arc<Self>]>,
    pub upvalues: Box<[UpvalueSource]>,
    pub locals: Box<[LocalName]>,
    /// The line of each instruction.
    pub lines: Box<[u32]>,
    #[serde(skip)]
    pub name: ChunkName,
    pub line: u32,
    pub last_line: u32,
    pub parameters: u8,
    pub is_vararg: bool,
    /// How many registers it uses.
    pub registers: u8,
}

impl Proto {
    /// Whether it is Lua that the machine or its host has written in the place of a native: it is called `=[C]`, and
    /// programs look no deeper into it than into a native.
    pub fn stands_for_native(&self) -> bool {
        *self.name.source == *b"=[C]"
    }

    /// The local variables that are in scope at an instruction, in order of their registers.
    pub fn active_locals(&self, pc: u32) -> impl Iterator<Item = &LocalName> {
        self.locals.iter().filter(move |local| local.start <= pc && pc < local.end)
    }

    /// The name of the local variable in a register at an instruction.
    pub fn local_in(&self, register: u8, pc: u32) -> Option<&LocalName> {
        self.active_locals(pc).find(|local| local.register == register)
    }

    /// The lines that have instructions, of this function and of those inside it, in order. The line of its end is not
    /// among them, where nothing but the return stands there that every function has.
    pub fn executable_lines(&self) -> Vec<u32> {
        let mut lines = Vec::new();
        let mut pending = vec![self];
        while let Some(proto) = pending.pop() {
            lines.extend_from_slice(&proto.lines[..proto.lines.len() - 1]);
            pending.extend(proto.children.iter().map(|child| &**child));
        }
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// How many bytes it takes, with what it holds but not its children.
    pub fn size(&self) -> usize {
        let constants: usize = self
            .constants
            .iter()
            .map(|constant| if let Constant::String(text) = constant { text.len() } else { 0 })
            .sum();
        size_of::<Self>()
            + self.code.len() * (size_of::<Op>() + size_of::<u32>())
            + self.constants.len() * size_of::<Constant>()
            + constants
            + self.locals.len() * size_of::<LocalName>()
            + self.upvalues.len() * size_of::<UpvalueSource>()
    }
}
