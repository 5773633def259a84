//! What every step has, and what it is played on.

use std::fmt::Debug;
use std::path::Path;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::Step;
use crate::client::Answer;
use crate::record::Mark;
use crate::scenario::transcript;
use crate::stage::{Stage, StageError};

/// A kind of step.
pub trait Act: Debug + Send + Sync {
    /// Its heading in the transcript.
    fn title(&self) -> String;

    /// Plays it and gives what is to be read of it.
    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>>;

    /// Reads what it names in the scenario's folder.
    fn resolve(&mut self, _folder: &Path) -> Result<(), String> {
        Ok(())
    }

    /// What is wrong with it, as far as the file says.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// The computers that it names.
    fn computers(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The computer that it boots.
    fn boots(&self) -> Option<&str> {
        None
    }

    /// The servers that it names.
    fn servers(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The time that it gives itself, where that is longer than a step may take otherwise.
    fn limit(&self) -> Option<Duration> {
        self.inner().into_iter().filter_map(|step| step.act().limit()).max()
    }

    /// The steps inside it.
    fn inner(&self) -> Vec<&Step> {
        Vec::new()
    }

    fn inner_mut(&mut self) -> Vec<&mut Step> {
        Vec::new()
    }

    /// The output of a computer that it waits for: such frames are told.
    fn awaited_output(&self) -> Option<&str> {
        None
    }

    /// The expectations that can stand beside it.
    fn expects(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether it needs a bridge, or a link to one.
    fn needs_bridge(&self) -> bool {
        false
    }
}

/// What a step is played on.
#[derive(Debug)]
pub struct Scene<'a> {
    pub stage: &'a Stage,
    /// What the links had carried when the step, or the steps at once around it, began.
    pub since: Mark,
}

/// What a step left.
#[derive(Debug, Default)]
pub struct Done {
    /// What is to be read of it.
    pub text: String,
    pub answer: Option<Answer>,
    pub exit: Option<String>,
    /// The screen that it looked at; what its computer has printed, where it did not.
    pub screen: Option<String>,
    /// The content of a file that was read, and whether there is one.
    pub file: Option<Option<Vec<u8>>>,
}

impl Done {
    pub fn nothing() -> Result<Self, StageError> {
        Ok(Self::default())
    }
}

impl<'a> Scene<'a> {
    /// A scene that begins now.
    pub fn now(stage: &'a Stage) -> Self {
        Self { stage, since: stage.record.mark() }
    }

    /// Plays a step, checks what is expected of it, and gives its lines.
    pub async fn play(&self, step: &Step) -> Result<String, StageError> {
        let act = step.act();
        let done = act.play(self).await?;
        step.expect.check(&done, act.computers().first().copied(), self.stage)?;
        let title = act.title().replace('\n', "\n      ");
        Ok(format!("{title}\n{}", transcript::indent(&done.text)))
    }

    /// Plays steps inside another, one after the other. A failure names the step.
    pub async fn play_all(&self, steps: &[Step]) -> Result<String, StageError> {
        let mut text = String::new();
        for step in steps {
            let played = self.play(step).await;
            text.push_str(&played.map_err(|source| {
                let step = step.act().title().lines().next().unwrap_or_default().to_owned();
                StageError::Inside { step, source: Box::new(source) }
            })?);
        }
        Ok(text)
    }
}
