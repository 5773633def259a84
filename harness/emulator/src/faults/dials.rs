//! The dials of a world, as a scenario or a file has them. Strict: a key that is not here is an error.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::fault::{Fault, FaultKind};
use super::numbers::{Chance, Span};

/// How late a message is unless the dial says so: longer than a tick of the game, shorter than programs wait.
const DELAY: Span = Span::between(0.05, 2.0);
/// How long a computer stands still: some wait longer than a usual timeout.
const FREEZE: Span = Span::between(0.5, 10.0);
/// How long a computer that was killed is off.
const OFF: Span = Span::between(1.0, 5.0);
/// How far a clock jumps: a minute forward or back.
const JUMP: Span = Span::between(-60.0, 60.0);

/// What goes wrong, and how often. All dials are off unless they are turned.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Faults {
    /// Only these computers have faults; all of them where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computers: Option<BTreeSet<u32>>,
    /// From when on faults are drawn, and until when, in seconds of the world's time.
    pub from: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    pub modem: ModemDials,
    pub disk: DiskDials,
    pub http: HttpDials,
    pub clock: ClockDials,
    pub power: PowerDials,
    /// Exactly these faults, instead of such as are drawn from the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<Fault>>,
}

/// Messages between modems. Each that a computer would hear is an occasion of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModemDials {
    pub lost: Chance,
    /// A message arrives twice, the second time after `delay`.
    pub doubled: Chance,
    /// A message arrives after `delay`, perhaps behind one that was sent later.
    pub delayed: Chance,
    pub delay: Span,
    /// What a message takes for each block between two computers that `positions` has.
    pub seconds_per_block: f64,
    /// Where computers stand, by their ids: `modem_message` tells the distance between them.
    pub positions: BTreeMap<String, [f64; 3]>,
}

/// Files of the computer. Each write is an occasion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DiskDials {
    /// A write fails with `Out of space`.
    pub full: Chance,
    /// Every write fails from that moment on, in seconds of the world's time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_from: Option<f64>,
    /// Files and folders at the top of the disk that are written all the same.
    pub spared: BTreeSet<String>,
}

/// Requests and sockets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HttpDials {
    pub refused: Chance,
}

/// The calendar of a computer: `os.epoch`, `os.time`, `os.day`, `os.date`. `os.clock` and timers stay as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClockDials {
    /// It jumps at a yield.
    pub jumps: Chance,
    /// How far; negative numbers go back.
    pub by: Span,
}

/// Computers as a whole. Each yield is an occasion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PowerDials {
    /// It stands still for `freeze`, and has all its events then.
    pub frozen: Chance,
    pub freeze: Span,
    /// It loses its power, with what files have not been flushed, and is booted after `off`.
    pub killed: Chance,
    pub off: Span,
    /// It reboots, as with `os.reboot`: files are closed.
    pub rebooted: Chance,
}

impl Default for ModemDials {
    fn default() -> Self {
        Self {
            lost: Chance::NEVER,
            doubled: Chance::NEVER,
            delayed: Chance::NEVER,
            delay: DELAY,
            seconds_per_block: 0.0,
            positions: BTreeMap::new(),
        }
    }
}

impl Default for ClockDials {
    fn default() -> Self {
        Self { jumps: Chance::NEVER, by: JUMP }
    }
}

impl Default for PowerDials {
    fn default() -> Self {
        Self {
            frozen: Chance::NEVER,
            freeze: FREEZE,
            killed: Chance::NEVER,
            off: OFF,
            rebooted: Chance::NEVER,
        }
    }
}

/// What is wrong with dials, beyond what their types say.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FaultsError {
    #[error("`{key}` is a time, and must not be negative")]
    Negative { key: &'static str },
    #[error("`until` is not after `from`")]
    NoTime,
    #[error("`modem.positions`: `{0}` is not the id of a computer, or its place is not finite")]
    Position(String),
    #[error("`plan` lists the faults, and `{dial}` adds random ones\nhint: leave out one of the two")]
    PlanAndDial { dial: &'static str },
    #[error("`plan`, fault {number}: {problem}")]
    Plan { number: usize, problem: &'static str },
}

impl Faults {
    /// Exactly these faults.
    pub fn planned(plan: Vec<Fault>) -> Self {
        Self { plan: Some(plan), ..Self::default() }
    }

    /// The dials that draw, by their names.
    fn drawing(&self) -> [(&'static str, Chance); 8] {
        [
            ("modem.lost", self.modem.lost),
            ("modem.doubled", self.modem.doubled),
            ("modem.delayed", self.modem.delayed),
            ("disk.full", self.disk.full),
            ("http.refused", self.http.refused),
            ("clock.jumps", self.clock.jumps),
            ("power.frozen", self.power.frozen),
            ("power.killed", self.power.killed),
        ]
    }

    /// Checks what the types cannot.
    pub fn check(&self) -> Result<(), FaultsError> {
        let negative = |number: f64| !number.is_finite() || number < 0.0;
        for (key, is_wrong) in [
            ("from", negative(self.from)),
            ("until", self.until.is_some_and(negative)),
            ("disk.full_from", self.disk.full_from.is_some_and(negative)),
            ("modem.seconds_per_block", negative(self.modem.seconds_per_block)),
            ("modem.delay", self.modem.delay.is_negative()),
            ("power.freeze", self.power.freeze.is_negative()),
            ("power.off", self.power.off.is_negative()),
        ] {
            if is_wrong {
                return Err(FaultsError::Negative { key });
            }
        }
        if self.until.is_some_and(|until| until <= self.from) {
            return Err(FaultsError::NoTime);
        }
        for (id, place) in &self.modem.positions {
            if id.parse::<u32>().is_err() || place.iter().any(|number| !number.is_finite()) {
                return Err(FaultsError::Position(id.clone()));
            }
        }
        let Some(plan) = &self.plan else { return Ok(()) };
        let rebooted = ("power.rebooted", self.power.rebooted);
        let drawing = self.drawing().into_iter().chain([rebooted]).find(|(_, chance)| !chance.is_never());
        let full = self.disk.full_from.map(|_| "disk.full_from");
        if let Some(dial) = drawing.map(|(dial, _)| dial).or(full) {
            return Err(FaultsError::PlanAndDial { dial });
        }
        for (index, fault) in plan.iter().enumerate() {
            if let Some(problem) = problem(fault) {
                return Err(FaultsError::Plan { number: index + 1, problem });
            }
        }
        Ok(())
    }

    /// How far two computers are from each other; none where one of them has no place.
    pub fn distance(&self, from: u32, to: u32) -> Option<f64> {
        let place = |id: u32| self.modem.positions.get(&id.to_string());
        let (from, to) = (place(from)?, place(to)?);
        let squares = from.iter().zip(to).map(|(from, to)| (from - to).powi(2));
        Some(squares.sum::<f64>().sqrt())
    }
}

/// What is wrong with a fault of a plan.
fn problem(fault: &Fault) -> Option<&'static str> {
    if fault.number == 0 {
        return Some("`number` counts from 1");
    }
    let can_go_back = fault.fault == FaultKind::ClockJumped;
    match fault.seconds {
        Some(_) if !fault.fault.takes_seconds() => Some("this kind has no `seconds`"),
        Some(seconds) if !seconds.is_finite() => Some("`seconds` is a finite number"),
        Some(seconds) if seconds < 0.0 && !can_go_back => Some("`seconds` is not negative"),
        None if fault.fault.takes_seconds() && fault.fault != FaultKind::Killed => {
            Some("this kind needs `seconds`")
        }
        _ => None,
    }
}
