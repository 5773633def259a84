//! Turns for computers that start: about as many at once as there are processors.
//!
//! A thousand that boot at once on two processors would each get a thousandth of them, and those that are up would be
//! late for whoever waits for an answer. A turn lasts as long as it is needed, but it counts only for a moment: a
//! computer that never yields holds up nobody.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How many turns there are for each processor: some wait for a disk.
const EACH: usize = 2;

/// How long a turn counts. A start takes some milliseconds.
const COUNTS: Duration = Duration::from_millis(50);

/// The turns of one process.
#[derive(Debug)]
pub struct Turns {
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    next: u64,
    /// The turns that count, the oldest first, with the time until which they do.
    turns: VecDeque<(u64, Instant)>,
    /// Who waits, in order. Only the first is woken: all at once would fight for one turn.
    waiting: VecDeque<Thread>,
}

/// A turn; it ends when dropped.
#[derive(Debug)]
pub struct Turn<'turns> {
    turns: &'turns Turns,
    number: u64,
}

impl Default for Turns {
    fn default() -> Self {
        Self::new(EACH * thread::available_parallelism().map_or(1, Into::into))
    }
}

impl Turns {
    pub fn new(most: usize) -> Self {
        Self { most, taken: Mutex::default() }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn, behind everybody who waits already.
    pub fn take(&self) -> Turn<'_> {
        let own = thread::current();
        let mut taken = self.taken();
        let mut waits = false;
        loop {
            let now = Instant::now();
            taken.forget_old(now);
            if taken.is_next(&own) && taken.turns.len() < self.most {
                if waits {
                    taken.waiting.pop_front();
                    taken.wake_next();
                }
                let number = taken.next;
                taken.next += 1;
                taken.turns.push_back((number, now + COUNTS));
                return Turn { turns: self, number };
            }
            if !waits {
                taken.waiting.push_back(own.clone());
                waits = true;
            }
            let oldest = taken.turns.front().map(|(_, until)| until.saturating_duration_since(now));
            let oldest = oldest.filter(|_| taken.is_next(&own));
            drop(taken);
            match oldest {
                Some(wait) => thread::park_timeout(wait),
                None => thread::park(),
            }
            taken = self.taken();
        }
    }
}

impl Taken {
    /// Whether nobody waits before this thread.
    fn is_next(&self, own: &Thread) -> bool {
        self.waiting.front().is_none_or(|first| first.id() == own.id())
    }

    fn forget_old(&mut self, now: Instant) {
        while self.turns.front().is_some_and(|(_, until)| *until <= now) {
            self.turns.pop_front();
        }
    }

    fn wake_next(&self) {
        if let Some(thread) = self.waiting.front() {
            thread.unpark();
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut taken = self.turns.taken();
        if let Some(place) = taken.turns.iter().position(|(number, _)| *number == self.number) {
            taken.turns.remove(place);
            taken.wake_next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn only_a_few_run_at_a_time_and_all_get_a_turn() {
        let turns = Arc::new(Turns::new(2));
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let threads: Vec<_> = (0..16)
            .map(|_| {
                let (turns, running, most) = (turns.clone(), running.clone(), most.clone());
                thread::spawn(move || {
                    for _ in 0..50 {
                        let turn = turns.take();
                        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        running.fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("none panics");
        }
        assert!(turns.taken().turns.is_empty());
        assert!(most.load(Ordering::SeqCst) >= 1);
    }

    #[test]
    fn turns_that_never_end_hold_up_nobody() {
        let turns = Turns::new(2);
        let endless = [turns.take(), turns.take()];
        let another = turns.take();
        assert!(turns.taken().turns.iter().all(|(number, _)| *number == another.number));
        drop(endless);
        drop(another);
        assert!(turns.taken().turns.is_empty());
    }
}
