//! One computer from its boot to its end.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use thiserror::Error;

use super::boot::Tuning;
use super::control::{Closing, Command};
use super::printed::read_booted;
use super::waits::END_GRACE;
use super::{Exit, Folder, FolderError, Housing, Mark, Printed, Spec};
use crate::emulators::{Emulator, Kind};

/// What a computer may take to turn itself off when asked. One that runs a loop that never yields is killed after it.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// How often a computer looks for commands: twenty times a second is as often as the game counts time.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// CraftOS-PC says that a socket is closed a second after its program closed it; a busy machine needs longer.
const CLOSING: Duration = Duration::from_secs(5);

/// The lines of a screen and of a process's output that a message shows.
const SHOWN_LINES: usize = 12;

/// What went wrong with a computer.
#[derive(Debug, Error)]
pub enum ComputerError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("failed to start computer {computer} on `{path}`")]
    Start { computer: String, path: PathBuf, source: std::io::Error },
    #[error("computer {computer} ended before {condition}: {exit}\n{last}")]
    Ended { computer: String, condition: String, exit: Exit, last: String },
    #[error("computer {computer}: not {condition} within {seconds} s\n{last}")]
    Deadline { computer: String, condition: String, seconds: u64, last: String },
    #[error("computer {computer} refused `{command}`: {reason}")]
    Refused { computer: String, command: String, reason: String },
    #[error("computer {computer} is not running: {exit}\nhint: boot it first")]
    NotRunning { computer: String, exit: Exit },
}

impl ComputerError {
    /// Whether the emulator or the harness failed, and not what runs on the computer.
    pub fn is_broken(&self) -> bool {
        match self {
            Self::Folder(error) => !matches!(
                error,
                FolderError::Spec { .. }
                    | FolderError::Mounted { .. }
                    | FolderError::IsFolder { .. }
                    | FolderError::InsideFile { .. }
            ),
            Self::Start { .. } => true,
            Self::Ended { exit, .. } | Self::NotRunning { exit, .. } => !exit.is_orderly(),
            Self::Deadline { .. } | Self::Refused { .. } => false,
        }
    }
}

/// A computer that was booted. Dropping it kills its process and removes its folder, with the last that lives there.
#[derive(Debug)]
#[must_use]
pub struct Computer {
    pub spec: Spec,
    // Dropped before the folder: a process that still writes would keep it from being removed.
    pub(super) housing: Arc<Housing>,
    pub(super) folder: Folder,
    /// The number of the last command.
    pub(super) commands: tokio::sync::Mutex<u64>,
    /// The number of the last boot that does not count any more.
    floor: AtomicU32,
    tick: Duration,
}

impl Computer {
    pub(super) fn new(spec: Spec, housing: Arc<Housing>, folder: Folder, tick: Duration) -> Self {
        let (commands, floor) = (tokio::sync::Mutex::default(), AtomicU32::new(0));
        Self { spec, housing, folder, commands, floor, tick }
    }

    /// Makes the folder and starts the process; does not wait for anything.
    pub fn boot(emulator: &Emulator, spec: Spec) -> Result<Self, ComputerError> {
        let folder = Folder::make(&spec, tuning(emulator, TICK))?;
        let housing = Housing::start(emulator, folder.data(), std::slice::from_ref(&spec), Vec::new())
            .map_err(|source| failed(emulator, &spec, source))?;
        Ok(Self::new(spec, Arc::new(housing), folder, TICK))
    }

    /// Starts a process anew on the folder of one that has ended.
    pub async fn boot_again(&self, emulator: &Emulator) -> Result<(), ComputerError> {
        Self::boot_together_again(emulator, &[self]).await
    }

    /// Takes what belongs to the boot that was: nothing of it satisfies a wait any more.
    pub(super) fn forget_this_boot(&self) {
        self.floor.store(self.number(), Ordering::Release);
        for note in ["exit", "command", "answer", "ids"] {
            self.folder.remove_note(note);
        }
    }

    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    pub fn housing(&self) -> &Arc<Housing> {
        &self.housing
    }

    pub fn process_id(&self) -> Option<u32> {
        self.housing.running().process.id()
    }

    /// Everything that the computer has printed in all its boots, as lines of its screen.
    pub fn printed(&self) -> String {
        self.folder.printed().all().to_owned()
    }

    /// The same, with the boots told apart.
    pub fn printed_by_boot(&self) -> Printed {
        self.folder.printed()
    }

    /// This moment in what the computer prints.
    pub fn mark(&self) -> Mark {
        self.folder.printed().mark()
    }

    /// What the computer has printed after a moment.
    pub fn printed_since(&self, mark: Mark) -> String {
        self.folder.printed().since(mark).to_owned()
    }

