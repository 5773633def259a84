//! The time that everything in one world goes by.

use std::time::{Duration, Instant};

/// A moment, as the time since the world began.
pub type Moment = Duration;

/// The clock of a world.
#[derive(Debug)]
pub struct Time {
    began: Instant,
}

impl Time {
    /// The time of the host, from now on.
    pub fn real() -> Self {
        Self { began: Instant::now() }
    }

    pub fn now(&self) -> Moment {
        self.began.elapsed()
    }
}
