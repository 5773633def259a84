//! Timers and alarms of one computer. They share their numbers, as in the reference.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::time::Duration;

use crate::lua::Value;
use crate::time::Moment;

/// Longer than any run: what is set further ahead, or for ever, is due then.
const LONGEST: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 100);

#[derive(Debug, Clone, Copy)]
struct Pending {
    event: &'static str,
    /// When it is due on the computer's own clock.
    uptime: Duration,
}

#[derive(Debug, Default)]
pub struct Timers {
    last: u32,
    pending: BTreeMap<u32, Pending>,
    queue: BinaryHeap<Reverse<(Moment, u32)>>,
}

impl Timers {
    /// Starts one that queues `event` after `delay`; returns its number. `uptime` is what the computer's clock shows now.
    pub fn start(&mut self, event: &'static str, delay: Duration, now: Moment, uptime: Duration) -> u32 {
        self.last = self.last.wrapping_add(1);
        let delay = delay.min(LONGEST);
        self.pending.insert(self.last, Pending { event, uptime: uptime.saturating_add(delay) });
        self.queue.push(Reverse((now.saturating_add(delay), self.last)));
        self.last
    }

    /// How many run.
    pub fn running(&self) -> usize {
        self.pending.len()
    }

    pub fn cancel(&mut self, id: u32) {
        self.pending.remove(&id);
        // Cancelled entries leave the queue when they are due; a program that cancels without end must not
        // fill it.
        if self.queue.len() > 64 && self.queue.len() > 2 * self.pending.len() {
            let pending = &self.pending;
            self.queue.retain(|Reverse((_, id))| pending.contains_key(id));
        }
    }

    /// When the next one is due.
    pub fn next_due(&mut self) -> Option<Moment> {
        while let Some(Reverse((due, id))) = self.queue.peek() {
            if self.pending.contains_key(id) {
                return Some(*due);
            }
            self.queue.pop();
        }
        None
    }

    /// Takes one that is due: its event and when it was due on the computer's clock.
    pub fn take_due(&mut self, now: Moment) -> Option<(Vec<Value>, Duration)> {
        if self.next_due()? > now {
            return None;
        }
        let Reverse((_, id)) = self.queue.pop()?;
        let pending = self.pending.remove(&id)?;
        Some((vec![Value::from(pending.event), Value::from(id)], pending.uptime))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_in_order_and_cancelled_ones_do_not() {
        let mut timers = Timers::default();
        let late = timers.start("timer", Duration::from_millis(2), Duration::ZERO, Duration::ZERO);
        let cancelled = timers.start("timer", Duration::ZERO, Duration::ZERO, Duration::ZERO);
        let early = timers.start("alarm", Duration::ZERO, Duration::ZERO, Duration::ZERO);
        timers.cancel(cancelled);
        let then = Duration::from_secs(1);
        assert_eq!(
            timers.take_due(then).map(|due| due.0),
            Some(vec![Value::from("alarm"), Value::from(early)])
        );
        assert_eq!(
            timers.take_due(then).map(|due| due.0),
            Some(vec![Value::from("timer"), Value::from(late)])
        );
        assert_eq!(timers.take_due(then), None);
    }

    #[test]
    fn cancelling_without_end_does_not_fill_the_queue() {
        let mut timers = Timers::default();
        for _ in 0..10_000 {
            let id = timers.start("timer", LONGEST, Duration::ZERO, Duration::ZERO);
            timers.cancel(id);
        }
        assert!(timers.queue.len() < 100);
    }
}
