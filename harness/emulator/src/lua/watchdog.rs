//! Watches over a computer that runs: when it must have yielded, and whether it is to stop.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A program that caught `Too long without yielding` gets another one at this pace, as in the reference.
const REPEAT: Duration = Duration::from_secs(1);

/// When the running computer must have yielded, and whether it is to stop.
#[derive(Debug)]
pub struct Watchdog {
    /// None: it may run for ever.
    deadline: Cell<Option<Instant>>,
    stop: Arc<AtomicBool>,
}

impl Watchdog {
    /// With `stop` set, whatever runs is ended and cannot catch it.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self { deadline: Cell::new(None), stop }
    }

    /// Starts the time in which the computer must yield.
    pub fn restart(&self, timeout: Duration) {
        self.deadline.set(Instant::now().checked_add(timeout));
    }

    /// Whether the time is up; the next one begins then.
    pub fn expired(&self) -> bool {
        let expired = self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline);
        if expired {
            self.restart(REPEAT);
        }
        expired
    }

    /// Whether what runs has to end: it took too long, or the computer is to stop.
    pub fn is_due(&self) -> bool {
        self.stopping() || self.expired()
    }

    pub fn stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
