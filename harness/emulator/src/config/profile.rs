//! What a computer is to behave like: the reference emulator, or the game.

use std::fmt;

use super::Settings;

/// A set of defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Profile {
    /// As CraftOS-PC: loopback is allowed, 17 s without yielding.
    #[default]
    CraftosPc,
    /// As the game: private addresses are denied, 7 s without yielding, 1 MB of disk.
    Game,
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::CraftosPc => "craftos-pc",
            Self::Game => "game",
        })
    }
}

impl Profile {
    /// What is set unless a file says otherwise.
    pub fn settings(self) -> Settings {
        let mut settings = Settings::default();
        if self == Self::Game {
            settings.preset("abortTimeout", 7000.into());
            settings.preset("http_blacklist", vec!["$private"].into());
            settings.preset("standardsMode", true.into());
        }
        settings
    }

    /// Whether the computer's own limit on disk space holds, rather than the host's disk.
    pub fn limits_space(self) -> bool {
        self == Self::Game
    }

    /// What `_HOST` says.
    pub fn host_text(self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        match self {
            Self::CraftosPc => {
                format!("ComputerCraft 1.112.0 (CraftOS-PC v2.8.3, embedded-craftos {version})")
            }
            Self::Game => format!("ComputerCraft 1.112.0 (Minecraft 1.20.1, embedded-craftos {version})"),
        }
    }
}
