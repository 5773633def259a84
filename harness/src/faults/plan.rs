//! Which faults happen when, and which calls are made meanwhile: all of it from a seed, or written in a scenario.

use std::collections::BTreeSet;
use std::time::Duration;

use embedded_craftos::Random;
use serde::{Deserialize, Serialize};

use super::{Fault, Invariant, Kind, Profile, Towards};

/// The time in which faults begin and calls are made.
const WINDOW_MS: u64 = 20_000;

/// How many faults and calls a plan has at most.
const FAULTS: u64 = 5;
const CALLS: u64 = 10;

/// How many clients call.
const CLIENTS: u64 = 3;

/// How long a fault lasts: less than three pings, after which a bridge gives a link up.
const FAULT_MS: std::ops::Range<u64> = 50..8_000;

/// How far a clock jumps, forward and back: a correction, and not another day.
const JUMP_MS: u32 = 60_000;

/// What a chunk sleeps that should not come to its end once nobody waits for it: longer than all faults of a plan together.
pub const LONG_MS: u64 = 60_000;

/// The limit of such a call: it is too short for the chunk, or longer than it takes.
const SHORT_LIMIT_MS: u64 = 5_000;
const LONG_LIMIT_MS: u64 = 90_000;

/// A chunk that is late by so much has still ended in time.
const AFTER: Duration = Duration::from_secs(10);

/// What the client does after it has called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Then {
    #[default]
    Wait,
    /// It cancels the call after so many milliseconds.
    Cancel(u64),
    /// It goes away after so many milliseconds, without a word.
    Leave(u64),
    /// It cancels the call after so many milliseconds, or once it has failed, and calls again.
    Retry(u64),
}

/// A call of `exec-lua`, whose chunk writes down that it ran, sleeps, and returns what no other returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub at_ms: u64,
    pub client: u64,
    pub computer: String,
    /// What the chunk sleeps.
    #[serde(default)]
    pub sleep_ms: u64,
    pub timeout_ms: u64,
    #[serde(default)]
    pub then: Then,
}

/// Faults and calls, and what the user wants to hold meanwhile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    #[serde(default)]
    pub faults: Vec<Fault>,
    #[serde(default)]
    pub calls: Vec<Call>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<Invariant>,
}

impl Plan {
    /// A plan for these computers, which follows from the seed alone.
    pub fn draw(profile: Profile, seed: u64, computers: &[String]) -> Self {
        let mut random = Random::named(seed, "faults");
        let (mut faults, mut calls) = (Vec::new(), Vec::new());
        if !profile.kinds().is_empty() {
            for _ in 0..=random.below(FAULTS) {
                faults.extend(fault(profile, computers, &mut random));
            }
        }
        let mut random = Random::named(seed, "calls");
        for _ in 0..random.within(2..CALLS) {
            calls.extend(call(computers, &mut random));
        }
        faults.sort_by_key(|fault: &Fault| fault.at_ms);
        calls.sort_by_key(|call: &Call| call.at_ms);
        Self { faults, calls, invariants: Vec::new() }
    }

    /// How many things happen.
    pub fn len(&self) -> usize {
        self.faults.len() + self.calls.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How long it takes until every chunk that was begun would have ended by itself.
    pub fn longest(&self) -> Duration {
        let ends = self.calls.iter().filter(|call| call.sleep_ms >= LONG_MS);
        let last = ends.map(|call| call.at_ms + call.sleep_ms).max();
        last.map_or(Duration::ZERO, |last| Duration::from_millis(last) + AFTER)
    }

    /// Whether a fault of this kind happens.
    pub fn has(&self, kind: Kind) -> bool {
        self.faults.iter().any(|fault| fault.kind == kind)
    }

    /// The computers that it names.
    pub fn computers(&self) -> BTreeSet<String> {
        let faults = self.faults.iter().filter_map(|fault| fault.computer.clone());
        let calls = self.calls.iter().map(|call| call.computer.clone());
        let invariants = self.invariants.iter().filter_map(|invariant| invariant.computer.clone());
        faults.chain(calls).chain(invariants).collect()
    }
}

fn fault(profile: Profile, computers: &[String], random: &mut Random) -> Option<Fault> {
    let kind = *random.pick(profile.kinds())?;
    let computer = if kind == Kind::KillBridge { None } else { Some(random.pick(computers)?.clone()) };
    let jump = i32::try_from(random.below(2 * u64::from(JUMP_MS))).unwrap_or_default();
    Some(Fault {
        kind,
        at_ms: random.below(WINDOW_MS),
        for_ms: random.within(FAULT_MS),
        computer,
        towards: if random.chance(50) { Towards::Bridge } else { Towards::Computer },
        delay_ms: if kind.is_delay() { random.within(1..1_500) } else { 0 },
        jitter_ms: if kind.is_delay() { random.below(1_500) } else { 0 },
        jump_ms: if kind == Kind::ClockJump { jump - JUMP_MS.cast_signed() } else { 0 },
    })
}

fn call(computers: &[String], random: &mut Random) -> Option<Call> {
    let is_long = random.chance(30);
    let then = match random.below(10) {
        0 | 1 => Then::Cancel(random.within(1..3_000)),
        2 => Then::Leave(random.within(1..3_000)),
        3 => Then::Retry(random.within(1..3_000)),
        _ => Then::Wait,
    };
    let limits = match (is_long, random.chance(50)) {
        (false, _) => 500..12_000,
        (true, false) => 500..SHORT_LIMIT_MS,
        (true, true) => LONG_LIMIT_MS..LONG_LIMIT_MS + 1,
    };
    Some(Call {
        at_ms: random.below(WINDOW_MS),
        client: random.below(CLIENTS),
        computer: random.pick(computers)?.clone(),
        sleep_ms: if is_long { LONG_MS } else { random.below(3_000) },
        timeout_ms: random.within(limits),
        then,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_follows_from_its_seed_and_has_only_faults_of_its_profile() {
        let computers = ["12".to_owned(), "13".to_owned()];
        let draw = |profile, seed| Plan::draw(profile, seed, &computers);
        assert_eq!(draw(Profile::All, 7), draw(Profile::All, 7));
        assert_ne!(draw(Profile::All, 7), draw(Profile::All, 8));
        for seed in 0..200 {
            let plan = draw(Profile::FlakyLink, seed);
            assert!((1..=5).contains(&plan.faults.len()) && (2..10).contains(&plan.calls.len()), "{plan:?}");
            assert!(plan.faults.iter().all(|fault| Profile::FlakyLink.kinds().contains(&fault.kind)));
            assert!(draw(Profile::Calm, seed).faults.is_empty());
            let plan = draw(Profile::All, seed);
            let text = toml::to_string(&plan).expect("it can be written");
            assert_eq!(toml::from_str::<Plan>(&text).expect("it can be read"), plan);
        }
    }

    #[test]
    fn all_faults_are_drawn_sooner_or_later_and_clocks_jump_both_ways() {
        let draw = |seed| Plan::draw(Profile::All, seed, &["12".to_owned()]).faults;
        let all: Vec<Fault> = (0..200).flat_map(draw).collect();
        for kind in Profile::All.kinds() {
            assert!(all.iter().any(|fault| fault.kind == *kind), "{kind:?}");
        }
        let jumps = || all.iter().map(|fault| fault.jump_ms);
        assert!(jumps().any(|jump| jump < 0) && jumps().any(|jump| jump > 0));
    }
}
