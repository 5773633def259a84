//! `paste`: pastes a text on a computer. Done when its program has taken it.

use serde::Deserialize;

use super::input::Input;
use super::keyboard::typed;
use crate::computer::Command;

/// The text, in one line: computers paste no more.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paste {
    computer: String,
    text: String,
}

impl Input for Paste {
    fn title(&self) -> String {
        format!("paste {:?}", self.text)
    }

    fn check(&self) -> Result<(), String> {
        if self.text.contains('\n') {
            return Err("a paste has one line\nhint: `type` takes several, where a newline is the Enter key"
                .to_owned());
        }
        typed(&self.text).map(drop)
    }

    fn computer(&self) -> &str {
        &self.computer
    }

    fn command(&self) -> Command {
        Command::paste(&typed(&self.text).unwrap_or_default())
    }
}
