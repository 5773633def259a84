//! `stop`: asks a computer to turn itself off, and waits until it has.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::stage::StageError;

/// The computer.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Stop(String);

impl Act for Stop {
    fn title(&self) -> String {
        format!("stop {}", self.0)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.0]
    }

    fn expects(&self) -> &'static [&'static str] {
        &["exit", "screen"]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let exit = scene.stage.stop(&self.0).await?.to_string();
            Ok(Done { text: exit.clone(), exit: Some(exit), ..Done::default() })
        }
        .boxed()
    }
}
