//! Tokens to a tree in which every name is resolved to a local, an upvalue or a field of `_ENV`.

use super::CompileError;
use super::lexer::{Keyword, Lexer, Token};
use super::tree::{
    Binary, Block, Expr, ExprId, Function, Item, LocalId, LocalInfo, Statement, Text, Tree, Unary,
    UpvalueInfo,
};
use super::watch::Watch;

/// How deep expressions and statements nest, as in Lua (`LUAI_MAXCCALLS`); the parser recurses no deeper.
const MAX_LEVELS: u32 = 200;
/// As in Lua (`MAXVARS`): registers are one byte.
const MAX_LOCALS: usize = 200;
/// As in Lua (`MAXUPVAL`).
const MAX_UPVALUES: usize = 255;
/// A unary operator binds tighter than any binary one but `^`.
const UNARY_PRIORITY: u8 = 8;

type Parsed<T> = Result<T, CompileError>;

/// What is known of a function while it is parsed.
#[derive(Debug, Default)]
struct Scope {
    locals: Vec<LocalInfo>,
    /// Locals that are visible here, the innermost last.
    active: Vec<LocalId>,
    upvalues: Vec<UpvalueInfo>,
    is_vararg: bool,
    line: u32,
}

struct Parser<'a, 'w> {
    lexer: Lexer<'a>,
    token: Token,
    ahead: Option<Token>,
    /// The text and the line of the current token.
    token_text: &'a [u8],
    token_line: u32,
    ahead_text: (&'a [u8], u32),
    last_line: u32,
    level: u32,
    expressions: Vec<Expr>,
    functions: Vec<Function>,
    scopes: Vec<Scope>,
    room: usize,
    environment: Text,
    watch: &'a Watch<'w>,
}

pub fn parse(text: &[u8], name: &[u8], room: usize, watch: &Watch<'_>) -> Parsed<Tree> {
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
        room,
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
        let main = self.close_function(Vec::new(), body);
        Ok(Tree {
            expressions: std::mem::take(&mut self.expressions),
            functions: std::mem::take(&mut self.functions),
            main,
        })
    }

    fn close_function(&mut self, parameters: Vec<LocalId>, body: Block) -> u32 {
        let scope = self.scopes.pop().expect("a function that is closed was opened");
        self.functions.push(Function {
            parameters,
            is_vararg: scope.is_vararg,
            last_line: body.last_line,
            body,
            locals: scope.locals,
            upvalues: scope.upvalues,
            line: scope.line,
        });
        index(self.functions.len() - 1)
    }

    // Tokens.

    fn advance(&mut self) -> Parsed<()> {
        self.last_line = self.token_line;
        if let Some(token) = self.ahead.take() {
            self.token = token;
            (self.token_text, self.token_line) = self.ahead_text;
            return Ok(());
        }
        self.watch.step()?;
        self.token = self.lexer.next()?;
        self.token_text = self.lexer.token_text();
        self.token_line = self.lexer.line;
        Ok(())
    }

    fn look_ahead(&mut self) -> Parsed<&Token> {
        if self.ahead.is_none() {
            let token = self.lexer.next()?;
            self.ahead_text = (self.lexer.token_text(), self.lexer.line);
            self.ahead = Some(token);
        }
        Ok(self.ahead.as_ref().expect("it was just set"))
    }

    fn error(&self, message: &str) -> CompileError {
        if self.token == Token::End {
            return self.lexer.error(message, Some(b"<eof>"));
        }
        if let Token::Other(byte) = self.token
            && !(b' '..=b'~').contains(&byte)
        {
            return self.lexer.error(message, Some(format!("char({byte})").as_bytes()));
        }
        let mut near = vec![b'\''];
        near.extend_from_slice(self.token_text);
        near.push(b'\'');
        self.lexer.error(message, Some(&near))
    }

    fn expected(&self, what: &str) -> CompileError {
        if what.starts_with('<') {
            return self.error(&format!("{what} expected"));
        }
        self.error(&format!("'{what}' expected"))
    }

    fn limit(&self, what: &str, limit: usize) -> CompileError {
        let line = self.scopes.last().map_or(0, |scope| scope.line);
        let place = if line == 0 { "main function".to_owned() } else { format!("function at line {line}") };
        self.error(&format!("too many {what} (limit is {limit}) in {place}"))
    }

    fn at(&self, symbol: &str) -> bool {
        matches!(self.token, Token::Symbol(text) if text == symbol)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.token == Token::Keyword(keyword)
    }

