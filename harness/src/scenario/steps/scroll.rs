//! `scroll`: turns the mouse wheel at a place of a computer's screen. Done when its program has taken it.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use super::mouse;
use crate::computer::Command;
use crate::stage::StageError;

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

impl Act for Scroll {
    fn title(&self) -> String {
        let to = match self.to {
            To::Up => "up",
            To::Down => "down",
        };
        format!("scroll {to} at {}, {} on {}", self.x, self.y, self.computer)
    }

    fn check(&self) -> Result<(), String> {
        mouse::check_place(self.x, self.y)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn expects(&self) -> &'static [&'static str] {
        &["screen"]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let direction = match self.to {
                To::Up => -1,
                To::Down => 1,
            };
            let command = Command::scroll(direction, (self.x, self.y));
            scene.stage.computer(&self.computer)?.command(&command).await?;
            Done::nothing()
        }
        .boxed()
    }
}
