//! `type`: types a text on a computer. Done when its program has taken every character.

use serde::Deserialize;

use super::input::Input;
use super::keyboard::typed;
use crate::computer::Command;

/// The text; a newline is the Enter key.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeText {
    computer: String,
    text: String,
}

impl Input for TypeText {
    fn title(&self) -> String {
        format!("type {:?}", self.text)
    }

    fn check(&self) -> Result<(), String> {
        typed(&self.text).map(drop)
    }

    fn computer(&self) -> &str {
        &self.computer
    }

    fn command(&self) -> Command {
        Command::type_text(&typed(&self.text).unwrap_or_default())
    }
}
