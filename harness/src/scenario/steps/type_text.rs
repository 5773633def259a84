//! `type`: types a text on a computer. Done when its program has taken every character.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use super::keyboard::{typed, typing};
use crate::stage::StageError;

/// The text; a newline is the Enter key.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeText {
    computer: String,
    text: String,
}

impl Act for TypeText {
    fn title(&self) -> String {
        format!("type {:?} on {}", self.text, self.computer)
    }

    fn check(&self) -> Result<(), String> {
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
            scene.stage.computer(&self.computer)?.command(&typing(&self.text)).await?;
            Done::nothing()
        }
        .boxed()
    }
}
