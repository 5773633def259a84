//! A compiled function: immutable, without any state, shared by all machines of a process.
//!
//! Its parts come in three: the head, which a closure needs; the body, which a call needs; the notes, which messages and
//! `debug` need. Of code that was compiled when its program was built, body and notes are unpacked when they are first asked
//! for: of a library most functions are never called.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::ChunkName;
use super::op::Op;
use super::packed::Packed;
use crate::heap::LONG;

/// A constant of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Constant {
    Nil,
    Bool(bool),
    Number(f64),
    String(Arc<[u8]>),
    /// A text that is part of the program. It is written as a `String`.
    #[serde(skip)]
    Static(StaticText),
}

/// A text that is part of the program.
pub type StaticText = &'static [u8];

impl Constant {
    /// Its bytes, where it is a text.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Self::String(text) => Some(text),
            Self::Static(text) => Some(text),
            _ => None,
        }
    }
}

/// Where a new closure finds one of its upvalues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpvalueSource {
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

/// What a call needs to know before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub line: u32,
    pub last_line: u32,
    pub parameters: u8,
    pub is_vararg: bool,
    /// How many registers it uses.
    pub registers: u8,
}

/// What runs.
#[derive(Debug)]
pub struct Body {
    pub code: Box<[Op]>,
    pub constants: Box<[Constant]>,
    pub children: Box<[Arc<Proto>]>,
    /// As in the head: the loop looks at one place.
    pub parameters: u8,
    pub is_vararg: bool,
}

/// What is only told.
#[derive(Debug, Default, PartialEq, Eq, Clone, Serialize, Deserialize)]
pub struct Notes {
    /// The line of each instruction.
    pub lines: Box<[u32]>,
    pub locals: Box<[LocalName]>,
    pub upvalues: Box<[Arc<[u8]>]>,
}

/// A compiled function.
#[derive(Debug)]
pub struct Proto {
    pub head: Head,
    pub upvalues: Box<[UpvalueSource]>,
    pub name: Arc<ChunkName>,
    /// How many bytes count as those of a state that uses it: none for what is part of the program.
    size: usize,
    /// Where body and notes are unpacked from.
    packed: Option<Packed>,
    body: OnceLock<Arc<Body>>,
    notes: OnceLock<Box<Notes>>,
}

impl Proto {
    /// A function that was just compiled.
    pub fn new(
        head: Head,
        upvalues: Box<[UpvalueSource]>,
        name: Arc<ChunkName>,
        body: Body,
        notes: Notes,
    ) -> Self {
        // A long one is counted once for all functions of its chunk.
        let named = if name.size() <= LONG { name.size() } else { 0 };
        let size = size_of::<Self>() + named + size_of_val(&*upvalues) + body.size() + notes.size();
        Self {
            head,
            upvalues,
            name,
            size,
            packed: None,
            body: OnceLock::from(Arc::new(body)),
            notes: OnceLock::from(Box::new(notes)),
        }
    }

    /// A function whose body and notes are part of the program.
    pub(super) fn packed(
        head: Head,
        upvalues: Box<[UpvalueSource]>,
        name: Arc<ChunkName>,
        packed: Packed,
    ) -> Self {
        let (body, notes) = (OnceLock::new(), OnceLock::new());
        Self { head, upvalues, name, size: 0, packed: Some(packed), body, notes }
    }

    /// The same counted as another number of bytes: as it was in the state that was written.
    #[must_use]
    pub fn with_size(mut self, size: usize) -> Self {
        self.size = size;
        self
    }

    pub fn body(&self) -> &Arc<Body> {
        self.body.get_or_init(|| Arc::new(self.source().body(self)))
    }

    pub fn notes(&self) -> &Notes {
        self.notes.get_or_init(|| Box::new(self.source().notes()))
    }

    fn source(&self) -> Packed {
        self.packed.expect("a function that is not packed has all of its parts")
    }

    pub fn code(&self) -> &[Op] {
        &self.body().code
    }

    pub fn constants(&self) -> &[Constant] {
        &self.body().constants
    }

    pub fn children(&self) -> &[Arc<Self>] {
        &self.body().children
    }

    pub fn lines(&self) -> &[u32] {
        &self.notes().lines
    }

    pub fn upvalue_name(&self, index: usize) -> &[u8] {
        &self.notes().upvalues[index]
    }

    /// Whether it is Lua that the machine or its host has written in the place of a native: it is called `=[C]`, and
    /// programs look no deeper into it than into a native.
    pub fn stands_for_native(&self) -> bool {
        *self.name.source == *b"=[C]"
    }

    /// The local variables that are in scope at an instruction, in order of their registers.
    pub fn active_locals(&self, pc: u32) -> impl Iterator<Item = &LocalName> {
        self.notes().locals.iter().filter(move |local| local.start <= pc && pc < local.end)
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
            let own = proto.lines();
            lines.extend_from_slice(&own[..own.len() - 1]);
            pending.extend(proto.children().iter().map(|child| &**child));
        }
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// How many bytes it takes, with what it holds but not its children; none where it is part of the program.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl Body {
    fn size(&self) -> usize {
        let texts: usize = self.constants.iter().filter_map(Constant::text).map(<[u8]>::len).sum();
        size_of::<Self>() + size_of_val(&*self.code) + size_of_val(&*self.constants) + texts
    }
}

impl Notes {
    fn size(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.lines)
            + size_of_val(&*self.locals)
            + size_of_val(&*self.upvalues)
    }
}