    fn take(&mut self, symbol: &str) -> Parsed<bool> {
        let found = self.at(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn take_keyword(&mut self, keyword: Keyword) -> Parsed<bool> {
        let found = self.at_keyword(keyword);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.take(symbol)? { Ok(()) } else { Err(self.expected(symbol)) }
    }

    fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<()> {
        if self.take_keyword(keyword)? { Ok(()) } else { Err(self.expected(keyword.text())) }
    }

    /// The end of something that was opened on an earlier line names that line.
    fn expect_closing(&mut self, closing: &Token, opening: &str, line: u32) -> Parsed<()> {
        if self.token == *closing {
            return self.advance();
        }
        let text = match closing {
            Token::Symbol(text) => text,
            Token::Keyword(keyword) => keyword.text(),
            _ => "?",
        };
        if line == self.token_line {
            return Err(self.expected(text));
        }
        Err(self.error(&format!("'{text}' expected (to close '{opening}' at line {line})")))
    }

    fn name(&mut self) -> Parsed<Text> {
        let Token::Name(name) = &self.token else { return Err(self.expected("<name>")) };
        let name = name.clone();
        self.advance()?;
        Ok(name)
    }

    fn enter(&mut self) -> Parsed<()> {
        self.level += 1;
        if self.level > MAX_LEVELS {
            return Err(self.limit("C levels", MAX_LEVELS as usize));
        }
        Ok(())
    }

    // Scopes.

    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("a function is being parsed")
    }

    /// Makes a local variable that is not yet visible.
    fn new_local(&mut self, name: Text) -> LocalId {
        let scope = self.scope();
        scope.locals.push(LocalInfo { name, captured: false });
        index(scope.locals.len() - 1)
    }

    fn check_locals(&self, more: usize) -> Parsed<()> {
        let active = self.scopes.last().map_or(0, |scope| scope.active.len());
        if active + more > MAX_LOCALS { Err(self.limit("local variables", MAX_LOCALS)) } else { Ok(()) }
    }

    fn activate(&mut self, locals: &[LocalId]) -> Parsed<()> {
        self.check_locals(locals.len())?;
        self.scope().active.extend_from_slice(locals);
        Ok(())
    }

    fn resolve(&mut self, name: &Text) -> Parsed<Option<Expr>> {
        let find = |scope: &Scope| {
            scope.active.iter().rev().copied().find(|&id| scope.locals[id as usize].name == *name)
        };
        let find_upvalue = |scope: &Scope| scope.upvalues.iter().position(|upvalue| upvalue.name == *name);
        let innermost = self.scopes.len() - 1;
        let mut found = None;
        for depth in (0..=innermost).rev() {
            if let Some(id) = find(&self.scopes[depth]) {
                if depth == innermost {
                    return Ok(Some(Expr::Local(id)));
                }
                self.scopes[depth].locals[id as usize].captured = true;
                found = Some((depth, true, id));
                break;
            }
            if let Some(position) = find_upvalue(&self.scopes[depth]) {
                found = Some((depth, false, index(position)));
                break;
            }
        }
        let Some((depth, mut from_local, mut position)) = found else { return Ok(None) };
        for inner in depth + 1..=innermost {
            let upvalues = &mut self.scopes[inner].upvalues;
            upvalues.push(UpvalueInfo { name: name.clone(), from_local, index: position });
            from_local = false;
            position = index(upvalues.len() - 1);
            if upvalues.len() > MAX_UPVALUES {
                return Err(self.limit("upvalues", MAX_UPVALUES));
            }
        }
        Ok(Some(Expr::Upvalue(u8::try_from(position).expect("the limit was checked"))))
    }

    // Expressions.

    fn add(&mut self, expression: Expr) -> Parsed<ExprId> {
        /// What a node takes with the lists in it, on average.
        const BYTES: usize = size_of::<Expr>() + 16;
        self.room = self.room.checked_sub(BYTES).ok_or_else(CompileError::out_of_memory)?;
        self.expressions.push(expression);
        Ok(index(self.expressions.len() - 1))
    }

    fn variable(&mut self, name: Text) -> Parsed<ExprId> {
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

    fn expressions(&mut self) -> Parsed<Vec<ExprId>> {
        let mut list = vec![self.expression()?];
        while self.take(",")? {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    fn expression(&mut self) -> Parsed<ExprId> {
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

    fn suffixed(&mut self) -> Parsed<ExprId> {
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

    fn function_body(&mut self, method: bool, line: u32) -> Parsed<ExprId> {
        self.scopes.push(Scope { line, ..Scope::default() });
        let mut parameters = Vec::new();
        if method {
            parameters.push(self.new_local(Text::from(&b"self"[..])));
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
            parameters.push(self.new_local(name));
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
        let function = self.close_function(parameters, body);
        self.add(Expr::Function(function))
    }

    // Statements.

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
                statements.push((self.return_statement()?, line));
                break;
            }
            self.enter()?;
            let line = self.token_line;
            if let Some(statement) = self.statement()? {
                statements.push((statement, line));
            }
            self.level -= 1;
        }
        Ok(Block { statements, last_line: self.last_line })
    }

    fn block(&mut self) -> Parsed<Block> {
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
                    let local = self.new_local(name);
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
            let local = self.new_local(first);
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
            let locals: Vec<LocalId> = names.into_iter().map(|name| self.new_local(name)).collect();
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
        let locals: Vec<LocalId> = names.into_iter().map(|name| self.new_local(name)).collect();
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

fn index(position: usize) -> u32 {
    u32::try_from(position).expect("a text of four gigabytes is not compiled")
}
