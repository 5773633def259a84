//! Tokens to a tree in which every name is resolved to a local, an upvalue or a field of `_ENV`.
//!
//! `chunk` begins and ends; `tokens` and `scopes` are below `expressions` and `statements`.

mod chunk;
mod expressions;
mod scopes;
mod statements;
mod tokens;

pub use chunk::parse;
