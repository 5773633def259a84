//! `bridge`: starts, stops and restarts the bridge.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::stage::StageError;

/// What is done with it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BridgeStep {
    Start,
    Stop,
    Restart,
}

impl Act for BridgeStep {
    fn title(&self) -> String {
        match self {
            Self::Start => "start the bridge".to_owned(),
            Self::Stop => "stop the bridge".to_owned(),
            Self::Restart => "restart the bridge".to_owned(),
        }
    }

    fn needs_bridge(&self) -> bool {
        true
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            match self {
                Self::Start => scene.stage.start_bridge().await?,
                Self::Stop => scene.stage.stop_bridge().await?,
                Self::Restart => scene.stage.restart_bridge().await?,
            }
            Done::nothing()
        }
        .boxed()
    }
}
