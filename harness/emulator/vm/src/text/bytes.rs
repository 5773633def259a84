//! Positions, and the simple functions on bytes: `sub`, `byte`, `upper`, `lower`, `reverse`, `rep`, `..` and comparison. What
//! a long text makes long runs in slices.

use std::cmp::Ordering;
use std::ops::Range;

use super::meter::Debt;

/// Bytes that are copied, changed or compared for one unit of the budget.
const BYTES_PER_UNIT: usize = 16;

/// Bytes that are handled in one piece, so that a pause is never far.
const SLICE: usize = 4096;

fn units(bytes: usize) -> u64 {
    (bytes / BYTES_PER_UNIT) as u64 + 1
}

/// A position from the end, if it is negative, as one from the start. Before the start it is 0.
fn from_start(position: i64, length: usize) -> u64 {
    match u64::try_from(position) {
        Ok(position) => position,
        Err(_) => (length as u64 + 1).saturating_sub(position.unsigned_abs()),
    }
}

/// The bytes from position `first` to `last`, both counted from 1 or, if negative, from the end: `sub` and `byte`.
pub fn range(first: i64, last: i64, length: usize) -> Range<usize> {
    let first = from_start(first, length).max(1) - 1;
    let last = from_start(last, length).min(length as u64);
    // Both are at most the length where they are used.
    let place = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    if first < last { place(first)..place(last) } else { 0..0 }
}

/// Where a search begins that is given the position `init`, from 0; none behind the end: `find` and `match`.
pub fn search_start(init: i64, length: usize) -> Option<usize> {
    let place = from_start(init, length).max(1) - 1;
    usize::try_from(place).ok().filter(|place| *place <= length)
}

/// The place from 0 of a position that must lie in the text or right behind it: `utf8` and `unpack`. The caller compares it
/// with the length.
pub fn place(position: i64, length: usize) -> Option<usize> {
    usize::try_from(from_start(position, length).checked_sub(1)?).ok()
}

/// How a text is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Lower,
    Upper,
    Reverse,
}

/// A text that is changed in slices. Only the letters of ASCII have a case, as in C's locale.
#[derive(Clone, Debug)]
pub struct Changing {
    change: Change,
    done: usize,
    debt: Debt,
}

impl Changing {
    pub fn new(change: Change) -> Self {
        Self { change, done: 0, debt: Debt::default() }
    }

    /// Appends what the budget allows. Returns whether all is done.
    pub fn step(&mut self, text: &[u8], out: &mut Vec<u8>, budget: &mut u64) -> bool {
        loop {
            if !self.debt.settle(budget) {
                return false;
            }
            if self.done == text.len() {
                return true;
            }
            if *budget == 0 {
                return false;
            }
            let end = text.len().min(self.done + SLICE);
            let from = out.len();
            match self.change {
                Change::Reverse => out.extend(text[text.len() - end..text.len() - self.done].iter().rev()),
                Change::Lower | Change::Upper => out.extend_from_slice(&text[self.done..end]),
            }
            match self.change {
                Change::Lower => out[from..].make_ascii_lowercase(),
                Change::Upper => out[from..].make_ascii_uppercase(),
                Change::Reverse => {}
            }
            self.debt.add(units(end - self.done));
            self.done = end;
        }
    }
}

/// The length of `count` times a text with separators between; none if it is too large for any memory.
pub fn repeated_length(text: usize, separator: usize, count: u64) -> Option<usize> {
    let Some(gaps) = count.checked_sub(1) else { return Some(0) };
    let texts = (text as u64).checked_mul(count)?;
    let separators = (separator as u64).checked_mul(gaps)?;
    usize::try_from(texts.checked_add(separators)?).ok().filter(|length| isize::try_from(*length).is_ok())
}

/// `rep`, in slices. What is there already is copied again, so that short texts cost no more than long ones.
#[derive(Clone, Debug)]
pub struct Repeating {
    length: usize,
    debt: Debt,
}

impl Repeating {
    /// Repeats up to `length` bytes, which [`repeated_length`] gave.
    pub fn new(length: usize) -> Self {
        Self { length, debt: Debt::default() }
    }

    /// Appends to `out`, which holds nothing else, what the budget allows. Returns whether all is done.
    pub fn step(&mut self, text: &[u8], separator: &[u8], out: &mut Vec<u8>, budget: &mut u64) -> bool {
        let period = text.len() + separator.len();
        loop {
            if !self.debt.settle(budget) {
                return false;
            }
            if out.len() == self.length {
                return true;
            }
            if *budget == 0 {
                return false;
            }
            let from = out.len();
            let missing = self.length - from;
            if from < period {
                // The first period, a slice at a time; it may be cut where nothing is repeated.
                let (part, at) =
                    if from < text.len() { (text, from) } else { (separator, from - text.len()) };
                let end = part.len().min(at + SLICE).min(at + missing);
                out.extend_from_slice(&part[at..end]);
            } else {
                // Whole periods stand before, so the byte that comes next is the one a multiple of the period earlier.
                let whole = from / period * period;
                let copied = missing.min(SLICE).min(whole);
                out.extend_from_within(from - whole..from - whole + copied);
            }
            self.debt.add(units(out.len() - from));
        }
    }
}

