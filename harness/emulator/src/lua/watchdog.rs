//! Watches over a computer that runs: when it must have yielded, and whether it is to stop.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::time::{Moment, Time};

/// A program that caught `Too long without yielding` gets another one at this pace, as in the reference.
const REPEAT: Duration = Duration::from_secs(1);

/// What a program is told that has not yielded in time.
pub const TOO_LONG: &str = "Too long without yielding";

/// When the running computer must have yielded, and whether it is to stop.
#[derive(Debug)]
pub struct Watchdog {
    time: Arc<Time>,
    /// None: it may run for ever.
    deadline: Cell<Option<Moment>>,
    /// When the computer is turned off, if it goes on after its deadline.
    last: Cell<Option<Moment>>,
    /// Since when others run in its place.
    paused: Cell<Option<Moment>>,
    stop: Arc<AtomicBool>,
}

impl Watchdog {
    /// With `stop` set, whatever runs is ended and cannot catch it.
    pub fn new(time: Arc<Time>, stop: Arc<AtomicBool>) -> Self {
        Self { time, deadline: Cell::new(None), last: Cell::new(None), paused: Cell::new(None), stop }
    }

    /// Charges the computer's time for instructions that ran.
    pub fn charge(&self, instructions: u64) {
        self.time.charge(instructions);
    }

    /// Starts the time in which the computer must yield, and the time for which it may go on after that.
    pub fn begin(&self, timeout: Duration, overtime: Option<Duration>) {
        let deadline = self.time.now().checked_add(timeout);
        self.deadline.set(deadline);
        self.last.set(deadline.zip(overtime).and_then(|(deadline, more)| deadline.checked_add(more)));
    }

    /// The computer's slice is over: what others take until its next one is not its own time.
    pub fn pause(&self) {
        self.paused.set(Some(self.time.now()));
    }

    /// Its next slice begins.
    pub fn go_on(&self) {
        let Some(paused) = self.paused.take() else { return };
        let waited = self.time.now().saturating_sub(paused);
        for end in [&self.deadline, &self.last] {
            end.set(end.get().and_then(|end| end.checked_add(waited)));
        }
    }

    /// The computer has yielded.
    pub fn end(&self) {
        self.deadline.set(None);
        self.last.set(None);
    }

    /// Whether the time is up; the next one begins then.
    pub fn expired(&self) -> bool {
        let Some(deadline) = self.deadline.get() else { return false };
        let now = self.time.now();
        let expired = now >= deadline;
        if expired {
            self.deadline.set(now.checked_add(REPEAT));
        }
        expired
    }

    /// Whether the computer has gone on for too long after its deadline.
    pub fn exceeded(&self) -> bool {
        self.last.get().is_some_and(|last| self.time.now() >= last)
    }

    /// Whether what runs has to end: it took too long, or the computer is to stop.
    pub fn is_due(&self) -> bool {
        self.stopping() || self.expired()
    }

    pub fn stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.exceeded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(7);
    const OVERTIME: Duration = Duration::from_secs(1);

    #[test]
    fn what_others_take_is_not_its_own_time() {
        let time = Arc::new(Time::simulated());
        let watchdog = Watchdog::new(time.clone(), Arc::default());
        watchdog.begin(LIMIT, Some(OVERTIME));
        watchdog.pause();
        time.set(LIMIT * 10);
        watchdog.go_on();
        assert!(!watchdog.is_due(), "it has not run");
        time.set(LIMIT * 11);
        assert!(watchdog.expired(), "it has run for all of its time");
        assert!(!watchdog.exceeded());
        time.set(LIMIT * 11 + OVERTIME);
        assert!(watchdog.exceeded());
    }
}
