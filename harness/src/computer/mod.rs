//! One computer: what it is made of, its folder, its process.

mod folder;
mod process;

pub use folder::{Folder, FolderError, lua_string};
pub use process::Process;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use thiserror::Error;

use crate::emulators::Emulator;

/// How often a file or a process is looked at; both are local.
const LOOK: Duration = Duration::from_millis(5);

/// What a computer has to stop when asked; one that runs a loop that never yields is killed after it.
const STOP_GRACE: Duration = Duration::from_secs(3);

/// How a computer ended that was asked to.
const STOPPED: &str = "stopped";

/// What a computer boots from.
#[derive(Debug, Clone)]
pub struct Spec {
    pub id: u32,
    /// Unlike any other computer's of the run, even where ids are equal.
    pub name: String,
    pub label: Option<String>,
    /// The folder with `programs/` and `apis/` that is copied onto the computer.
    pub install: Option<PathBuf>,
    /// The program that is started, and its arguments.
    pub program: String,
    pub arguments: Vec<String>,
    pub files: BTreeMap<String, String>,
    pub settings: BTreeMap<String, String>,
    /// Whether there is an `http` API, and the addresses that it may reach.
    pub http: bool,
    pub allow: Vec<String>,
    /// How long Lua may run without yielding; the emulator's own limit where none is given.
    pub abort_timeout_ms: Option<u64>,
}

impl Spec {
    /// A computer without a label that starts nothing but a prompt that nobody sees.
    pub fn new(id: u32) -> Self {
        Self {
            id,
            name: id.to_string(),
            label: None,
            install: None,
            program: "shell".to_owned(),
            arguments: Vec::new(),
            files: BTreeMap::new(),
            settings: BTreeMap::new(),
            http: true,
            allow: vec!["127.0.0.1".to_owned()],
            abort_timeout_ms: None,
        }
    }
}

/// What went wrong with a computer.
#[derive(Debug, Error)]
pub enum ComputerError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("failed to start computer {computer} on `{path}`")]
    Start { computer: String, path: PathBuf, source: std::io::Error },
    #[error("computer {computer} ended ({exit}) before {condition}\n{last}")]
    Ended { computer: String, condition: String, exit: String, last: String },
    #[error("computer {computer}: not {condition} within {seconds} s\n{last}")]
    Deadline { computer: String, condition: String, seconds: u64, last: String },
}

/// A computer that was booted. Dropping it kills its processes and removes its folder.
#[derive(Debug)]
#[must_use]
pub struct Computer {
    pub spec: Spec,
    // Dropped first: a process that still writes would keep its folder from being removed.
    process: Process,
    folder: Folder,
}

impl Computer {
    /// Makes the folder and starts the process; does not wait for anything.
    pub fn boot(emulator: &Emulator, spec: Spec) -> Result<Self, ComputerError> {
        let folder = Folder::make(&spec)?;
        let process = start(emulator, &spec, &folder)?;
        Ok(Self { spec, process, folder })
    }

    /// Starts a process anew on the folder of one that has ended.
    pub async fn boot_again(&mut self, emulator: &Emulator) -> Result<(), ComputerError> {
        self.process.kill().await;
        self.process = start(emulator, &self.spec, &self.folder)?;
        Ok(())
    }

    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    pub fn process_id(&self) -> Option<u32> {
        self.process.id()
    }

    /// Everything that the computer has printed, as lines of its screen.
    pub fn printed(&self) -> String {
        self.folder.printed()
    }

    /// The last of what the emulator wrote to stdout and stderr.
    pub fn output(&self) -> String {
        self.process.output()
    }

    /// How the process ended, if it has.
    pub fn exit(&mut self) -> Option<String> {
        self.process.ended().map(describe)
    }

    /// Waits until the process has ended by itself.
    pub async fn exited(&mut self, patience: Duration) -> Result<String, ComputerError> {
        let deadline = tokio::time::Instant::now() + patience;
        loop {
            if let Some(exit) = self.exit() {
                self.process.drained().await;
                return Ok(exit);
            }
            if tokio::time::Instant::now() >= deadline {
                return Err(self.deadline("ended", patience));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until the computer has printed this.
    pub async fn shows(&mut self, text: &str, times: usize, patience: Duration) -> Result<(), ComputerError> {
        let deadline = tokio::time::Instant::now() + patience;
        loop {
            // The exit is asked for first: what was printed before it is then all there is.
            let exit = self.exit();
            if self.printed().matches(text).count() >= times {
                return Ok(());
            }
            let condition = format!("it showed `{text}`");
            if let Some(exit) = exit {
                self.process.drained().await;
                let computer = self.spec.name.clone();
                return Err(ComputerError::Ended { computer, condition, exit, last: self.last() });
            }
            if tokio::time::Instant::now() >= deadline {
                return Err(self.deadline(&format!("showing `{text}`"), patience));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Runs a line of Lua in the computer's own loop, between two events: `event("key", 65)`, `reboot()`, `stop()`.
    pub fn command(&self, lua: &str) -> Result<(), ComputerError> {
        Ok(self.folder.put(".harness/commands", lua.as_bytes())?)
    }

    /// Asks the computer to turn itself off, and kills it where it does not. Gives how it ended.
    pub async fn stop(&mut self) -> String {
        let deadline = tokio::time::Instant::now() + STOP_GRACE;
        let mut asked = false;
        loop {
            if let Some(exit) = self.exit() {
                return if asked && exit == "exit 0" { STOPPED.to_owned() } else { exit };
            }
            if !asked {
                asked = self.command("stop()").is_ok();
            }
            // CraftOS-PC waits a second for its sockets before it exits; all that matters is on the disk by now.
            if self.folder.read(".harness/stopped").is_ok_and(|mark| mark.is_some()) {
                self.process.kill().await;
                let _ = self.folder.remove(".harness/stopped");
                return STOPPED.to_owned();
            }
            if tokio::time::Instant::now() >= deadline {
                self.process.kill().await;
                return "did not stop when asked: killed".to_owned();
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Kills the process and everything that it started.
    pub async fn kill(&mut self) {
        self.process.kill().await;
    }

    /// The error of a deadline that has passed, with all that is known.
    pub fn deadline(&self, condition: &str, patience: Duration) -> ComputerError {
        let (computer, seconds) = (self.spec.name.clone(), patience.as_secs());
        ComputerError::Deadline { computer, condition: condition.to_owned(), seconds, last: self.last() }
    }

    /// The last screen and the last lines of the process, for messages.
    pub fn last(&self) -> String {
        let block = |title: &str, text: String| {
            let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
            let from = lines.len().saturating_sub(12);
            if lines.is_empty() {
                return format!("  {title}: nothing\n");
            }
            let shown: Vec<String> = lines[from..].iter().map(|line| format!("    {line}\n")).collect();
            format!("  {title}:\n{}", shown.concat())
        };
        let printed = block("its screen", self.printed());
        printed + &block("the emulator's output", self.process.output())
    }
}

fn start(emulator: &Emulator, spec: &Spec, folder: &Folder) -> Result<Process, ComputerError> {
    Process::start(emulator, spec.id, folder.data()).map_err(|source| ComputerError::Start {
        computer: spec.name.clone(),
        path: emulator.path.clone(),
        source,
    })
}

fn describe(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit {code}"),
        None => format!("ended by {status}"),
    }
}
