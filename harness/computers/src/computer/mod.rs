//! One computer: what it is made of, its folder, its process.

mod folder;
mod housing;
mod process;
mod source;
mod spec;

pub use folder::{Folder, FolderError, lua_string};
pub use housing::Housing;
pub use process::Process;
pub use spec::{Limits, PROGRAM, Profile, Spec};

use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::time::Instant;

use crate::emulators::{Emulator, Kind};
use crate::scratch::Scratch;

/// How soon a file or a process is looked at again. Each look waits longer, up to the second: a thousand computers
/// that are waited for would otherwise have the machine look at files and do nothing else.
const LOOK: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(40));

/// What a computer has to stop when asked; one that runs a loop that never yields is killed after it.
const STOP_GRACE: Duration = Duration::from_secs(3);

/// What one computer of several may take until the next is created: CraftOS-PC crashes when two boot at once.
const BOOT_GRACE: Duration = Duration::from_secs(20);

/// How often a computer looks for commands: twenty times a second is as often as the game counts time.
const TICK: Duration = Duration::from_millis(50);

/// Among many of one process it looks less often, so that all of them together do not look more than 400 times a second.
const TICK_OF_ONE: Duration = Duration::from_micros(2500);

/// What a computer may take to see a command; one that runs a loop that never yields sees none.
const COMMAND_GRACE: Duration = Duration::from_secs(30);

/// How a computer ended that was asked to.
pub const STOPPED: &str = "stopped";

/// How a computer ended whose process was killed from here; in one word on every system.
pub const KILLED: &str = "killed";

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

/// A computer that was booted. Dropping it kills its process and removes its folder, with the last that lives there.
#[derive(Debug)]
#[must_use]
pub struct Computer {
    pub spec: Spec,
    // Dropped before the folder: a process that still writes would keep it from being removed.
    housing: Arc<Housing>,
    folder: Folder,
    /// How often it looks for commands.
    tick: Duration,
}

impl Computer {
    /// Makes the folder and starts the process; does not wait for anything.
    pub fn boot(emulator: &Emulator, spec: Spec) -> Result<Self, ComputerError> {
        let folder = Folder::make(&spec, TICK)?;
        let housing = Housing::start(emulator, folder.data(), std::slice::from_ref(&spec))
            .map_err(|source| failed(emulator, &spec, source))?;
        Ok(Self { spec, housing: Arc::new(housing), folder, tick: TICK })
    }

    /// Boots several computers in one process, the first of them first; does not wait for the last.
    pub async fn boot_together(emulator: &Emulator, specs: Vec<Spec>) -> Result<Vec<Self>, ComputerError> {
        let Some(first) = specs.first().cloned() else { return Ok(Vec::new()) };
        let many = u32::try_from(specs.len()).unwrap_or(u32::MAX);
        let tick = TICK.max(TICK_OF_ONE.saturating_mul(many));
        let making = tokio::task::spawn_blocking(move || make_together(specs, tick));
        let (data, made) = making.await.expect("making folders does not panic")?;
        let (specs, folders): (Vec<Spec>, Vec<Folder>) = made.into_iter().unzip();
        let housing =
            Housing::start(emulator, data, &specs).map_err(|source| failed(emulator, &first, source))?;
        let housing = Arc::new(housing);
        let pairs = specs.into_iter().zip(folders);
        let computers: Vec<Self> =
            pairs.map(|(spec, folder)| Self { spec, housing: housing.clone(), folder, tick }).collect();
        create_others(emulator, &computers.iter().collect::<Vec<_>>()).await?;
        Ok(computers)
    }

    /// Starts a process anew on the folder of one that has ended.
    pub async fn boot_again(&self, emulator: &Emulator) -> Result<(), ComputerError> {
        Self::boot_together_again(emulator, &[self]).await
    }

    /// The same for all computers of a process.
    pub async fn boot_together_again(
        emulator: &Emulator,
        all: &[impl std::ops::Deref<Target = Self>],
    ) -> Result<(), ComputerError> {
        let Some(first) = all.first() else { return Ok(()) };
        for computer in all {
            computer.forget_the_last_boot();
        }
        let restarted = first.housing.restart(emulator).await;
        restarted.map_err(|source| failed(emulator, &first.spec, source))?;
        create_others(emulator, &all.iter().map(|computer| &**computer).collect::<Vec<_>>()).await
    }

    fn forget_the_last_boot(&self) {
        for mark in ["booted", "stopped", "exit", "commands"] {
            let _ = self.folder.remove(&format!(".harness/{mark}"));
        }
    }

    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    pub fn housing(&self) -> &Arc<Housing> {
        &self.housing
    }

    pub fn process_id(&self) -> Option<u32> {
        self.housing.process().id()
    }

    /// Everything that the computer has printed, as lines of its screen.
    pub fn printed(&self) -> String {
        self.folder.printed()
    }

    /// The last of what the emulator wrote to stdout and stderr.
    pub fn output(&self) -> String {
        self.housing.process().output()
    }

    /// How the computer ended, if it has: by its process, or among others by what it left.
    pub fn exit(&self) -> Option<String> {
        if self.mark("stopped").is_some() {
            return Some(STOPPED.to_owned());
        }
        // The process's own code is that of another, where several live there.
        if let Some(left) = self.housing.is_shared().then(|| self.mark("exit")).flatten() {
            return Some(format!("exit {}", String::from_utf8_lossy(&left)));
        }
        let process = self.housing.process();
        let status = process.ended()?;
        Some(if process.was_killed() { KILLED.to_owned() } else { describe(status) })
    }

