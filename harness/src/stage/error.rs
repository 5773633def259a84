//! What goes wrong on a stage, and whether that is the scenario's business.

use thiserror::Error;

use crate::bridge::BridgeError;
use crate::client::ClientError;
use crate::computer::{ComputerError, Exit};

/// What went wrong with the bridge, a computer or a step.
#[derive(Debug, Error)]
pub enum StageError {
    #[error(transparent)]
    Bridge(#[from] BridgeError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Computer(#[from] ComputerError),
    #[error("failed to listen on loopback")]
    Proxy(#[from] std::io::Error),
    #[error("two computers are called `{0}`\nhint: give one of them another id or a `name`")]
    Doubled(String),
    #[error(
        "computer {computer} shares process `{process}` with others that are set up differently\nhint: computers of one process have the same program, http rules, limits and profile"
    )]
    Unlike { computer: String, process: String },
    #[error("there is no computer `{0}` in this scenario")]
    NoComputer(String),
    #[error("computer {0} has not been booted\nhint: add a `boot` step before this one")]
    NotBooted(String),
    #[error("computer {0} has no link to send a frame on")]
    NoLink(String),
    #[error(transparent)]
    Server(#[from] mcp_host::HostError),
    #[error("it took longer than the {0} s that the scenario gives it")]
    Within(u64),
    #[error("the step has no effect: {0}")]
    NoEffect(String),
    #[error("computer {computer}: {found}")]
    Otherwise { computer: String, found: String },
    #[error("expected {what}: {expected}\nfound: {found}")]
    Expected { what: &'static str, expected: String, found: String },
    #[error("in `{step}`")]
    Inside { step: String, source: Box<StageError> },
    #[error("the emulator of computer {computer} died: {exit}\n{last}")]
    Crashed { computer: String, exit: Exit, last: String },
    #[error("there is no bridge\nhint: add a step `bridge = \"start\"` before this one")]
    NoBridge,
}

impl StageError {
    /// Whether the connection to the bridge was lost.
    pub(super) fn is_lost(&self) -> bool {
        match self {
            Self::Client(error) => matches!(error, ClientError::Call { .. } | ClientError::Connect { .. }),
            Self::Inside { source, .. } => source.is_lost(),
            _ => false,
        }
    }

    /// Whether something died that no scenario tests: the emulator, the bridge or the harness.
    pub fn is_broken(&self) -> bool {
        match self {
            Self::Bridge(_) | Self::Proxy(_) | Self::Crashed { .. } => true,
            Self::Inside { source, .. } => source.is_broken(),
            Self::Computer(error) => error.is_broken(),
            _ => false,
        }
    }
}
