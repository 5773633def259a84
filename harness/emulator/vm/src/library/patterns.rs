//! `string.find`, `match`, `gmatch` and `gsub`: what the matcher in [`crate::text::pattern`] needs around it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Ended, GMATCH_STEP};
use crate::machine::{Call, Cont, Outcome, State};
use crate::text::number::NumberText;
use crate::text::pattern::plain::{PlainProgress, PlainSearch, is_plain};
use crate::text::pattern::replacement::{Escapes, ReplacementPiece, next_piece};
use crate::text::pattern::{Anchor, Capture, Matcher, Progress};
use crate::value::{StringId, Value};

/// A search that may pause.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Search {
    subject: StringId,
    pattern: StringId,
    kind: Kind,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Kind {
    Plain(PlainSearch),
    Pattern(Box<Matcher>, Wanted),
}

/// What a match gives.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Wanted {
    /// `find`: its place, and its captures.
    Place,
    /// `match`.
    Captures,
    /// One step of `gmatch`, for the iterator whose place it moves on.
    Step(Value),
}

impl Wanted {
    fn anchor(self) -> Anchor {
        if let Self::Step(_) = self { Anchor::Literal } else { Anchor::Start }
    }
}

/// How many matchers a state keeps: a loop that uses a few patterns in turn reads each of them once.
const KEPT_MATCHERS: usize = 4;

/// Matchers that are not in use, with the patterns that they have read. What a search costs does not depend on them, so
/// that a copy of a state begins without any.
#[derive(Debug, Default)]
pub struct Matchers {
    kept: Vec<(u32, Anchor, Box<Matcher>)>,
}

impl Clone for Matchers {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Matchers {
    /// Forgets all patterns, whose texts may be collected.
    pub fn forget(&mut self) {
        self.kept.clear();
    }

    fn take(&mut self, text: StringId, pattern: &[u8], anchor: Anchor) -> Box<Matcher> {
        let known = |kept: &(u32, Anchor, Box<Matcher>)| kept.0 == text.index && kept.1 == anchor;
        if let Some(position) = self.kept.iter().position(known) {
            return self.kept.swap_remove(position).2;
        }
        if self.kept.len() < KEPT_MATCHERS {
            return Box::new(Matcher::new(pattern, anchor));
        }
        let mut matcher = self.kept.remove(0).2;
        matcher.renew(pattern, anchor);
        matcher
    }

    fn give_back(&mut self, text: StringId, anchor: Anchor, matcher: Box<Matcher>) {
        if self.kept.len() < KEPT_MATCHERS {
            self.kept.push((text.index, anchor, matcher));
        }
    }
}

/// A matcher for a pattern. Reading the pattern is paid for each time, whether it is known or not.
fn matcher(call: &mut Call<'_>, pattern: StringId, anchor: Anchor) -> Box<Matcher> {
    let State { heap, matchers, .. } = &mut *call.state;
    let bytes = heap.bytes(pattern);
    let work = bytes.len() / 8;
    let matcher = matchers.take(pattern, bytes, anchor);
    call.spend(work);
    matcher
}

impl Search {
    pub fn values(&self, each: &mut dyn FnMut(Value)) {
        each(Value::String(self.subject));
        each(Value::String(self.pattern));
        if let Kind::Pattern(_, Wanted::Step(iterator)) = self.kind {
            each(iterator);
        }
    }
}

/// The place where a search begins, from 0; nothing when it is behind the end.
fn start(call: &mut Call<'_>, length: usize) -> Result<Option<usize>, Value> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let init = call.integer_or(3, 1)?;
    let init = if init < 0 { (length + init + 1).max(1) } else { init.max(1) };
    Ok((init <= length + 1).then(|| usize::try_from(init - 1).unwrap_or(0)))
}

pub fn find(call: &mut Call<'_>) -> Ended {
    let (subject, pattern) = (call.text(1)?, call.text(2)?);
    let length = call.bytes(subject).len();
    let Some(from) = start(call, length)? else { return Ok(Outcome::One(Value::Nil)) };
    let sought = call.bytes(pattern).len();
    call.spend_bytes(sought);
    let kind = if call.arg(4).is_true() || is_plain(call.bytes(pattern)) {
        Kind::Plain(PlainSearch::new(from))
    } else {
        let mut matcher = matcher(call, pattern, Anchor::Start);
        matcher.search(from);
        Kind::Pattern(matcher, Wanted::Place)
    };
    run(call, Search { subject, pattern, kind })
}

pub fn match_text(call: &mut Call<'_>) -> Ended {
    let (subject, pattern) = (call.text(1)?, call.text(2)?);
    let length = call.bytes(subject).len();
    let Some(from) = start(call, length)? else { return Ok(Outcome::One(Value::Nil)) };
    let mut matcher = matcher(call, pattern, Anchor::Start);
    matcher.search(from);
    run(call, Search { subject, pattern, kind: Kind::Pattern(matcher, Wanted::Captures) })
}

pub fn gmatch(call: &mut Call<'_>) -> Ended {
    let (subject, pattern) = (call.text(1)?, call.text(2)?);
    let values = [Value::String(subject), Value::String(pattern), Value::Number(0.0)];
    call.bind(GMATCH_STEP, &values).map(Outcome::One)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the place was made from a position in a text"
)]
pub fn gmatch_step(call: &mut Call<'_>) -> Ended {
    let (Value::String(subject), Value::String(pattern), Value::Number(from)) =
        (call.bound(0), call.bound(1), call.bound(2))
    else {
        return Ok(Outcome::NONE);
    };
    let from = from as usize;
    if from > call.bytes(subject).len() {
        return Ok(Outcome::One(Value::Nil));
    }
    let mut matcher = matcher(call, pattern, Anchor::Literal);
    matcher.search(from);
    let iterator = call.state.thread.stack[call.function];
    run(call, Search { subject, pattern, kind: Kind::Pattern(matcher, Wanted::Step(iterator)) })
}