    /// The number of the boot under way, counted from 1; 0 before it.
    pub fn boot_number(&self) -> u32 {
        Some(self.number()).filter(|number| *number > self.floor()).unwrap_or_default()
    }

    fn number(&self) -> u32 {
        self.folder.note("booted").and_then(|note| read_booted(&note)).unwrap_or_default().0
    }

    pub(super) fn floor(&self) -> u32 {
        self.floor.load(Ordering::Acquire)
    }

    /// The end of what the emulator wrote to stdout and stderr.
    pub fn output(&self) -> String {
        self.housing.running().process.output()
    }

    /// How the computer ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        self.housing.exit(self.spec.id)
    }

    pub(super) fn must_run(&self) -> Result<(), ComputerError> {
        match self.exit() {
            None => Ok(()),
            Some(exit) => Err(ComputerError::NotRunning { computer: self.spec.name.clone(), exit }),
        }
    }

    /// Reboots the computer and waits until it has booted.
    pub async fn reboot(&self) -> Result<(), ComputerError> {
        self.reboot_closing(Closing::Itself).await
    }

    /// The same, and says who closes its sockets.
    pub async fn reboot_closing(&self, closing: Closing<'_>) -> Result<(), ComputerError> {
        self.must_run()?;
        self.booted().await?;
        let before = self.number();
        self.command(&Command::reboot(closing)).await?;
        closing.begin();
        self.floor.fetch_max(before, Ordering::AcqRel);
        self.booted().await
    }

    /// Asks a computer that runs to turn itself off, and gives how it ended.
    pub async fn stop(&self) -> Result<Exit, ComputerError> {
        self.must_run()?;
        Ok(self.end().await)
    }

    /// The same, and says who closes its sockets.
    pub async fn stop_closing(&self, closing: Closing<'_>) -> Result<Exit, ComputerError> {
        self.must_run()?;
        Ok(self.end_closing(closing).await)
    }

    /// Turns the computer off, where it is not; kills its process, where that does not end. Gives how it ended.
    pub async fn end(&self) -> Exit {
        self.end_closing(Closing::Itself).await
    }

    /// The same, and says who closes its sockets.
    pub async fn end_closing(&self, closing: Closing<'_>) -> Exit {
        let running = self.housing.running();
        if self.exit().is_none() {
            let _ = running.asked.set(());
        }
        let grace = STOP_GRACE + self.tick;
        loop {
            match self.command_within(&Command::stop(closing), grace).await {
                Ok(_) => {
                    closing.begin();
                    break;
                }
                Err(ComputerError::NotRunning { exit, .. } | ComputerError::Ended { exit, .. }) => {
                    return exit;
                }
                // It rebooted before it took the command.
                Err(ComputerError::Refused { .. }) => {}
                Err(_) => {
                    running.process.kill_overdue(Exit::NotStopped(grace)).await;
                    break;
                }
            }
        }
        if let Ok(death) = tokio::time::timeout(CLOSING + END_GRACE, self.death()).await {
            if self.housing.are_all_off() {
                // The last of several: now the process itself has to end.
                running.process.end_by_itself(END_GRACE).await;
                return self.exit().unwrap_or(death.exit);
            }
            return death.exit;
        }
        running.process.kill_overdue(Exit::NotStopped(CLOSING + END_GRACE)).await;
        self.exit().unwrap_or(Exit::NotStopped(CLOSING + END_GRACE))
    }

    /// Kills the process of a computer that runs, and everything that it started; with it all computers that live there.
    pub async fn kill(&self) -> Result<(), ComputerError> {
        self.must_run()?;
        self.housing.running().process.kill().await;
        Ok(())
    }

    /// The last screen and the last lines of the process, for messages.
    pub fn last(&self) -> String {
        let block = |title: &str, text: String| {
            let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
            let from = lines.len().saturating_sub(SHOWN_LINES);
            if lines.is_empty() {
                return format!("  {title}: nothing\n");
            }
            let shown: Vec<String> = lines[from..].iter().map(|line| format!("    {line}\n")).collect();
            format!("  {title}:\n{}", shown.concat())
        };
        block("its screen", self.printed()) + &block("the emulator's output", self.output())
    }
}

/// How the boot is tuned to an emulator. CraftOS-PC says a while later that a socket is closed, and may crash before that;
/// and it takes the number of a timer whenever it waits.
pub(super) fn tuning(emulator: &Emulator, tick: Duration) -> Tuning {
    match emulator.kind {
        Kind::Embedded => Tuning { tick, closing: Duration::ZERO, takes_numbers: false },
        Kind::CraftosPc => Tuning { tick, closing: CLOSING, takes_numbers: true },
    }
}

pub(super) fn failed(emulator: &Emulator, spec: &Spec, source: std::io::Error) -> ComputerError {
    ComputerError::Start { computer: spec.name.clone(), path: emulator.path.clone(), source }
}
