//! Lua's patterns: a matcher that can be stopped.
//!
//! Lua's own runs for hours on `("a?"):rep(30) .. ("a"):rep(30)`, and nothing can end it. This one asks every so often
//! whether it may go on. It knows nothing of Lua's stack: the functions around it are in [`super::strings`].

use thiserror::Error;

use super::Watchdog;

/// As many as Lua allows.
pub const MOST_CAPTURES: usize = 32;
/// As deep as Lua goes into itself for one match.
const DEEPEST: u32 = 200;
/// Some ten microseconds of matching between two questions.
const STEPS_BETWEEN_CHECKS: usize = 1 << 14;

/// A pattern that means nothing, or a match that was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PatternError {
    #[error("malformed pattern (ends with '%')")]
    EndsWithPercent,
    #[error("malformed pattern (missing ']')")]
    OpenSet,
    #[error("malformed pattern (missing arguments to '%b')")]
    Balance,
    #[error("missing '[' after '%f' in pattern")]
    Frontier,
    #[error("too many captures")]
    Captures,
    #[error("invalid pattern capture")]
    Close,
    #[error("unfinished capture")]
    Unfinished,
    #[error("invalid capture index %{0}")]
    Index(usize),
    #[error("invalid capture index")]
    NoCapture,
    #[error("pattern too complex")]
    TooComplex,
    #[error("Too long without yielding")]
    Stopped,
}

type Matched = Result<Option<usize>, PatternError>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Open,
    Position,
    Closed(usize),
}

/// What a capture holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    /// Where it stands, from 0.
    Position(usize),
    /// From here to there.
    Text(usize, usize),
}

/// Matches one pattern against one text.
#[derive(Debug)]
pub struct Matcher<'a> {
    text: &'a [u8],
    pattern: &'a [u8],
    watchdog: Option<&'a Watchdog>,
    captures: [(usize, Length); MOST_CAPTURES],
    level: usize,
    depth: u32,
    steps: usize,
}

impl<'a> Matcher<'a> {
    /// `pattern` is without the `^` at its front.
    pub fn new(text: &'a [u8], pattern: &'a [u8], watchdog: Option<&'a Watchdog>) -> Self {
        let captures = [(0, Length::Open); MOST_CAPTURES];
        Self { text, pattern, watchdog, captures, level: 0, depth: 0, steps: 0 }
    }

    /// The end of a match that begins exactly at `start`.
    pub fn match_at(&mut self, start: usize) -> Matched {
        (self.level, self.depth) = (0, 0);
        self.step(start, 0)
    }

    /// How many values a match gives: its captures, or all of it.
    pub fn count(&self, whole: bool) -> usize {
        if self.level == 0 && whole { 1 } else { self.level }
    }

    /// A capture of the last match, which went from `start` to `end`.
    pub fn capture(&self, index: usize, start: usize, end: usize) -> Result<Capture, PatternError> {
        match self.captures[..self.level].get(index) {
            None if index == 0 => Ok(Capture::Text(start, end)),
            None => Err(PatternError::NoCapture),
            Some((_, Length::Open)) => Err(PatternError::Unfinished),
            Some((at, Length::Position)) => Ok(Capture::Position(*at)),
            Some((at, Length::Closed(length))) => Ok(Capture::Text(*at, at + length)),
        }
    }

    /// Counts work that was done; an error when it has been enough.
    pub fn spend(&mut self, steps: usize) -> Result<(), PatternError> {
        self.steps += steps;
        if self.steps >= STEPS_BETWEEN_CHECKS {
            self.steps = 0;
            if self.watchdog.is_some_and(Watchdog::is_due) {
                return Err(PatternError::Stopped);
            }
        }
        Ok(())
    }

    /// Matches the pattern from `at` on against the text from `position` on.
    fn step(&mut self, position: usize, at: usize) -> Matched {
        if self.depth == DEEPEST {
            return Err(PatternError::TooComplex);
        }
        self.depth += 1;
        let matched = self.walk(position, at);
        self.depth -= 1;
        matched
    }