pub fn go_on_search(call: &mut Call<'_>, search: Search) -> Ended {
    run(call, search)
}

fn run(call: &mut Call<'_>, mut search: Search) -> Ended {
    let (subject, pattern) = (search.subject, search.pattern);
    let State { heap, budget, .. } = &mut *call.state;
    let found = match &mut search.kind {
        Kind::Plain(plain) => match plain.step(heap.bytes(subject), heap.bytes(pattern), budget) {
            PlainProgress::Paused => return Ok(Outcome::Again(Cont::Search(Box::new(search)))),
            PlainProgress::Found(at) => {
                let end = at + call.bytes(pattern).len();
                return push_range(call, &(at..end)).map(|()| Outcome::Return(2));
            }
            PlainProgress::Absent => return Ok(Outcome::One(Value::Nil)),
        },
        Kind::Pattern(matcher, _) => match matcher.step(heap.bytes(subject), heap.bytes(pattern), budget) {
            Err(error) => return Err(call.error(&error.to_string())),
            Ok(Progress::Paused) => return Ok(Outcome::Again(Cont::Search(Box::new(search)))),
            Ok(Progress::Failed) => None,
            Ok(Progress::Matched(whole)) => Some(whole),
        },
    };
    let Kind::Pattern(matcher, wanted) = search.kind else { unreachable!("a plain search has returned") };
    let outcome = if let Some(whole) = found {
        results(call, &matcher, wanted, subject, &whole)
    } else {
        if let Wanted::Step(iterator) = wanted {
            // It has ended for good.
            move_on(call, iterator, call.bytes(subject).len() + 1);
        }
        Ok(Outcome::One(Value::Nil))
    };
    call.state.matchers.give_back(pattern, wanted.anchor(), matcher);
    outcome
}

fn results(
    call: &mut Call<'_>,
    matcher: &Matcher,
    wanted: Wanted,
    subject: StringId,
    whole: &Range<usize>,
) -> Ended {
    let (before, captures) = match wanted {
        Wanted::Place => {
            push_range(call, whole)?;
            (2, matcher.capture_count())
        }
        Wanted::Captures | Wanted::Step(_) => (0, matcher.value_count()),
    };
    for index in 0..captures {
        push_capture(call, matcher, subject, index, whole)?;
    }
    if let Wanted::Step(iterator) = wanted {
        move_on(call, iterator, if whole.is_empty() { whole.end + 1 } else { whole.end });
    }
    Ok(Outcome::Return(before + captures))
}

fn move_on(call: &mut Call<'_>, iterator: Value, place: usize) {
    if let Value::Bound(id) = iterator {
        call.state.heap.bounds.get_mut(id.0).values[2] = Value::Number(place as f64);
    }
}

fn push_range(call: &mut Call<'_>, range: &Range<usize>) -> Result<(), Value> {
    call.push(Value::Number((range.start + 1) as f64))?;
    call.push(Value::Number(range.end as f64))
}

fn capture(
    call: &mut Call<'_>,
    matcher: &Matcher,
    subject: StringId,
    index: usize,
    whole: &Range<usize>,
) -> Result<Value, Value> {
    match matcher.value(index, whole) {
        Ok(Capture::Position(place)) => Ok(Value::Number(place as f64)),
        Ok(Capture::Text(range)) => substring(call, subject, range),
        Err(error) => Err(call.error(&error.to_string())),
    }
}

