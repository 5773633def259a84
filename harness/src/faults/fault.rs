//! One thing that goes wrong: what, whose, when and for how long.

use serde::{Deserialize, Serialize};

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Frames in one direction are late, by `delay_ms` and up to `jitter_ms` more.
    Delay,
    /// The link ends in the middle of the next frame in one direction.
    Cut,
    /// The side that it is `towards` has lost the link, and the other does not know.
    HalfOpen,
    /// What is sent `towards` that side is not read.
    Unread,
    /// The link ends, and the computer's requests and sockets are refused.
    RefuseHttp,
    /// The bridge is killed, and started again afterwards.
    KillBridge,
    /// The computer is killed, and booted again afterwards.
    KillComputer,
    /// The computer reboots.
    Reboot,
    /// The computer stands still, and has all its events afterwards.
    Freeze,
    /// What programs write on the computer fails with `Out of space`.
    FullDisk,
    /// The calendar of the computer jumps by `jump_ms`, back where they are negative.
    ClockJump,
    /// Half of the messages that the computer would hear from modems are lost.
    LoseMessages,
    /// Half of them arrive twice.
    DoubleMessages,
    /// All of them are late, by `delay_ms` and up to `jitter_ms` more, perhaps behind one that was sent later.
    DelayMessages,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl Kind {
    /// Whether it says how late something is.
    pub fn is_delay(self) -> bool {
        matches!(self, Self::Delay | Self::DelayMessages)
    }

    /// Whether it can only happen to computers of a simulation.
    pub fn is_simulated_only(self) -> bool {
        let modem = [Self::LoseMessages, Self::DoubleMessages, Self::DelayMessages];
        modem.contains(&self) || matches!(self, Self::FullDisk | Self::ClockJump)
    }
}

/// One side of a link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Towards {
    #[default]
    Bridge,
    Computer,
}

/// A fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    pub kind: Kind,
    /// After the computers are linked.
    pub at_ms: u64,
    #[serde(default)]
    pub for_ms: u64,
    /// Whose; none for the bridge.
    pub computer: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub towards: Towards,
    #[serde(default, skip_serializing_if = "is_default")]
    pub delay_ms: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub jitter_ms: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub jump_ms: i32,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
