//! The tree of a chunk. Expressions lie in one list and name each other by index, so that no depth of nesting makes
//! dropping or walking it recurse further than the parser's own limit.

use std::sync::Arc;

pub type Text = Arc<[u8]>;
/// An expression's index in [`Tree::expressions`].
pub type ExprId = u32;
/// A local variable's index in [`Function::locals`].
pub type LocalId = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Binary {
    pub fn compares(self) -> bool {
        !matches!(self, Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Mod | Self::Pow)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    Negate,
    Not,
    Length,
}

#[derive(Debug)]
pub enum Expr {
    Nil,
    Bool(bool),
    Number(f64),
    String(Text),
    VarArgs,
    /// An index into [`Tree::functions`].
    Function(u32),
    Local(LocalId),
    Upvalue(u8),
    Index {
        base: ExprId,
        key: ExprId,
        line: u32,
    },
    Call {
        function: ExprId,
        arguments: Vec<ExprId>,
        line: u32,
    },
    Method {
        object: ExprId,
        name: Text,
        arguments: Vec<ExprId>,
        line: u32,
    },
    Binary {
        operator: Binary,
        left: ExprId,
        right: ExprId,
        line: u32,
    },
    Concat {
        parts: Vec<ExprId>,
        line: u32,
    },
    Unary {
        operator: Unary,
        operand: ExprId,
        line: u32,
    },
    And(ExprId, ExprId),
    Or(ExprId, ExprId),
    /// Parentheses around something that may have several values.
    Single(ExprId),
    Table {
        items: Vec<Item>,
        line: u32,
    },
}

#[derive(Debug)]
pub enum Item {
    Positional(ExprId),
    /// Key, value, and the line that it begins on.
    Keyed(ExprId, ExprId, u32),
}

#[derive(Debug)]
pub struct LocalInfo {
    pub name: Text,
    /// An inner function uses it.
    pub captured: bool,
}

#[derive(Debug)]
pub struct UpvalueInfo {
    pub name: Text,
    /// The index is that of a local of the enclosing function, or of one of its upvalues.
    pub from_local: bool,
    pub index: u32,
}

#[derive(Debug)]
pub struct Function {
    pub parameters: Vec<LocalId>,
    pub is_vararg: bool,
    pub body: Block,
    pub locals: Vec<LocalInfo>,
    pub upvalues: Vec<UpvalueInfo>,
    pub line: u32,
    pub last_line: u32,
}

#[derive(Debug, Default)]
pub struct Block {
    pub statements: Vec<(Statement, u32)>,
    /// The line of its last token; for a function, that of its `end`.
    pub last_line: u32,
}

#[derive(Debug)]
pub enum Statement {
    Local { locals: Vec<LocalId>, values: Vec<ExprId> },
    LocalFunction { local: LocalId, function: ExprId },
    Assign { targets: Vec<ExprId>, values: Vec<ExprId> },
    Call(ExprId),
    Do(Block),
    While { condition: ExprId, body: Block },
    Repeat { body: Block, condition: ExprId },
    If { arms: Vec<(ExprId, Block)>, otherwise: Option<Block> },
    NumericFor { local: LocalId, start: ExprId, limit: ExprId, step: Option<ExprId>, body: Block },
    GenericFor { locals: Vec<LocalId>, values: Vec<ExprId>, body: Block, line: u32 },
    Return(Vec<ExprId>),
    Break,
    Goto(Text),
    Label(Text),
}

#[derive(Debug)]
pub struct Tree {
    pub expressions: Vec<Expr>,
    pub functions: Vec<Function>,
    /// The function of the whole chunk.
    pub main: u32,
}
