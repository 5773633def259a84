//! The parts of a pattern. Each is read when a match first gets there, so that a mistake behind a part that never matches
//! is not seen, as in Lua.

use super::PatternError;
use super::class::{ByteSet, Class, bracket};

/// How often a class is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    Once,
    /// `?`
    Optional,
    /// `*`
    Greedy,
    /// `+`
    GreedyOnce,
    /// `-`
    Lazy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The pattern is over.
    End,
    /// `(`
    Open,
    /// `()`
    Position,
    /// `)`
    Close,
    /// `$` at the end
    SubjectEnd,
    /// `%bxy`
    Balance(u8, u8),
    /// `%f[…]`
    Frontier(ByteSet),
    /// `%1`, with what was written
    Back(u8),
    Single(Class, Repeat),
}

/// A part, and where the pattern goes on behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) part: Part,
    pub(super) next: usize,
}

impl Item {
    fn read(pattern: &[u8], at: usize) -> Result<Self, PatternError> {
        let rest = &pattern[at..];
        let (part, length) = match rest {
            [] => (Part::End, 0),
            [b'(', b')', ..] => (Part::Position, 2),
            [b'(', ..] => (Part::Open, 1),
            [b')', ..] => (Part::Close, 1),
            [b'$'] => (Part::SubjectEnd, 1),
            [b'%', b'b', open, close, ..] => (Part::Balance(*open, *close), 4),
            [b'%', b'b', ..] => return Err(PatternError::MissingBalance),
            [b'%', b'f', b'[', ..] => {
                let (set, next) = bracket(pattern, at + 2)?;
                return Ok(Self { part: Part::Frontier(set), next });
            }
            [b'%', b'f', ..] => return Err(PatternError::MissingFrontierSet),
            [b'%', digit @ b'0'..=b'9', ..] => (Part::Back(digit - b'0'), 2),
            _ => return Self::single(pattern, at),
        };
        Ok(Self { part, next: at + length })
    }

    fn single(pattern: &[u8], at: usize) -> Result<Self, PatternError> {
        let (class, end) = match &pattern[at..] {
            [b'%'] => return Err(PatternError::EndsWithPercent),
            [b'%', letter, ..] => (Class::escaped(*letter), at + 2),
            [b'[', ..] => {
                let (set, end) = bracket(pattern, at)?;
                (Class::Set(set), end)
            }
            [b'.', ..] => (Class::Any, at + 1),
            [byte, ..] => (Class::Byte(*byte), at + 1),
            [] => unreachable!("the caller has seen the end"),
        };
        let repeat = match pattern.get(end) {
            Some(b'?') => Repeat::Optional,
            Some(b'*') => Repeat::Greedy,
            Some(b'+') => Repeat::GreedyOnce,
            Some(b'-') => Repeat::Lazy,
            _ => Repeat::Once,
        };
        let next = end + usize::from(repeat != Repeat::Once);
        Ok(Self { part: Part::Single(class, repeat), next })
    }
}

/// Longer patterns are read anew each time: what is kept of a pattern is bounded by this.
const KEPT_LENGTH: usize = 1024;

/// The parts of one pattern that were read so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    /// For each place of the pattern the number of its part among `kept`, from 1; 0 where none was read yet.
    places: Vec<u16>,
    kept: Vec<Item>,
}

impl Items {
    /// Forgets the parts, for another pattern.
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.kept.clear();
    }

    /// The part at `at`, and how many bytes had to be read for it anew: 0 where parts are kept.
    #[inline]
    pub(super) fn at(&mut self, pattern: &[u8], at: usize) -> Result<(&Item, usize), PatternError> {
        match self.places.get(at) {
            Some(number) if *number > 0 => Ok((&self.kept[usize::from(*number) - 1], 0)),
            _ => self.read(pattern, at),
        }
    }

    #[cold]
    fn read(&mut self, pattern: &[u8], at: usize) -> Result<(&Item, usize), PatternError> {
        let item = Item::read(pattern, at)?;
        let mut read = item.next - at;
        if pattern.len() <= KEPT_LENGTH {
            self.places.resize(pattern.len() + 1, 0);
            self.places[at] = u16::try_from(self.kept.len() + 1).expect("at most a part for each place");
            read = 0;
        } else {
            self.kept.clear();
        }
        self.kept.push(item);
        Ok((self.kept.last().expect("it was just kept"), read))
    }

    /// Bytes that are held for the parts.
    pub(super) fn memory(&self) -> usize {
        self.places.capacity() * size_of::<u16>() + self.kept.capacity() * size_of::<Item>()
    }
}
