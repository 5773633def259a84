//! What is said of the machine that a run took place on.

use serde::{Deserialize, Serialize};

/// The facts without which a time means nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// `linux`, `macos` or `windows`.
    pub os: String,
    /// `x86_64`, `aarch64` and so on.
    pub architecture: String,
    /// How many processors the run could use.
    pub processors: usize,
}

impl Machine {
    /// This machine.
    pub fn here() -> Self {
        Self {
            os: std::env::consts::OS.to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            processors: std::thread::available_parallelism().map_or(1, Into::into),
        }
    }
}
