//! What the steps have in common that a person does at a computer: keys and the mouse.

use std::fmt::Debug;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::act::{Act, Done, Scene};
use crate::computer::Command;
use crate::stage::StageError;

/// Something that is given to a computer; done when its program has taken it.
pub trait Input: Debug + Send + Sync {
    /// Its heading, without the computer.
    fn title(&self) -> String;

    fn computer(&self) -> &str;

    /// What is wrong with it.
    fn check(&self) -> Result<(), String>;

    /// What the computer is told, once it was checked.
    fn command(&self) -> Command;
}

impl<T: Input> Act for T {
    fn title(&self) -> String {
        format!("{} on {}", Input::title(self), self.computer())
    }

    fn check(&self) -> Result<(), String> {
        Input::check(self)
    }

    fn computers(&self) -> Vec<&str> {
        vec![self.computer()]
    }

    fn expects(&self) -> &'static [&'static str] {
        &["screen"]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            scene.stage.computer(self.computer())?.command(&self.command()).await?;
            Done::nothing()
        }
        .boxed()
    }
}
