//! The time of day and the randomness that a bridge is given: the system's, or for a simulation both from a seed. How long
//! something takes is no part of this: that is tokio's clock everywhere, which a simulation pauses.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use rmcp::transport::common::server_side_http::session_id;
use tokio::time::Instant;

/// Where a bridge has the time of day and its random ids from. Copies share one source.
#[derive(Debug, Clone, Default)]
pub struct Sources(Option<Arc<Given>>);

/// What stands for the system in a simulation.
#[derive(Debug)]
struct Given {
    /// When the simulation began, on tokio's clock and as a time of day.
    began: (Instant, SystemTime),
    random: Mutex<u64>,
}

impl Sources {
    /// Those of the system.
    pub fn of_system() -> Self {
        Self(None)
    }

    /// The same ids for the same seed, and a time of day that is 1970 now and moves with tokio's clock.
    pub fn seeded(seed: u64) -> Self {
        let began = (Instant::now(), UNIX_EPOCH);
        Self(Some(Arc::new(Given { began, random: Mutex::new(seed) })))
    }

    /// The time of day.
    pub fn now(&self) -> SystemTime {
        match &self.0 {
            None => SystemTime::now(),
            Some(given) => given.began.1 + given.began.0.elapsed(),
        }
    }

    /// The time of day in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        millis(self.now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    /// An id that no other has, and that nobody guesses who has not the seed.
    pub fn id(&self) -> Arc<str> {
        let Some(given) = &self.0 else { return session_id() };
        let mut random = given.random.lock();
        let (high, low) = (next(&mut random), next(&mut random));
        // The digits that tell a random id of version 4 are the same in all of them.
        let (fields, variant) = ((high >> 16, high & 0x0fff), 0x8000 | (low >> 48 & 0x3fff));
        format!(
            "{:08x}-{:04x}-4{:03x}-{variant:04x}-{:012x}",
            fields.0 >> 16,
            fields.0 & 0xffff,
            fields.1,
            low & 0xffff_ffff_ffff
        )
        .into()
    }
}

/// A time in whole milliseconds.
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The next number of Steele and Vigna's splitmix64, for which every seed will do.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_seed_gives_the_same_ids_and_the_time_moves_with_the_clock() {
        let (one, same, other) = (Sources::seeded(7), Sources::seeded(7), Sources::seeded(8));
        let ids = |sources: &Sources| [sources.id(), sources.clone().id()];
        let first = ids(&one);
        assert_eq!(first, ids(&same));
        assert_ne!(first[0], first[1]);
        assert_ne!(first, ids(&other));
        assert_eq!(first[0].len(), session_id().len(), "they look like those of the system: {}", first[0]);
        assert_eq!(one.now_ms(), 0);
        tokio::time::advance(Duration::from_millis(1500)).await;
        assert_eq!(one.now_ms(), 1500);
    }

    #[test]
    fn the_system_gives_no_id_twice() {
        let system = Sources::of_system();
        assert_ne!(system.id(), system.id());
        assert!(system.now_ms() > 0);
    }
}
