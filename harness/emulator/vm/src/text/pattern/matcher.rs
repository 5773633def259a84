//! The search for a pattern: a loop over its parts with a stack of what may still be tried.
//!
//! The stack is as deep as the reference's recursion would be, so that `pattern too complex` comes at the same place.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::PatternError;
use super::class::Class;
use super::item::{Items, Part, Repeat};
use crate::text::meter::Debt;

/// Lua's limit.
pub const MAX_CAPTURES: usize = 32;

/// The reference allows 200 nested calls, the first of which is the match itself.
const MAX_FRAMES: usize = 199;

/// Bytes that are looked through for one unit of the budget while a place is sought where the pattern may begin.
const BYTES_PER_UNIT: usize = 16;

/// Runs of a repeated class up to this length are taken at once.
const SHORT_RUN: usize = 64;

/// Bytes that are looked through for that in one piece.
const SLICE: usize = 1024;

/// What a `^` at the start of the pattern is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The match begins where the search begins: `find`, `match`, `gsub`.
    Start,
    /// A byte like any other: `gmatch`.
    Literal,
}

/// How far a step came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Progress {
    /// The budget is used up; the next step goes on.
    Paused,
    /// The bytes that match.
    Matched(Range<usize>),
    Failed,
}

/// What a `(…)` matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Capture {
    Text(Range<usize>),
    /// `()`: a position, counted from 1 as Lua does.
    Position(usize),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum CaptureEnd {
    #[default]
    Unfinished,
    Position,
    At(usize),
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Held {
    from: usize,
    end: CaptureEnd,
}

/// What to do when the rest of the pattern does not match.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Frame {
    /// Takes the last capture back.
    Opened,
    /// Opens this capture again.
    Closed(usize),
    /// Goes on behind the part without having matched it.
    Optional { next: usize, at: usize },
    /// Gives a byte back, down to `from`.
    Greedy { next: usize, from: usize, at: usize },
    /// Takes one more byte of the class of the part at `part`.
    Lazy { part: usize, next: usize, at: usize },
}

/// What a step does next.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum State {
    /// Looks for a place from `start` where the pattern may begin.
    Seek,
    /// Matches the part at `part`.
    Part,
    /// Takes as many bytes of a class as there are; they began at `from`.
    Span { from: usize },
    /// Looks for the end of a `%bxy` that is `depth` deep.
    Balance { depth: usize },
    /// Compares with a capture, `done` bytes of which agree.
    Compare { from: usize, to: usize, done: usize },
    /// Tries what the top of the stack says.
    Back,
    /// The search is over; its outcome waits until its work is paid for.
    Over,
}

/// A search that pauses when its budget is used up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Matcher {
    /// Read again where it is needed.
    #[serde(skip)]
    items: Items,
    /// Where the pattern begins, behind a `^`.
    first: usize,
    anchored: bool,
    state: State,
    /// Where this attempt began.
    start: usize,
    /// The place in the subject.
    at: usize,
    /// The place in the pattern.
    part: usize,
    captures: [Held; MAX_CAPTURES],
    level: usize,
    frames: Vec<Frame>,
    debt: Debt,
    outcome: Result<Progress, PatternError>,
}

impl Matcher {
    pub fn new(pattern: &[u8], anchor: Anchor) -> Self {
        let anchored = anchor == Anchor::Start && pattern.first() == Some(&b'^');
        Self {
            items: Items::default(),
            first: usize::from(anchored),
            anchored,
            state: State::Over,
            start: 0,
            at: 0,
            part: 0,
            captures: [Held::default(); MAX_CAPTURES],
            level: 0,
            frames: Vec::new(),
            debt: Debt::default(),
            outcome: Ok(Progress::Failed),
        }
    }

    /// Makes it a matcher of another pattern, in the memory that it has.
    pub fn renew(&mut self, pattern: &[u8], anchor: Anchor) {
        self.anchored = anchor == Anchor::Start && pattern.first() == Some(&b'^');
        self.first = usize::from(self.anchored);
        self.items.clear();
        self.state = State::Over;
    }

    /// Whether the pattern matches only where a search begins.
    pub fn is_anchored(&self) -> bool {
        self.anchored
    }

