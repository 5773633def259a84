//! `put`: writes a file on a computer.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::computer::{ComputerError, check_path};
use crate::stage::StageError;

/// The file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Put {
    computer: String,
    path: String,
    text: String,
}

impl Act for Put {
    fn title(&self) -> String {
        format!("put {} on {}", self.path, self.computer)
    }

    fn check(&self) -> Result<(), String> {
        check_path(&self.path).map_err(|error| error.to_string())
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let computer = scene.stage.computer(&self.computer)?;
            computer.folder().put(&self.path, self.text.as_bytes()).map_err(ComputerError::from)?;
            Done::nothing()
        }
        .boxed()
    }
}
