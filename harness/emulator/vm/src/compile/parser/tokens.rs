//! The tokens of a text, one at a time, and what is wrong where another was expected.

use super::chunk::{Parsed, Parser};
use crate::compile::CompileError;
use crate::compile::lexer::{Keyword, Token};
use crate::compile::tree::Text;

/// How deep expressions and statements nest, as in Lua (`LUAI_MAXCCALLS`); the parser recurses no deeper.
pub(super) const MAX_LEVELS: u32 = 200;

/// What a text takes besides its bytes.
const TEXT_SIZE: usize = 32;

impl Parser<'_, '_> {
    pub(super) fn advance(&mut self) -> Parsed<()> {
        self.last_line = self.token_line;
        if let Some(token) = self.ahead.take() {
            self.token = token;
            (self.token_text, self.token_line) = self.ahead_text;
            return Ok(());
        }
        self.watch.step()?;
        self.token = self.lexer.next()?;
        if let Token::Name(text) | Token::String(text) = &self.token {
            self.watch.take(TEXT_SIZE + text.len())?;
        }
        self.token_text = self.lexer.token_text();
        self.token_line = self.lexer.line;
        Ok(())
    }

    pub(super) fn look_ahead(&mut self) -> Parsed<&Token> {
        if self.ahead.is_none() {
            let token = self.lexer.next()?;
            if let Token::Name(text) | Token::String(text) = &token {
                self.watch.take(TEXT_SIZE + text.len())?;
            }
            self.ahead_text = (self.lexer.token_text(), self.lexer.line);
            self.ahead = Some(token);
        }
        Ok(self.ahead.as_ref().expect("it was just set"))
    }

    pub(super) fn error(&self, message: &str) -> CompileError {
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

    pub(super) fn expected(&self, what: &str) -> CompileError {
        if what.starts_with('<') {
            return self.error(&format!("{what} expected"));
        }
        self.error(&format!("'{what}' expected"))
    }

    pub(super) fn limit(&self, what: &str, limit: usize) -> CompileError {
        let line = self.scopes.last().map_or(0, |scope| scope.line);
        let place = if line == 0 { "main function".to_owned() } else { format!("function at line {line}") };
        self.error(&format!("too many {what} (limit is {limit}) in {place}"))
    }

    pub(super) fn at(&self, symbol: &str) -> bool {
        matches!(self.token, Token::Symbol(text) if text == symbol)
    }

    pub(super) fn at_keyword(&self, keyword: Keyword) -> bool {
        self.token == Token::Keyword(keyword)
    }

    pub(super) fn take(&mut self, symbol: &str) -> Parsed<bool> {
        let found = self.at(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn take_keyword(&mut self, keyword: Keyword) -> Parsed<bool> {
        let found = self.at_keyword(keyword);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.take(symbol)? { Ok(()) } else { Err(self.expected(symbol)) }
    }

    pub(super) fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<()> {
        if self.take_keyword(keyword)? { Ok(()) } else { Err(self.expected(keyword.text())) }
    }

    /// The end of something that was opened on an earlier line names that line.
    pub(super) fn expect_closing(&mut self, closing: &Token, opening: &str, line: u32) -> Parsed<()> {
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

    pub(super) fn name(&mut self) -> Parsed<Text> {
        let Token::Name(name) = &self.token else { return Err(self.expected("<name>")) };
        let name = name.clone();
        self.advance()?;
        Ok(name)
    }

    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.level += 1;
        if self.level > MAX_LEVELS {
            return Err(self.limit("C levels", MAX_LEVELS as usize));
        }
        Ok(())
    }
}
