//! A number of bytes that many hold together: what is half-received must not exhaust the machine, however many send it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that may be held at once.
#[derive(Debug)]
pub struct Budget {
    used: AtomicUsize,
    most: usize,
}

impl Budget {
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { used: AtomicUsize::new(0), most })
    }

    /// A share of it, empty to begin with.
    pub fn share(self: &Arc<Self>) -> Share {
        Share { budget: self.clone(), bytes: 0 }
    }

    /// How much of it is held.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

/// What one holder has of a budget; given back when it is dropped.
#[derive(Debug)]
pub struct Share {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Share {
    /// Takes more of the budget; false, and nothing is taken, where so much is not left.
    pub fn take(&mut self, bytes: usize) -> bool {
        let fits = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= self.budget.most);
        let taken = self.budget.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok();
        self.bytes += if taken { bytes } else { 0 };
        taken
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
        crate::memory::freed(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_given_back() {
        let budget = Budget::new(10);
        let (mut one, mut other) = (budget.share(), budget.share());
        assert!(one.take(6));
        assert!(!other.take(5), "only 4 are left");
        assert!(other.take(4));
        assert!(!one.take(usize::MAX));
        drop(one);
        assert_eq!(budget.used(), 4);
        assert!(other.take(6));
        drop(other);
        assert_eq!(budget.used(), 0);
    }
}
