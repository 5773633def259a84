//! Blocks and statements.

use super::chunk::{Parsed, Parser};
use super::tokens::MAX_LEVELS;
use crate::compile::lexer::{Keyword, Token};
use crate::compile::tree::{Block, Expr, ExprId, LocalId, Statement, Text};

/// What the lists in a statement take, on average.
const STATEMENT_LISTS: usize = 32;

impl Parser<'_, '_> {
    fn new_locals(&mut self, names: Vec<Text>) -> Parsed<Vec<LocalId>> {
        names.into_iter().map(|name| self.new_local(name)).collect()
    }

    fn block_ends(&self) -> bool {
        matches!(
            self.token,
            Token::End | Token::Keyword(Keyword::End | Keyword::Else | Keyword::ElseIf | Keyword::Until)
        )
    }

    /// A block; its locals stay visible to the caller, who cuts them off.
    fn open_block(&mut self) -> Parsed<Block> {
        let mut statements = Vec::new();
        while !self.block_ends() {
            if self.at_keyword(Keyword::Return) {
                let line = self.token_line;
                let statement = self.return_statement()?;
                self.watch.push(&mut statements, (statement, line))?;
                break;
            }
            self.enter()?;
            let line = self.token_line;
            if let Some(statement) = self.statement()? {
                // Its lists are short, and take a block each.
                self.watch.take(STATEMENT_LISTS)?;
                self.watch.push(&mut statements, (statement, line))?;
            }
            self.level -= 1;
        }
        Ok(Block { statements, last_line: self.last_line })
    }

    pub(super) fn block(&mut self) -> Parsed<Block> {
        let visible = self.scope().active.len();
        let block = self.open_block()?;
        self.scope().active.truncate(visible);
        Ok(block)
    }

    fn return_statement(&mut self) -> Parsed<Statement> {
        self.advance()?;
        let values = if self.block_ends() || self.at(";") { Vec::new() } else { self.expressions()? };
        self.take(";")?;
        Ok(Statement::Return(values))
    }

    fn statement(&mut self) -> Parsed<Option<Statement>> {
        let line = self.token_line;
        let end = Token::Keyword(Keyword::End);
        // `goto` is a name like any other, unless another name follows it.
        let is_goto = matches!(&self.token, Token::Name(name) if **name == *b"goto")
            && matches!(self.look_ahead()?, Token::Name(_));
        Ok(Some(match &self.token {
            Token::Symbol(";") => {
                self.advance()?;
                return Ok(None);
            }
            Token::Symbol("::") => {
                self.advance()?;
                let name = self.name()?;
                self.expect("::")?;
                Statement::Label(name)
            }
            Token::Keyword(Keyword::If) => self.if_statement(line)?,
            Token::Keyword(Keyword::While) => {
                self.advance()?;
                let condition = self.expression()?;
                self.expect_keyword(Keyword::Do)?;
                let body = self.block()?;
                self.expect_closing(&end, "while", line)?;
                Statement::While { condition, body }
            }
            Token::Keyword(Keyword::Do) => {
                self.advance()?;
                let body = self.block()?;
                self.expect_closing(&end, "do", line)?;
                Statement::Do(body)
            }
            Token::Keyword(Keyword::For) => self.for_statement(line)?,
            Token::Keyword(Keyword::Repeat) => {
                self.advance()?;
                let visible = self.scope().active.len();
                let body = self.open_block()?;
                self.expect_closing(&Token::Keyword(Keyword::Until), "repeat", line)?;
                let condition = self.expression()?;
                self.scope().active.truncate(visible);
                Statement::Repeat { body, condition }
            }
            Token::Keyword(Keyword::Function) => self.function_statement(line)?,
            Token::Keyword(Keyword::Local) => {
                self.advance()?;
                if self.take_keyword(Keyword::Function)? {
                    let name = self.name()?;
                    let local = self.new_local(name)?;
                    self.activate(&[local])?;
                    let function = self.function_body(false, line)?;
                    Statement::LocalFunction { local, function }
                } else {
                    self.local_statement()?
                }
            }
            Token::Keyword(Keyword::Break) => {
                self.advance()?;
                Statement::Break
            }
            Token::Name(_) if is_goto => {
                self.advance()?;
                Statement::Goto(self.name()?)
            }
            _ => self.expression_statement()?,
        }))
    }

