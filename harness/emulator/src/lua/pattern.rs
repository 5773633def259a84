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

/// Characters of a text that are looked at before the next question; fewer, where each is compared with a long set.
const LONGEST_RUN: usize = 1 << 12;

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

/// The length of a capture, in one word: a matcher is made for every match of a loop, and these are most of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Length(usize);

impl Length {
    const OPEN: Self = Self(0);
    const POSITION: Self = Self(1);

    const fn closed(length: usize) -> Self {
        Self(length + 2)
    }

    /// How many characters there are, where it is closed.
    fn characters(self) -> Option<usize> {
        self.0.checked_sub(2)
    }
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
    /// The class that the first character of any match is of, if there is one.
    first: Option<(usize, usize)>,
}

impl<'a> Matcher<'a> {
    /// `pattern` is without the `^` at its front.
    pub fn new(text: &'a [u8], pattern: &'a [u8], watchdog: Option<&'a Watchdog>) -> Self {
        let captures = [(0, Length::OPEN); MOST_CAPTURES];
        let mut matcher =
            Self { text, pattern, watchdog, captures, level: 0, depth: 0, steps: 0, first: None };
        matcher.first = matcher.first_class();
        matcher
    }

    /// Where the class stands that every match begins with.
    fn first_class(&self) -> Option<(usize, usize)> {
        let at = usize::from(self.pattern.first() == Some(&b'('));
        match (self.pattern.get(at)?, self.pattern.get(at + 1)) {
            (b'(' | b')', _) | (b'$', None) | (b'%', Some(b'b' | b'f' | b'0'..=b'9')) => return None,
            _ => {}
        }
        let end = self.class_end(at).ok()?;
        (!matches!(self.pattern.get(end), Some(b'*' | b'?' | b'-'))).then_some((at, end))
    }

    /// The first position from `start` on at which there may be a match; past the end of the text, if there is none.
    pub fn next_start(&mut self, start: usize) -> Result<usize, PatternError> {
        let Some((at, end)) = self.first else { return Ok(start) };
        let mut position = start;
        while !self.fits(position, at, end) {
            if position >= self.text.len() {
                return Ok(self.text.len() + 1);
            }
            position += 1;
            self.spend(end - at)?;
        }
        Ok(position)
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
            Some((at, length)) => match length.characters() {
                Some(characters) => Ok(Capture::Text(*at, at + characters)),
                None if *length == Length::POSITION => Ok(Capture::Position(*at)),
                None => Err(PatternError::Unfinished),
            },
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
                (b'(', Some(b')')) => return self.open(position, at + 2, Length::POSITION),
                (b'(', _) => return self.open(position, at + 1, Length::OPEN),
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
        loop {
            let most = (LONGEST_RUN / (end - at)).max(1);
            let more = self.run_length(position + count, at, end, most);
            count += more;
            self.spend(more * (end - at))?;
            if more < most {
                break;
            }
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

    /// How many characters from a position on, of so many at most, are of the class from `at` to `end`.
    fn run_length(&self, position: usize, at: usize, end: usize, most: usize) -> usize {
        let rest = &self.text[position.min(self.text.len())..];
        let rest = &rest[..rest.len().min(most)];
        let first_unlike = match self.pattern[at] {
            b'.' => None,
            b'%' => {
                let class = self.pattern[at + 1];
                let (bit, other) = (BITS[usize::from(class)], class.is_ascii_uppercase());
                if bit == 0 {
                    rest.iter().position(|byte| *byte != class)
                } else {
                    rest.iter().position(|byte| !has_class(*byte, bit, other))
                }
            }
            b'[' => rest.iter().position(|byte| !self.in_set(*byte, at, end - 1)),
            plain => rest.iter().position(|byte| *byte != plain),
        };
        first_unlike.unwrap_or(rest.len())
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
        let open = self.captures[..self.level].iter().rposition(|(_, length)| *length == Length::OPEN);
        let index = open.ok_or(PatternError::Close)?;
        self.captures[index].1 = Length::closed(position - self.captures[index].0);
        let matched = self.step(position, at)?;
        if matched.is_none() {
            self.captures[index].1 = Length::OPEN;
        }
        Ok(matched)
    }

    /// The capture that a digit names.
    fn closed(&self, digit: usize) -> Result<(usize, usize), PatternError> {
        let number = digit.wrapping_sub(usize::from(b'0'));
        let found = number.checked_sub(1).and_then(|index| self.captures[..self.level].get(index));
        match found {
            // A position has no text of its own to come again.
            Some((start, length)) if *length != Length::OPEN => {
                Ok((*start, length.characters().unwrap_or(0)))
            }
            _ => Err(PatternError::Index(number)),
        }
    }
}

/// The letters that name classes after `%`; the bits of [`CLASSES`] are in their order.
const LETTERS: [u8; 11] = *b"acdglpsuwxz";

/// The classes that each character is of.
static CLASSES: [u16; 256] = classes();

const fn classes() -> [u16; 256] {
    let mut classes = [0; 256];
    let mut byte: u8 = 0;
    loop {
        let is = [
            byte.is_ascii_alphabetic(),
            byte.is_ascii_control(),
            byte.is_ascii_digit(),
            byte.is_ascii_graphic(),
            byte.is_ascii_lowercase(),
            byte.is_ascii_punctuation(),
            matches!(byte, 9..=13 | b' '),
            byte.is_ascii_uppercase(),
            byte.is_ascii_alphanumeric(),
            byte.is_ascii_hexdigit(),
            byte == 0,
        ];
        let mut bit = 0;
        while bit < is.len() {
            classes[byte as usize] |= (is[bit] as u16) << bit;
            bit += 1;
        }
        if byte == u8::MAX {
            return classes;
        }
        byte += 1;
    }
}

/// What each character means after `%`: the bit of its class, or none.
static BITS: [u16; 256] = bits();

const fn bits() -> [u16; 256] {
    let mut bits = [0; 256];
    let mut bit = 0;
    while bit < LETTERS.len() {
        bits[LETTERS[bit] as usize] = 1 << bit;
        bits[LETTERS[bit].to_ascii_uppercase() as usize] = 1 << bit;
        bit += 1;
    }
    bits
}

/// Whether a character is of the class that a letter after `%` names.
fn is_class(byte: u8, class: u8) -> bool {
    let bit = BITS[usize::from(class)];
    if bit == 0 { class == byte } else { has_class(byte, bit, class.is_ascii_uppercase()) }
}

fn has_class(byte: u8, bit: u16, other: bool) -> bool {
    (CLASSES[usize::from(byte)] & bit != 0) != other
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

        #[test]
        fn where_no_match_can_begin_none_does(
            text in proptest::collection::vec(proptest::sample::select(b"ab1 ()".to_vec()), 0..12),
            pattern in proptest::collection::vec(proptest::sample::select(b"ab%[]()-*+?.^$d1s".to_vec()), 0..8),
        ) {
            let mut matcher = Matcher::new(&text, &pattern, None);
            let mut start = 0;
            while start <= text.len() {
                let next = matcher.next_start(start).expect("nobody stops it");
                for skipped in start..next.min(text.len() + 1) {
                    proptest::prop_assert_eq!(matcher.match_at(skipped), Ok(None));
                }
                start = next + 1;
            }
        }
    }
}
