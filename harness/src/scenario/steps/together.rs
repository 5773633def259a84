//! `together`: plays several sequences of steps at once. The transcript has them in the order of the file.

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, try_join_all};
use serde::Deserialize;

use super::Step;
use super::act::{Act, Done, Scene};
use crate::stage::StageError;

/// The sequences.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Together(Vec<Vec<Step>>);

impl Act for Together {
    fn title(&self) -> String {
        "at once:".to_owned()
    }

    fn check(&self) -> Result<(), String> {
        if self.0.len() < 2 || self.0.iter().any(Vec::is_empty) {
            return Err("`together` has two sequences or more, each with a step in it".to_owned());
        }
        Ok(())
    }

    fn inner(&self) -> Vec<&Step> {
        self.0.iter().flatten().collect()
    }

    fn inner_mut(&mut self) -> Vec<&mut Step> {
        self.0.iter_mut().flatten().collect()
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            // What one sequence waits for may be carried before that wait begins.
            let now = Scene::now(scene.stage);
            let texts = try_join_all(self.0.iter().map(|steps| now.play_all(steps))).await?;
            Ok(Done { text: texts.concat(), ..Done::default() })
        }
        .boxed()
    }
}
