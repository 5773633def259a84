//! `timer`: raises the newest timer that was started for so many seconds, before its time.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::computer::Command;
use crate::stage::StageError;

/// The timer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timer {
    computer: String,
    seconds: f64,
}

impl Act for Timer {
    fn title(&self) -> String {
        format!("raise the timer of {} s on {}", self.seconds, self.computer)
    }

    fn check(&self) -> Result<(), String> {
        if !self.seconds.is_finite() || self.seconds < 0.0 {
            return Err(format!("no timer is started for {} s", self.seconds));
        }
        Ok(())
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let command = Command::timer(self.seconds);
            scene.stage.computer(&self.computer)?.command(&command).await?;
            Done::nothing()
        }
        .boxed()
    }
}
