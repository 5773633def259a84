//! How much may be asked at once: by one call, and by all calls and jobs together.

use std::sync::Arc;

use crate::budget::{Budget, Share};
use crate::limits::{QUESTIONS, QUESTIONS_BYTES};

/// What a tool hears whose question has no place.
pub const TOO_MUCH: &str = "too much is being asked at once";

/// What one call may ask at once.
#[derive(Debug, Clone)]
pub struct Questions {
    count: Arc<Budget>,
    bytes: Arc<Budget>,
    /// What all may ask together.
    all: Arc<Budget>,
}

/// The place of one question, held until the computer has been sent the answer: one that does not read its answers cannot
/// ask on.
#[derive(Debug)]
pub struct Place {
    /// Boxed, so that frames without a place stay small.
    _shares: Box<[Share; 3]>,
}

impl Questions {
    pub fn new(all: &Arc<Budget>) -> Self {
        Self { count: Budget::new(QUESTIONS), bytes: Budget::new(QUESTIONS_BYTES), all: all.clone() }
    }

    /// A place for a question of so many bytes; nothing where too much is being asked already.
    pub fn place(&self, bytes: usize) -> Option<Place> {
        let wanted = [(&self.count, 1), (&self.bytes, bytes), (&self.all, bytes)];
        let mut shares = wanted.map(|(budget, _)| budget.share());
        let all_fit = shares.iter_mut().zip(wanted).all(|(share, (_, amount))| share.take(amount));
        all_fit.then(|| Place { _shares: Box::new(shares) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_given_back_and_a_refusal_takes_nothing() {
        let all = Budget::new(2 * QUESTIONS_BYTES);
        let questions = Questions::new(&all);
        let mut places: Vec<Place> = (0..QUESTIONS).filter_map(|_| questions.place(1)).collect();
        assert_eq!(places.len(), QUESTIONS);
        assert!(questions.place(1).is_none(), "there are too many");
        places.pop();
        assert!(questions.place(QUESTIONS_BYTES).is_none(), "there are too many bytes");
        assert_eq!(all.used(), QUESTIONS - 1);
        places.clear();
        let largest = questions.place(QUESTIONS_BYTES).expect("one of the largest always fits");
        drop(largest);
        assert_eq!((questions.count.used(), questions.bytes.used(), all.used()), (0, 0, 0));
    }

    #[test]
    fn all_calls_share_what_may_be_asked() {
        let all = Budget::new(QUESTIONS_BYTES);
        let (one, other) = (Questions::new(&all), Questions::new(&all));
        let place = one.place(QUESTIONS_BYTES).expect("there is room");
        assert!(other.place(1).is_none());
        drop(place);
        assert!(other.place(1).is_some());
    }
}
