//! Turns off computers that go on after `Too long without yielding`, as the game does.
//!
//! It only looks at the clock: the error itself, and how what runs is ended, belong to the engine.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, Once, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// How late a computer may be turned off; waking this often costs nothing.
const PACE: Duration = Duration::from_millis(50);
/// It waits for an event, or may run for ever.
const NEVER: u64 = u64::MAX;

static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);
static WATCHED: Mutex<Vec<Weak<Overtime>>> = Mutex::new(Vec::new());
static WATCHER: Once = Once::new();

/// When one computer must have yielded at the latest.
#[derive(Debug)]
pub struct Overtime {
    /// In milliseconds since the process began to watch.
    ends: AtomicU64,
    /// Ends whatever the computer runs.
    stop: Arc<AtomicBool>,
    exceeded: AtomicBool,
}

impl Overtime {
    /// Watches a computer, which is stopped through `stop`.
    pub fn new(stop: Arc<AtomicBool>) -> Arc<Self> {
        let overtime = Arc::new(Self { ends: AtomicU64::new(NEVER), stop, exceeded: AtomicBool::new(false) });
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&overtime));
        WATCHER.call_once(|| {
            // Without this thread no computer is turned off, but they all run.
            let _ = thread::Builder::new().name("overtime".to_owned()).spawn(watch);
        });
        overtime
    }

    /// The computer runs: it must have yielded within this time.
    pub fn begin(&self, limit: Duration) {
        let ends = BEGINNING.elapsed().checked_add(limit).map(|ends| ends.as_millis());
        let ends = ends.and_then(|ends| u64::try_from(ends).ok()).unwrap_or(NEVER);
        self.ends.store(ends, Ordering::Relaxed);
    }

    /// The computer has yielded or ended.
    pub fn end(&self) {
        self.ends.store(NEVER, Ordering::Relaxed);
    }

    /// Whether the computer was stopped because it did not yield.
    pub fn exceeded(&self) -> bool {
        self.exceeded.load(Ordering::Relaxed)
    }

    fn look(&self, now: u64) {
        if now >= self.ends.load(Ordering::Relaxed) {
            self.exceeded.store(true, Ordering::Relaxed);
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Looks at all computers again and again.
fn watch() {
    loop {
        thread::sleep(PACE);
        let now = u64::try_from(BEGINNING.elapsed().as_millis()).unwrap_or(NEVER - 1);
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|watched| {
            let Some(overtime) = watched.upgrade() else { return false };
            overtime.look(now);
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_computer_whose_time_is_up_is_stopped() {
        let stop = Arc::<AtomicBool>::default();
        let overtime = Overtime::new(stop.clone());
        overtime.look(NEVER - 1);
        overtime.begin(Duration::MAX);
        overtime.look(NEVER - 1);
        overtime.begin(Duration::from_secs(3600));
        overtime.look(0);
        assert!(!overtime.exceeded() && !stop.load(Ordering::Relaxed));
        overtime.look(NEVER - 1);
        assert!(overtime.exceeded() && stop.load(Ordering::Relaxed));
    }

    #[test]
    fn one_that_has_yielded_has_time_again() {
        let overtime = Overtime::new(Arc::default());
        overtime.begin(Duration::from_secs(3600));
        overtime.end();
        overtime.look(NEVER - 1);
        assert!(!overtime.exceeded());
    }
}
