//! How deep a file of Lua is nested, found without nesting: what is too deep never reaches the parser, which would run
//! out of stack and take the bridge along.

use super::yaml::Problem;

/// Lua takes no deeper nesting of brackets and blocks, and no more operators before a value.
const DEEPEST: usize = 200;

/// Operators one behind the other in all expressions that are open at once: the parser nests them too. Lua itself takes
/// far fewer of those that group to the right.
const LONGEST: usize = 5200;

/// A word, a sign or a value of Lua; nothing else matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Sign(u8),
    /// `..`, which is two signs.
    Concat,
    Value,
}

/// Refuses what is nested too deep, in whatever construct.
pub fn check(code: &str) -> Result<(), Problem> {
    let mut depth = Depth::default();
    let mut tokens = Tokens { code: code.as_bytes(), at: 0, line: 1 };
    while let Some(token) = tokens.next() {
        depth.take(token);
        if let Some(what) = depth.problem() {
            return Err(Problem::new(tokens.line, what));
        }
    }
    Ok(())
}

/// What is open at one point of a file.
#[derive(Debug, Default)]
struct Depth {
    /// For each bracket and block that is open, the operators of the expression around it.
    open: Vec<usize>,
    /// Operators of the expression so far.
    operators: usize,
    /// The sum of all of these.
    waiting: usize,
    /// Operators before a value, one behind the other.
    before: usize,
    /// A value, a name or a closing bracket came last: a name after it begins another statement.
    is_whole: bool,
}

/// The words that are no names.
const KEYWORDS: [&str; 22] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
];

impl Depth {
    fn take(&mut self, token: Token<'_>) {
        let is_operator = match token {
            Token::Word("not" | "and" | "or") | Token::Concat => true,
            Token::Sign(sign) => b"+-*/%^#<>~=&|".contains(&sign),
            _ => false,
        };
        self.before = if is_operator { self.before + 1 } else { 0 };
        let is_name = matches!(token, Token::Word(word) if !KEYWORDS.contains(&word));
        if is_name && self.is_whole {
            self.operators = 0;
        }
        self.is_whole = is_name
            || matches!(token, Token::Value | Token::Sign(b')' | b'}' | b']'))
            || matches!(token, Token::Word("end" | "nil" | "true" | "false" | "break"));
        match token {
            Token::Word("function" | "do" | "if" | "repeat") | Token::Sign(b'(' | b'{' | b'[') => {
                self.waiting += self.operators;
                self.open.push(std::mem::take(&mut self.operators));
            }
            Token::Word("end" | "until") | Token::Sign(b')' | b'}' | b']') => {
                self.operators = self.open.pop().unwrap_or_default();
                self.waiting -= self.operators;
            }
            Token::Sign(b',' | b';') => self.operators = 0,
            Token::Word(
                "local" | "return" | "then" | "else" | "elseif" | "while" | "for" | "in" | "goto",
            ) => {
                self.operators = 0;
            }
            _ if is_operator => self.operators += 1,
            _ => {}
        }
    }

    fn problem(&self) -> Option<String> {
        if self.open.len() > DEEPEST {
            return Some(format!("this is nested deeper than {DEEPEST}"));
        }
        if self.before > DEEPEST {
            return Some(format!("more than {DEEPEST} operators stand before one value"));
        }
        let chain = self.operators + self.waiting;
        (chain > LONGEST).then(|| format!("this expression has more than {LONGEST} operators"))
    }
}