    fn walk(&mut self, mut position: usize, mut at: usize) -> Matched {
        loop {
            self.spend(1)?;
            let Some(&first) = self.pattern.get(at) else { return Ok(Some(position)) };
            match (first, self.pattern.get(at + 1)) {
                (b'(', Some(b')')) => return self.open(position, at + 2, Length::Position),
                (b'(', _) => return self.open(position, at + 1, Length::Open),
                (b')', _) => return self.close(position, at + 1),
                (b'$', None) => return Ok((position == self.text.len()).then_some(position)),
                (b'%', Some(b'b')) => {
                    let Some(end) = self.balance(position, at + 2)? else { return Ok(None) };
                    (position, at) = (end, at + 4);
                    continue;
                }
                (b'%', Some(b'f')) => {
                    at += 2;
                    if self.pattern.get(at) != Some(&b'[') {
                        return Err(PatternError::Frontier);
                    }
                    let end = self.class_end(at)?;
                    let before = position.checked_sub(1).map_or(0, |before| self.text[before]);
                    let after = self.text.get(position).copied().unwrap_or(0);
                    if self.in_set(before, at, end - 1) || !self.in_set(after, at, end - 1) {
                        return Ok(None);
                    }
                    at = end;
                    continue;
                }
                (b'%', Some(digit)) if digit.is_ascii_digit() => {
                    let (start, length) = self.closed(usize::from(*digit))?;
                    let again = &self.text[start..start + length];
                    self.spend(length)?;
                    if !self.text[position..].starts_with(again) {
                        return Ok(None);
                    }
                    (position, at) = (position + length, at + 2);
                    continue;
                }
                _ => {}
            }
            let end = self.class_end(at)?;
            self.spend(end - at)?;
            let suffix = self.pattern.get(end);
            let fits = self.fits(position, at, end);
            match suffix {
                Some(b'*' | b'?' | b'-') if !fits => at = end + 1,
                _ if !fits => return Ok(None),
                Some(b'?') => {
                    if let Some(matched) = self.step(position + 1, end + 1)? {
                        return Ok(Some(matched));
                    }
                    at = end + 1;
                }
                Some(b'+') => return self.most(position + 1, at, end),
                Some(b'*') => return self.most(position, at, end),
                Some(b'-') => return self.fewest(position, at, end),
                _ => (position, at) = (position + 1, end),
            }
        }
    }

    /// Where the single-character class that begins at `at` ends.
    fn class_end(&self, at: usize) -> Result<usize, PatternError> {
        match self.pattern[at] {
            b'%' if at + 1 == self.pattern.len() => Err(PatternError::EndsWithPercent),
            b'%' => Ok(at + 2),
            b'[' => {
                let mut end = at + 1 + usize::from(self.pattern.get(at + 1) == Some(&b'^'));
                loop {
                    let byte = *self.pattern.get(end).ok_or(PatternError::OpenSet)?;
                    end += 1;
                    if byte == b'%' && end < self.pattern.len() {
                        end += 1;
                    }
                    if self.pattern.get(end) == Some(&b']') {
                        return Ok(end + 1);
                    }
                }
            }
            _ => Ok(at + 1),
        }
    }

    /// Whether the character at a position is of the class from `at` to `end`.
    fn fits(&self, position: usize, at: usize, end: usize) -> bool {
        let Some(&byte) = self.text.get(position) else { return false };
        match self.pattern[at] {
            b'.' => true,
            b'%' => is_class(byte, self.pattern[at + 1]),
            b'[' => self.in_set(byte, at, end - 1),
            plain => plain == byte,
        }
    }

