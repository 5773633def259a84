//! `drag`: presses a button of the mouse, moves over the screen, and lets it go. Done when the program has taken it.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use super::mouse;
use crate::computer::Command;
use crate::stage::StageError;

/// The places in order, each with its column and its line, and the button.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    computer: String,
    over: Vec<(u32, u32)>,
    #[serde(default = "mouse::left")]
    button: u8,
}

impl Act for Drag {
    fn title(&self) -> String {
        let places: Vec<String> = self.over.iter().map(|(x, y)| format!("{x}, {y}")).collect();
        format!("drag over {}{} on {}", places.join("; "), mouse::told(self.button), self.computer)
    }

    fn check(&self) -> Result<(), String> {
        if self.over.len() < 2 {
            return Err("a drag goes over two places or more\nhint: `click` is for one".to_owned());
        }
        mouse::check_button(self.button)?;
        self.over.iter().try_for_each(|(x, y)| mouse::check_place(*x, *y))
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn expects(&self) -> &'static [&'static str] {
        &["screen"]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let command = Command::mouse(self.button, &self.over);
            scene.stage.computer(&self.computer)?.command(&command).await?;
            Done::nothing()
        }
        .boxed()
    }
}
