//! `within`: plays steps that have to be done in a time.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::Step;
use super::act::{Act, Done, Scene};
use crate::stage::StageError;

/// The time, and the steps.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Within {
    seconds: u64,
    steps: Vec<Step>,
}

impl Act for Within {
    fn title(&self) -> String {
        format!("within {} s:", self.seconds)
    }

    fn check(&self) -> Result<(), String> {
        if self.steps.is_empty() {
            return Err("`within` has no step in it".to_owned());
        }
        if self.seconds == 0 {
            return Err("nothing is done within 0 s".to_owned());
        }
        Ok(())
    }

    fn limit(&self) -> Option<Duration> {
        // What is too late is told as that by the step itself.
        Some(Duration::from_secs(self.seconds.saturating_add(1)))
    }

    fn inner(&self) -> Vec<&Step> {
        self.steps.iter().collect()
    }

    fn inner_mut(&mut self) -> Vec<&mut Step> {
        self.steps.iter_mut().collect()
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let limit = Duration::from_secs(self.seconds);
            let played = tokio::time::timeout(limit, scene.play_all(&self.steps)).await;
            let text = played.unwrap_or(Err(StageError::Within(self.seconds)))?;
            Ok(Done { text, ..Done::default() })
        }
        .boxed()
    }
}
