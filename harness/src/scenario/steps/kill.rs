//! `kill`: kills the process of a computer; all computers of that process end.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::stage::StageError;

/// The computer.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Kill(String);

impl Act for Kill {
    fn title(&self) -> String {
        format!("kill {}", self.0)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.0]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            scene.stage.computer(&self.0)?.kill().await?;
            scene.stage.gone(&self.0).await?;
            Done::nothing()
        }
        .boxed()
    }
}
