//! Source to tokens. Renaming does not change them: every name is one token, and so is every text and every number.

/// A language that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    Lua,
    Rust,
}

/// Numbers of tokens. Operators have their own bytes, which leaves these free.
const NAME: u32 = 0;
const TEXT: u32 = 1;
const NUMBER: u32 = 2;
/// Keywords count up from here.
const KEYWORDS: u32 = 1000;

const LUA_KEYWORDS: &[&str] = &[
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
];

const RUST_KEYWORDS: &[&str] = &[
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false",
    "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return",
    "self", "Self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while",
];

/// A token: what it is, and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: u32,
    pub line: u32,
}

/// Reads `source`. What is no token of the language is skipped: this is no compiler.
pub fn read(source: &[u8], language: Language) -> Vec<Token> {
    let mut reader = Reader { rest: source, line: 1, language, tokens: Vec::new() };
    while !reader.rest.is_empty() {
        reader.token();
    }
    reader.tokens
}

struct Reader<'a> {
    rest: &'a [u8],
    line: u32,
    language: Language,
    tokens: Vec<Token>,
}

impl Reader<'_> {
    fn token(&mut self) {
        let length = match (self.language, self.rest) {
            (_, [byte, ..]) if byte.is_ascii_whitespace() => 1,
            (Language::Lua, [b'-', b'-', after @ ..]) => {
                2 + long_bracket(after).unwrap_or_else(|| until_line_end(after))
            }
            (Language::Rust, [b'/', b'/', ..]) => until_line_end(self.rest),
            (Language::Rust, [b'/', b'*', ..]) => block_comment(self.rest),
            _ => return self.visible(),
        };
        self.skip(length);
    }

    fn visible(&mut self) {
        let rest = self.rest;
        let (kind, length) = if let Some(length) = self.text() {
            (TEXT, length)
        } else if rest[0].is_ascii_digit() || rest[0] == b'.' && rest.get(1).is_some_and(u8::is_ascii_digit) {
            (NUMBER, self.number())
        } else if is_name(rest[0]) {
            let length = count(rest, |byte| is_name(byte) || byte.is_ascii_digit());
            let keywords = if self.language == Language::Lua { LUA_KEYWORDS } else { RUST_KEYWORDS };
            let keyword = keywords.iter().position(|keyword| keyword.as_bytes() == &rest[..length]);
            let number = keyword.map(|keyword| u32::try_from(keyword).expect("a few dozen keywords"));
            (number.map_or(NAME, |number| KEYWORDS + number), length)
        } else {
            self.operator()
        };
        self.tokens.push(Token { kind, line: self.line });
        self.skip(length);
    }

    /// The length of the text that begins here, if one does.
    fn text(&self) -> Option<usize> {
        match (self.language, self.rest) {
            (Language::Lua, [b'[', ..]) => long_bracket(self.rest),
            (Language::Lua, [quote @ (b'"' | b'\''), ..]) => Some(quoted(self.rest, *quote)),
            (Language::Rust, [b'b' | b'c', b'"', ..]) => Some(1 + quoted(&self.rest[1..], b'"')),
            (Language::Rust, [b'b', b'\'', ..]) => Some(1 + quoted(&self.rest[1..], b'\'')),
            (Language::Rust, [b'b', b'r', after @ ..]) => raw(after).map(|length| 2 + length),
            (Language::Rust, [b'r', after @ ..]) => raw(after).map(|length| 1 + length),
            (Language::Rust, [b'"', ..]) => Some(quoted(self.rest, b'"')),
            (Language::Rust, [b'\'', b'\\', ..]) => Some(quoted(self.rest, b'\'')),
            (Language::Rust, [b'\'', after @ ..]) => {
                // A character, unless it is the name of a lifetime. A character has at most four bytes.
                let close = after.iter().take(5).position(|byte| *byte == b'\'')?;
                (close > 0 && (close == 1 || !is_name(after[0]) || after[0] > 127)).then_some(close + 2)
            }
            _ => None,
        }
    }

    fn number(&self) -> usize {
        let mut at = 0;
        while let Some(byte) = self.rest.get(at) {
            let exponent = at > 0 && matches!(self.rest[at - 1], b'e' | b'E' | b'p' | b'P');
            let point =
                *byte == b'.' && self.rest.get(at + 1).is_none_or(|next| *next != b'.' && !is_name(*next));
            if !(byte.is_ascii_alphanumeric()
                || *byte == b'_'
                || point
                || exponent && matches!(byte, b'+' | b'-'))
            {
                break;
            }
            at += 1;
        }
        at.max(1)
    }

    /// The longest operator that begins here: its bytes are its number.
    fn operator(&self) -> (u32, usize) {
        const LUA: &[&str] = &["...", "..", "==", "~=", "<=", ">=", "::"];
        const RUST: &[&str] =
            &["..=", "..", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/="];
        let operators = if self.language == Language::Lua { LUA } else { RUST };
        let long = operators.iter().find(|operator| self.rest.starts_with(operator.as_bytes()));
        let length = long.map_or(1, |operator| operator.len());
        let number = self.rest[..length].iter().fold(1u32, |number, byte| number << 8 | u32::from(*byte));
        (number << 4, length)
    }

    fn skip(&mut self, length: usize) {
        let (skipped, rest) = self.rest.split_at(length.min(self.rest.len()));
        let lines = skipped.split(|byte| *byte == b'\n').count() - 1;
        self.line += u32::try_from(lines).unwrap_or(0);
        self.rest = rest;
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte > 127
}

fn count(bytes: &[u8], holds: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !holds(*byte)).unwrap_or(bytes.len())
}

