//! One concrete fault: what, on which computer, at which occasion.

use serde::{Deserialize, Serialize};

use crate::time::Moment;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The nth message of modems that the computer would hear does not arrive.
    MessageLost,
    /// It arrives twice, the second time so many seconds later.
    MessageDoubled,
    /// It arrives so many seconds later.
    MessageDelayed,
    /// The nth write fails with `Out of space`.
    WriteRefused,
    /// The nth request or socket fails with `Connection refused`.
    RequestRefused,
    /// At the nth yield the calendar goes so many seconds forward, or back where they are negative.
    ClockJumped,
    /// At the nth yield the computer stands still for so many seconds.
    Frozen,
    /// At the nth yield the computer loses its power, and is booted so many seconds later; it stays off without seconds.
    Killed,
    /// At the nth yield the computer reboots.
    Rebooted,
}

/// What a computer does that a fault may befall; each is counted for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Occasion {
    Message,
    Write,
    Request,
    Yield,
}

impl FaultKind {
    pub fn occasion(self) -> Occasion {
        match self {
            Self::MessageLost | Self::MessageDoubled | Self::MessageDelayed => Occasion::Message,
            Self::WriteRefused => Occasion::Write,
            Self::RequestRefused => Occasion::Request,
            Self::ClockJumped | Self::Frozen | Self::Killed | Self::Rebooted => Occasion::Yield,
        }
    }

    /// Whether a fault of this kind says for how long.
    pub fn takes_seconds(self) -> bool {
        !matches!(self, Self::MessageLost | Self::WriteRefused | Self::RequestRefused | Self::Rebooted)
    }
}

/// One fault. A list of them is a plan, which brings about the same faults again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    pub fault: FaultKind,
    pub computer: u32,
    /// Which message, write, request or yield of the computer, counted from 1 since the world began.
    pub number: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A fault that has happened, and when.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Injected {
    /// Seconds of the world's time.
    #[serde(serialize_with = "as_seconds")]
    pub at: Moment,
    #[serde(flatten)]
    pub fault: Fault,
}

fn as_seconds<S: serde::Serializer>(moment: &Moment, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(moment.as_secs_f64())
}
