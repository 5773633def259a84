//! `find`, `match`, `gmatch` and `gsub`, each built from the matcher as the library does.

use std::ops::Range;

use craftos_lua::text::pattern::plain::{PlainProgress, PlainSearch, is_plain};
use craftos_lua::text::pattern::replacement::{Escapes, ReplacementPiece, next_piece};
use craftos_lua::text::pattern::{Anchor, Capture, Matcher, PatternError, Progress};

use crate::{escape, report, rows, unescape};

/// A subject, a pattern and the budget of each step.
struct Search<'a> {
    subject: &'a [u8],
    pattern: &'a [u8],
    slice: u64,
    /// All that was spent.
    spent: u64,
}

impl Search<'_> {
    fn run(&mut self, matcher: &mut Matcher, from: usize) -> Result<Option<Range<usize>>, PatternError> {
        matcher.search(from);
        loop {
            let mut budget = self.slice;
            let progress = matcher.step(self.subject, self.pattern, &mut budget);
            self.spent += self.slice - budget;
            match progress? {
                Progress::Paused => assert_eq!(budget, 0, "a pause uses the budget up"),
                Progress::Matched(range) => return Ok(Some(range)),
                Progress::Failed => return Ok(None),
            }
        }
    }

    fn show(&self, capture: &Capture) -> String {
        match capture {
            Capture::Text(range) => format!("s{}", escape(&self.subject[range.clone()])),
            Capture::Position(position) => position.to_string(),
        }
    }

    fn values(&self, matcher: &Matcher, whole: &Range<usize>) -> Result<Vec<String>, PatternError> {
        (0..matcher.value_count()).map(|index| Ok(self.show(&matcher.value(index, whole)?))).collect()
    }

    fn find(&mut self, from: usize) -> Result<String, PatternError> {
        if is_plain(self.pattern) {
            let mut search = PlainSearch::new(from);
            loop {
                let mut budget = self.slice;
                let progress = search.step(self.subject, self.pattern, &mut budget);
                self.spent += self.slice - budget;
                match progress {
                    PlainProgress::Paused => {}
                    PlainProgress::Found(at) => return Ok(format!("{},{}", at + 1, at + self.pattern.len())),
                    PlainProgress::Absent => return Ok("nil".to_owned()),
                }
            }
        }
        let mut matcher = Matcher::new(self.pattern, Anchor::Start);
        let Some(range) = self.run(&mut matcher, from)? else { return Ok("nil".to_owned()) };
        let mut values = vec![(range.start + 1).to_string(), range.end.to_string()];
        if matcher.capture_count() > 0 {
            values.extend(self.values(&matcher, &range)?);
        }
        Ok(values.join(","))
    }

    fn matched(&mut self, from: usize) -> Result<String, PatternError> {
        let mut matcher = Matcher::new(self.pattern, Anchor::Start);
        let Some(range) = self.run(&mut matcher, from)? else { return Ok("nil".to_owned()) };
        Ok(self.values(&matcher, &range)?.join(","))
    }

    /// The first two values of up to 21 matches, as the table has them.
    fn iterate(&mut self) -> Result<String, PatternError> {
        let mut matcher = Matcher::new(self.pattern, Anchor::Literal);
        let mut found = Vec::new();
        let mut from = 0;
        while from <= self.subject.len() && found.len() <= 20 {
            let Some(range) = self.run(&mut matcher, from)? else { break };
            from = range.end + usize::from(range.is_empty());
            let mut values = self.values(&matcher, &range)?;
            values.truncate(2);
            values.resize(2, "nil".to_owned());
            let plain = |value: &String| value.strip_prefix('s').unwrap_or(value).to_owned();
            found.push(values.iter().map(plain).collect::<Vec<_>>().join("|"));
        }
        Ok(format!("s{}", found.join(";")))
    }

    fn replace(&mut self, replacement: &[u8]) -> Result<String, PatternError> {
        let mut matcher = Matcher::new(self.pattern, Anchor::Start);
        let (mut out, mut copied, mut from, mut count) = (Vec::new(), 0, 0, 0);
        while let Some(range) = self.run(&mut matcher, from)? {
            count += 1;
            out.extend_from_slice(&self.subject[copied..range.start]);
            let mut at = 0;
            while let Some(piece) = next_piece(replacement, at, Escapes::Loose)? {
                at = match piece {
                    ReplacementPiece::Literal { text, next } => {
                        out.extend_from_slice(&replacement[text]);
                        next
                    }
                    ReplacementPiece::Zero { next } => {
                        out.push(0);
                        next
                    }
                    ReplacementPiece::Whole { next } => {
                        out.extend_from_slice(&self.subject[range.clone()]);
                        next
                    }
                    ReplacementPiece::Capture { index, next } => {
                        match matcher.value(index, &range)? {
                            Capture::Text(text) => out.extend_from_slice(&self.subject[text]),
                            Capture::Position(position) => out.extend(position.to_string().into_bytes()),
                        }
                        next
                    }
                }
            }
            copied = range.end;
            from = range.end + usize::from(range.is_empty());
            if matcher.is_anchored() || from > self.subject.len() {
                break;
            }
        }
        out.extend_from_slice(&self.subject[copied..]);
        Ok(format!("s{},{count}", escape(&out)))
    }
}

