//! `say`: puts a line into the transcript.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::stage::StageError;

/// What is said to the reader.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Say(String);

impl Act for Say {
    fn title(&self) -> String {
        format!("-- {}", self.0)
    }

    fn play<'a>(&'a self, _scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async { Done::nothing() }.boxed()
    }
}
