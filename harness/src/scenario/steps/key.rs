//! `key`: presses a key of a computer, and lets it go. Done when its program has taken it.

use serde::Deserialize;

use super::input::Input;
use super::keyboard::check_key;
use crate::computer::Command;

/// The key, by its name in `keys`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    computer: String,
    name: String,
    /// Those that are held meanwhile.
    #[serde(default)]
    held: Vec<String>,
}

impl Input for Key {
    fn title(&self) -> String {
        let keys: Vec<&str> = self.held.iter().chain([&self.name]).map(String::as_str).collect();
        format!("key {}", keys.join("+"))
    }

    fn check(&self) -> Result<(), String> {
        std::iter::once(&self.name).chain(&self.held).try_for_each(|name| check_key(name))
    }

    fn computer(&self) -> &str {
        &self.computer
    }

    fn command(&self) -> Command {
        Command::key(&self.name, &self.held)
    }
}
