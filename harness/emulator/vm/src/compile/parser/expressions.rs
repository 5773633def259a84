//! Expressions: operators by how tightly they bind, tables, calls and functions.

use super::chunk::{Parsed, Parser, index};
use super::scopes::Scope;
use crate::compile::lexer::{Keyword, Token};
use crate::compile::tree::{Binary, Expr, ExprId, Item, Text, Unary};

/// A unary operator binds tighter than any binary one but `^`.
const UNARY_PRIORITY: u8 = 8;

impl Parser<'_, '_> {
    pub(super) fn add(&mut self, expression: Expr) -> Parsed<ExprId> {
        /// What a list in a node takes, and what comes with a node otherwise, on average.
        const LIST: usize = 64;
        const OTHER: usize = 16;
        let has_list = matches!(
            expression,
            Expr::Call { .. } | Expr::Method { .. } | Expr::Concat { .. } | Expr::Table { .. }
        );
        self.watch.take(if has_list { LIST } else { OTHER })?;
        self.watch.push(&mut self.expressions, expression)?;
        Ok(index(self.expressions.len() - 1))
    }

    pub(super) fn variable(&mut self, name: Text) -> Parsed<ExprId> {
        if let Some(found) = self.resolve(&name)? {
            return self.add(found);
        }
        let line = self.last_line;
        let environment = self.environment.clone();
        let base = self.resolve(&environment)?.expect("the chunk has it as its upvalue");
        let base = self.add(base)?;
        let key = self.add(Expr::String(name))?;
        self.add(Expr::Index { base, key, line })
    }

