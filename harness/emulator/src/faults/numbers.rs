//! The numbers of a dial: how likely, and how long.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How likely something is, from 0, never, to 1, always.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Chance(f64);

impl Chance {
    pub const NEVER: Self = Self(0.0);
    pub const HALF: Self = Self(0.5);
    pub const ALWAYS: Self = Self(1.0);

    pub fn is_never(self) -> bool {
        self.0 <= 0.0
    }

    /// Whether a number from 0 to 1 falls into it.
    pub fn takes(self, drawn: f64) -> bool {
        drawn < self.0
    }
}

impl TryFrom<f64> for Chance {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        if (0.0..=1.0).contains(&number) {
            Ok(Self(number))
        } else {
            Err(format!("`{number}` is not between 0, never, and 1, always"))
        }
    }
}

impl From<Chance> for f64 {
    fn from(chance: Chance) -> Self {
        chance.0
    }
}

/// Seconds between two bounds, or exactly so many.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "[f64; 2]")]
pub struct Span {
    least: f64,
    most: f64,
}

/// A span as it is written: `2.5`, or `[1, 5]`.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected seconds, such as `2.5`, or two bounds, such as `[1, 5]`")]
enum Written {
    Exactly(f64),
    Between([f64; 2]),
}

impl Span {
    pub const fn between(least: f64, most: f64) -> Self {
        Self { least, most }
    }

    /// The number that lies so far between the bounds.
    pub fn at(self, drawn: f64) -> f64 {
        self.least + (self.most - self.least) * drawn
    }

    pub fn is_negative(self) -> bool {
        self.least < 0.0
    }
}

impl TryFrom<Written> for Span {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let (least, most) = match written {
            Written::Exactly(seconds) => (seconds, seconds),
            Written::Between([least, most]) => (least, most),
        };
        if !least.is_finite() || !most.is_finite() {
            return Err("seconds are finite".to_owned());
        }
        if least > most {
            return Err(format!("`[{least}, {most}]`: the first bound is the smaller one"));
        }
        Ok(Self { least, most })
    }
}

impl From<Span> for [f64; 2] {
    fn from(span: Span) -> Self {
        [span.least, span.most]
    }
}

/// Seconds as a time; what is no time is none at all.
pub fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO)
}
