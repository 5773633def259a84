//! `click`: presses a button of the mouse at a place of a computer's screen, and lets it go. Done when its program has
//! taken it.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use super::mouse;
use crate::computer::Command;
use crate::stage::StageError;

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

impl Act for Click {
    fn title(&self) -> String {
        format!("click at {}, {}{} on {}", self.x, self.y, mouse::told(self.button), self.computer)
    }

    fn check(&self) -> Result<(), String> {
        mouse::check_place(self.x, self.y)?;
        mouse::check_button(self.button)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn expects(&self) -> &'static [&'static str] {
        &["screen"]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let command = Command::mouse(self.button, &[(self.x, self.y)]);
            scene.stage.computer(&self.computer)?.command(&command).await?;
            Done::nothing()
        }
        .boxed()
    }
}
