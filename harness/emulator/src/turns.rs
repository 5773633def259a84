//! Turns for computers that start: about as many at once as there are processors.
//!
//! A thousand that start together would push each other's memory out of the processors' caches. A turn is no promise:
//! a computer that takes longer than usual no longer counts, so that one that never yields holds up nobody.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A start takes a few milliseconds; whoever takes longer has had its turn.
const LONGEST: Duration = Duration::from_millis(20);

/// Who starts now.
#[derive(Debug)]
pub struct Turns {
    most: usize,
    /// When each of those that start began, by a number of their own.
    starting: Mutex<Starting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Starting {
    last: u64,
    since: Vec<(u64, Instant)>,
}

/// A turn; it ends when this is dropped.
#[derive(Debug)]
pub struct Turn<'a> {
    turns: &'a Turns,
    number: u64,
}

impl Default for Turns {
    fn default() -> Self {
        let most = thread::available_parallelism().map_or(1, Into::into) + 1;
        Self { most, starting: Mutex::default(), changed: Condvar::new() }
    }
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, Starting> {
        self.starting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn.
    pub fn take(&self) -> Turn<'_> {
        let mut starting = self.lock();
        loop {
            let now = Instant::now();
            starting.since.retain(|(_, since)| now.duration_since(*since) < LONGEST);
            if starting.since.len() < self.most {
                break;
            }
            starting = self.changed.wait_timeout(starting, LONGEST).unwrap_or_else(PoisonError::into_inner).0;
        }
        starting.last += 1;
        let number = starting.last;
        starting.since.push((number, Instant::now()));
        Turn { turns: self, number }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.lock().since.retain(|(number, _)| *number != self.number);
        self.turns.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_that_is_given_back_or_lasts_too_long_is_free() {
        let turns = Turns { most: 1, ..Turns::default() };
        drop(turns.take());
        let first = turns.take();
        // Nobody gives the first one back: it ends by itself.
        let second = turns.take();
        drop(first);
        assert_eq!(turns.lock().since.len(), 1);
        drop(second);
        assert!(turns.lock().since.is_empty());
    }
}
