//! Many scenarios with many seeds, a thread for each processor. Each play has a runtime and a world of its own.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::one::simulate;
use super::{Once, One, Seeds};
use crate::faults::Plan as FaultPlan;
use crate::record::held;
use crate::report::Shard;
use crate::scenario::Scenario;
use crate::suite::{Outcome, Suite};

/// Frames of the client, the bridge and the proxy are on one stack, in debug builds as well.
const STACK: usize = 16 * 1024 * 1024;

/// Plays on a thread that has room for it, and waits for it: other threads of this program have less.
pub fn on_a_thread<T: Send>(play: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("simulation".to_owned()).stack_size(STACK);
        let playing = thread.spawn_scoped(scope, play).expect("one more thread can be started");
        playing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// What is to be played.
#[derive(Debug)]
pub struct Plan {
    pub scenarios: Vec<Arc<Scenario>>,
    pub seeds: Seeds,
    /// How long new ones begin.
    pub time: Option<Duration>,
    pub shard: Shard,
    /// How often each is played: everything that happens has to be the same each time.
    pub repeat: usize,
    pub jobs: usize,
    /// Ends it before its time: what is being played is played to its end.
    pub stop: CancellationToken,
}

/// One play: what came of it, and of which seed.
#[derive(Debug)]
pub struct Played {
    pub scenario: Arc<Scenario>,
    pub seed: u64,
    pub plan: Option<Arc<FaultPlan>>,
    pub outcome: Outcome,
    /// None where the harness itself failed.
    pub once: Option<Once>,
}

/// What was played in all.
#[derive(Debug, Default)]
pub struct Simulated {
    pub passed: usize,
    pub failed: usize,
    pub broken: usize,
    /// The seed after the last that was begun.
    pub end: u64,
    pub virtual_time: Duration,
}

impl Plan {
    /// Plays all of it, and tells of each play as it ends. A scenario that has failed is not played with more seeds.
    pub fn play(&self, suite: &Suite, mut told: impl FnMut(&Played)) -> Simulated {
        let begun = Instant::now();
        let (next, done) = (AtomicU64::new(0), Mutex::new(BTreeSet::new()));
        let mut all = Simulated { end: self.seeds.first, ..Simulated::default() };
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..self.jobs.max(1) {
                let (sender, next, done) = (sender.clone(), &next, &done);
                let work = move || {
                    let in_time = || self.time.is_none_or(|time| begun.elapsed() < time);
                    while in_time() && !self.stop.is_cancelled() {
                        let Some((scenario, seed)) = self.take(next) else { return };
                        let failed = held(done);
                        // All have failed: what is left of the seeds and of the time is for nobody.
                        if failed.len() == self.scenarios.len() {
                            return;
                        }
                        if failed.contains(&scenario.name) {
                            continue;
                        }
                        drop(failed);
                        let played = self.play_one(suite, scenario, seed);
                        if !matches!(played.outcome, Outcome::Passed) {
                            held(done).insert(played.scenario.name.clone());
                        }
                        if sender.send(played).is_err() {
                            return;
                        }
                    }
                };
                let thread = std::thread::Builder::new().name("simulation".to_owned()).stack_size(STACK);
                thread.spawn_scoped(scope, work).expect("one thread for each processor can be started");
            }
            drop(sender);
            for played in receiver {
                match played.outcome {
                    Outcome::Passed | Outcome::Accepted => all.passed += 1,
                    Outcome::Failed(_) => all.failed += 1,
                    Outcome::Broken(_) | Outcome::Skipped(_) => all.broken += 1,
                }
                all.end = all.end.max(played.seed + 1);
                all.virtual_time += played.once.as_ref().map(|once| once.virtual_time).unwrap_or_default();
                told(&played);
            }
        });
        all
    }

    /// The next play of this shard: all scenarios with one seed, then all with the next.
    fn take(&self, next: &AtomicU64) -> Option<(Arc<Scenario>, u64)> {
        let (index, of) = (self.shard.index as u64 - 1, self.shard.of as u64);
        let place = next.fetch_add(1, Ordering::Relaxed).checked_mul(of)?.checked_add(index)?;
        let many = self.scenarios.len() as u64;
        if many == 0 {
            return None;
        }
        let seed = self.seeds.at(place / many)?;
        let scenario = usize::try_from(place % many).expect("it is a place in a list");
        Some((self.scenarios[scenario].clone(), seed))
    }

    /// Plays a seed as often as is asked for, and fails it where two plays differ.
    fn repeat(&self, suite: &Suite, one: &One) -> std::io::Result<Once> {
        // What its changes log would be in the first record only.
        let proves = one.proves && self.repeat == 1;
        let mut first = simulate(suite, &One { proves, ..one.clone() })?;
        for number in 2..=self.repeat {
            let other = simulate(suite, &One { proves: false, ..one.clone() })?;
            let (one, two) = (first.record.trace(), other.record.trace());
            if one != two {
                let lines = one.lines().zip(two.lines()).find(|(one, two)| one != two);
                let (one, two) = lines.unwrap_or(("(it ended)", "(it went on)"));
                first.report.outcome = Outcome::Failed(format!(
                    "play {number} of this seed went otherwise than the first:\n- {one}\n+ {two}\n"
                ));
                break;
            }
        }
        Ok(first)
    }

    fn play_one(&self, suite: &Suite, scenario: Arc<Scenario>, seed: u64) -> Played {
        let proves = seed == self.seeds.first;
        let plan = suite.plan(&scenario, Some(seed));
        let wanted = One { scenario: scenario.clone(), seed, proves, plan };
        let once = catch_unwind(AssertUnwindSafe(|| self.repeat(suite, &wanted)));
        let failed = |why: String| Outcome::Broken(format!("the harness itself failed: {why}\n"));
        let (outcome, once) = match once {
            Ok(Ok(once)) => (once.report.outcome.clone(), Some(once)),
            Ok(Err(error)) => (failed(error.to_string()), None),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
                (failed(text.unwrap_or_default()), None)
            }
        };
        Played { scenario, seed, plan: wanted.plan, outcome, once }
    }
}
