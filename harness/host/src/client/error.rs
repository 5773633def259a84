//! What goes wrong with a server. Each message names the layer that failed and shows the server's last words.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use crate::http::HttpError;
use crate::stdio::transport::{NONSENSE_BYTES, Pipe, PipeEnd};
use crate::stdio::{SpawnError, last_lines};

/// How much of what a server says to a refused call is shown.
const SHOWN_REFUSAL: usize = 1000;

/// Why a server is not up.
#[derive(Debug, Error)]
pub enum StartError {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("it did not finish {step} within {} (the start timeout){words}", Seconds(*.after))]
    Timeout { step: &'static str, after: Duration, words: LastWords },
    #[error("{how} before {step} was finished{words}")]
    Ended { how: Ending, step: &'static str, words: LastWords },
    #[error("failed to reach `{url}`: {reason}")]
    Unreachable { url: String, reason: String },
    #[error("it refused the handshake: {reason}{words}")]
    Refused {
        reason: String,
        /// The versions of MCP that it says it speaks, where that is why.
        speaks: Option<String>,
        words: LastWords,
    },
    #[error("it failed to list its tools: {reason}{words}")]
    Tools { reason: String, words: LastWords },
}

/// Why a call has no result.
#[derive(Debug, Error)]
pub enum CallError {
    #[error("the arguments of a tool are a JSON object, not {0}")]
    Arguments(&'static str),
    #[error("no answer from `{server}` to {what} within {} (the call timeout){words}", Seconds(*.after))]
    Timeout { server: String, what: String, after: Duration, words: LastWords },
    #[error("`{server}` was lost during {what}: {how}{words}")]
    Lost { server: String, what: String, how: String, words: LastWords },
    #[error("`{server}` refused {what}: {} ({code})", crate::text::headline(.message, SHOWN_REFUSAL))]
    Refused {
        server: String,
        what: String,
        code: i32,
        /// As the server said it; what is shown of it is shortened.
        message: String,
        /// What it said beside that.
        data: Option<Box<serde_json::Value>>,
    },
    #[error("`{server}` failed in {what}: {reason}")]
    Failed { server: String, what: String, reason: String },
    #[error("`{server}` asks for input during {what}, which this host does not support")]
    AsksForInput { server: String, what: String },
    #[error("`{server}` answered {what} with something else")]
    Odd { server: String, what: String },
    #[error("`{server}` lists more than {most} tools, or pages without an end")]
    TooManyTools { server: String, most: usize },
}

/// How a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// With what its exit status says.
    Exited(String),
    ClosedStdout,
    Flood,
    Deaf,
    /// The address no longer answers.
    Unreachable(String),
}

impl From<PipeEnd> for Ending {
    fn from(end: PipeEnd) -> Self {
        match end {
            PipeEnd::Closed => Self::ClosedStdout,
            PipeEnd::Flood => Self::Flood,
            PipeEnd::Deaf => Self::Deaf,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => write!(f, "it ended ({status})"),
            Self::ClosedStdout => f.write_str("it closed its stdout"),
            Self::Flood => {
                write!(f, "it printed more than {} MiB that are no messages", NONSENSE_BYTES >> 20)
            }
            Self::Deaf => f.write_str("it does not read its stdin"),
            Self::Unreachable(reason) => write!(f, "it is no longer reached: {}", crate::text::line(reason)),
        }
    }
}

/// What a server printed last, set under a message; nothing where it printed nothing.
#[derive(Debug, Clone, Default)]
pub struct LastWords {
    stderr: Vec<String>,
    nonsense: Vec<String>,
}

impl LastWords {
    pub fn of(pipe: Option<&Pipe>) -> Self {
        pipe.map_or_else(Self::default, |pipe| Self {
            stderr: last_lines(&pipe.stderr),
            nonsense: last_lines(&pipe.nonsense),
        })
    }
}

impl fmt::Display for LastWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds =
            [("its stderr ends", &self.stderr), ("its stdout has what is no message", &self.nonsense)];
        for (title, lines) in kinds.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            write!(f, "\n{title}:")?;
            for line in lines {
                write!(f, "\n  {}", crate::text::headline(line, 300))?;
            }
        }
        Ok(())
    }
}

/// A time as a person says it.
#[derive(Debug, Clone, Copy)]
pub struct Seconds(pub Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < Duration::from_secs(1) {
            write!(f, "{} ms", self.0.as_millis())
        } else {
            write!(f, "{} s", self.0.as_secs_f64())
        }
    }
}
