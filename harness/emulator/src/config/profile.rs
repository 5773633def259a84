//! What a computer is to behave like: the reference emulator, or the game.

use std::fmt;
use std::time::Duration;

use super::Settings;

/// How long a computer of the game may go on after `Too long without yielding`.
const OVERTIME: Duration = Duration::from_millis(1500);

/// APIs that belong to CraftOS-PC and not to the game.
const EMULATOR_ONLY: &[&str] = &["config", "mounter", "periphemu"];

/// A set of defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Profile {
    /// As CraftOS-PC: loopback is allowed, 17 s without yielding.
    #[default]
    CraftosPc,
    /// As the game: private addresses are denied, 7 s without yielding, 1 MB of disk, no APIs of the emulator.
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

    /// The bytes that a program sees for a text of the host, such as a label or the name of a file. The game has one byte
    /// for each character, and no others than those of Latin-1; the reference passes UTF-8 through.
    pub fn bytes_of(self, text: &str) -> Vec<u8> {
        match self {
            Self::CraftosPc => text.as_bytes().to_vec(),
            Self::Game => text.chars().map(|character| u8::try_from(character).unwrap_or(b'?')).collect(),
        }
    }

    /// What a program's bytes are on the host, as UTF-8 where they are text.
    pub fn host_bytes(self, bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Game if !bytes.is_ascii() => {
                bytes.into_iter().map(char::from).collect::<String>().into_bytes()
            }
            _ => bytes,
        }
    }

    /// The APIs that its computers do not have.
    pub fn without(self) -> &'static [&'static str] {
        match self {
            Self::CraftosPc => &[],
            Self::Game => EMULATOR_ONLY,
        }
    }

    /// How long a computer may go on after `Too long without yielding` before it is turned off; for ever, if there is no
    /// such time.
    pub fn overtime(self) -> Option<Duration> {
        match self {
            Self::CraftosPc => None,
            Self::Game => Some(OVERTIME),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_game_have_a_byte_for_each_character() {
        assert_eq!(Profile::Game.bytes_of("türtle €"), b"t\xfcrtle ?");
        assert_eq!(Profile::Game.host_bytes(b"t\xfcrtle".to_vec()), "türtle".as_bytes());
        assert_eq!(Profile::CraftosPc.bytes_of("türtle"), "türtle".as_bytes());
        assert_eq!(Profile::CraftosPc.host_bytes(b"t\xfcrtle".to_vec()), b"t\xfcrtle");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_of_the_game_come_back(bytes: Vec<u8>) {
            let text = String::from_utf8(Profile::Game.host_bytes(bytes.clone())).expect("it is text");
            proptest::prop_assert_eq!(Profile::Game.bytes_of(&text), bytes);
        }
    }
}