    /// Whether a character is in the set whose brackets stand at `open` and `close`.
    fn in_set(&self, byte: u8, open: usize, close: usize) -> bool {
        let mut at = open + 1;
        let wanted = self.pattern[at] != b'^';
        if !wanted {
            at += 1;
        }
        while at < close {
            let first = self.pattern[at];
            if first == b'%' {
                at += 1;
                if is_class(byte, self.pattern[at]) {
                    return wanted;
                }
            } else if self.pattern[at + 1] == b'-' && at + 2 < close {
                at += 2;
                if (first..=self.pattern[at]).contains(&byte) {
                    return wanted;
                }
            } else if first == byte {
                return wanted;
            }
            at += 1;
        }
        !wanted
    }

    /// The end of what stands between a pair of characters, with other pairs inside.
    fn balance(&mut self, position: usize, at: usize) -> Matched {
        let (Some(&open), Some(&close)) = (self.pattern.get(at), self.pattern.get(at + 1)) else {
            return Err(PatternError::Balance);
        };
        if self.text.get(position) != Some(&open) {
            return Ok(None);
        }
        let mut depth = 1_usize;
        for (index, &byte) in self.text.iter().enumerate().skip(position + 1) {
            if byte == close {
                depth -= 1;
                if depth == 0 {
                    self.spend(index - position)?;
                    return Ok(Some(index + 1));
                }
            } else if byte == open {
                depth += 1;
            }
        }
        self.spend(self.text.len() - position)?;
        Ok(None)
    }

    /// As many as there are, then fewer and fewer.
    fn most(&mut self, position: usize, at: usize, end: usize) -> Matched {
        let mut count = 0;
        while self.fits(position + count, at, end) {
            count += 1;
            self.spend(end - at)?;
        }
        loop {
            if let Some(matched) = self.step(position + count, end + 1)? {
                return Ok(Some(matched));
            }
            if count == 0 {
                return Ok(None);
            }
            count -= 1;
        }
    }

    /// None, then more and more.
    fn fewest(&mut self, mut position: usize, at: usize, end: usize) -> Matched {
        loop {
            if let Some(matched) = self.step(position, end + 1)? {
                return Ok(Some(matched));
            }
            if !self.fits(position, at, end) {
                return Ok(None);
            }
            position += 1;
        }
    }

    fn open(&mut self, position: usize, at: usize, length: Length) -> Matched {
        let slot = self.captures.get_mut(self.level).ok_or(PatternError::Captures)?;
        *slot = (position, length);
        self.level += 1;
        let matched = self.step(position, at)?;
        if matched.is_none() {
            self.level -= 1;
        }
        Ok(matched)
    }

    fn close(&mut self, position: usize, at: usize) -> Matched {
        let open = self.captures[..self.level].iter().rposition(|(_, length)| *length == Length::Open);
        let index = open.ok_or(PatternError::Close)?;
        self.captures[index].1 = Length::Closed(position - self.captures[index].0);
        let matched = self.step(position, at)?;
        if matched.is_none() {
            self.captures[index].1 = Length::Open;
        }
        Ok(matched)
    }

    /// The capture that a digit names.
    fn closed(&self, digit: usize) -> Result<(usize, usize), PatternError> {
        let number = digit.wrapping_sub(usize::from(b'0'));
        let found = number.checked_sub(1).and_then(|index| self.captures[..self.level].get(index));
        match found {
            Some((start, Length::Closed(length))) => Ok((*start, *length)),
            // A position has no text of its own to come again.
            Some((start, Length::Position)) => Ok((*start, 0)),
            _ => Err(PatternError::Index(number)),
        }
    }
}