    /// Begins a search at `from`, which is at most the length of the subject. What was read of the pattern is kept.
    pub fn search(&mut self, from: usize) {
        self.start = from;
        self.state = State::Seek;
        // What a search before has left unpaid was not paid because nobody asked for its outcome.
        self.debt = Debt::default();
    }

    /// Bytes on the heap. Bounded: the stack and the kept parts of a pattern both have a limit.
    pub fn memory(&self) -> usize {
        self.items.memory() + self.frames.capacity() * size_of::<Frame>()
    }

    /// Goes on with the search until it ends or the budget is used up. An error ends it.
    pub fn step(
        &mut self,
        subject: &[u8],
        pattern: &[u8],
        budget: &mut u64,
    ) -> Result<Progress, PatternError> {
        loop {
            let paid = self.debt.settle(budget);
            let outcome = match self.state {
                State::Over if paid => return self.outcome.clone(),
                _ if !paid || *budget == 0 => return Ok(Progress::Paused),
                State::Over => unreachable!("handled above"),
                State::Seek => self.seek(subject, pattern),
                State::Part => self.parts(subject, pattern, budget),
                State::Span { from } => self.span(subject, pattern, from, budget).map(|()| None),
                State::Balance { depth } => self.balance(subject, pattern, depth, budget).map(|()| None),
                State::Compare { from, to, done } => {
                    self.compare(subject, from..to, done);
                    Ok(None)
                }
                State::Back => self.back(subject, pattern),
            };
            if let Some(outcome) = outcome.transpose() {
                self.outcome = outcome;
                self.state = State::Over;
            }
        }
    }

    /// Begins an attempt at the next place that the first part allows.
    fn seek(&mut self, subject: &[u8], pattern: &[u8]) -> Result<Option<Progress>, PatternError> {
        self.debt.add(1);
        if !self.anchored
            && let place = self.lead(pattern)?
            && let Part::Single(class, Repeat::Once | Repeat::GreedyOnce) =
                &self.items.at(pattern, place)?.0.part
        {
            let rest = &subject[self.start..];
            let slice = &rest[..rest.len().min(SLICE)];
            let found = class.first(slice);
            self.debt.add((found.unwrap_or(slice.len()) / BYTES_PER_UNIT) as u64);
            let Some(place) = found else {
                self.start += slice.len();
                return Ok((slice.len() == rest.len()).then_some(Progress::Failed));
            };
            self.start += place;
        }
        self.at = self.start;
        self.part = self.first;
        self.level = 0;
        self.frames.clear();
        self.state = State::Part;
        Ok(None)
    }

    /// Where the first part is that is not a capture's beginning: every attempt gets there.
    fn lead(&mut self, pattern: &[u8]) -> Result<usize, PatternError> {
        let mut place = self.first;
        // More captures than there may be are refused by the attempt.
        for _ in 0..MAX_CAPTURES {
            let (item, read) = self.items.at(pattern, place)?;
            self.debt.add(read as u64);
            if !matches!(item.part, Part::Open | Part::Position) {
                break;
            }
            place = item.next;
        }
        Ok(place)
    }

