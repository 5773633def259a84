//! Named sets of faults.

use serde::{Deserialize, Serialize};

use super::Kind;

/// Which faults may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Calls and nothing else: what is wrong without any fault.
    Calm,
    /// Frames are late.
    SlowLink,
    /// Links are late, cut in the middle of a frame, half open, not read, and refused.
    FlakyLink,
    /// The bridge and the computers are killed and started again.
    Restarts,
    /// Computers stand still, their disks are full and their clocks jump.
    Machines,
    /// Messages of modems are lost, doubled and late.
    Radio,
    /// All of these.
    All,
}

impl Profile {
    /// The kinds of faults that it has.
    pub fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Calm => &[],
            Self::SlowLink => &[Kind::Delay],
            Self::FlakyLink => &[Kind::Delay, Kind::Cut, Kind::HalfOpen, Kind::Unread, Kind::RefuseHttp],
            Self::Restarts => &[Kind::KillBridge, Kind::KillComputer, Kind::Reboot],
            Self::Machines => &[Kind::Freeze, Kind::FullDisk, Kind::ClockJump],
            Self::Radio => &[Kind::LoseMessages, Kind::DoubleMessages, Kind::DelayMessages],
            Self::All => &[
                Kind::Delay,
                Kind::Cut,
                Kind::HalfOpen,
                Kind::Unread,
                Kind::RefuseHttp,
                Kind::KillBridge,
                Kind::KillComputer,
                Kind::Reboot,
                Kind::Freeze,
                Kind::FullDisk,
                Kind::ClockJump,
                Kind::LoseMessages,
                Kind::DoubleMessages,
                Kind::DelayMessages,
            ],
        }
    }
}

impl std::fmt::Display for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Calm => "calm",
            Self::SlowLink => "slow-link",
            Self::FlakyLink => "flaky-link",
            Self::Restarts => "restarts",
            Self::Machines => "machines",
            Self::Radio => "radio",
            Self::All => "all",
        })
    }
}
