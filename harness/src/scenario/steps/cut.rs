//! `cut` and `restore`: cuts the way of a computer to the bridge, and lets it link again.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::stage::StageError;

/// The computer that is cut off.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Cut(String);

impl Act for Cut {
    fn title(&self) -> String {
        format!("cut off {}", self.0)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.0]
    }

    fn needs_bridge(&self) -> bool {
        true
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let (name, stage) = (&self.0, scene.stage);
            if !stage.proxy()?.cut(name, true) {
                return Err(StageError::NoEffect(format!("computer {name} is cut off already")));
            }
            stage.gone(name).await?;
            Done::nothing()
        }
        .boxed()
    }
}

/// The computer that may link again.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Restore(String);

impl Act for Restore {
    fn title(&self) -> String {
        format!("restore {}", self.0)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.0]
    }

    fn needs_bridge(&self) -> bool {
        true
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let (name, stage) = (&self.0, scene.stage);
            if !stage.proxy()?.cut(name, false) {
                return Err(StageError::NoEffect(format!("computer {name} is not cut off")));
            }
            Done::nothing()
        }
        .boxed()
    }
}