fn until_line_end(bytes: &[u8]) -> usize {
    count(bytes, |byte| byte != b'\n')
}

/// The length up to and with the end of a text, at most that of its line.
fn quoted(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'\\' => 2,
            byte if *byte == quote => return at + 1,
            _ => 1,
        };
    }
    bytes.len()
}

/// The length of Lua's `[==[…]==]`.
fn long_bracket(bytes: &[u8]) -> Option<usize> {
    let after = bytes.strip_prefix(b"[")?;
    let level = count(after, |byte| byte == b'=');
    after[level..].strip_prefix(b"[")?;
    let close = [b"]".as_slice(), &b"=".repeat(level), b"]"].concat();
    let body = level + 2;
    Some(find(&bytes[body..], &close).map_or(bytes.len(), |at| body + at + close.len()))
}

/// The length of what follows the `r` of Rust's `r#"…"#`.
fn raw(bytes: &[u8]) -> Option<usize> {
    let level = count(bytes, |byte| byte == b'#');
    bytes[level..].strip_prefix(b"\"")?;
    let close = [b"\"".as_slice(), &b"#".repeat(level)].concat();
    let body = level + 1;
    Some(find(&bytes[body..], &close).map_or(bytes.len(), |at| body + at + close.len()))
}

/// The length of a comment of Rust, which may hold others.
fn block_comment(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < bytes.len() {
        match bytes[at..] {
            [b'/', b'*', ..] => {
                depth += 1;
                at += 2;
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}

fn find(bytes: &[u8], sought: &[u8]) -> Option<usize> {
    bytes.windows(sought.len()).position(|window| window == sought)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str, language: Language) -> Vec<u32> {
        read(source.as_bytes(), language).iter().map(|token| token.kind).collect()
    }

    #[test]
    fn names_texts_and_numbers_are_blanked_and_comments_left_out() {
        let ours = kinds("local a = 1 -- one\nreturn a .. \"x\" .. [==[\ny]==]", Language::Lua);
        let theirs = kinds("--[[ two ]] local other = 0x2p-3 return other .. 'z' .. [[]]", Language::Lua);
        assert_eq!(ours, theirs);
        assert_eq!(ours.len(), 10);
        assert_ne!(ours, kinds("local a = 1 return a .. a .. [[]]", Language::Lua));
    }

    #[test]
    fn rust_has_lifetimes_and_characters() {
        let ours = kinds("fn a<'x>(b: &'x str) -> char { /* /* c */ */ 'd' }", Language::Rust);
        let theirs = kinds("fn f<'y>(z: &'y str) -> u8 { '\\'' }", Language::Rust);
        assert_eq!(ours, theirs);
        assert_eq!(kinds("r#\"a\"b\"# b'x' b\"y\" 1..2", Language::Rust).len(), 6);
    }

    #[test]
    fn tokens_know_their_line() {
        let lines: Vec<u32> =
            read(b"a\n--[[\n\n]] b", Language::Lua).iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 4]);
    }
}
