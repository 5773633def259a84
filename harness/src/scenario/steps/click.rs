//! `click`: presses a button of the mouse at a place of a computer's screen, and lets it go. Done when its program has
//! taken it.

use serde::Deserialize;

use super::input::Input;
use super::mouse;
use crate::computer::Command;

/// The place, and the button.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Click {
    computer: String,
    x: u32,
    y: u32,
    #[serde(default = "mouse::left")]
    button: u8,
}

impl Input for Click {
    fn title(&self) -> String {
        format!("click at {}, {}{}", self.x, self.y, mouse::told(self.button))
    }

    fn check(&self) -> Result<(), String> {
        mouse::check_place(self.x, self.y)?;
        mouse::check_button(self.button)
    }

    fn computer(&self) -> &str {
        &self.computer
    }

    fn command(&self) -> Command {
        Command::mouse(self.button, &[(self.x, self.y)])
    }
}