    /// What the computer wrote to one of the harness's files.
    fn mark(&self, name: &str) -> Option<Vec<u8>> {
        self.folder.read(&format!(".harness/{name}")).ok().flatten()
    }

    /// Waits until something holds; looks at the exit first, so that what was written before it is then all there is.
    async fn until(
        &self,
        condition: &str,
        patience: Duration,
        holds: impl Fn(Option<&str>) -> bool,
    ) -> Result<Option<String>, ComputerError> {
        let (deadline, mut look) = (Instant::now() + patience, LOOK.0);
        loop {
            let exit = self.exit();
            if holds(exit.as_deref()) {
                return Ok(exit);
            }
            if let Some(exit) = exit {
                self.housing.process().drained().await;
                let (computer, condition) = (self.spec.name.clone(), format!("it was {condition}"));
                return Err(ComputerError::Ended { computer, condition, exit, last: self.last() });
            }
            if Instant::now() >= deadline {
                return Err(self.deadline(condition, patience));
            }
            tokio::time::sleep(look).await;
            look = (look * 2).min(LOOK.1);
        }
    }

    /// Waits until the computer has ended by itself.
    pub async fn exited(&self, patience: Duration) -> Result<String, ComputerError> {
        let exit = self.until("ended", patience, |exit| exit.is_some()).await?;
        self.housing.process().drained().await;
        Ok(exit.expect("that is what was waited for"))
    }

    /// Waits until the computer has printed this.
    pub async fn shows(&self, text: &str, times: usize, patience: Duration) -> Result<(), ComputerError> {
        let shown = |printed: &str| printed.matches(text).count() >= times;
        self.prints(&format!("showing `{text}`"), patience, shown).await
    }

    /// Waits until something holds for what the computer has printed.
    pub async fn prints(
        &self,
        condition: &str,
        patience: Duration,
        holds: impl Fn(&str) -> bool,
    ) -> Result<(), ComputerError> {
        self.until(condition, patience, |_| holds(&self.printed())).await.map(|_| ())
    }

    /// Waits until the computer runs what the harness put on it.
    pub async fn booted(&self) -> Result<(), ComputerError> {
        self.until("booted", BOOT_GRACE, |_| self.mark("booted").is_some()).await.map(|_| ())
    }

    /// Runs a line of Lua in the computer's own loop, between two events: `event("key", 65)`, `timer(60)`, `reboot()`,
    /// `stop()`. Waits until the computer has taken the one before.
    pub async fn command(&self, lua: &str) -> Result<(), ComputerError> {
        self.until("ready for a command", COMMAND_GRACE, |_| self.mark("commands").is_none()).await?;
        Ok(self.folder.put(".harness/commands", lua.as_bytes())?)
    }

    /// Asks the computer to turn itself off, and kills its process where it does not. Gives how it ended.
    pub async fn stop(&self) -> String {
        let (deadline, mut look) = (Instant::now() + STOP_GRACE + self.tick, LOOK.0);
        let mut asked = false;
        loop {
            // CraftOS-PC waits a second for its sockets before it exits; all that matters is on the disk by now.
            if self.mark("stopped").is_some() {
                if !self.housing.is_shared() {
                    self.kill().await;
                }
                return STOPPED.to_owned();
            }
            if let Some(exit) = self.exit() {
                return if asked && exit == "exit 0" { STOPPED.to_owned() } else { exit };
            }
            if !asked && self.mark("commands").is_none() {
                asked = self.folder.put(".harness/commands", b"stop()").is_ok();
            }
            if Instant::now() >= deadline {
                self.kill().await;
                return "did not stop when asked: killed".to_owned();
            }
            tokio::time::sleep(look).await;
            look = (look * 2).min(LOOK.1);
        }
    }

    /// Kills the process and everything that it started; with it all computers that live there.
    pub async fn kill(&self) {
        self.housing.process().kill().await;
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
        printed + &block("the emulator's output", self.housing.process().output())
    }
}

type Made = (Arc<Scratch>, Vec<(Spec, Folder)>);

fn make_together(specs: Vec<Spec>, tick: Duration) -> Result<Made, ComputerError> {
    let first = &specs[0];
    let made = Scratch::new(&format!("process {}", first.process.as_deref().unwrap_or(&first.name)));
    let data = Arc::new(made.map_err(|source| FolderError::Write {
        computer: first.name.clone(),
        path: std::env::temp_dir(),
        source,
    })?);
    let folders =
        specs.iter().map(|spec| Folder::make_in(&data, spec, tick)).collect::<Result<Vec<_>, _>>()?;
    Ok((data, specs.into_iter().zip(folders).collect()))
}

/// Has the first computer of a process create the others, one after the other, where the emulator boots only one.
async fn create_others(emulator: &Emulator, all: &[&Computer]) -> Result<(), ComputerError> {
    if emulator.kind == Kind::Embedded {
        return Ok(());
    }
    for pair in all.windows(2) {
        pair[0].booted().await?;
        all[0].command(&format!("create({})", pair[1].spec.id)).await?;
    }
    // The next thing that happens may be another process: it must not meet the last one at its boot.
    if let [_, .., last] = all {
        last.booted().await?;
    }
    Ok(())
}

fn failed(emulator: &Emulator, spec: &Spec, source: std::io::Error) -> ComputerError {
    ComputerError::Start { computer: spec.name.clone(), path: emulator.path.clone(), source }
}

fn describe(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit {code}"),
        None => format!("ended by {status}"),
    }
}
