//! How many bytes the network may hold for one computer: bodies on their way, responses that wait, those that are open.
//!
//! They lie outside of Lua's memory, whose limit does not see them; this one is as large.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes that are left to one computer.
#[derive(Debug, Clone)]
pub struct Budget {
    left: Arc<AtomicUsize>,
    all: usize,
}

impl Budget {
    pub fn new(all: usize) -> Self {
        Self { left: Arc::new(AtomicUsize::new(all)), all }
    }

    /// Whether more than half is taken.
    pub fn is_low(&self) -> bool {
        self.left.load(Ordering::Relaxed) < self.all / 2
    }

    /// Takes nothing yet.
    pub fn charge(&self) -> Charge {
        Charge { left: self.left.clone(), taken: 0 }
    }
}

/// Bytes that were taken; dropping it gives them back.
#[derive(Debug)]
pub struct Charge {
    left: Arc<AtomicUsize>,
    taken: usize,
}

impl Charge {
    /// Takes more; false if there is not that much left.
    #[must_use]
    pub fn grow(&mut self, bytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(bytes);
        let taken = self.left.fetch_update(Ordering::AcqRel, Ordering::Relaxed, less).is_ok();
        if taken {
            self.taken += bytes;
        }
        taken
    }

    /// Gives everything back.
    pub fn clear(&mut self) {
        self.left.fetch_add(std::mem::take(&mut self.taken), Ordering::AcqRel);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_comes_back() {
        let budget = Budget::new(100);
        let (mut first, mut second) = (budget.charge(), budget.charge());
        assert!(first.grow(60) && budget.is_low());
        assert!(!second.grow(50) && second.grow(40));
        drop(first);
        assert!(second.grow(60) && !second.grow(1));
        second.clear();
        assert!(!budget.is_low());
    }
}
