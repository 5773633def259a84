//! `reboot`: reboots a computer from inside.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::stage::StageError;

/// The computer.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Reboot(String);

impl Act for Reboot {
    fn title(&self) -> String {
        format!("reboot {}", self.0)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.0]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let computer = scene.stage.running(&self.0)?;
            scene.stage.begin_boot(&self.0);
            computer.command("reboot()").await?;
            scene.stage.gone(&self.0).await?;
            Done::nothing()
        }
        .boxed()
    }
}
