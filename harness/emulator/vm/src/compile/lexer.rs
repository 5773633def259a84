//! Text to tokens.

use std::sync::Arc;

use super::CompileError;
use crate::text::number;

/// More of a token is not shown: it may be as long as its text.
const LONGEST_NEAR: usize = 1024;

/// The last code point of Unicode.
const LAST_CODE: u32 = 0x10_ffff;

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Name(Arc<[u8]>),
    String(Arc<[u8]>),
    Number(f64),
    Keyword(Keyword),
    /// An operator or a bracket, as it is written.
    Symbol(&'static str),
    /// A byte that begins nothing.
    Other(u8),
    End,
}

macro_rules! keywords {
    ($($name:ident $text:literal),* $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Keyword { $($name),* }

        impl Keyword {
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            fn of(word: &[u8]) -> Option<Self> {
                $(if word == $text.as_bytes() { return Some(Self::$name); })*
                None
            }
        }
    };
}

keywords! {
    And "and", Break "break", Do "do", Else "else", ElseIf "elseif", End "end", False "false", For "for",
    Function "function", If "if", In "in", Local "local", Nil "nil", Not "not", Or "or", Repeat "repeat",
    Return "return", Then "then", True "true", Until "until", While "while",
}

/// Symbols of two and three characters, longest first.
const LONG_SYMBOLS: [&str; 7] = ["...", "..", "==", "~=", "<=", ">=", "::"];
const SHORT_SYMBOLS: &[(u8, &str)] = &[
    (b'+', "+"),
    (b'-', "-"),
    (b'*', "*"),
    (b'/', "/"),
    (b'%', "%"),
    (b'^', "^"),
    (b'#', "#"),
    (b'<', "<"),
    (b'>', ">"),
    (b'=', "="),
    (b'(', "("),
    (b')', ")"),
    (b'{', "{"),
    (b'}', "}"),
    (b'[', "["),
    (b']', "]"),
    (b';', ";"),
    (b':', ":"),
    (b',', ","),
    (b'.', "."),
];

/// Reads tokens from a text.
#[derive(Debug)]
pub struct Lexer<'a> {
    text: &'a [u8],
    position: usize,
    pub line: u32,
    /// The chunk's name as messages show it.
    name: &'a [u8],
    /// Where the token that was read last begins.
    start: usize,
    buffer: Vec<u8>,
}

type Lexed<T> = Result<T, CompileError>;

