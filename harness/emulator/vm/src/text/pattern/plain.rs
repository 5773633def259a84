//! Searches without any pattern, in linear time and in slices.

use serde::{Deserialize, Serialize};

use memchr::memmem;

use crate::text::meter::Debt;

/// Whether `pattern` has nothing in it that makes it more than a text. A `)` or `]` alone does not.
pub fn is_plain(pattern: &[u8]) -> bool {
    !pattern.iter().any(|byte| b"^$*+?.([%-".contains(byte))
}

/// Bytes that are searched for one unit of the budget: the search runs through memory many bytes at a time.
const BYTES_PER_UNIT: usize = 64;

/// Bytes that are searched in one piece, so that a pause is never far.
const SLICE: usize = 64 * 1024;

/// A search for a text in a text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlainSearch {
    at: usize,
    debt: Debt,
    /// The outcome, until its work is paid for.
    outcome: Option<PlainProgress>,
}

/// How far a [`PlainSearch`] came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlainProgress {
    Paused,
    Found(usize),
    Absent,
}

impl PlainSearch {
    /// Searches from `from`, which is at most the length of the subject.
    pub fn new(from: usize) -> Self {
        Self { at: from, debt: Debt::default(), outcome: None }
    }

    pub fn step(&mut self, subject: &[u8], sought: &[u8], budget: &mut u64) -> PlainProgress {
        loop {
            if !self.debt.settle(budget) {
                return PlainProgress::Paused;
            }
            if let Some(outcome) = self.outcome {
                return outcome;
            }
            if *budget == 0 {
                return PlainProgress::Paused;
            }
            self.search_slice(subject, sought);
        }
    }

    fn search_slice(&mut self, subject: &[u8], sought: &[u8]) {
        let rest = subject.get(self.at..).unwrap_or_default();
        if rest.len() < sought.len() {
            self.outcome = Some(PlainProgress::Absent);
            return;
        }
        // What is sought may lie across the end of a slice, so slices overlap by its length. They are at least as long
        // again, so that no byte is searched more than twice.
        let size = SLICE.max(sought.len()).saturating_add(sought.len());
        let slice = &rest[..rest.len().min(size)];
        let found = memmem::find(slice, sought);
        let searched = found.map_or(slice.len(), |place| place + sought.len());
        self.debt.add((searched / BYTES_PER_UNIT) as u64 + 1);
        self.outcome = found.map(|place| PlainProgress::Found(self.at + place));
        self.at += slice.len() - sought.len() + 1;
    }
}
