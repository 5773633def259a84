//! A lab for Rust programs: computers and a bridge in a sentence.

use std::path::PathBuf;

use serde_json::{Value, json};
use thiserror::Error;

use crate::bridge::BridgeSpec;
use crate::client::{Answer, Called, DEFAULT_VERSION};
use crate::computer::{PROGRAM, Spec};
use crate::emulators::{Emulator, EmulatorError, find};
use crate::places::Places;
use crate::stage::{self, ADDRESS, Stage, StageError};

/// Why there is no lab, or no answer from it.
#[derive(Debug, Error)]
pub enum LabError {
    #[error(transparent)]
    Emulator(#[from] EmulatorError),
    #[error(transparent)]
    Stage(#[from] StageError),
    #[error("the bridge refused the call: {message} ({code})")]
    Refused { code: i32, message: String },
}

/// Collects what is to be booted.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), craftos_harness::LabError> {
/// use craftos_harness::Lab;
///
/// let lab = Lab::new().computer(12).label("base-turtle").computer(13).boot().await?;
/// assert_eq!(lab.probe().await?, "pong from 12 (Label: base-turtle)\npong from 13 (Label: null)");
///
/// let called = lab.exec(12, "return 1 + 1").await?;
/// assert_eq!(called.structured.unwrap()["returns"][0]["value"], 2);
/// lab.end().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Lab {
    emulator: Option<Emulator>,
    program: Option<PathBuf>,
    bridge: BridgeSpec,
    computers: Vec<Spec>,
    one_process: bool,
}

impl Lab {
    pub fn new() -> Self {
        Self::default()
    }

    /// Boots on this emulator; on the embedded one without it.
    pub fn on(mut self, emulator: Emulator) -> Self {
        self.emulator = Some(emulator);
        self
    }

    /// Installs the program from this folder, with `programs/` and `apis/` in it.
    pub fn program(mut self, folder: impl Into<PathBuf>) -> Self {
        self.program = Some(folder.into());
        self
    }

    /// Starts the bridge in this way.
    pub fn bridge(mut self, bridge: BridgeSpec) -> Self {
        self.bridge = bridge;
        self
    }

    /// Adds a computer; what follows is said of it.
    pub fn computer(mut self, id: u32) -> Self {
        self.computers.push(Spec::new(id));
        self
    }

    pub fn label(self, label: &str) -> Self {
        self.with(|computer| computer.label = Some(label.to_owned()))
    }

    /// Runs all computers in one process, where they hear each other's modems.
    pub fn one_process(mut self) -> Self {
        self.one_process = true;
        self
    }

    /// Puts a file on the computer.
    pub fn file(self, path: &str, text: &str) -> Self {
        self.with(|computer| {
            computer.files.insert(path.to_owned(), text.to_owned());
        })
    }

    /// Sets a setting of the computer.
    pub fn setting(self, name: &str, value: &str) -> Self {
        self.with(|computer| {
            computer.settings.insert(name.to_owned(), value.to_owned());
        })
    }

    fn with(mut self, change: impl FnOnce(&mut Spec)) -> Self {
        if self.computers.is_empty() {
            self = self.computer(0);
        }
        change(self.computers.last_mut().expect("there is one by now"));
        self
    }

    /// Starts the bridge and the computers, and waits until all of them are linked.
    pub async fn boot(self) -> Result<RunningLab, LabError> {
        let places = Places::find(self.program, None);
        let specs = self.computers.into_iter().map(|spec| Spec {
            install: Some(places.program.clone()),
            program: PROGRAM.to_owned(),
            arguments: vec![ADDRESS.to_owned()],
            process: self.one_process.then(|| "lab".to_owned()),
            ..spec
        });
        let specs: Vec<Spec> = specs.collect();
        stage::check(&specs)?;
        let emulator = match self.emulator {
            Some(emulator) => emulator,
            None => find(&["embedded".to_owned()], None).await?.emulators.remove(0),
        };
        let stage = Stage::set(emulator, self.bridge, DEFAULT_VERSION, specs).await?;
        let names: Vec<String> = stage.names().map(ToOwned::to_owned).collect();
        stage.boot_and_link(&names).await?;
        Ok(RunningLab { stage })
    }
}

/// Linked computers. Dropping it leaves nothing behind; [`RunningLab::end`] also waits for that.
#[derive(Debug)]
#[must_use]
pub struct RunningLab {
    stage: Stage,
}

impl RunningLab {
    /// Everything below: links, files, screens, faults.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The lines of `probe-computers`.
    pub async fn probe(&self) -> Result<String, LabError> {
        Ok(self.call("probe-computers", json!({})).await?.text)
    }

    /// Runs Lua on a computer.
    pub async fn exec(&self, id: u32, code: &str) -> Result<Called, LabError> {
        self.call("exec-lua", json!({ "computerId": id, "code": code })).await
    }

    /// Calls a tool.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Called, LabError> {
        match self.stage.call(tool, arguments).await? {
            Answer::Result(called) => Ok(called),
            Answer::Error { code, message, .. } => Err(LabError::Refused { code, message }),
        }
    }

    /// Turns everything off and waits until it is gone.
    pub async fn end(self) {
        self.stage.end().await;
        // Whoever ends a lab wants it gone; how a bridge of their own ended is theirs to judge.
        let _ = self.stage.clear().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn computers_of_one_name_are_refused_before_anything_boots() {
        let doubled = Lab::new().computer(12).computer(12).boot().await;
        let error = doubled.map(|_| ()).expect_err("two have one id").to_string();
        assert!(error.contains("two computers are called `12`"), "{error}");
    }
}