impl<'a> Lexer<'a> {
    pub fn new(text: &'a [u8], name: &'a [u8]) -> Self {
        Self { text, position: 0, line: 1, name, start: 0, buffer: Vec::new() }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.position + ahead).copied()
    }

    /// The text of the token that was read last.
    pub fn token_text(&self) -> &'a [u8] {
        &self.text[self.start..self.position]
    }

    /// An error at the current line; `near` is the token it is about.
    pub fn error(&self, message: &str, near: Option<&[u8]>) -> CompileError {
        let mut reason = message.as_bytes().to_vec();
        if let Some(near) = near {
            reason.extend_from_slice(b" near ");
            reason.extend_from_slice(&near[..near.len().min(LONGEST_NEAR)]);
        }
        CompileError::at(self.name, self.line, &reason)
    }

    fn error_near_text(&self, message: &str) -> CompileError {
        let token = self.token_text();
        let mut quoted = vec![b'\''];
        quoted.extend_from_slice(&token[..token.len().min(LONGEST_NEAR)]);
        quoted.push(b'\'');
        self.error(message, Some(&quoted))
    }

    /// Passes one line end; `\r\n` and `\n\r` count as one.
    fn pass_line_end(&mut self) {
        let first = self.peek();
        self.position += 1;
        if let Some(next) = self.peek()
            && (next == b'\n' || next == b'\r')
            && Some(next) != first
        {
            self.position += 1;
        }
        self.line += 1;
    }

    fn pass_space(&mut self) -> Lexed<()> {
        loop {
            match self.peek() {
                Some(b'\n' | b'\r') => self.pass_line_end(),
                Some(b' ' | b'\t' | 0x0b | 0x0c) => self.position += 1,
                Some(b'-') if self.peek_at(1) == Some(b'-') => {
                    self.start = self.position;
                    self.position += 2;
                    if let Some(level) = self.long_bracket() {
                        self.long_text(level, "comment")?;
                        continue;
                    }
                    while self.peek().is_some_and(|byte| byte != b'\n' && byte != b'\r') {
                        self.position += 1;
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Reads the next token.
    pub fn next(&mut self) -> Lexed<Token> {
        self.pass_space()?;
        self.start = self.position;
        let Some(first) = self.peek() else { return Ok(Token::End) };
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                    self.position += 1;
                }
                let word = self.token_text();
                Ok(Keyword::of(word).map_or_else(|| Token::Name(word.into()), Token::Keyword))
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.peek_at(1).is_some_and(|byte| byte.is_ascii_digit()) => self.number(),
            b'"' | b'\'' => self.string(first),
            b'[' => {
                if let Some(level) = self.long_bracket() {
                    let range = self.long_text(level, "string")?;
                    return Ok(Token::String(range.into()));
                }
                if self.peek_at(1) == Some(b'=') {
                    self.position += 1;
                    while self.peek() == Some(b'=') {
                        self.position += 1;
                    }
                    return Err(self.error_near_text("invalid long string delimiter"));
                }
                self.position += 1;
                Ok(Token::Symbol("["))
            }
            _ => self.symbol(first),
        }
    }

    fn symbol(&mut self, first: u8) -> Lexed<Token> {
        let rest = &self.text[self.position..];
        for symbol in LONG_SYMBOLS {
            if rest.starts_with(symbol.as_bytes()) {
                self.position += symbol.len();
                return Ok(Token::Symbol(symbol));
            }
        }
        self.position += 1;
        if let Some((_, symbol)) = SHORT_SYMBOLS.iter().find(|(byte, _)| *byte == first) {
            return Ok(Token::Symbol(symbol));
        }
        Ok(Token::Other(first))
    }

    fn number(&mut self) -> Lexed<Token> {
        let mut exponent: &[u8] = b"eE";
        if self.peek() == Some(b'0') && matches!(self.peek_at(1), Some(b'x' | b'X')) {
            exponent = b"pP";
            self.position += 2;
        }
        while let Some(byte) = self.peek() {
            if exponent.contains(&byte) {
                self.position += 1;
                if matches!(self.peek(), Some(b'+' | b'-')) {
                    self.position += 1;
                }
            } else if byte.is_ascii_hexdigit() || byte == b'.' {
                self.position += 1;
            } else {
                break;
            }
        }
        number::parse(self.token_text())
            .map(Token::Number)
            .ok_or_else(|| self.error_near_text("malformed number"))
    }

    /// The level of a long bracket that begins here, which is then passed; nothing is passed where there is none.
    fn long_bracket(&mut self) -> Option<usize> {
        let rest = self.text.get(self.position..)?;
        let level = rest.strip_prefix(b"[")?.iter().take_while(|&&byte| byte == b'=').count();
        if rest.get(level + 1) != Some(&b'[') {
            return None;
        }
        self.position += level + 2;
        Some(level)
    }

    fn long_text(&mut self, level: usize, what: &str) -> Lexed<Vec<u8>> {
        let mut content = Vec::new();
        if matches!(self.peek(), Some(b'\n' | b'\r')) {
            self.pass_line_end();
        }
        loop {
            match self.peek() {
                None => return Err(self.error(&format!("unfinished long {what}"), Some(b"<eof>"))),
                Some(b'\n' | b'\r') => {
                    content.push(b'\n');
                    self.pass_line_end();
                }
                Some(b']') => {
                    let rest = &self.text[self.position + 1..];
                    let equals = rest.iter().take(level).take_while(|&&byte| byte == b'=').count();
                    if equals == level && rest.get(level) == Some(&b']') {
                        self.position += level + 2;
                        return Ok(content);
                    }
                    content.push(b']');
                    self.position += 1;
                }
                Some(byte) => {
                    content.push(byte);
                    self.position += 1;
                }
            }
        }
    }

    fn string(&mut self, quote: u8) -> Lexed<Token> {
        self.position += 1;
        let mut content = std::mem::take(&mut self.buffer);
        content.clear();
        loop {
            match self.peek() {
                None => return Err(self.error("unfinished string", Some(b"<eof>"))),
                Some(b'\n' | b'\r') => return Err(self.error_near_text("unfinished string")),
                Some(b'\\') => self.escape(&mut content)?,
                Some(byte) if byte == quote => break,
                Some(byte) => {
                    content.push(byte);
                    self.position += 1;
                }
            }
        }
        self.position += 1;
        let token = Token::String(content[..].into());
        self.buffer = content;
        Ok(token)
    }

    fn escape_error(&mut self, from: usize, message: &str) -> CompileError {
        let end = (self.position + 1).min(self.text.len());
        let mut quoted = vec![b'\''];
        quoted.extend_from_slice(&self.text[from..end]);
        quoted.push(b'\'');
        self.error(message, Some(&quoted))
    }

    fn escape(&mut self, content: &mut Vec<u8>) -> Lexed<()> {
        let from = self.position;
        self.position += 1;
        let Some(kind) = self.peek() else { return Ok(()) };
        let byte = match kind {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'"' | b'\'' => kind,
            b'\n' | b'\r' => {
                self.pass_line_end();
                content.push(b'\n');
                return Ok(());
            }
            b'x' => {
                let mut value = 0;
                for _ in 0..2 {
                    self.position += 1;
                    let Some(digit) = self.peek().and_then(hex_digit) else {
                        return Err(self.escape_error(from, "hexadecimal digit expected"));
                    };
                    value = value * 16 + digit;
                }
                value
            }
            b'z' => {
                self.position += 1;
                while let Some(byte) = self.peek() {
                    match byte {
                        b'\n' | b'\r' => self.pass_line_end(),
                        b' ' | b'\t' | 0x0b | 0x0c => self.position += 1,
                        _ => break,
                    }
                }
                return Ok(());
            }
            b'u' => return self.unicode_escape(from, content),
            b'0'..=b'9' => {
                let mut value: u32 = 0;
                let mut digits = 0;
                while digits < 3
                    && let Some(byte @ b'0'..=b'9') = self.peek()
                {
                    value = value * 10 + u32::from(byte - b'0');
                    self.position += 1;
                    digits += 1;
                }
                self.position -= 1;
                u8::try_from(value).map_err(|_| self.escape_error(from, "decimal escape too large"))?
            }
            _ => return Err(self.escape_error(from, "invalid escape sequence")),
        };
        self.position += 1;
        content.push(byte);
        Ok(())
    }

    fn unicode_escape(&mut self, from: usize, content: &mut Vec<u8>) -> Lexed<()> {
        self.position += 1;
        if self.peek() != Some(b'{') {
            return Err(self.escape_error(from, "missing '{' in \\u{xxxx}"));
        }
        self.position += 1;
        let mut value: u32 = 0;
        let mut digits = 0;
        while let Some(digit) = self.peek().and_then(hex_digit) {
            value = value * 16 + u32::from(digit);
            if value > LAST_CODE {
                return Err(self.escape_error(from, "UTF-8 value too large"));
            }
            digits += 1;
            self.position += 1;
        }
        if digits == 0 {
            return Err(self.escape_error(from, "hexadecimal digit expected"));
        }
        if self.peek() != Some(b'}') {
            return Err(self.escape_error(from, "missing '}' in \\u{xxxx}"));
        }
        self.position += 1;
        encode(value, content);
        Ok(())
    }
}

fn hex_digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// UTF-8 of any number below 2^31, as the first version of that encoding had it.
fn encode(value: u32, content: &mut Vec<u8>) {
    let low = |shift: u32| u8::try_from(0x80 | ((value >> shift) & 0x3f)).expect("six bits and a mark fit");
    let high = |mark: u32, shift: u32| u8::try_from(mark | (value >> shift)).expect("the range was checked");
    match value {
        0..0x80 => content.push(high(0, 0)),
        0x80..0x800 => content.extend([high(0xc0, 6), low(0)]),
        0x800..0x1_0000 => content.extend([high(0xe0, 12), low(6), low(0)]),
        0x1_0000..0x20_0000 => content.extend([high(0xf0, 18), low(12), low(6), low(0)]),
        0x20_0000..0x400_0000 => content.extend([high(0xf8, 24), low(18), low(12), low(6), low(0)]),
        _ => content.extend([high(0xfc, 30), low(24), low(18), low(12), low(6), low(0)]),
    }
}
