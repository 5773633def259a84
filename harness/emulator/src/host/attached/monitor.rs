//! A monitor: a second screen, which only programs look at.

use super::super::{Arguments, term};
use super::{Attachment, Peripheral};
use crate::lua::{Call, NativeResult, Raise};
use crate::screen::Terminal;

/// Characters of the largest monitor's eighth of a block at scale 1, as in the game.
const WIDTH: f64 = 51.0;
const HEIGHT: f64 = 19.0;

const METHODS: &[&str] = &[
    "blit",
    "clear",
    "clearLine",
    "getBackgroundColor",
    "getBackgroundColour",
    "getCursorBlink",
    "getCursorPos",
    "getPaletteColor",
    "getPaletteColour",
    "getSize",
    "getTextColor",
    "getTextColour",
    "getTextScale",
    "isColor",
    "isColour",
    "scroll",
    "setBackgroundColor",
    "setBackgroundColour",
    "setCursorBlink",
    "setCursorPos",
    "setPaletteColor",
    "setPaletteColour",
    "setTextColor",
    "setTextColour",
    "setTextScale",
    "write",
];

#[derive(Debug)]
pub struct Monitor {
    terminal: Terminal,
    scale: f64,
}

impl Default for Monitor {
    fn default() -> Self {
        Self { terminal: Terminal::new(51, 19), scale: 1.0 }
    }
}

impl Peripheral for Monitor {
    fn types(&self) -> Vec<&str> {
        vec!["monitor"]
    }

    fn methods(&self) -> Vec<&str> {
        METHODS.to_vec()
    }

    fn call(&mut self, _at: &Attachment, method: &str, call: &mut Call<'_>) -> NativeResult {
        match method {
            "getTextScale" => call.push(self.scale),
            "setTextScale" => {
                let scale = call.float(1)?;
                if !(0.5..=5.0).contains(&scale) {
                    return Err(Raise::new("Expected number in range 0.5-5"));
                }
                self.scale = (scale * 2.0).floor() / 2.0;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "both are small and positive"
                )]
                let side = |length: f64| (length / self.scale).floor().max(1.0) as usize;
                self.terminal.resize(side(WIDTH), side(HEIGHT));
            }
            _ => return term::apply(&mut self.terminal, method, call),
        }
        Ok(())
    }
}
