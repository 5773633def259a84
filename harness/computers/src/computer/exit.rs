//! How a computer ended: what it said itself, and what became of its process.

use std::fmt;
use std::time::Duration;

use child_processes::Status;

/// How a computer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// It turned itself off with this code, and its process ended in order.
    Code(i32),
    /// It was asked to stop, and its process ended in order.
    Stopped,
    /// Its process was killed because somebody asked for that.
    Killed,
    /// Its process ended while the computer was on.
    Crashed(Status),
    /// The computer was off already when its process ended in this way.
    CrashedAtEnd(Status),
    /// The computer was off, and its process did not end within this time: it was killed.
    HungAtEnd(Duration),
    /// The computer did not turn itself off within this time after it was asked to: its process was killed.
    NotStopped(Duration),
}

impl Exit {
    /// Whether the emulator did what it should: a code is the program's own business.
    pub fn is_orderly(self) -> bool {
        matches!(self, Self::Code(_) | Self::Stopped | Self::Killed)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit {code}"),
            Self::Stopped => f.write_str("stopped"),
            Self::Killed => f.write_str("killed"),
            Self::Crashed(status) => write!(f, "crashed: {status}"),
            Self::CrashedAtEnd(status) => write!(f, "crashed at its end: {status}"),
            Self::HungAtEnd(time) => {
                write!(f, "did not end by itself within {} s: killed", time.as_secs())
            }
            Self::NotStopped(time) => {
                write!(f, "did not stop within {} s when asked: killed", time.as_secs())
            }
        }
    }
}

/// The end of a computer, with all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    pub exit: Exit,
    /// The end of its screen and of what its process wrote.
    pub last_words: String,
}

/// What a computer said before it turned off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Stopped,
    Code(i32),
}

impl Said {
    /// Reads what a computer left.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        match std::str::from_utf8(bytes).ok()?.trim() {
            "stopped" => Some(Self::Stopped),
            code => code.parse().ok().map(Self::Code),
        }
    }

    /// The code that the process then ends with; systems other than Windows keep its lowest byte.
    pub fn code(self) -> i32 {
        match self {
            Self::Stopped => 0,
            Self::Code(code) if cfg!(windows) => code,
            Self::Code(code) => code.rem_euclid(256),
        }
    }
}

impl From<Said> for Exit {
    fn from(said: Said) -> Self {
        match said {
            Said::Stopped => Self::Stopped,
            Said::Code(code) => Self::Code(code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_computer_said_is_read() {
        assert_eq!(Said::read(b"stopped"), Some(Said::Stopped));
        assert_eq!(Said::read(b"-1").map(Said::code), Some(if cfg!(windows) { -1 } else { 255 }));
        assert_eq!(Said::read(b"x"), None);
        assert_eq!(Said::read(b""), None);
    }

    #[test]
    fn only_what_was_asked_for_is_in_order() {
        let time = Duration::from_secs(5);
        let orderly = [Exit::Code(0), Exit::Code(3), Exit::Stopped, Exit::Killed];
        let status = Status::Code(0);
        let broken = [
            Exit::Crashed(status),
            Exit::CrashedAtEnd(status),
            Exit::HungAtEnd(time),
            Exit::NotStopped(time),
        ];
        assert!(orderly.into_iter().all(Exit::is_orderly));
        assert!(!broken.into_iter().any(Exit::is_orderly));
    }

    #[test]
    fn each_way_to_end_has_its_own_words() {
        let told = |exit: Exit| exit.to_string();
        assert_eq!(told(Exit::Code(3)), "exit 3");
        assert_eq!(told(Exit::Crashed(Status::Code(3))), "crashed: exit 3");
        assert_eq!(told(Exit::HungAtEnd(Duration::from_secs(5))), "did not end by itself within 5 s: killed");
    }
}
