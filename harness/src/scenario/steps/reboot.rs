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
            let (name, stage) = (&self.0, scene.stage);
            let links = stage.record.links(name).len();
            stage.reboot(name).await?;
            // Those that it had before: it may be linked again by now.
            stage.until(name, "gone", |record| record.ended_links(name) >= links).await?;
            Done::nothing()
        }
        .boxed()
    }
}
