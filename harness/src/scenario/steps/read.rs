//! `read`: shows a file of a computer, or that there is none.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::computer::{ComputerError, check_path};
use crate::scenario::shown;
use crate::stage::StageError;

/// The file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    computer: String,
    path: String,
}

impl Act for Read {
    fn title(&self) -> String {
        format!("read {} of {}", self.path, self.computer)
    }

    fn check(&self) -> Result<(), String> {
        check_path(&self.path).map_err(|error| error.to_string())
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn expects(&self) -> &'static [&'static str] {
        &["file"]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let computer = scene.stage.computer(&self.computer)?;
            let content = computer.folder().read(&self.path).map_err(ComputerError::from)?;
            Ok(Done { text: shown::file(content.as_deref()), file: Some(content), ..Done::default() })
        }
        .boxed()
    }
}
