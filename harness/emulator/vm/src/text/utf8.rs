//! The `utf8` library: encoding, decoding, and the walks of `len` and `offset` in slices.
//!
//! Codes reach U+10FFFF. Surrogates pass, longer forms than needed do not, as in Lua 5.3.

use std::ops::Range;

/// The largest code.
pub const MAX_CODE: u32 = 0x10_FFFF;

/// `utf8.char` of something that is no code; about that argument.
pub const OUT_OF_RANGE: &str = "value out of range";
/// `utf8.codepoint` and `utf8.codes` of bytes that are no code: an error of its own.
pub const INVALID: &str = "invalid UTF-8 code";
/// `utf8.codepoint` with a position outside of the text; about that argument.
pub const POSITION: &str = "out of range";
/// `utf8.len` with a first position outside of the text; about argument 2.
pub const FIRST_POSITION: &str = "initial position out of string";
/// `utf8.len` with a last position outside of the text; about argument 3.
pub const LAST_POSITION: &str = "final position out of string";
/// `utf8.offset` with a position outside of the text; about argument 3.
pub const OFFSET_POSITION: &str = "position out of range";
/// `utf8.offset` with a position inside of a code: an error of its own.
pub const INSIDE_CODE: &str = "initial position is a continuation byte";

/// `utf8.charpattern`: matches one code, if the text is valid.
pub const CHARPATTERN: &[u8] = b"[\0-\x7F\xC2-\xF4][\x80-\xBF]*";

/// Whether a byte goes on with a code that began earlier.
pub fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Appends the bytes of a code. Without a code of this number it returns false.
#[must_use]
pub fn encode(code: i64, out: &mut Vec<u8>) -> bool {
    let Some(code) = u32::try_from(code).ok().filter(|code| *code <= MAX_CODE) else { return false };
    let low = |shift: u32| u8::try_from(code >> shift & 0x3F).expect("six bits") | 0x80;
    let lead = |shift: u32, mark: u8| u8::try_from(code >> shift).expect("at most six bits") | mark;
    match code {
        0..0x80 => out.push(lead(0, 0)),
        0x80..0x800 => out.extend([lead(6, 0xC0), low(0)]),
        0x800..0x1_0000 => out.extend([lead(12, 0xE0), low(6), low(0)]),
        _ => out.extend([lead(18, 0xF0), low(12), low(6), low(0)]),
    }
    true
}

/// The code at the start of `bytes`, and its length; none if there is no valid one.
pub fn decode(bytes: &[u8]) -> Option<(u32, usize)> {
    let lead = *bytes.first()?;
    let (length, least) = match lead {
        0..0x80 => return Some((u32::from(lead), 1)),
        0xC0..0xE0 => (2, 0x80),
        0xE0..0xF0 => (3, 0x800),
        0xF0..0xF8 => (4, 0x1_0000),
        _ => return None,
    };
    let mut code = u32::from(lead) & (0x7F >> length);
    for byte in bytes.get(1..length)? {
        if !is_continuation(*byte) {
            return None;
        }
        code = code << 6 | u32::from(byte & 0x3F);
    }
    (least..=MAX_CODE).contains(&code).then_some((code, length))
}

/// What `utf8.codes` gives after `previous`, the position from 1 of the last code, or 0: the next position and its code.
/// The distance between the positions is the work that it took.
pub fn next_code(text: &[u8], previous: usize) -> Result<Option<(usize, u32)>, &'static str> {
    let mut at = previous;
    // The first code is where the text begins; others are behind the one before.
    while at > 0 && text.get(at).is_some_and(|byte| is_continuation(*byte)) {
        at += 1;
    }
    if at >= text.len() {
        return Ok(None);
    }
    let (code, length) = decode(&text[at..]).ok_or(INVALID)?;
    if text.get(at + length).is_some_and(|byte| is_continuation(*byte)) {
        return Err(INVALID);
    }
    Ok(Some((at + 1, code)))
}

/// How far a walk came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walked<T> {
    Paused,
    Done(T),
}

/// `utf8.len`, in slices of one code for one unit.
#[derive(Clone, Debug)]
pub struct Length {
    at: usize,
    end: usize,
    count: usize,
}

impl Length {
    /// Counts the codes that begin in `range`, from 0.
    pub fn new(range: Range<usize>) -> Self {
        Self { at: range.start, end: range.end, count: 0 }
    }

    /// The count, or the position from 1 of the first byte that begins no code.
    pub fn step(&mut self, text: &[u8], budget: &mut u64) -> Walked<Result<usize, usize>> {
        while self.at < self.end {
            if *budget == 0 {
                return Walked::Paused;
            }
            *budget -= 1;
            let Some((_, length)) = decode(&text[self.at..]) else { return Walked::Done(Err(self.at + 1)) };
            self.at += length;
            self.count += 1;
        }
        Walked::Done(Ok(self.count))
    }
}

/// `utf8.offset`, in slices of one byte for one unit.
#[derive(Clone, Debug)]
pub struct Offset {
    at: usize,
    /// Codes that are still to be passed, forwards or backwards.
    left: i64,
    /// Whether the beginning of the code at `at` is sought, and nothing else.
    begin: bool,
}

impl Offset {
    /// Passes `count` codes from `from`, a place from 0 that is at most the length of `text`.
    pub fn new(text: &[u8], count: i64, from: usize) -> Result<Self, &'static str> {
        let inside = text.get(from).is_some_and(|byte| is_continuation(*byte));
        if count != 0 && inside {
            return Err(INSIDE_CODE);
        }
        // The first code forwards is the one that begins here.
        Ok(Self { at: from, left: if count > 0 { count - 1 } else { count }, begin: count == 0 })
    }

    /// The position from 1, or none if the text is over before.
    pub fn step(&mut self, text: &[u8], budget: &mut u64) -> Walked<Option<usize>> {
        let continues = |at: usize| text.get(at).is_some_and(|byte| is_continuation(*byte));
        loop {
            let arrived = if self.begin { self.at == 0 || !continues(self.at) } else { self.left == 0 };
            if arrived {
                return Walked::Done(Some(self.at + 1));
            }
            if *budget == 0 {
                return Walked::Paused;
            }
            *budget -= 1;
            if self.begin {
                self.at -= 1;
            } else if self.left < 0 {
                if self.at == 0 {
                    return Walked::Done(None);
                }
                self.at -= 1;
                if self.at == 0 || !continues(self.at) {
                    self.left += 1;
                }
            } else {
                if self.at >= text.len() {
                    return Walked::Done(None);
                }
                self.at += 1;
                if !continues(self.at) {
                    self.left -= 1;
                }
            }
        }
    }
}