/// `init` of `find` and `match`, as a place from 0; none behind the subject's end.
fn place(init: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).expect("a short subject");
    let place = if init < 0 { (length + init).max(0) } else { init - 1 };
    usize::try_from(place).ok().filter(|_| place <= length)
}

/// The results of the four functions, and what they cost.
fn results(row: &[&str], slice: u64) -> (Vec<String>, u64) {
    let (subject, pattern) = (unescape(row[0]), unescape(row[1]));
    let mut search = Search { subject: &subject, pattern: &pattern, slice, spent: 0 };
    let from = place(row[3].parse().expect("a number"), subject.len());
    let nothing = || Ok("nil".to_owned());
    let outcomes = [
        from.map_or_else(nothing, |from| search.find(from)),
        from.map_or_else(nothing, |from| search.matched(from)),
        search.iterate(),
        search.replace(&unescape(row[2])),
    ];
    let shown =
        |outcome: Result<String, PatternError>| outcome.unwrap_or_else(|error| format!("error:{error}"));
    (outcomes.into_iter().map(shown).collect(), search.spent)
}

#[test]
fn patterns_match_as_in_the_reference_however_they_are_sliced() {
    let mut differences = Vec::new();
    let mut compared = 0;
    for row in rows(include_str!("pattern.txt")).filter(|row| row.len() == 8) {
        let (actual, cost) = results(&row, u64::MAX);
        compared += 1;
        if actual != row[4..] {
            differences.push(format!("{row:?}: {actual:?}"));
        }
        for slice in [1, 7] {
            let (sliced, sliced_cost) = results(&row, slice);
            assert_eq!(sliced, actual, "in slices of {slice}: {row:?}");
            assert_eq!(sliced_cost, cost, "the cost in slices of {slice}: {row:?}");
        }
    }
    report(&differences, compared);
}

#[test]
fn classes_hold_the_bytes_that_they_hold_in_the_reference() {
    let mut differences = Vec::new();
    let mut compared = 0;
    let all: Vec<u8> = (0..=u8::MAX).collect();
    for row in rows(include_str!("pattern.txt")).filter(|row| row[0] == "class" && row.len() == 3) {
        let pattern = unescape(row[1]);
        let mut search = Search { subject: &all, pattern: &pattern, slice: u64::MAX, spent: 0 };
        let actual = search.replace(b"").unwrap_or_else(|error| format!("error:{error}"));
        compared += 1;
        if actual != row[2] {
            differences.push(format!("{}: {actual}, not {}", row[1], row[2]));
        }
    }
    report(&differences, compared);
}
