//! The emulators that a computer can run on, how they are found, and what they are asked.

mod embedded;
mod find;
mod version;

pub use embedded::{KEEPER, PARENT_VARIABLE, ROLE_VARIABLE, act_in_role, self_as_program, use_program};
pub use find::{Found, Missing, find};
pub use version::{MINIMUM, Version};

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::simulation::Simulation;

/// Which emulator.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The one inside this program.
    Embedded,
    /// CraftOS-PC, the reference.
    CraftosPc,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Embedded => "embedded",
            Self::CraftosPc => "craftos-pc",
        })
    }
}

/// An emulator that is there and can be booted.
#[derive(Debug, Clone)]
pub struct Emulator {
    pub kind: Kind,
    pub path: PathBuf,
    pub version: String,
    /// The program that plays [`ROLE_VARIABLE`]'s roles; none where only a library is there.
    pub keeper: Option<PathBuf>,
    /// Boots computers inside this process, in virtual time, and starts no process for them.
    pub simulation: Option<Simulation>,
}

impl Emulator {
    /// The embedded emulator as a library, in virtual time.
    pub fn simulated(simulation: Simulation) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let (kind, path) = (Kind::Embedded, PathBuf::from("embedded-craftos"));
        Self { kind, path, version, keeper: None, simulation: Some(simulation) }
    }
}

/// Why an emulator cannot be used.
#[derive(Debug, Error)]
pub enum EmulatorError {
    #[error("failed to start the emulator `{path}`\nhint: set `CRAFTOS_PC` to the emulator's binary")]
    Start { path: PathBuf, source: std::io::Error },
    #[error("`{path}` did not answer `--version` within {seconds} s\nhint: is it CraftOS-PC?")]
    Silent { path: PathBuf, seconds: u64 },
    #[error("`{path} --version` does not say which version it is: `{said}`\nhint: is it CraftOS-PC?")]
    NotAnEmulator { path: PathBuf, said: String },
    #[error("`{path}` is `{said}`, and not CraftOS-PC\nhint: `--emulator {}` runs on it", .path.display())]
    NotTheReference { path: PathBuf, said: String },
    #[error(
        "`{path}` is CraftOS-PC {found}, which is older than {MINIMUM}\nhint: install a newer one, or leave it out: the embedded emulator needs no installation"
    )]
    TooOld { path: PathBuf, found: Version },
    #[error(
        "no program `craftos-harness` is there to run the embedded emulator\nhint: `cargo build -p craftos-harness`"
    )]
    NoProgram,
    #[error(
        "CraftOS-PC was not found\nhint: install CraftOS-PC {MINIMUM} or newer, or set `CRAFTOS_PC` to its binary"
    )]
    NotFound,
}
