//! What a computer has printed, and in which boot.

use std::ops::Range;

/// A moment in what a computer prints: a boot, and how much of it was there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Boots are counted from 1.
    pub boot: u32,
    /// Bytes that were printed in this boot.
    pub printed: usize,
}

/// What a computer has printed: what was scrolled away, then the screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    text: String,
    /// The number of the boot under way, and where its text begins.
    boot: u32,
    start: usize,
    /// Where the screen begins.
    screen: usize,
    /// The lines that are no UTF-8, counted from 1.
    odd: Vec<usize>,
}

impl Printed {
    /// `booted` is what the boot noted: its number, and how many bytes were in the log before it.
    pub(super) fn new(booted: Option<&[u8]>, log: &[u8], screen: &[u8]) -> Self {
        let (boot, offset) = booted.and_then(read_booted).unwrap_or_default();
        let before = as_text(&log[..offset.min(log.len())]);
        let start = before.len();
        let scrolled = before + &as_text(&log[offset.min(log.len())..]);
        let begins = scrolled.len();
        let above = log.split(|byte| *byte == b'\n').count() - 1;
        let odd = odd_lines(log).chain(odd_lines(screen).map(|line| above + line)).collect();
        Self { text: scrolled + &as_text(screen), boot, start, screen: begins, odd }
    }

    /// The lines, counted from 1, in which each byte is a character of the computer's own: they are no UTF-8, and a line
    /// that is may look the same.
    pub fn odd_lines(&self) -> &[usize] {
        &self.odd
    }

    /// Everything, of all boots.
    pub fn all(&self) -> &str {
        &self.text
    }

    /// The number of the boot under way; 0 before the first.
    pub fn boot(&self) -> u32 {
        self.boot
    }

    /// What was printed in the boot under way.
    pub fn this_boot(&self) -> &str {
        &self.text[self.start..]
    }

    /// The screen as it is, without what was scrolled away.
    pub fn screen(&self) -> &str {
        &self.text[self.screen..]
    }

    /// This moment.
    pub fn mark(&self) -> Mark {
        Mark { boot: self.boot, printed: self.this_boot().len() }
    }

    /// What was printed after a moment. Where a boot came in between, all of the boot under way; where the screen was
    /// cleared since, all that is there of it.
    pub fn since(&self, mark: Mark) -> &str {
        let text = self.this_boot();
        let range: Range<usize> = mark.printed..text.len();
        if mark.boot == self.boot { text.get(range).unwrap_or(text) } else { text }
    }
}

/// Reads the note of a boot.
pub(super) fn read_booted(bytes: &[u8]) -> Option<(u32, usize)> {
    let (boot, offset) = std::str::from_utf8(bytes).ok()?.trim().split_once(' ')?;
    Some((boot.parse().ok()?, offset.parse().ok()?))
}

pub(super) fn odd_lines(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    lines.filter(|(_, line)| std::str::from_utf8(line).is_err()).map(|(index, _)| index + 1)
}

/// Bytes of a screen as text: UTF-8 where a line is that, otherwise a character for each byte.
pub(super) fn as_text(bytes: &[u8]) -> String {
    let line = |line: &[u8]| match std::str::from_utf8(line) {
        Ok(text) => text.to_owned(),
        Err(_) => line.iter().map(|byte| char::from(*byte)).collect(),
    };
    bytes.split(|byte| *byte == b'\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boot_is_told_from_the_one_before() {
        let first = Printed::new(Some(b"1 0"), b"one\n", b"two\n");
        assert_eq!((first.all(), first.this_boot()), ("one\ntwo\n", "one\ntwo\n"));
        let mark = first.mark();
        let later = Printed::new(Some(b"1 0"), b"one\n", b"two\nthree\n");
        assert_eq!((later.since(mark), later.screen()), ("three\n", "two\nthree\n"));
        let second = Printed::new(Some(b"2 8"), b"one\ntwo\n", b"again\n");
        assert_eq!((second.all(), second.this_boot()), ("one\ntwo\nagain\n", "again\n"));
        assert_eq!(second.since(mark), "again\n");
        assert!(second.mark() > mark);
    }

    #[test]
    fn a_cleared_screen_is_seen_whole() {
        let mark = Mark { boot: 1, printed: 100 };
        assert_eq!(Printed::new(Some(b"1 0"), b"", b"new\n").since(mark), "new\n");
    }

    #[test]
    fn a_line_that_is_no_text_has_a_character_for_each_byte() {
        let printed = Printed::new(None, b"", b"t\xfcr\n\xc3\xbc\n");
        assert_eq!((printed.all(), printed.boot()), ("tür\nü\n", 0));
        assert_eq!(printed.odd_lines(), [1]);
        let scrolled = Printed::new(None, b"a\nt\xfcr\n", b"\xc3\xbc\n\xfc");
        assert_eq!(scrolled.odd_lines(), [2, 4]);
    }
}
