//! `attach`: attaches a peripheral to a computer that runs: one of its own that is not attached, or one of a file.

use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::Value;

use super::act::{Act, Done, Scene};
use crate::computer::Command;
use crate::scenario::world::read_code;
use crate::stage::StageError;

/// The peripheral.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    computer: String,
    name: String,
    /// A Lua file beside the scenario that returns its methods.
    file: Option<String>,
    #[serde(skip)]
    code: String,
}

impl Act for Attach {
    fn title(&self) -> String {
        let of = self.file.as_ref().map_or_else(String::new, |file| format!(" of {file}"));
        format!("attach {}{of} to {}", self.name, self.computer)
    }

    fn resolve(&mut self, folder: &Path) -> Result<(), String> {
        if let Some(file) = &self.file {
            self.code = read_code(folder, file)?;
        }
        Ok(())
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let mut arguments = vec![Value::from(self.name.as_str())];
            if let Some(file) = &self.file {
                arguments.extend([self.code.as_str().into(), file.as_str().into()]);
            }
            let command = Command::extension("attach", &arguments);
            scene.stage.computer(&self.computer)?.command(&command).await?;
            Done::nothing()
        }
        .boxed()
    }
}