    /// Matches parts one after the other, until one needs more than a moment.
    fn parts(
        &mut self,
        subject: &[u8],
        pattern: &[u8],
        budget: &mut u64,
    ) -> Result<Option<Progress>, PatternError> {
        while *budget > 0 {
            *budget -= 1;
            let (item, read) = self.items.at(pattern, self.part)?;
            self.debt.add(read as u64);
            let next = item.next;
            match &item.part {
                Part::End => return Ok(Some(Progress::Matched(self.start..self.at))),
                Part::Single(class, repeat) => {
                    let matches = subject.get(self.at).is_some_and(|byte| class.contains(*byte));
                    match (matches, repeat) {
                        (true, Repeat::Once) => {
                            self.at += 1;
                            self.part = next;
                        }
                        (false, Repeat::Once | Repeat::GreedyOnce) => self.state = State::Back,
                        (false, _) => self.part = next,
                        (true, Repeat::Optional) => {
                            self.push(Frame::Optional { next, at: self.at })?;
                            self.at += 1;
                            self.part = next;
                        }
                        (true, Repeat::Greedy | Repeat::GreedyOnce) => {
                            let from = self.at + usize::from(*repeat == Repeat::GreedyOnce);
                            let rest = &subject[from..];
                            // Short runs are taken at once; the bytes of others are paid for piece by piece.
                            let slice = &rest[..rest.len().min(SHORT_RUN)];
                            let taken = class.span(slice);
                            self.at = from;
                            if taken == slice.len() && taken < rest.len() || taken as u64 > *budget {
                                self.state = State::Span { from };
                                break;
                            }
                            if *class != Class::Any {
                                *budget -= taken as u64;
                            }
                            self.at += taken;
                            self.push(Frame::Greedy { next, from, at: self.at })?;
                            self.part = next;
                        }
                        (true, Repeat::Lazy) => {
                            self.push(Frame::Lazy { part: self.part, next, at: self.at })?;
                            self.part = next;
                        }
                    }
                }
                Part::Open => self.open(CaptureEnd::Unfinished, next)?,
                Part::Position => self.open(CaptureEnd::Position, next)?,
                Part::Close => self.close(next)?,
                Part::SubjectEnd => self.go_on(self.at == subject.len(), next),
                Part::Frontier(set) => {
                    let before = self.at.checked_sub(1).map_or(0, |place| subject[place]);
                    let after = subject.get(self.at).copied().unwrap_or(0);
                    let matches = !set.contains(before) && set.contains(after);
                    self.go_on(matches, next);
                }
                Part::Balance(open, _) => {
                    if subject.get(self.at) == Some(open) {
                        self.at += 1;
                        self.state = State::Balance { depth: 1 };
                    } else {
                        self.state = State::Back;
                    }
                }
                Part::Back(number) => {
                    let number = *number;
                    self.refer(number)?;
                }
            }
            if !matches!(self.state, State::Part) {
                break;
            }
        }
        Ok(None)
    }

    fn go_on(&mut self, matches: bool, next: usize) {
        if matches {
            self.part = next;
        } else {
            self.state = State::Back;
        }
    }

    fn push(&mut self, frame: Frame) -> Result<(), PatternError> {
        if self.frames.len() >= MAX_FRAMES {
            return Err(PatternError::TooComplex);
        }
        self.frames.push(frame);
        Ok(())
    }

    fn open(&mut self, end: CaptureEnd, next: usize) -> Result<(), PatternError> {
        if self.level >= MAX_CAPTURES {
            return Err(PatternError::TooManyCaptures);
        }
        self.captures[self.level] = Held { from: self.at, end };
        self.level += 1;
        self.part = next;
        self.push(Frame::Opened)
    }

    fn close(&mut self, next: usize) -> Result<(), PatternError> {
        let open = self.captures[..self.level].iter().rposition(|held| held.end == CaptureEnd::Unfinished);
        let index = open.ok_or(PatternError::InvalidCapture)?;
        self.captures[index].end = CaptureEnd::At(self.at);
        self.part = next;
        self.push(Frame::Closed(index))
    }

    /// Begins to compare with a capture. A position never matches.
    fn refer(&mut self, number: u8) -> Result<(), PatternError> {
        let held =
            usize::from(number).checked_sub(1).and_then(|index| self.captures[..self.level].get(index));
        self.state = match held.copied() {
            Some(Held { from, end: CaptureEnd::At(to) }) => State::Compare { from, to, done: 0 },
            Some(Held { end: CaptureEnd::Position, .. }) => State::Back,
            _ => return Err(PatternError::CaptureIndex(number)),
        };
        Ok(())
    }

    /// Takes bytes of the class of the current part, as many as the budget allows. That the part is read again costs nothing:
    /// how often that happens depends on the budget.
    fn span(
        &mut self,
        subject: &[u8],
        pattern: &[u8],
        from: usize,
        budget: &mut u64,
    ) -> Result<(), PatternError> {
        let (item, _) = self.items.at(pattern, self.part)?;
        let next = item.next;
        let Part::Single(class, _) = &item.part else { unreachable!("only classes are repeated") };
        let rest = &subject[self.at..];
        if *class == Class::Any {
            self.at = subject.len();
        } else {
            let slice = &rest[..rest.len().min(usize::try_from(*budget).unwrap_or(usize::MAX))];
            let taken = class.span(slice);
            self.at += taken;
            *budget -= taken as u64;
            if taken == slice.len() && taken < rest.len() {
                return Ok(());
            }
        }
        self.push(Frame::Greedy { next, from, at: self.at })?;
        self.part = next;
        self.state = State::Part;
        Ok(())
    }