    fn if_statement(&mut self, line: u32) -> Parsed<Statement> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            self.advance()?;
            let condition = self.expression()?;
            self.expect_keyword(Keyword::Then)?;
            arms.push((condition, self.block()?));
            if !self.at_keyword(Keyword::ElseIf) {
                break;
            }
        }
        if self.take_keyword(Keyword::Else)? {
            otherwise = Some(self.block()?);
        }
        self.expect_closing(&Token::Keyword(Keyword::End), "if", line)?;
        Ok(Statement::If { arms, otherwise })
    }

    fn for_statement(&mut self, line: u32) -> Parsed<Statement> {
        self.advance()?;
        let first = self.name()?;
        let visible = self.scope().active.len();
        // The loop's own three values count as locals, as in Lua.
        self.check_locals(3)?;
        let statement = if self.take("=")? {
            let start = self.expression()?;
            self.expect(",")?;
            let limit = self.expression()?;
            let step = if self.take(",")? { Some(self.expression()?) } else { None };
            self.expect_keyword(Keyword::Do)?;
            let local = self.new_local(first)?;
            self.activate(&[local])?;
            let body = self.block()?;
            Statement::NumericFor { local, start, limit, step, body }
        } else if self.at(",") || self.at_keyword(Keyword::In) {
            let mut names = vec![first];
            while self.take(",")? {
                names.push(self.name()?);
            }
            self.expect_keyword(Keyword::In)?;
            // The iterator is called where its first value stands.
            let line = self.token_line;
            let values = self.expressions()?;
            self.expect_keyword(Keyword::Do)?;
            let locals = self.new_locals(names)?;
            self.activate(&locals)?;
            let body = self.block()?;
            Statement::GenericFor { locals, values, body, line }
        } else {
            return Err(self.error("'=' or 'in' expected"));
        };
        self.scope().active.truncate(visible);
        self.expect_closing(&Token::Keyword(Keyword::End), "for", line)?;
        Ok(statement)
    }

    fn function_statement(&mut self, line: u32) -> Parsed<Statement> {
        self.advance()?;
        let name = self.name()?;
        let mut target = self.variable(name)?;
        let mut method = false;
        while !method && (self.at(".") || self.at(":")) {
            method = self.at(":");
            self.advance()?;
            let name = self.name()?;
            let key = self.add(Expr::String(name))?;
            target = self.add(Expr::Index { base: target, key, line })?;
        }
        let function = self.function_body(method, line)?;
        Ok(Statement::Assign { targets: vec![target], values: vec![function] })
    }

    fn local_statement(&mut self) -> Parsed<Statement> {
        let mut names = vec![self.name()?];
        while self.take(",")? {
            names.push(self.name()?);
        }
        let values = if self.take("=")? { self.expressions()? } else { Vec::new() };
        let locals = self.new_locals(names)?;
        self.activate(&locals)?;
        Ok(Statement::Local { locals, values })
    }

    fn expression_statement(&mut self) -> Parsed<Statement> {
        let first = self.suffixed()?;
        if !self.at("=") && !self.at(",") {
            return match self.expressions[first as usize] {
                Expr::Call { .. } | Expr::Method { .. } => Ok(Statement::Call(first)),
                _ => Err(self.error("syntax error")),
            };
        }
        let mut targets = vec![first];
        self.check_target(first)?;
        while self.take(",")? {
            let target = self.suffixed()?;
            self.check_target(target)?;
            targets.push(target);
            if targets.len() > MAX_LEVELS as usize {
                return Err(self.limit("C levels", MAX_LEVELS as usize));
            }
        }
        self.expect("=")?;
        Ok(Statement::Assign { targets, values: self.expressions()? })
    }

    fn check_target(&self, target: ExprId) -> Parsed<()> {
        match self.expressions[target as usize] {
            Expr::Local(_) | Expr::Upvalue(_) | Expr::Index { .. } => Ok(()),
            _ => Err(self.error("syntax error")),
        }
    }
}
