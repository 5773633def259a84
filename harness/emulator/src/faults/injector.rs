//! Decides at each occasion whether a fault happens, and keeps a list of those that did.
//!
//! What is drawn follows from the seed, the kind, the computer and the number of the occasion, and from nothing else: a dial
//! that is turned changes no other one's faults.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::dials::{Faults, FaultsError, ModemDials};
use super::fault::{Fault, FaultKind, Injected, Occasion};
use super::numbers::{Chance, Span, duration};
use crate::random::Random;
use crate::time::Moment;

/// A list of faults stays complete because no more happen: past that many a world is well.
const MOST_LISTED: usize = 1_000_000;

/// Decides for one world.
#[derive(Debug)]
pub struct Injector {
    dials: Arc<Faults>,
    seed: u64,
    /// What a plan says: the seconds of each fault.
    plan: Option<BTreeMap<(u32, FaultKind, u64), Option<f64>>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    counts: BTreeMap<(u32, Occasion), u64>,
    /// How far calendars have jumped, in seconds.
    jumped: BTreeMap<u32, f64>,
    /// Dials of single computers that were turned from outside.
    turned: BTreeMap<u32, Arc<Faults>>,
    /// Computers that stand still from their next yield on, and until when.
    frozen: BTreeMap<u32, Moment>,
    injected: Vec<Injected>,
}

/// How a message arrives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delivery {
    /// How late; none where it is lost.
    pub first: Option<Duration>,
    /// How late it arrives once more, if it does.
    pub second: Option<Duration>,
    /// What the listener is told of the distance.
    pub distance: f64,
}

impl Delivery {
    /// At once, from next to it.
    pub const AT_ONCE: Self = Self { first: Some(Duration::ZERO), second: None, distance: 0.0 };
}

/// What befalls a computer that has yielded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AtYield {
    Frozen(Duration),
    /// Booted after a time, or not at all.
    Killed(Option<Duration>),
    Rebooted,
}

/// One occasion of a computer.
#[derive(Debug)]
struct Here {
    computer: u32,
    number: u64,
    now: Moment,
    dials: Arc<Faults>,
    /// Whether they were turned from outside: then they count at once, and for this computer alone.
    turned: bool,
}

