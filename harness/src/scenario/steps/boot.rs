//! `boot`: boots a computer, or boots it again on the files that it has. It waits for nothing.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::stage::StageError;

/// The computer.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Boot(String);

impl Act for Boot {
    fn title(&self) -> String {
        format!("boot {}", self.0)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.0]
    }

    fn boots(&self) -> Option<&str> {
        Some(&self.0)
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            scene.stage.boot(&self.0).await?;
            Done::nothing()
        }
        .boxed()
    }
}