/// Whether a character is of the class that a letter after `%` names.
fn is_class(byte: u8, class: u8) -> bool {
    let is = match class.to_ascii_lowercase() {
        b'a' => byte.is_ascii_alphabetic(),
        b'c' => byte.is_ascii_control(),
        b'd' => byte.is_ascii_digit(),
        b'g' => byte.is_ascii_graphic(),
        b'l' => byte.is_ascii_lowercase(),
        b'p' => byte.is_ascii_punctuation(),
        b's' => matches!(byte, 9..=13 | b' '),
        b'u' => byte.is_ascii_uppercase(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'x' => byte.is_ascii_hexdigit(),
        b'z' => byte == 0,
        _ => return class == byte,
    };
    is != class.is_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first match in a text: where it is, and its captures.
    fn find(text: &str, pattern: &str) -> Result<Option<(usize, usize, Vec<Capture>)>, PatternError> {
        let mut matcher = Matcher::new(text.as_bytes(), pattern.as_bytes(), None);
        for start in 0..=text.len() {
            if let Some(end) = matcher.match_at(start)? {
                let captures = (0..matcher.count(false)).map(|index| matcher.capture(index, start, end));
                return Ok(Some((start, end, captures.collect::<Result<_, _>>()?)));
            }
        }
        Ok(None)
    }

    #[test]
    fn patterns_match_as_the_manual_says() {
        let at = |text: &str, pattern: &str| {
            find(text, pattern).map(|found| found.map(|(start, end, _)| (start, end)))
        };
        assert_eq!(at("hello world", "o w"), Ok(Some((4, 7))));
        assert_eq!(at("key = value", "%w+%s*=%s*%w+$"), Ok(Some((0, 11))));
        assert_eq!(at("aaab", "a-b"), Ok(Some((0, 4))));
        assert_eq!(at("[[x]]", "%b[]"), Ok(Some((0, 5))));
        assert_eq!(at("THE (quick) fox", "%f[%a]%a+%f[%A]"), Ok(Some((0, 3))));
        assert_eq!(at("x-]y", "[]-]+"), Ok(Some((1, 3))));
        assert_eq!(at("abc", "[^a-b]"), Ok(Some((2, 3))));
        assert_eq!(at("say \"hi\" 'x\"", "([\"'])(.-)%1"), Ok(Some((4, 8))));
        assert_eq!(at("", "$"), Ok(Some((0, 0))));
        assert_eq!(
            find("ab", "()(a)()"),
            Ok(Some((0, 1, vec![Capture::Position(0), Capture::Text(0, 1), Capture::Position(1)])))
        );
    }

    #[test]
    fn patterns_that_mean_nothing_are_errors() {
        for (pattern, error) in [
            ("%", PatternError::EndsWithPercent),
            ("[a", PatternError::OpenSet),
            ("[]", PatternError::OpenSet),
            ("%b", PatternError::Balance),
            ("%bx", PatternError::Balance),
            ("%fa", PatternError::Frontier),
            (")", PatternError::Close),
            ("%1", PatternError::Index(1)),
            ("(%1)", PatternError::Index(1)),
        ] {
            assert_eq!(find("a", pattern), Err(error), "{pattern}");
        }
        assert_eq!(find("a", "(a"), Err(PatternError::Unfinished));
        assert_eq!(find("a", &"()".repeat(33)), Err(PatternError::Captures));
        assert_eq!(find(&"a".repeat(300), &"a?".repeat(250)), Err(PatternError::TooComplex));
    }

    proptest::proptest! {
        #[test]
        fn any_pattern_matches_or_not_or_is_an_error(
            text in proptest::collection::vec(proptest::sample::select(b"ab%[]()-^\0\xff".to_vec()), 0..12),
            pattern in proptest::collection::vec(proptest::sample::select(b"ab%[]()-*+?.^$fb1\0\xff".to_vec()), 0..12),
        ) {
            let mut matcher = Matcher::new(&text, &pattern, None);
            for start in 0..=text.len() {
                let Ok(Some(end)) = matcher.match_at(start) else { continue };
                proptest::prop_assert!(start <= end && end <= text.len());
                for index in 0..matcher.count(true) {
                    if let Ok(Capture::Text(from, to)) = matcher.capture(index, start, end) {
                        proptest::prop_assert!(from <= to && to <= text.len());
                    }
                }
            }
        }
    }
}