impl Injector {
    pub fn new(dials: Faults, seed: u64) -> Result<Self, FaultsError> {
        dials.check()?;
        let plan = dials.plan.as_ref().map(|plan| {
            let entries =
                plan.iter().map(|fault| ((fault.computer, fault.fault, fault.number), fault.seconds));
            entries.collect()
        });
        Ok(Self { dials: Arc::new(dials), seed, plan, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything that has gone wrong so far, in order.
    pub fn injected(&self) -> Vec<Injected> {
        self.state().injected.clone()
    }

    /// The faults that have happened, and where computers stand: the same world again.
    pub fn as_plan(&self) -> Faults {
        let (seconds_per_block, positions) =
            (self.dials.modem.seconds_per_block, self.dials.modem.positions.clone());
        let modem = ModemDials { seconds_per_block, positions, ..ModemDials::default() };
        let plan = self.state().injected.iter().map(|one| one.fault.clone()).collect();
        Faults { modem, ..Faults::planned(plan) }
    }

    /// Turns the dials of one computer: for whoever decides from outside when things go wrong. They begin as those of the
    /// world.
    pub fn turn(&self, computer: u32, turn: impl FnOnce(&mut Faults)) {
        let mut state = self.state();
        let dials = state.turned.entry(computer).or_insert_with(|| self.dials.clone());
        turn(Arc::make_mut(dials));
    }

    /// Has a computer stand still from its next yield on, until a moment.
    pub fn freeze(&self, computer: u32, until: Moment) {
        self.state().frozen.insert(computer, until);
    }

    /// Has the calendar of a computer jump at its next yield.
    pub fn jump(&self, computer: u32, seconds: f64) {
        *self.state().jumped.entry(computer).or_default() += seconds;
    }

    /// Whether a file is written whatever goes wrong with the disk.
    pub fn spares(&self, path: &[String]) -> bool {
        path.first().is_some_and(|first| self.dials.disk.spared.contains(first))
    }

    /// One more occasion of a computer.
    fn count(&self, state: &mut State, computer: u32, occasion: Occasion, now: Moment) -> Here {
        let count = state.counts.entry((computer, occasion)).or_default();
        *count += 1;
        let number = *count;
        let own = state.turned.get(&computer).cloned();
        let turned = own.is_some();
        Here { computer, number, now, dials: own.unwrap_or_else(|| self.dials.clone()), turned }
    }

    /// How many seconds the calendar of a computer has jumped.
    pub fn jumped(&self, computer: u32) -> f64 {
        self.state().jumped.get(&computer).copied().unwrap_or(0.0)
    }

    /// A message is about to reach a computer.
    pub fn message(&self, from: u32, computer: u32, now: Moment) -> Delivery {
        let mut state = self.state();
        let here = &self.count(&mut state, computer, Occasion::Message, now);
        let modem = &here.dials.modem;
        let distance = here.dials.distance(from, computer).unwrap_or(0.0);
        if self.happens(&mut state, here, FaultKind::MessageLost, modem.lost, None).is_some() {
            return Delivery { first: None, second: None, distance };
        }
        let on_the_way = duration(distance * modem.seconds_per_block);
        let mut late = |kind, chance| {
            let seconds = self.happens(&mut state, here, kind, chance, Some(modem.delay))?;
            Some(on_the_way + duration(seconds.unwrap_or(0.0)))
        };
        let delayed = late(FaultKind::MessageDelayed, modem.delayed);
        let second = late(FaultKind::MessageDoubled, modem.doubled);
        Delivery { first: Some(delayed.unwrap_or(on_the_way)), second, distance }
    }

    /// Whether a write finds the disk full.
    pub fn refuses_write(&self, computer: u32, now: Moment) -> bool {
        let mut state = self.state();
        let here = &self.count(&mut state, computer, Occasion::Write, now);
        let chance =
            if self.is_full_by(&here.dials, computer, now) { Chance::ALWAYS } else { here.dials.disk.full };
        self.happens(&mut state, here, FaultKind::WriteRefused, chance, None).is_some()
    }

    /// Whether the disk of a computer is full from now on.
    pub fn is_full(&self, computer: u32, now: Moment) -> bool {
        let dials = self.state().turned.get(&computer).unwrap_or(&self.dials).clone();
        self.is_full_by(&dials, computer, now)
    }

    fn is_full_by(&self, dials: &Faults, computer: u32, now: Moment) -> bool {
        self.concerns(computer) && dials.disk.full_from.is_some_and(|from| now.as_secs_f64() >= from)
    }

    /// Whether a request or a socket is refused.
    pub fn refuses_request(&self, computer: u32, now: Moment) -> bool {
        let mut state = self.state();
        let here = &self.count(&mut state, computer, Occasion::Request, now);
        self.happens(&mut state, here, FaultKind::RequestRefused, here.dials.http.refused, None).is_some()
    }

    /// A computer has yielded.
    pub fn at_yield(&self, computer: u32, now: Moment) -> Option<AtYield> {
        let mut state = self.state();
        let here = &self.count(&mut state, computer, Occasion::Yield, now);
        let (clock, power) = (&here.dials.clock, &here.dials.power);
        let jump = self.happens(&mut state, here, FaultKind::ClockJumped, clock.jumps, Some(clock.by));
        if let Some(by) = jump.flatten() {
            *state.jumped.entry(computer).or_default() += by;
        }
        if let Some(left) = state.frozen.remove(&computer).and_then(|until| until.checked_sub(now)) {
            return Some(AtYield::Frozen(left));
        }
        let mut happens = |kind, chance, span| self.happens(&mut state, here, kind, chance, span);
        if let Some(off) = happens(FaultKind::Killed, power.killed, Some(power.off)) {
            return Some(AtYield::Killed(off.map(duration)));
        }
        if happens(FaultKind::Rebooted, power.rebooted, None).is_some() {
            return Some(AtYield::Rebooted);
        }
        let frozen = happens(FaultKind::Frozen, power.frozen, Some(power.freeze))?;
        Some(AtYield::Frozen(duration(frozen.unwrap_or(0.0))))
    }

    fn concerns(&self, computer: u32) -> bool {
        self.dials.computers.as_ref().is_none_or(|computers| computers.contains(&computer))
    }

    /// Whether a fault happens here, and with which seconds where it has any; it is listed then.
    #[expect(
        clippy::option_option,
        reason = "the first is whether it happens, the second whether it takes time"
    )]
    fn happens(
        &self,
        state: &mut State,
        here: &Here,
        kind: FaultKind,
        chance: Chance,
        span: Option<Span>,
    ) -> Option<Option<f64>> {
        if state.injected.len() >= MOST_LISTED {
            return None;
        }
        let seconds = match &self.plan {
            Some(plan) if !here.turned => *plan.get(&(here.computer, kind, here.number))?,
            _ => self.draw(here, kind, chance, span)?,
        };
        let fault = Fault { fault: kind, computer: here.computer, number: here.number, seconds };
        state.injected.push(Injected { at: here.now, fault });
        Some(seconds)
    }

    #[expect(clippy::option_option, reason = "as above")]
    fn draw(&self, here: &Here, kind: FaultKind, chance: Chance, span: Option<Span>) -> Option<Option<f64>> {
        let now = here.now.as_secs_f64();
        let is_time = now >= self.dials.from && self.dials.until.is_none_or(|until| now < until);
        let is_meant = here.turned || is_time && self.concerns(here.computer);
        if chance.is_never() || !is_meant {
            return None;
        }
        let mut random = self.seed;
        for part in [kind as u64, u64::from(here.computer), here.number] {
            random = mix(random ^ mix(part));
        }
        if !chance.takes(fraction(random)) {
            return None;
        }
        // A thousandth of a second is fine enough, and reads well in a plan.
        Some(span.map(|span| (span.at(fraction(mix(random))) * 1000.0).round() / 1000.0))
    }
}

/// Another number: every bit of this one decides about every bit of it.
fn mix(number: u64) -> u64 {
    Random::new(number).draw()
}

/// A number from 0 up to 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits are what a double holds")]
fn fraction(number: u64) -> f64 {
    (number >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn injector(dials: &str, seed: u64) -> Injector {
        Injector::new(toml::from_str(dials).expect("the dials are TOML"), seed).expect("they are good")
    }

    fn lost(injector: &Injector, messages: u64) -> Vec<u64> {
        for number in 0..messages {
            injector.message(1, 2, Moment::from_secs(number));
        }
        let lost = injector.injected().into_iter().filter(|one| one.fault.fault == FaultKind::MessageLost);
        lost.map(|one| one.fault.number).collect()
    }

    #[test]
    fn what_is_drawn_follows_from_the_seed_and_a_dial_changes_no_other() {
        let quarter = lost(&injector("modem = { lost = 0.25 }", 7), 1000);
        assert!((200..300).contains(&quarter.len()), "{}", quarter.len());
        assert_eq!(
            quarter,
            lost(&injector("modem = { lost = 0.25, delayed = 0.5 }\ndisk = { full = 1 }", 7), 1000)
        );
        assert_ne!(quarter, lost(&injector("modem = { lost = 0.25 }", 8), 1000));
    }

    #[test]
    fn a_plan_brings_about_the_same_faults_again() {
        let dials =
            "modem = { lost = 0.1, delayed = 0.1, doubled = 0.1 }\npower = { killed = 0.05, frozen = 0.1 }";
        let drawn = injector(dials, 3);
        let occasions = |injector: &Injector| {
            let heard: Vec<_> = (0..100).map(|_| injector.message(1, 2, Moment::ZERO)).collect();
            let stopped: Vec<_> = (0..100).map(|_| injector.at_yield(1, Moment::ZERO)).collect();
            (heard, stopped)
        };
        let first = occasions(&drawn);
        let plan: Vec<Fault> = drawn.injected().into_iter().map(|one| one.fault).collect();
        assert!(plan.len() > 20, "{plan:?}");
        let again = Injector::new(Faults::planned(plan), 99).expect("the plan is good");
        assert_eq!(first, occasions(&again));
        assert_eq!(drawn.injected(), again.injected());
    }

    #[test]
    fn dials_hold_for_their_time_and_their_computers() {
        let injector = injector("computers = [2]\nfrom = 10\nuntil = 20\nmodem = { lost = 1 }", 0);
        assert_eq!(lost(&injector, 30), (11..=20).collect::<Vec<_>>());
        assert_eq!(injector.message(2, 1, Moment::from_secs(15)), Delivery::AT_ONCE);
    }

    #[test]
    fn distance_is_told_and_takes_time() {
        let dials = "[modem]\nseconds_per_block = 0.5\n[modem.positions]\n1 = [0, 64, 0]\n2 = [3, 64, 4]";
        let delivery = injector(dials, 0).message(1, 2, Moment::ZERO);
        assert_eq!(
            delivery,
            Delivery { first: Some(Duration::from_millis(2500)), second: None, distance: 5.0 }
        );
    }

    #[test]
    fn dials_that_are_turned_from_outside_count_for_one_computer_and_until_they_are_turned_back() {
        let injector = injector("from = 100\nmodem = { lost = 1 }", 0);
        injector.turn(2, |dials| dials.http.refused = Chance::ALWAYS);
        let refused = |computer| injector.refuses_request(computer, Moment::from_secs(1));
        assert_eq!([refused(1), refused(2)], [false, true]);
        injector.turn(2, |dials| dials.http.refused = Chance::NEVER);
        assert!(!refused(2));
    }

    #[test]
    fn a_computer_is_frozen_from_its_next_yield_on_and_once() {
        let injector = injector("", 0);
        injector.freeze(1, Moment::from_secs(5));
        let frozen = |second| injector.at_yield(1, Moment::from_secs(second));
        assert_eq!(frozen(2), Some(AtYield::Frozen(Duration::from_secs(3))));
        assert_eq!(frozen(3), None);
        injector.freeze(1, Moment::from_secs(5));
        assert_eq!(frozen(6), None, "its time was over before");
    }

    #[test]
    fn dials_that_cannot_be_are_errors() {
        for (dials, problem) in [
            ("modem = { lsot = 1 }", "unknown field `lsot`"),
            ("modem = { lost = 1.5 }", "is not between 0, never, and 1, always"),
            ("power = { off = [3, 1] }", "the first bound is the smaller one"),
            ("power = { off = \"long\" }", "expected seconds"),
            ("power = { freeze = -1 }", "`power.freeze` is a time, and must not be negative"),
            ("from = 5\nuntil = 5", "`until` is not after `from`"),
            ("modem = { positions = { base = [0, 0, 0] } }", "`base` is not the id of a computer"),
            (
                "disk = { full_from = 3 }\nplan = []",
                "`plan` lists the faults, and `disk.full_from` adds random ones",
            ),
            ("power = { rebooted = 1 }\nplan = []", "`power.rebooted` adds random ones"),
            ("[[plan]]\nfault = \"lost\"\ncomputer = 1\nnumber = 1", "unknown variant `lost`"),
            ("[[plan]]\nfault = \"killed\"\ncomputer = 1\nnumber = 0", "fault 1: `number` counts from 1"),
            ("[[plan]]\nfault = \"frozen\"\ncomputer = 1\nnumber = 1", "fault 1: this kind needs `seconds`"),
            (
                "[[plan]]\nfault = \"rebooted\"\ncomputer = 1\nnumber = 1\nseconds = 1",
                "this kind has no `seconds`",
            ),
        ] {
            let read = toml::from_str::<Faults>(dials).map_err(|error| error.to_string());
            let wrong = read.and_then(|dials| dials.check().map_err(|error| error.to_string()));
            let error = wrong.expect_err(dials);
            assert!(error.contains(problem), "{dials}: {error}");
        }
    }
}