struct Tokens<'a> {
    code: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = *self.code.get(self.at)?;
            match byte {
                b'-' if self.code.get(self.at + 1) == Some(&b'-') => {
                    self.skip(2);
                    if !self.long_bracket() {
                        self.skip_while(|byte| byte != b'\n');
                    }
                }
                byte if byte.is_ascii_whitespace() => self.skip(1),
                b'\'' | b'"' => {
                    self.text(byte);
                    return Some(Token::Value);
                }
                b'[' if self.long_bracket() => return Some(Token::Value),
                byte if byte == b'_' || byte.is_ascii_alphabetic() || !byte.is_ascii() => {
                    let start = self.at;
                    self.skip_while(|byte| byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii());
                    return Some(Token::Word(std::str::from_utf8(&self.code[start..self.at]).unwrap_or("")));
                }
                byte if byte.is_ascii_digit() => {
                    self.skip_while(|byte| byte == b'.' || byte == b'_' || byte.is_ascii_alphanumeric());
                    return Some(Token::Value);
                }
                b'.' if self.code.get(self.at + 1) == Some(&b'.') => {
                    self.skip(2);
                    return Some(Token::Concat);
                }
                byte => {
                    self.skip(1);
                    return Some(Token::Sign(byte));
                }
            }
        }
    }

    fn skip(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.code.len());
        self.line += self.code[self.at..end].split(|byte| *byte == b'\n').count() - 1;
        self.at = end;
    }

    fn skip_while(&mut self, holds: impl Fn(u8) -> bool) {
        let length = self.code[self.at..].iter().take_while(|byte| holds(**byte)).count();
        self.skip(length);
    }

    /// Passes over a text in quotes, to its end or that of its line.
    fn text(&mut self, quote: u8) {
        self.skip(1);
        while let Some(byte) = self.code.get(self.at).copied().filter(|byte| *byte != b'\n') {
            self.skip(if byte == b'\\' { 2 } else { 1 });
            if byte == quote {
                return;
            }
        }
    }

    /// Passes over `[==[…]==]`; false, and nothing is passed over, where there is none.
    fn long_bracket(&mut self) -> bool {
        let rest = &self.code[self.at..];
        if rest.first() != Some(&b'[') {
            return false;
        }
        let level = rest[1..].iter().take_while(|byte| **byte == b'=').count();
        if rest.get(1 + level) != Some(&b'[') {
            return false;
        }
        let close = [b"]".as_slice(), &vec![b'='; level], b"]"].concat();
        let end = rest.windows(close.len()).position(|window| window == close);
        self.skip(end.map_or(rest.len(), |end| end + close.len()));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::brackets("return ", "(", "1", ")")]
    #[case::tables("return ", "{", "", "}")]
    #[case::fields("return a", "[b", "", "]")]
    #[case::calls("return ", "f(", "1", ")")]
    #[case::blocks("", "do ", "", " end")]
    #[case::loops("", "while true do ", "", " end")]
    #[case::counts("", "for i = 1, 2 do ", "", " end")]
    #[case::branches("", "if true then ", "", " end")]
    #[case::other_branches("", "if true then else ", "", " end")]
    #[case::repeats("", "repeat ", "", " until true")]
    #[case::functions("return ", "function() return ", "1", " end")]
    #[case::not("return ", "not ", "1", "")]
    #[case::minus("return ", "- ", "1", "")]
    #[case::length("return ", "#", "a", "")]
    #[case::mixed("return ", "not -#", "a", "")]
    #[case::concatenation("return ", "1 .. ", "1", "")]
    #[case::powers("return ", "2 ^ ", "1", "")]
    #[case::negative_powers("return ", "2 ^ -", "1", "")]
    #[case::sums("return ", "1 + ", "1", "")]
    #[case::comparisons("return ", "1 < ", "1", "")]
    #[case::conjunctions("return ", "a and ", "a", "")]
    #[case::sums_in_brackets("return ", "1 + 1 + 1 + 1 + (", "1", ")")]
    #[case::hidden_by_comments("return ", "--[[)]](--)\n", "1", ")")]
    fn a_megabyte_of_anything_is_refused_and_kills_nobody(
        #[case] before: &str,
        #[case] open: &str,
        #[case] inside: &str,
        #[case] close: &str,
    ) {
        let times = 1_000_000 / open.len();
        let code = [before, &open.repeat(times), inside, &close.repeat(times)].concat();
        assert!(super::super::syntax::check(&code, false).is_err());
        let few = [before, &open.repeat(3), inside, &close.repeat(3)].concat();
        assert_eq!(super::super::syntax::check(&few, false), Ok(()), "{few}");
    }

    #[test]
    fn what_is_deep_has_its_line() {
        assert_eq!(check(&format!("\nreturn {}1", "(".repeat(300))).expect_err("too deep").line, 2);
    }

    #[rstest]
    #[case::many_statements("x = 1 + 1\n")]
    #[case::many_calls("f(a .. b)\n")]
    #[case::many_blocks("if a and b then c = -d end\n")]
    #[case::brackets_in_texts("local a = '((((' .. \"[[[[\\\"\" .. [==[{{]]{{]==]\n")]
    #[case::brackets_in_comments("-- ((((\n--[[ {{{{ ]]\n")]
    fn a_long_file_is_not_deep(#[case] line: &str) {
        assert_eq!(check(&line.repeat(20_000)), Ok(()));
    }

    #[test]
    fn a_long_chain_is_not_too_long() {
        let chain = format!("return {}1", "1 .. ".repeat(5000));
        assert_eq!(super::super::syntax::check(&chain, true), Ok(()));
    }
}
