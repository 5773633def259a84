//! `scroll`: turns the mouse wheel at a place of a computer's screen. Done when its program has taken it.

use serde::Deserialize;

use super::input::Input;
use super::mouse;
use crate::computer::Command;

/// The place, and where to.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scroll {
    computer: String,
    x: u32,
    y: u32,
    to: To,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum To {
    Up,
    Down,
}

impl Input for Scroll {
    fn title(&self) -> String {
        let to = match self.to {
            To::Up => "up",
            To::Down => "down",
        };
        format!("scroll {to} at {}, {}", self.x, self.y)
    }

    fn check(&self) -> Result<(), String> {
        mouse::check_place(self.x, self.y)
    }

    fn computer(&self) -> &str {
        &self.computer
    }

    fn command(&self) -> Command {
        let direction = match self.to {
            To::Up => -1,
            To::Down => 1,
        };
        Command::scroll(direction, (self.x, self.y))
    }
}
