//! Source text to compiled functions.
//!
//! `lexer` makes tokens, `parser` makes a tree whose names are resolved (`tree`), `function` and its neighbours make
//! instructions (`op`) in a `proto`.

mod condition;
mod emit;
mod expression;
mod function;
pub mod lexer;
pub mod op;
pub mod packed;
mod parser;
mod proto;
mod statement;
mod tree;
mod watch;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use packed::{pack, unpack};
pub use proto::{Body, Constant, Head, Notes, Proto, UpvalueSource};

use crate::dialect::Dialect;
use tree::Statement;
use watch::Watch;

/// The name of a chunk, which all of its functions share.
#[derive(Default, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkName {
    /// As `load` was given it.
    pub source: Arc<[u8]>,
    /// As messages show it.
    pub short: Arc<[u8]>,
}

impl ChunkName {
    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        self.source.len() + self.short.len()
    }
}

/// Why a text is no Lua, as Lua says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileError {
    /// The whole message: the chunk's name, the line and the reason.
    pub message: Vec<u8>,
    /// The line that the message names, from 1; 0 where memory ran out.
    pub line: u32,
    /// The message without the place.
    pub reason: Vec<u8>,
}

impl CompileError {
    fn at(name: &[u8], line: u32, reason: &[u8]) -> Self {
        let mut message = name.to_vec();
        message.extend_from_slice(format!(":{line}: ").as_bytes());
        message.extend_from_slice(reason);
        Self { message, line, reason: reason.to_vec() }
    }

    pub(crate) fn out_of_memory() -> Self {
        let reason = b"not enough memory".to_vec();
        Self { message: reason.clone(), line: 0, reason }
    }
}

/// The reason of a text that was not compiled to its end.
const INTERRUPTED: &[u8] = b"interrupted";

impl CompileError {
    fn interrupted() -> Self {
        Self { message: INTERRUPTED.to_vec(), line: 0, reason: INTERRUPTED.to_vec() }
    }

    /// Whether nothing is wrong with the text, but compiling it was not to go on.
    pub fn is_interrupted(&self) -> bool {
        self.line == 0 && self.reason == INTERRUPTED
    }
}

impl std::fmt::Display for CompileError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&String::from_utf8_lossy(&self.message))
    }
}

impl std::error::Error for CompileError {}

/// How many bytes the tree of a text that is checked may take: far more than any program has.
const CHECK_ROOM: usize = 1 << 30;

/// Looks whether a text is Lua, without running or keeping any of it. The error has its line, and the reason as Lua says
/// it. A text that is too deep or too large is an error as well: nothing here recurses further than Lua's own limit of
/// levels.
pub fn check(text: &[u8], name: &[u8], dialect: Dialect) -> Result<Checked, CompileError> {
    let short = dialect.chunk_name(name);
    let mut goes_on = || true;
    let watch = Watch::new(&mut goes_on, CHECK_ROOM);
    let name = Arc::new(ChunkName { source: name.into(), short: short.into() });
    let tree = parser::parse(text, &name.short, &watch)?;
    function::generate(&tree, &name, &watch)?;
    let main = &tree.functions[tree.main as usize];
    Ok(Checked { returns: matches!(main.body.statements.last(), Some((Statement::Return(_), _))) })
}

/// What is known of a text that is Lua.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// Its last statement is a `return`.
    pub returns: bool,
}

/// Compiles a text into the function that runs it. `name` is the chunk's name with its mark, such as `@startup.lua`;
/// `room` is how many bytes the tree and the code may take on the way.
pub fn compile(text: &[u8], name: &[u8], room: usize, dialect: Dialect) -> Result<Arc<Proto>, CompileError> {
    compile_while(text, name, room, dialect, &mut || true)
}

/// The same as long as `goes_on` says so, which is asked every fraction of a millisecond;
/// [`CompileError::is_interrupted`] tells when it was not long enough.
pub fn compile_while(
    text: &[u8],
    name: &[u8],
    room: usize,
    dialect: Dialect,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Arc<Proto>, CompileError> {
    let watch = Watch::new(goes_on, room);
    let short = dialect.chunk_name(name);
    let name = Arc::new(ChunkName { source: name.into(), short: short.into() });
    let tree = parser::parse(text, &name.short, &watch)?;
    function::generate(&tree, &name, &watch)
}