/// A part of a text as a text.
pub fn substring(call: &mut Call<'_>, text: StringId, range: Range<usize>) -> Result<Value, Value> {
    let bytes = call.bytes(text);
    if range.len() == bytes.len() {
        return Ok(Value::String(text));
    }
    call.state.heap.substring(text, range).map(Value::String).map_err(|error| call.memory(error))
}

fn push_capture(
    call: &mut Call<'_>,
    matcher: &Matcher,
    subject: StringId,
    index: usize,
    whole: &Range<usize>,
) -> Result<(), Value> {
    let value = capture(call, matcher, subject, index, whole)?;
    call.push(value)
}

/// A `gsub` that may pause, and waits for what replaces a match.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Gsub {
    subject: StringId,
    pattern: StringId,
    replacement: Value,
    matcher: Box<Matcher>,
    out: Vec<u8>,
    /// What was charged for the result so far.
    charged: usize,
    /// What was charged for the matcher while a function or a table was asked for a replacement.
    held: usize,
    /// Where the next search begins.
    at: usize,
    count: u64,
    most: u64,
    /// The match whose replacement is being computed.
    waiting: Option<Range<usize>>,
    searching: bool,
}

impl Gsub {
    pub fn values(&self, each: &mut dyn FnMut(Value)) {
        each(Value::String(self.subject));
        each(Value::String(self.pattern));
        each(self.replacement);
    }

    pub fn bytes(&self) -> usize {
        self.charged + self.held
    }

    /// Charges what it holds while it waits for a replacement.
    fn hold(&mut self, call: &mut Call<'_>) -> Result<(), Value> {
        let size = size_of::<Self>() + size_of::<Matcher>() + self.matcher.memory();
        if size > self.held {
            call.state.charge_buffer(size - self.held)?;
            self.held = size;
        }
        Ok(())
    }
}

pub fn gsub(call: &mut Call<'_>) -> Ended {
    let (subject, pattern) = (call.text(1)?, call.text(2)?);
    let replacement = match call.arg(3) {
        Value::Number(_) => Value::String(call.text(3)?),
        value @ (Value::String(_) | Value::Table(_)) => value,
        value if value.is_function() => value,
        _ => return Err(call.argument_error(3, "string/function/table expected")),
    };
    let most = if call.arg(4).is_nil() { u64::MAX } else { call.integer(4)?.cast_unsigned() };
    let matcher = matcher(call, pattern, Anchor::Start);
    let gsub = Gsub {
        subject,
        pattern,
        replacement,
        matcher,
        out: Vec::new(),
        charged: 0,
        held: 0,
        at: 0,
        count: 0,
        most,
        waiting: None,
        searching: false,
    };
    run_gsub(call, Box::new(gsub))
}

pub fn go_on_gsub(call: &mut Call<'_>, mut gsub: Box<Gsub>, value: Value) -> Ended {
    if let Some(whole) = gsub.waiting.take() {
        replace(call, &mut gsub, &whole, value)?;
        if !advance(call, &mut gsub, &whole)? {
            return finish(call, *gsub);
        }
    }
    run_gsub(call, gsub)
}

/// Adds bytes of the subject or another text to the result.
fn append(call: &mut Call<'_>, gsub: &mut Gsub, text: StringId, range: Range<usize>) -> Result<(), Value> {
    make_room(call, gsub, range.len())?;
    call.spend_bytes(range.len());
    gsub.out.extend_from_slice(&call.state.heap.bytes(text)[range]);
    Ok(())
}

fn make_room(call: &mut Call<'_>, gsub: &mut Gsub, more: usize) -> Result<(), Value> {
    let needed = gsub.out.len() + more;
    if needed > gsub.charged {
        let size = needed.max(gsub.charged * 2).max(64);
        call.state.charge_buffer(size - gsub.charged)?;
        gsub.charged = size;
        gsub.out.reserve_exact(size - gsub.out.len());
    }
    Ok(())
}

