//! The parser as a whole: what it knows while it goes through a text, and where a function ends.

use super::scopes::Scope;
use crate::compile::lexer::{Lexer, Token};
use crate::compile::tree::{Block, Expr, Function, LocalId, Text, Tree, UpvalueInfo};
use crate::compile::watch::Watch;
use crate::compile::{Body, CompileError, Notes, Proto};

pub(super) type Parsed<T> = Result<T, CompileError>;

/// What the lists of a function take that has hardly anything in them, as it was parsed and as it was compiled.
const LISTS: usize = 512;

pub(super) struct Parser<'a, 'w> {
    pub(super) lexer: Lexer<'a>,
    pub(super) token: Token,
    pub(super) ahead: Option<Token>,
    /// The text and the line of the current token.
    pub(super) token_text: &'a [u8],
    pub(super) token_line: u32,
    pub(super) ahead_text: (&'a [u8], u32),
    pub(super) last_line: u32,
    pub(super) level: u32,
    pub(super) expressions: Vec<Expr>,
    pub(super) functions: Vec<Function>,
    pub(super) scopes: Vec<Scope>,
    pub(super) environment: Text,
    pub(super) watch: &'a Watch<'w>,
}

pub fn parse(text: &[u8], name: &[u8], watch: &Watch<'_>) -> Parsed<Tree> {
    let mut parser = Parser {
        lexer: Lexer::new(text, name),
        token: Token::End,
        ahead: None,
        token_text: b"",
        token_line: 1,
        ahead_text: (b"", 1),
        last_line: 1,
        level: 0,
        expressions: Vec::new(),
        functions: Vec::new(),
        scopes: Vec::new(),
        environment: Text::from(&b"_ENV"[..]),
        watch,
    };
    parser.chunk()
}

impl Parser<'_, '_> {
    fn chunk(&mut self) -> Parsed<Tree> {
        let name = self.environment.clone();
        let environment = UpvalueInfo { name, from_local: false, index: 0 };
        self.scopes.push(Scope { is_vararg: true, upvalues: vec![environment], ..Scope::default() });
        self.advance()?;
        let body = self.block()?;
        if self.token != Token::End {
            return Err(self.expected("<eof>"));
        }
        let main = self.close_function(Vec::new(), body)?;
        Ok(Tree {
            expressions: std::mem::take(&mut self.expressions),
            functions: std::mem::take(&mut self.functions),
            main,
        })
    }

    pub(super) fn close_function(&mut self, parameters: Vec<LocalId>, body: Block) -> Parsed<u32> {
        let scope = self.scopes.pop().expect("a function that is closed was opened");
        // The compiled function comes beside it, with its lists.
        self.watch.take(LISTS + size_of::<Proto>() + size_of::<Body>() + size_of::<Notes>())?;
        let function = Function {
            parameters,
            is_vararg: scope.is_vararg,
            last_line: body.last_line,
            body,
            locals: scope.locals,
            upvalues: scope.upvalues,
            line: scope.line,
        };
        self.watch.push(&mut self.functions, function)?;
        Ok(index(self.functions.len() - 1))
    }
}

pub(super) fn index(position: usize) -> u32 {
    u32::try_from(position).expect("a text of four gigabytes is not compiled")
}