    fn balance(
        &mut self,
        subject: &[u8],
        pattern: &[u8],
        depth: usize,
        budget: &mut u64,
    ) -> Result<(), PatternError> {
        let (item, _) = self.items.at(pattern, self.part)?;
        let Part::Balance(open, close) = item.part else { unreachable!("the part began this") };
        let next = item.next;
        let mut depth = depth;
        while *budget > 0 {
            *budget -= 1;
            let Some(byte) = subject.get(self.at) else {
                self.state = State::Back;
                return Ok(());
            };
            self.at += 1;
            // Where both are the same byte, it closes.
            if *byte == close {
                depth -= 1;
                if depth == 0 {
                    self.part = next;
                    self.state = State::Part;
                    return Ok(());
                }
            } else if *byte == open {
                depth += 1;
            }
        }
        self.state = State::Balance { depth };
        Ok(())
    }

    /// Compares the next bytes with those of a capture.
    fn compare(&mut self, subject: &[u8], capture: Range<usize>, done: usize) {
        let length = capture.len();
        if subject.len() - self.at < length {
            self.state = State::Back;
            return;
        }
        let until = length.min(done + SLICE);
        self.debt.add(((until - done) / BYTES_PER_UNIT) as u64 + 1);
        let agrees =
            subject[capture.start + done..capture.start + until] == subject[self.at + done..self.at + until];
        if !agrees {
            self.state = State::Back;
        } else if until < length {
            self.state = State::Compare { from: capture.start, to: capture.end, done: until };
        } else {
            self.at += length;
            // `%1` is two bytes of the pattern.
            self.part += 2;
            self.state = State::Part;
        }
    }

    /// Tries what is left: the newest first. With nothing left the attempt is over, and the next place is tried.
    fn back(&mut self, subject: &[u8], pattern: &[u8]) -> Result<Option<Progress>, PatternError> {
        self.debt.add(1);
        loop {
            let Some(frame) = self.frames.last_mut() else {
                if self.anchored || self.start >= subject.len() {
                    return Ok(Some(Progress::Failed));
                }
                self.start += 1;
                self.state = State::Seek;
                return Ok(None);
            };
            match frame {
                Frame::Opened => self.level -= 1,
                Frame::Closed(index) => self.captures[*index].end = CaptureEnd::Unfinished,
                Frame::Optional { next, at } => {
                    self.at = *at;
                    self.part = *next;
                    self.frames.pop();
                    break;
                }
                Frame::Greedy { next, from, at } => {
                    if *at > *from {
                        *at -= 1;
                        self.at = *at;
                        self.part = *next;
                        break;
                    }
                }
                Frame::Lazy { part, next, at } => {
                    let (place, part) = (*at, *part);
                    *at += 1;
                    self.part = *next;
                    let (item, read) = self.items.at(pattern, part)?;
                    self.debt.add(read as u64);
                    let Part::Single(class, _) = &item.part else {
                        unreachable!("only classes are repeated")
                    };
                    if subject.get(place).is_some_and(|byte| class.contains(*byte)) {
                        self.at = place + 1;
                        break;
                    }
                }
            }
            self.frames.pop();
        }
        self.state = State::Part;
        Ok(None)
    }

    /// How many captures the pattern has so far.
    pub fn capture_count(&self) -> usize {
        self.level
    }

    /// How many values a match gives: its captures, or the whole where there are none.
    pub fn value_count(&self) -> usize {
        self.level.max(1)
    }

    /// Capture `index`, from 0, of a match of `whole`. The first is the whole where the pattern has none.
    pub fn value(&self, index: usize, whole: &Range<usize>) -> Result<Capture, PatternError> {
        match self.captures[..self.level].get(index) {
            Some(Held { from, end: CaptureEnd::At(to) }) => Ok(Capture::Text(*from..*to)),
            Some(Held { from, end: CaptureEnd::Position }) => Ok(Capture::Position(from + 1)),
            Some(_) => Err(PatternError::UnfinishedCapture),
            None if index == 0 => Ok(Capture::Text(whole.clone())),
            None => Err(PatternError::ReplacementIndex),
        }
    }
}