/// The order of two texts by their bytes, in slices: what `<` compares, as C's locale does.
#[derive(Clone, Debug, Default)]
pub struct Comparing {
    done: usize,
    debt: Debt,
    order: Option<Ordering>,
}

impl Comparing {
    /// The order, or none while the budget is used up before it is known.
    pub fn step(&mut self, one: &[u8], other: &[u8], budget: &mut u64) -> Option<Ordering> {
        loop {
            if !self.debt.settle(budget) {
                return None;
            }
            if self.order.is_some() {
                return self.order;
            }
            if *budget == 0 {
                return None;
            }
            let common = one.len().min(other.len());
            let end = common.min(self.done + SLICE);
            let order = one[self.done..end].cmp(&other[self.done..end]);
            self.debt.add(units(end - self.done));
            self.done = end;
            if order.is_ne() {
                self.order = Some(order);
            } else if end == common {
                self.order = Some(one.len().cmp(&other.len()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts over several slices, with short ones among them.
    fn text() -> impl Strategy<Value = Vec<u8>> {
        (proptest::collection::vec(any::<u8>(), 0..40), 0..400usize)
            .prop_map(|(bytes, times)| bytes.repeat(times))
    }

    /// Steps with a budget of `slice` until done, and returns what was spent.
    fn spend(slice: u64, mut step: impl FnMut(&mut u64) -> bool) -> u64 {
        let mut spent = 0;
        loop {
            let mut budget = slice;
            let done = step(&mut budget);
            spent += slice - budget;
            if done {
                return spent;
            }
            assert_eq!(budget, 0, "a pause uses the budget up");
        }
    }

    fn changed(text: &[u8], change: Change, slice: u64) -> (Vec<u8>, u64) {
        let (mut changing, mut out) = (Changing::new(change), Vec::new());
        let spent = spend(slice, |budget| changing.step(text, &mut out, budget));
        (out, spent)
    }

    fn repeated(text: &[u8], separator: &[u8], count: u64, slice: u64) -> (Vec<u8>, u64) {
        let length = repeated_length(text.len(), separator.len(), count).expect("a small result");
        let (mut repeating, mut out) = (Repeating::new(length), Vec::new());
        let spent = spend(slice, |budget| repeating.step(text, separator, &mut out, budget));
        (out, spent)
    }

    proptest! {
        #[test]
        fn texts_are_changed_however_they_are_sliced(text in text(), slice in 1..300u64) {
            let reversed: Vec<u8> = text.iter().rev().copied().collect();
            let expected =
                [(Change::Lower, text.to_ascii_lowercase()), (Change::Upper, text.to_ascii_uppercase()), (Change::Reverse, reversed)];
            for (change, expected) in expected {
                let whole = changed(&text, change, u64::MAX);
                prop_assert_eq!(&whole.0, &expected);
                prop_assert_eq!(changed(&text, change, slice), whole);
            }
        }

        #[test]
        fn texts_are_repeated_however_they_are_sliced(
            text in text(), separator in proptest::collection::vec(any::<u8>(), 0..6), count in 0..12u64, slice in 1..300u64,
        ) {
            let whole = repeated(&text, &separator, count, u64::MAX);
            let times = usize::try_from(count).expect("a small count");
            prop_assert_eq!(&whole.0, &vec![text.clone(); times].join(&separator[..]));
            prop_assert_eq!(repeated(&text, &separator, count, slice), whole);
        }

        #[test]
        fn texts_are_ordered_by_their_bytes(one in text(), other in text(), cut in any::<usize>(), slice in 1..300u64) {
            for (one, other) in [(&one[..], &other[..]), (&one[..], &one[..cut % (one.len() + 1)])] {
                let mut comparing = Comparing::default();
                let mut order = None;
                spend(slice, |budget| {
                    order = comparing.step(one, other, budget);
                    order.is_some()
                });
                prop_assert_eq!(order, Some(one.cmp(other)));
            }
        }
    }

    #[test]
    fn lengths_past_any_memory_are_refused() {
        assert_eq!(repeated_length(2, 1, 3), Some(8));
        assert_eq!(repeated_length(2, 1, 0), Some(0));
        assert_eq!(repeated_length(2, 0, 1 << 62), None);
        assert_eq!(repeated_length(usize::MAX, usize::MAX, u64::MAX), None);
    }

    #[test]
    fn a_search_begins_at_most_behind_the_end() {
        assert_eq!(search_start(1, 3), Some(0));
        assert_eq!(search_start(4, 3), Some(3));
        assert_eq!(search_start(5, 3), None);
        assert_eq!(search_start(-1, 3), Some(2));
        assert_eq!(search_start(-9, 3), Some(0));
        assert_eq!(search_start(i64::MIN, 3), Some(0));
    }
}