    pub(super) fn expressions(&mut self) -> Parsed<Vec<ExprId>> {
        let mut list = vec![self.expression()?];
        while self.take(",")? {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        self.binary(0)
    }

    fn binary(&mut self, limit: u8) -> Parsed<ExprId> {
        self.enter()?;
        let mut left = if let Some(operator) = self.unary_operator() {
            let line = self.token_line;
            self.advance()?;
            let operand = self.binary(UNARY_PRIORITY)?;
            self.unary(operator, operand, line)?
        } else {
            self.simple()?
        };
        while let Some((text, before, after)) = self.binary_operator()
            && before > limit
        {
            let line = self.token_line;
            self.advance()?;
            let right = self.binary(after)?;
            left = self.combine(text, left, right, line)?;
        }
        self.level -= 1;
        Ok(left)
    }

    fn unary_operator(&self) -> Option<Unary> {
        match self.token {
            Token::Keyword(Keyword::Not) => Some(Unary::Not),
            Token::Symbol("-") => Some(Unary::Negate),
            Token::Symbol("#") => Some(Unary::Length),
            _ => None,
        }
    }

    /// The operator's text, and how tightly it binds to its left and to its right.
    fn binary_operator(&self) -> Option<(&'static str, u8, u8)> {
        let text = match self.token {
            Token::Keyword(Keyword::And) => "and",
            Token::Keyword(Keyword::Or) => "or",
            Token::Symbol(text) => text,
            _ => return None,
        };
        let (before, after) = match text {
            "or" => (1, 1),
            "and" => (2, 2),
            "==" | "~=" | "<" | "<=" | ">" | ">=" => (3, 3),
            ".." => (5, 4),
            "+" | "-" => (6, 6),
            "*" | "/" | "%" => (7, 7),
            "^" => (10, 9),
            _ => return None,
        };
        Some((text, before, after))
    }

    fn unary(&mut self, operator: Unary, operand: ExprId, line: u32) -> Parsed<ExprId> {
        if let (Unary::Negate, Expr::Number(number)) = (operator, &self.expressions[operand as usize]) {
            let number = -number;
            return self.add(Expr::Number(number));
        }
        self.add(Expr::Unary { operator, operand, line })
    }

    fn combine(&mut self, text: &str, left: ExprId, right: ExprId, line: u32) -> Parsed<ExprId> {
        let operator = match text {
            "and" => return self.add(Expr::And(left, right)),
            "or" => return self.add(Expr::Or(left, right)),
            ".." => {
                let mut parts = vec![left];
                match &mut self.expressions[right as usize] {
                    Expr::Concat { parts: rest, .. } => parts.append(rest),
                    _ => parts.push(right),
                }
                return self.add(Expr::Concat { parts, line });
            }
            "+" => Binary::Add,
            "-" => Binary::Sub,
            "*" => Binary::Mul,
            "/" => Binary::Div,
            "%" => Binary::Mod,
            "^" => Binary::Pow,
            "==" => Binary::Equal,
            "~=" => Binary::NotEqual,
            "<" => Binary::Less,
            "<=" => Binary::LessEqual,
            ">" => Binary::Greater,
            _ => Binary::GreaterEqual,
        };
        if let (Expr::Number(one), Expr::Number(two)) =
            (&self.expressions[left as usize], &self.expressions[right as usize])
            && let Some(number) = fold(operator, *one, *two)
        {
            return self.add(Expr::Number(number));
        }
        self.add(Expr::Binary { operator, left, right, line })
    }

    fn simple(&mut self) -> Parsed<ExprId> {
        let expression = match &self.token {
            Token::Number(number) => Expr::Number(*number),
            Token::String(text) => Expr::String(text.clone()),
            Token::Keyword(Keyword::Nil) => Expr::Nil,
            Token::Keyword(Keyword::True) => Expr::Bool(true),
            Token::Keyword(Keyword::False) => Expr::Bool(false),
            Token::Symbol("...") => {
                if !self.scope().is_vararg {
                    return Err(self.error("cannot use '...' outside a vararg function"));
                }
                Expr::VarArgs
            }
            Token::Symbol("{") => return self.table(),
            Token::Keyword(Keyword::Function) => {
                let line = self.token_line;
                self.advance()?;
                return self.function_body(false, line);
            }
            _ => return self.suffixed(),
        };
        self.advance()?;
        self.add(expression)
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        if let Token::Name(name) = &self.token {
            let name = name.clone();
            self.advance()?;
            return self.variable(name);
        }
        if self.at("(") {
            let line = self.token_line;
            self.advance()?;
            let inner = self.expression()?;
            self.expect_closing(&Token::Symbol(")"), "(", line)?;
            return self.add(Expr::Single(inner));
        }
        Err(self.error("unexpected symbol"))
    }

    pub(super) fn suffixed(&mut self) -> Parsed<ExprId> {
        let line = self.token_line;
        let mut expression = self.primary()?;
        loop {
            match self.token {
                Token::Symbol(".") => {
                    self.advance()?;
                    let line = self.token_line;
                    let name = self.name()?;
                    let key = self.add(Expr::String(name))?;
                    expression = self.add(Expr::Index { base: expression, key, line })?;
                }
                Token::Symbol("[") => {
                    self.advance()?;
                    let key = self.expression()?;
                    let line = self.token_line;
                    self.expect("]")?;
                    expression = self.add(Expr::Index { base: expression, key, line })?;
                }
                Token::Symbol(":") => {
                    self.advance()?;
                    let name = self.name()?;
                    let arguments = self.arguments(line)?;
                    expression = self.add(Expr::Method { object: expression, name, arguments, line })?;
                }
                Token::Symbol("(" | "{") | Token::String(_) => {
                    let arguments = self.arguments(line)?;
                    expression = self.add(Expr::Call { function: expression, arguments, line })?;
                }
                _ => return Ok(expression),
            }
        }
    }

    fn arguments(&mut self, line: u32) -> Parsed<Vec<ExprId>> {
        match &self.token {
            Token::String(text) => {
                let text = text.clone();
                self.advance()?;
                Ok(vec![self.add(Expr::String(text))?])
            }
            Token::Symbol("{") => Ok(vec![self.table()?]),
            Token::Symbol("(") => {
                self.advance()?;
                if self.take(")")? {
                    return Ok(Vec::new());
                }
                let list = self.expressions()?;
                self.expect_closing(&Token::Symbol(")"), "(", line)?;
                Ok(list)
            }
            _ => Err(self.error("function arguments expected")),
        }
    }

    fn table(&mut self) -> Parsed<ExprId> {
        let line = self.token_line;
        self.advance()?;
        let mut items = Vec::new();
        while !self.at("}") {
            let at = self.token_line;
            if self.take("[")? {
                let key = self.expression()?;
                self.expect("]")?;
                self.expect("=")?;
                let value = self.expression()?;
                items.push(Item::Keyed(key, value, at));
            } else if matches!(self.token, Token::Name(_)) && *self.look_ahead()? == Token::Symbol("=") {
                let name = self.name()?;
                let key = self.add(Expr::String(name))?;
                self.advance()?;
                let value = self.expression()?;
                items.push(Item::Keyed(key, value, at));
            } else {
                items.push(Item::Positional(self.expression()?));
            }
            if !self.take(",")? && !self.take(";")? {
                break;
            }
        }
        self.expect_closing(&Token::Symbol("}"), "{", line)?;
        self.add(Expr::Table { items, line })
    }

    pub(super) fn function_body(&mut self, method: bool, line: u32) -> Parsed<ExprId> {
        self.scopes.push(Scope { line, ..Scope::default() });
        let mut parameters = Vec::new();
        if method {
            parameters.push(self.new_local(Text::from(&b"self"[..]))?);
        }
        self.expect("(")?;
        while !self.at(")") {
            if self.take("...")? {
                self.scope().is_vararg = true;
                break;
            }
            if !matches!(self.token, Token::Name(_)) {
                return Err(self.error("<name> or '...' expected"));
            }
            let name = self.name()?;
            parameters.push(self.new_local(name)?);
            if !self.take(",")? {
                break;
            }
            if self.at(")") {
                return Err(self.error("<name> or '...' expected"));
            }
        }
        self.activate(&parameters)?;
        self.expect(")")?;
        let mut body = self.block()?;
        body.last_line = self.token_line;
        self.expect_closing(&Token::Keyword(Keyword::End), "function", line)?;
        let function = self.close_function(parameters, body)?;
        self.add(Expr::Function(function))
    }
}

/// Arithmetic on two constants, unless it gives what a constant cannot be.
fn fold(operator: Binary, one: f64, two: f64) -> Option<f64> {
    let number = match operator {
        Binary::Add => one + two,
        Binary::Sub => one - two,
        Binary::Mul => one * two,
        Binary::Div if two != 0.0 => one / two,
        Binary::Mod if two != 0.0 => crate::machine::number::modulo(one, two),
        Binary::Pow => one.powf(two),
        _ => return None,
    };
    (!number.is_nan()).then_some(number)
}
