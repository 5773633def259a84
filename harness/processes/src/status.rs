//! How a process ended.

use std::fmt;
use std::process::ExitStatus;

/// How a process ended, as the system tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It chose this code itself. On Windows a process that was killed has one too.
    Code(i32),
    /// The system ended it with this signal.
    Signal(i32),
    /// The system does not say.
    Unknown,
}

impl Status {
    /// Whether the process chose code 0.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

impl From<ExitStatus> for Status {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        status.code().map_or(Self::Unknown, Self::Code)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit {code}"),
            Self::Signal(number) => match signal_name(*number) {
                Some(name) => write!(f, "ended by signal {name}"),
                None => write!(f, "ended by signal {number}"),
            },
            Self::Unknown => f.write_str("ended in an unknown way"),
        }
    }
}

/// The name of a signal that ends a process.
#[cfg(unix)]
fn signal_name(number: i32) -> Option<&'static str> {
    use rustix::process::Signal;
    let names = [
        (Signal::ABORT, "SIGABRT"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::HUP, "SIGHUP"),
        (Signal::ILL, "SIGILL"),
        (Signal::INT, "SIGINT"),
        (Signal::KILL, "SIGKILL"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::SYS, "SIGSYS"),
        (Signal::TERM, "SIGTERM"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
    ];
    names.into_iter().find(|(signal, _)| signal.as_raw() == number).map(|(_, name)| name)
}

#[cfg(not(unix))]
fn signal_name(_: i32) -> Option<&'static str> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn a_status_names_its_code_or_its_signal() {
        let told = |raw| Status::from(ExitStatus::from_raw(raw)).to_string();
        assert_eq!(told(7 << 8), "exit 7");
        assert_eq!(told(11), "ended by signal SIGSEGV");
        // With a core file.
        assert_eq!(told(0x8b), "ended by signal SIGSEGV");
        assert_eq!(told(60), "ended by signal 60");
    }
}
