//! `drag`: presses a button of the mouse, moves over the screen, and lets it go. Done when the program has taken it.

use serde::Deserialize;

use super::input::Input;
use super::mouse;
use crate::computer::Command;

/// The places in order, each with its column and its line, and the button.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    computer: String,
    over: Vec<(u32, u32)>,
    #[serde(default = "mouse::left")]
    button: u8,
}

impl Input for Drag {
    fn title(&self) -> String {
        let places: Vec<String> = self.over.iter().map(|(x, y)| format!("{x}, {y}")).collect();
        format!("drag over {}{}", places.join("; "), mouse::told(self.button))
    }

    fn check(&self) -> Result<(), String> {
        if self.over.len() < 2 {
            return Err("a drag goes over two places or more\nhint: `click` is for one".to_owned());
        }
        mouse::check_button(self.button)?;
        self.over.iter().try_for_each(|(x, y)| mouse::check_place(*x, *y))
    }

    fn computer(&self) -> &str {
        &self.computer
    }

    fn command(&self) -> Command {
        Command::mouse(self.button, &self.over)
    }
}
