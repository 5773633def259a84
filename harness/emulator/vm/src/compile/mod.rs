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
mod parser;
mod proto;
mod statement;
mod tree;

use std::sync::Arc;

pub use lexer::chunk_name;
pub use proto::{Constant, Proto};

/// Why a text is no Lua, as Lua says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileError {
    pub message: Vec<u8>,
}

impl std::fmt::Display for CompileError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&String::from_utf8_lossy(&self.message))
    }
}

impl std::error::Error for CompileError {}

/// Compiles a text into the function that runs it. `name` is the chunk's name with its mark, such as `@startup.lua`;
/// `room` is how many bytes the tree may take on the way.
pub fn compile(text: &[u8], name: &[u8], room: usize) -> Result<Arc<Proto>, CompileError> {
    let tree = parser::parse(text, name, room)?;
    function::generate(&tree, name)
}
