//! `detach`: takes a peripheral off a computer that runs.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::computer::Command;
use crate::stage::StageError;

/// The peripheral.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detach {
    computer: String,
    name: String,
}

impl Act for Detach {
    fn title(&self) -> String {
        format!("detach {} from {}", self.name, self.computer)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let command = Command::extension("detach", &[self.name.as_str().into()]);
            scene.stage.computer(&self.computer)?.command(&command).await?;
            Done::nothing()
        }
        .boxed()
    }
}
