//! Frames too large for one WebSocket message: cut into `part` frames, and put together again.

use std::sync::Arc;

use thiserror::Error;

use super::frame::{Outgoing, RequestId, WireId};
use crate::budget::{Budget, Share};
use crate::limits::{FRAME_BYTES, RESULT_BYTES, RESULT_PARTS};

/// What a part frame needs around its data: the fixed text, a request id and a sequence number of any length.
const PART_OVERHEAD: usize = 128;

/// How the parts of one answer can fail to fit together.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PartError {
    #[error("part {expected} is missing: part {got} came instead")]
    Missing { expected: u64, got: u64 },
    #[error("part {0} came twice")]
    Repeated(u64),
    #[error("the answer came in more than {RESULT_PARTS} parts")]
    TooMany,
    #[error("the answer has more than {RESULT_BYTES} bytes")]
    TooLarge,
    #[error("too many large answers are on their way at once; try again")]
    NoRoom,
    #[error("a part has no `seq`, `last` or `data`")]
    Malformed,
    #[error("the parts together are not the response to this request")]
    NotAResponse,
}

/// Cuts a frame's text into part frames, each small enough for one WebSocket message.
pub fn split(id: RequestId, text: &str) -> Vec<String> {
    let mut slices = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (slice, after) = rest.split_at(fitting(rest));
        slices.push(slice);
        rest = after;
    }
    let count = slices.len() as u64;
    (0..)
        .zip(slices)
        .map(|(seq, data)| Outgoing::Part { id: WireId(id), seq, last: seq + 1 == count, data }.to_text())
        .collect()
}

/// How many bytes of `text` fit into one part once they are escaped; ends on a character's boundary.
fn fitting(text: &str) -> usize {
    let mut room = FRAME_BYTES - PART_OVERHEAD;
    for (at, character) in text.char_indices() {
        let cost = match character {
            '"' | '\\' => 2,
            c if c < ' ' => 6,
            c => c.len_utf8(),
        };
        if cost > room {
            return at;
        }
        room -= cost;
    }
    text.len()
}

/// The parts of one answer that have come so far.
#[derive(Debug)]
pub struct Assembly {
    text: String,
    next: u64,
    share: Share,
}

impl Assembly {
    pub fn new(budget: &Arc<Budget>) -> Self {
        Self { text: String::new(), next: 0, share: budget.share() }
    }

    /// Adds the next part; gives the whole text once the last one is there.
    pub fn add(&mut self, seq: u64, last: bool, data: &str) -> Result<Option<String>, PartError> {
        if seq < self.next {
            return Err(PartError::Repeated(seq));
        }
        if seq > self.next {
            return Err(PartError::Missing { expected: self.next, got: seq });
        }
        if seq >= RESULT_PARTS {
            return Err(PartError::TooMany);
        }
        if self.text.len() + data.len() > RESULT_BYTES {
            return Err(PartError::TooLarge);
        }
        if !self.share.take(data.len()) {
            return Err(PartError::NoRoom);
        }
        self.next += 1;
        self.text.push_str(data);
        Ok(last.then(|| std::mem::take(&mut self.text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::frame::{Incoming, text_of, whole_number};
    use proptest::prelude::*;

    fn read(part: &str) -> (u64, bool, String) {
        let frame = Incoming::parse(part).expect("a frame");
        let seq = whole_number(frame.seq.expect("seq")).expect("a number");
        let last = frame.last.expect("last").get() == "true";
        (seq, last, text_of(frame.data.expect("data")).expect("text").into_owned())
    }

    fn join(parts: &[String]) -> String {
        let mut assembly = Assembly::new(&Budget::new(usize::MAX));
        for part in parts {
            let (seq, last, data) = read(part);
            if let Some(whole) = assembly.add(seq, last, &data).expect("in order") {
                return whole;
            }
        }
        panic!("no last part in {} parts", parts.len());
    }

    #[test]
    fn the_worst_text_still_fits_each_frame() {
        for text in ["\"".repeat(300_000), "\\".repeat(200_001), "🐢".repeat(100_000), "\u{1}".repeat(90_000)]
        {
            let parts = split(u64::MAX, &text);
            assert!(parts.len() > 1);
            assert!(parts.iter().all(|part| part.len() <= FRAME_BYTES));
            assert_eq!(join(&parts), text);
        }
    }

    #[test]
    fn a_part_out_of_order_is_named() {
        let assembly = || Assembly::new(&Budget::new(usize::MAX));
        assert_eq!(assembly().add(1, false, "x"), Err(PartError::Missing { expected: 0, got: 1 }));
        let mut twice = assembly();
        assert_eq!(twice.add(0, false, "x"), Ok(None));
        assert_eq!(twice.add(0, true, "x"), Err(PartError::Repeated(0)));
    }

    #[test]
    fn neither_size_nor_count_nor_sum_is_endless() {
        let mut large = Assembly::new(&Budget::new(usize::MAX));
        assert_eq!(large.add(0, false, &"x".repeat(RESULT_BYTES)), Ok(None));
        assert_eq!(large.add(1, true, "x"), Err(PartError::TooLarge));

        let mut many = Assembly::new(&Budget::new(usize::MAX));
        for seq in 0..RESULT_PARTS {
            assert_eq!(many.add(seq, false, ""), Ok(None));
        }
        assert_eq!(many.add(RESULT_PARTS, true, ""), Err(PartError::TooMany));

        let budget = Budget::new(10);
        let mut first = Assembly::new(&budget);
        let mut second = Assembly::new(&budget);
        assert_eq!(first.add(0, false, "123456"), Ok(None));
        assert_eq!(second.add(0, false, "123456"), Err(PartError::NoRoom));
        drop(first);
        assert_eq!(second.add(0, true, "123456"), Ok(Some("123456".into())));
        drop(second);
        assert_eq!(budget.used(), 0);
    }

    proptest! {
        #[test]
        fn what_is_split_comes_together_again(text in "\\PC{0,40}", times in 1usize..6000) {
            let text = text.repeat(times);
            prop_assume!(!text.is_empty());
            let parts = split(1, &text);
            prop_assert!(parts.iter().all(|part| part.len() <= FRAME_BYTES));
            prop_assert_eq!(join(&parts), text);
        }
    }
}
