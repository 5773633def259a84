//! `paste`: pastes a text on a computer. Done when its program has taken it.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use super::keyboard::typed;
use crate::computer::Command;
use crate::stage::StageError;

/// The text, in one line: computers paste no more.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paste {
    computer: String,
    text: String,
}

impl Act for Paste {
    fn title(&self) -> String {
        format!("paste {:?} on {}", self.text, self.computer)
    }

    fn check(&self) -> Result<(), String> {
        if self.text.contains('\n') {
            return Err("a paste has one line\nhint: `type` takes several, where a newline is the Enter key"
                .to_owned());
        }
        typed(&self.text).map(drop)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn expects(&self) -> &'static [&'static str] {
        &["screen"]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let command = Command::paste(&typed(&self.text).unwrap_or_default());
            scene.stage.computer(&self.computer)?.command(&command).await?;
            Done::nothing()
        }
        .boxed()
    }
}
