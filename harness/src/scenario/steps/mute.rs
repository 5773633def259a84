//! `mute` and `unmute`: holds back what a computer sends, and lets it through again. What is held back is lost.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::stage::StageError;

/// The computer that is not heard.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Mute(String);

impl Act for Mute {
    fn title(&self) -> String {
        format!("hold back what {} sends", self.0)
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
            if !stage.proxy()?.mute(name, true) {
                return Err(StageError::NoEffect(format!("computer {name} is muted already")));
            }
            Done::nothing()
        }
        .boxed()
    }
}

/// The computer that is heard again.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Unmute(String);

impl Act for Unmute {
    fn title(&self) -> String {
        format!("let through what {} sends", self.0)
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
            if !stage.proxy()?.mute(name, false) {
                return Err(StageError::NoEffect(format!("computer {name} is not muted")));
            }
            Done::nothing()
        }
        .boxed()
    }
}
