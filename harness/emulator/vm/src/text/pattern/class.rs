//! Sets of bytes: the letters of `%a` and its like, and `[…]`.

use super::PatternError;
use crate::text::number::is_space;

/// A bit for each byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    fn insert_all(&mut self, other: Self) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    fn invert(&mut self) {
        for word in &mut self.0 {
            *word = !*word;
        }
    }

    /// The bytes of a class of C's locale, by its small letter.
    const fn of(letter: u8) -> Self {
        let mut words = [0; 4];
        let mut byte = 0_u8;
        loop {
            let holds = match letter {
                b'a' => byte.is_ascii_alphabetic(),
                b'c' => byte.is_ascii_control(),
                b'd' => byte.is_ascii_digit(),
                b'g' => byte.is_ascii_graphic(),
                b'l' => byte.is_ascii_lowercase(),
                b'p' => byte.is_ascii_punctuation(),
                b's' => is_space(byte),
                b'u' => byte.is_ascii_uppercase(),
                b'w' => byte.is_ascii_alphanumeric(),
                b'x' => byte.is_ascii_hexdigit(),
                // Not in the manual any more, and still there.
                b'z' => byte == 0,
                _ => false,
            };
            if holds {
                words[(byte >> 6) as usize] |= 1 << (byte & 63);
            }
            if byte == u8::MAX {
                return Self(words);
            }
            byte += 1;
        }
    }

    /// The classes of all small letters; those that are none are empty.
    const CLASSES: [Self; 26] = {
        let mut classes = [Self([0; 4]); 26];
        let mut letter = 0_u8;
        while letter < 26 {
            classes[letter as usize] = Self::of(b'a' + letter);
            letter += 1;
        }
        classes
    };
}

/// What one byte of a subject may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Any,
    Byte(u8),
    Set(ByteSet),
}

impl Class {
    pub fn contains(&self, byte: u8) -> bool {
        match self {
            Self::Any => true,
            Self::Byte(own) => *own == byte,
            Self::Set(set) => set.contains(byte),
        }
    }

    /// How many bytes at the start of `bytes` are of this class.
    pub fn span(&self, bytes: &[u8]) -> usize {
        let end = match self {
            Self::Any => None,
            Self::Byte(own) => bytes.iter().position(|byte| byte != own),
            Self::Set(set) => bytes.iter().position(|byte| !set.contains(*byte)),
        };
        end.unwrap_or(bytes.len())
    }

    /// Where the first byte of this class is.
    pub fn first(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Any => (!bytes.is_empty()).then_some(0),
            Self::Byte(own) => memchr::memchr(*own, bytes),
            Self::Set(set) => bytes.iter().position(|byte| set.contains(*byte)),
        }
    }

    /// What `%` and `letter` stand for: a class of C's locale, its opposite for a capital, or the byte itself.
    pub fn escaped(letter: u8) -> Self {
        /// So that a class is found, not computed, each time a pattern is read.
        static CLASSES: [ByteSet; 26] = ByteSet::CLASSES;
        let index = letter.to_ascii_lowercase().wrapping_sub(b'a');
        let Some(mut set) = CLASSES.get(usize::from(index)).copied().filter(|set| *set != ByteSet::default())
        else {
            return Self::Byte(letter);
        };
        if letter.is_ascii_uppercase() {
            set.invert();
        }
        Self::Set(set)
    }
}

/// Reads the set whose `[` is at `open`. Returns it, and the place behind its `]`.
pub(super) fn bracket(pattern: &[u8], open: usize) -> Result<(ByteSet, usize), PatternError> {
    let mut at = open + 1;
    let inverted = pattern.get(at) == Some(&b'^');
    at += usize::from(inverted);
    let close = closing(pattern, at).ok_or(PatternError::MissingBracket)?;
    let mut set = ByteSet::default();
    let mut rest = &pattern[at..close];
    loop {
        rest = match rest {
            [] => break,
            [b'%', letter, after @ ..] => {
                match Class::escaped(*letter) {
                    Class::Set(more) => set.insert_all(more),
                    _ => set.insert(*letter),
                }
                after
            }
            [low, b'-', high, after @ ..] => {
                for byte in *low..=*high {
                    set.insert(byte);
                }
                after
            }
            [byte, after @ ..] => {
                set.insert(*byte);
                after
            }
        };
    }
    if inverted {
        set.invert();
    }
    Ok((set, close + 1))
}

/// Where the `]` of a set is whose content begins at `at`. One that comes first belongs to the content.
fn closing(pattern: &[u8], at: usize) -> Option<usize> {
    let mut place = at;
    loop {
        place += match pattern.get(place)? {
            b']' if place > at => return Some(place),
            b'%' if place + 1 < pattern.len() => 2,
            _ => 1,
        };
    }
}
