//! The time that everything in one world goes by: the host's, or a virtual one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::surroundings::Surroundings;

/// A moment, as the time since the world began.
pub type Moment = Duration;

/// Where the calendar of a seeded run begins: 2024-01-01 00:00:00 UTC.
pub const SEEDED_EPOCH: Duration = Duration::from_secs(1_704_067_200);

/// What an instruction takes in virtual time: about what a slow machine needs, so that a second has ten million.
const INSTRUCTION: u64 = 100;

/// The clock of a world.
#[derive(Debug)]
pub struct Time(Source);

#[derive(Debug)]
enum Source {
    /// When the world began.
    Real(Instant),
    Virtual(Virtual),
}

/// A time that is moved by those who step computers, and by what is around the world.
#[derive(Debug, Default)]
struct Virtual {
    /// In nanoseconds, which last for centuries.
    nanos: AtomicU64,
    /// Whether a computer is being stepped: then the time is its own.
    stepping: AtomicBool,
    around: Option<Arc<dyn Surroundings>>,
}

impl Time {
    /// The time of the host, from now on.
    pub fn real() -> Self {
        Self(Source::Real(Instant::now()))
    }

    /// A time that stands still until it is moved.
    pub fn simulated() -> Self {
        Self(Source::Virtual(Virtual::default()))
    }

    /// A time that follows the one around the world while no computer is being stepped.
    pub fn surrounded(around: Arc<dyn Surroundings>) -> Self {
        Self(Source::Virtual(Virtual { around: Some(around), ..Virtual::default() }))
    }

    /// Notes whether a computer is being stepped.
    pub fn set_stepping(&self, stepping: bool) {
        if let Source::Virtual(virtual_time) = &self.0 {
            virtual_time.stepping.store(stepping, Ordering::Relaxed);
        }
    }

    /// What is around the world, unless a computer is being stepped: then nobody has to be told of anything.
    pub fn around(&self) -> Option<&Arc<dyn Surroundings>> {
        match &self.0 {
            Source::Virtual(Virtual { stepping, around, .. }) if !stepping.load(Ordering::Relaxed) => {
                around.as_ref()
            }
            _ => None,
        }
    }

    pub fn is_simulated(&self) -> bool {
        matches!(self.0, Source::Virtual(_))
    }

    pub fn now(&self) -> Moment {
        match &self.0 {
            Source::Real(began) => began.elapsed(),
            Source::Virtual(Virtual { nanos, .. }) => {
                let own = Duration::from_nanos(nanos.load(Ordering::Relaxed));
                self.around().map_or(own, |around| own.max(around.now()))
            }
        }
    }

    /// Sets a virtual time: it may go back, where another computer has not come as far.
    pub fn set(&self, moment: Moment) {
        if let Source::Virtual(Virtual { nanos, .. }) = &self.0 {
            nanos.store(u64::try_from(moment.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }

    /// Charges a virtual time for instructions that ran.
    pub fn charge(&self, instructions: u64) {
        if let Source::Virtual(Virtual { nanos, .. }) = &self.0 {
            let now = nanos.load(Ordering::Relaxed);
            nanos.store(now.saturating_add(instructions.saturating_mul(INSTRUCTION)), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_time_moves_only_when_it_is_moved() {
        let time = Time::simulated();
        time.charge(10_000_000);
        assert_eq!(time.now(), Duration::from_secs(1));
        time.set(Duration::from_millis(5));
        assert_eq!(time.now(), Duration::from_millis(5));
    }
}
