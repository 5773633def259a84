//! The clocks of a computer: since its start, of the host, of the game.
//!
//! In a seeded run time stands still but for the timers that fire, so that two runs read the same times. In a simulation
//! time is virtual, and the calendar is that of a seeded run, in UTC.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{Local, TimeZone as _};

use crate::time::{Moment, SEEDED_EPOCH, Time};

/// A day of the game lasts twenty minutes.
const REAL_SECONDS_PER_DAY: f64 = 1200.0;
/// Days begin at six in the morning of day 1.
const FIRST_HOUR: f64 = 6.0;
const FIRST_DAY: f64 = 1.0;
const HOURS: f64 = 24.0;

#[derive(Debug, Clone)]
pub struct Clock {
    time: Arc<Time>,
    started: Moment,
    /// How far the time of a seeded run has come.
    seeded: Option<Duration>,
    /// How many seconds the calendar has jumped.
    jumped: f64,
}

impl Clock {
    pub fn new(time: Arc<Time>, seeded: bool) -> Self {
        let seeded = (seeded && !time.is_simulated()).then_some(Duration::ZERO);
        Self { started: time.now(), time, seeded, jumped: 0.0 }
    }

    /// The calendar is so many seconds ahead of the time, or behind it; the time since the start is not.
    pub fn set_jumped(&mut self, seconds: f64) {
        self.jumped = seconds;
    }

    /// Time since the computer started.
    pub fn uptime(&self) -> Duration {
        self.seeded.unwrap_or_else(|| self.time.now().saturating_sub(self.started))
    }

    /// Moves a seeded run's time to that of an event that happened.
    pub fn reach(&mut self, uptime: Duration) {
        if let Some(seeded) = &mut self.seeded {
            *seeded = uptime.max(*seeded);
        }
    }

    /// Time since 1970.
    pub fn epoch(&self) -> Duration {
        let epoch = match self.seeded {
            Some(uptime) => SEEDED_EPOCH + uptime,
            None if self.time.is_simulated() => SEEDED_EPOCH + self.time.now(),
            None => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
        };
        let jumped = Duration::try_from_secs_f64(self.jumped.abs()).unwrap_or(Duration::ZERO);
        if self.jumped < 0.0 { epoch.saturating_sub(jumped) } else { epoch.saturating_add(jumped) }
    }

    /// How many seconds the host's clocks are ahead of UTC at that time.
    pub fn local_offset(&self, epoch: i64) -> i32 {
        if self.time.is_simulated() {
            return 0;
        }
        Local.timestamp_opt(epoch, 0).single().map_or(0, |time| time.offset().local_minus_utc())
    }

    /// Hours of the game since its first day's midnight.
    pub fn game_hours(&self) -> f64 {
        let seconds = self.uptime().as_secs_f64() + self.jumped;
        (FIRST_DAY * HOURS + FIRST_HOUR + seconds / REAL_SECONDS_PER_DAY * HOURS).max(0.0)
    }

    /// The time of day in the game, in steps of a game tick.
    pub fn game_time(&self) -> f64 {
        ((self.game_hours() % HOURS) * 1000.0).floor() / 1000.0
    }

    pub fn game_day(&self) -> f64 {
        (self.game_hours() / HOURS).floor()
    }

    /// How long until the game's clock shows that hour.
    pub fn until_game_time(&self, hour: f64) -> Duration {
        let hours = (hour - self.game_hours() % HOURS).rem_euclid(HOURS);
        Duration::from_secs_f64(hours / HOURS * REAL_SECONDS_PER_DAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_moves_the_calendar_and_not_the_time_since_the_start() {
        let time = Arc::new(Time::simulated());
        let mut clock = Clock::new(time.clone(), true);
        time.set(Duration::from_secs(100));
        clock.set_jumped(-90.0);
        assert_eq!(
            (clock.uptime(), clock.epoch()),
            (Duration::from_secs(100), SEEDED_EPOCH + Duration::from_secs(10))
        );
        clock.set_jumped(1100.0);
        assert!((clock.game_day() - 2.0).abs() < f64::EPSILON);
        clock.set_jumped(-1e9);
        assert!(clock.game_hours().abs() < f64::EPSILON, "before the first day there is none");
    }

    #[test]
    fn a_seeded_clock_moves_only_with_events() {
        let mut clock = Clock::new(Arc::new(Time::real()), true);
        assert_eq!(clock.uptime(), Duration::ZERO);
        clock.reach(Duration::from_secs(50));
        clock.reach(Duration::from_secs(20));
        assert_eq!(clock.uptime(), Duration::from_secs(50));
        assert!((clock.game_time() - 7.0).abs() < 0.001);
        assert!((clock.game_day() - 1.0).abs() < f64::EPSILON);
        assert_eq!(clock.until_game_time(8.0), Duration::from_secs(50));
    }
}
