//! `frame`: sends a text to one side of a computer's link, as if the other had sent it.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::record::Direction;
use crate::scenario::shown::shorten;
use crate::stage::StageError;

/// The frame.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    computer: String,
    to: Side,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Side {
    Bridge,
    Computer,
}

impl Act for Frame {
    fn title(&self) -> String {
        let text = shorten(&self.text);
        match self.to {
            Side::Bridge => format!("frame to the bridge, as {}: {text}", self.computer),
            Side::Computer => format!("frame to {}: {text}", self.computer),
        }
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn needs_bridge(&self) -> bool {
        true
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let direction = match self.to {
                Side::Bridge => Direction::ToBridge,
                Side::Computer => Direction::ToComputer,
            };
            if !scene.stage.proxy()?.send(&self.computer, direction, &self.text).await {
                return Err(StageError::NoLink(self.computer.clone()));
            }
            Done::nothing()
        }
        .boxed()
    }
}