fn run_gsub(call: &mut Call<'_>, mut gsub: Box<Gsub>) -> Ended {
    while gsub.count < gsub.most {
        if !gsub.searching {
            gsub.matcher.search(gsub.at);
            gsub.searching = true;
        }
        let State { heap, budget, .. } = &mut *call.state;
        let whole = match gsub.matcher.step(heap.bytes(gsub.subject), heap.bytes(gsub.pattern), budget) {
            Err(error) => return Err(call.error(&error.to_string())),
            Ok(Progress::Paused) => return Ok(Outcome::Again(Cont::Gsub(gsub))),
            Ok(Progress::Failed) => break,
            Ok(Progress::Matched(whole)) => whole,
        };
        gsub.searching = false;
        gsub.count += 1;
        let (subject, from) = (gsub.subject, gsub.at);
        append(call, &mut gsub, subject, from..whole.start)?;
        match gsub.replacement {
            Value::String(text) => expand(call, &mut gsub, text, &whole)?,
            Value::Table(_) => {
                let key = capture(call, &gsub.matcher, gsub.subject, 0, &whole)?;
                match call.state.index_plainly(gsub.replacement, key)? {
                    Ok(value) => replace(call, &mut gsub, &whole, value)?,
                    Err(handler) => {
                        call.push(handler)?;
                        call.push(gsub.replacement)?;
                        call.push(key)?;
                        gsub.waiting = Some(whole);
                        gsub.hold(call)?;
                        return Ok(Outcome::Call(2, Cont::Gsub(gsub)));
                    }
                }
            }
            function => {
                call.push(function)?;
                let count = gsub.matcher.value_count();
                for index in 0..count {
                    push_capture(call, &gsub.matcher, gsub.subject, index, &whole)?;
                }
                gsub.waiting = Some(whole);
                gsub.hold(call)?;
                return Ok(Outcome::Call(count, Cont::Gsub(gsub)));
            }
        }
        if !advance(call, &mut gsub, &whole)? {
            break;
        }
    }
    finish(call, *gsub)
}

/// Goes behind a match; false when that is behind the end.
fn advance(call: &mut Call<'_>, gsub: &mut Gsub, whole: &Range<usize>) -> Result<bool, Value> {
    gsub.at = whole.end;
    if whole.is_empty() {
        if whole.end >= call.bytes(gsub.subject).len() {
            return Ok(false);
        }
        let subject = gsub.subject;
        append(call, gsub, subject, whole.end..whole.end + 1)?;
        gsub.at += 1;
    }
    Ok(!gsub.matcher.is_anchored())
}

fn finish(call: &mut Call<'_>, mut gsub: Gsub) -> Ended {
    let (subject, at) = (gsub.subject, gsub.at);
    call.state.release_buffer(std::mem::take(&mut gsub.held));
    let result = if gsub.count == 0 {
        Value::String(subject)
    } else {
        let end = call.bytes(subject).len();
        append(call, &mut gsub, subject, at.min(end)..end)?;
        call.state.release_buffer(gsub.charged);
        call.string_from(std::mem::take(&mut gsub.out))?
    };
    call.state.matchers.give_back(gsub.pattern, Anchor::Start, gsub.matcher);
    call.push(result)?;
    call.push(Value::Number(gsub.count as f64))?;
    Ok(Outcome::Return(2))
}

/// Adds a replacement text with its captures.
fn expand(call: &mut Call<'_>, gsub: &mut Gsub, text: StringId, whole: &Range<usize>) -> Result<(), Value> {
    let mut at = 0;
    loop {
        let piece = match next_piece(call.bytes(text), at, Escapes::Loose) {
            Ok(Some(piece)) => piece,
            Ok(None) => return Ok(()),
            Err(error) => return Err(call.error(&error.to_string())),
        };
        let subject = gsub.subject;
        match piece {
            ReplacementPiece::Literal { text: range, next } => {
                append(call, gsub, text, range)?;
                at = next;
            }
            ReplacementPiece::Zero { next } => {
                make_room(call, gsub, 1)?;
                gsub.out.push(0);
                at = next;
            }
            ReplacementPiece::Whole { next } => {
                append(call, gsub, subject, whole.clone())?;
                at = next;
            }
            ReplacementPiece::Capture { index, next } => {
                match gsub.matcher.value(index, whole) {
                    Ok(Capture::Text(range)) => append(call, gsub, subject, range)?,
                    Ok(Capture::Position(place)) => {
                        let number = NumberText::of(place as f64);
                        make_room(call, gsub, number.as_bytes().len())?;
                        gsub.out.extend_from_slice(number.as_bytes());
                    }
                    Err(error) => return Err(call.error(&error.to_string())),
                }
                at = next;
            }
        }
        call.spend(1);
    }
}

/// Adds what a function or a table gave for a match.
fn replace(call: &mut Call<'_>, gsub: &mut Gsub, whole: &Range<usize>, value: Value) -> Result<(), Value> {
    match value {
        Value::Nil | Value::Bool(false) => {
            let subject = gsub.subject;
            append(call, gsub, subject, whole.clone())
        }
        Value::String(text) => {
            let length = call.bytes(text).len();
            append(call, gsub, text, 0..length)
        }
        Value::Number(number) => {
            let text = NumberText::of(number);
            make_room(call, gsub, text.as_bytes().len())?;
            gsub.out.extend_from_slice(text.as_bytes());
            Ok(())
        }
        other => Err(call.error(&format!("invalid replacement value (a {})", other.type_name()))),
    }
}
