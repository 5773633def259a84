//! What computers live in: an emulator's process and its data folder, for one of them or for several together.
//!
//! Only computers of one process hear each other's modems.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use child_processes::Status;
use embedded_craftos::{MountOption, Options};
use tokio::process::Command;

use super::exit::Said;
use super::folder::{Mounts, root, script};
use super::spec::HARNESS;
use super::{Exit, Process, Profile, Spec};
use crate::emulators::{Emulator, KEEPER, Kind, PARENT_VARIABLE, ROLE_VARIABLE};
use crate::scratch::Scratch;

/// What an emulator may take to end when it is asked to, and what each of its computers adds on a busy machine.
const TERMINATE: Duration = Duration::from_secs(5);
const TERMINATE_EACH: Duration = Duration::from_millis(50);

/// Where the emulator writes which lines ran, beside the computers' folders.
const LINES: &str = "lines.json";

/// A process and its folder. Dropping it kills the process and removes the folder.
#[derive(Debug)]
pub struct Housing {
    // Dropped first: a process that still writes would keep its folder from being removed.
    running: Mutex<Arc<Running>>,
    data: Arc<Scratch>,
    ids: Mutex<Vec<u32>>,
    started_with: StartedWith,
    program: Mounts,
}

/// What the emulator is told that counts for all computers of the process.
#[derive(Debug)]
struct StartedWith {
    profile: Profile,
    count_lines: bool,
    /// Folders that all computers see, each with its place on them.
    mounts: Vec<(PathBuf, String)>,
}

/// A process, and what is known of its end.
#[derive(Debug)]
pub(super) struct Running {
    pub process: Process,
    /// It was asked to end, or its computer was.
    pub asked: OnceLock<()>,
    /// What the computers had said when the process had ended.
    said: OnceLock<AllSaid>,
}

/// What the computers of a process said before it ended.
#[derive(Debug)]
struct AllSaid {
    are_all_off: bool,
    codes: BTreeSet<i32>,
}

impl Housing {
    /// Starts an emulator on a folder that is ready to boot from.
    pub(super) fn start(
        emulator: &Emulator,
        data: Arc<Scratch>,
        specs: &[Spec],
        program: Mounts,
    ) -> std::io::Result<Self> {
        let ids: Vec<u32> = specs.iter().map(|spec| spec.id).collect();
        let started_with = StartedWith {
            profile: specs.first().map(|spec| spec.profile).unwrap_or_default(),
            count_lines: specs.iter().any(|spec| spec.count_lines) && emulator.kind == Kind::Embedded,
            mounts: specs.first().map(|spec| spec.mounts.clone()).unwrap_or_default(),
        };
        let process = spawn(emulator, data.path(), &ids, &started_with, &program)?;
        let (running, ids) = (Mutex::new(Running::new(process)), Mutex::new(ids));
        Ok(Self { running, data, ids, started_with, program })
    }

    /// Ends the process and starts another on the same folder.
    pub(super) async fn restart(&self, emulator: &Emulator) -> std::io::Result<()> {
        self.running().process.kill().await;
        let process = spawn(emulator, self.data.path(), &self.ids(), &self.started_with, &self.program)?;
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Running::new(process);
        Ok(())
    }

    pub(super) fn running(&self) -> Arc<Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Which lines ran, as the emulator wrote it: a line of JSON whenever a computer turned off or rebooted. Empty where
    /// lines are not counted.
    pub fn lines(&self) -> std::io::Result<String> {
        match std::fs::read(self.data.path().join(LINES)) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(error),
        }
    }

    /// The ids of the computers that live here.
    fn ids(&self) -> Vec<u32> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes in a computer that is created while others run.
    pub(super) fn take_in(&self, id: u32) {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }

    pub(super) fn has(&self, id: u32) -> bool {
        self.ids().contains(&id)
    }

    pub(super) fn mounts(&self) -> &Mounts {
        &self.program
    }

    /// Whether several computers live here.
    pub fn is_shared(&self) -> bool {
        self.ids().len() > 1
    }

    /// Ends all computers at once.
    pub async fn terminate(&self) {
        let running = self.running();
        let _ = running.asked.set(());
        running.process.terminate();
        let grace = grace(self.ids().len());
        if cfg!(windows) {
            running.process.kill().await;
        } else if running.process.ended_within(grace).await.is_none() {
            running.process.kill_overdue(Exit::NotStopped(grace)).await;
        }
    }

    /// What a computer said before it turned off.
    pub(super) fn said(&self, id: u32) -> Option<Said> {
        let note = std::fs::read(root(self.data.path(), id).join(HARNESS).join("exit")).ok()?;
        Said::read(&note)
    }

    /// How a computer ended, if it has.
    pub(super) fn exit(&self, id: u32) -> Option<Exit> {
        let running = self.running();
        let Some(status) = running.process.status() else {
            // One of several is off while the process goes on; one alone has ended when its process has.
            return self.said(id).filter(|_| self.is_shared()).map(Exit::from);
        };
        Some(self.judge(&running, self.said(id), status))
    }

    fn judge(&self, running: &Running, said: Option<Said>, status: Status) -> Exit {
        let Some(said) = said else {
            return match running.process.overdue() {
                Some(overdue) => overdue,
                None if running.process.was_killed() => Exit::Killed,
                // Asked by a signal, or on a disk so full that it could not say anything.
                None if running.asked.get().is_some() && status.is_success() => Exit::Stopped,
                None => Exit::Crashed(status),
            };
        };
        let all = running.said.get_or_init(|| self.all_said());
        // It was off before the others, and before what then happened to them.
        if !all.are_all_off {
            return said.into();
        }
        match running.process.overdue() {
            Some(overdue) => overdue,
            None if running.process.was_killed() => Exit::Killed,
            // The code of a process is that of one of its computers: which, differs from emulator to emulator.
            None if matches!(status, Status::Code(code) if all.codes.contains(&code)) => said.into(),
            None => Exit::CrashedAtEnd(status),
        }
    }

    /// Whether every computer has turned itself off.
    pub(super) fn are_all_off(&self) -> bool {
        self.ids().iter().all(|id| self.said(*id).is_some())
    }

    fn all_said(&self) -> AllSaid {
        let said: Vec<Option<Said>> = self.ids().iter().map(|id| self.said(*id)).collect();
        AllSaid {
            are_all_off: said.iter().all(Option::is_some),
            codes: said.into_iter().flatten().map(Said::code).collect(),
        }
    }
}

impl Running {
    fn new(process: Process) -> Arc<Self> {
        Arc::new(Self { process, asked: OnceLock::new(), said: OnceLock::new() })
    }
}

fn spawn(
    emulator: &Emulator,
    data: &Path,
    ids: &[u32],
    with: &StartedWith,
    program: &Mounts,
) -> std::io::Result<Process> {
    if let Some(simulation) = &emulator.simulation {
        let options = options(data, with, program)?;
        return simulation.start(options, ids).map(Process::simulated);
    }
    let mut command = command(emulator);
    command.args(["--headless", "-d"]).arg(data);
    // Before the computers' own startup files, which the script runs itself.
    command.arg("--script").arg(script(data));
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    match emulator.kind {
        Kind::Embedded => command.args(["-i", &ids.join(",")]),
        // CraftOS-PC boots one; the others are created from inside.
        Kind::CraftosPc => command.args(["-i", &ids[0]]),
    };
    let mounts = with.mounts.iter().map(|(folder, at)| (at.trim_matches('/'), folder));
    for (at, folder) in program.iter().map(|(at, folder)| (*at, folder)).chain(mounts) {
        let folder = std::path::absolute(folder)?;
        let mut mount = OsString::from(format!("{at}="));
        mount.push(folder);
        command.arg("--mount-ro").arg(mount);
    }
    if with.profile == Profile::Game {
        command.args(["--profile", "game"]);
    }
    if with.count_lines {
        command.arg("--coverage").arg(data.join(LINES));
    }
    Process::spawn(command)
}

/// The same for a world inside this process.
fn options(data: &Path, with: &StartedWith, program: &Mounts) -> std::io::Result<Options> {
    let mut options = Options::new(data);
    options.script = Some(std::fs::read(script(data))?);
    let mounts = with.mounts.iter().map(|(folder, at)| (at.trim_matches('/'), folder));
    for (at, folder) in program.iter().map(|(at, folder)| (*at, folder)).chain(mounts) {
        let (at, path) = (at.to_owned(), std::path::absolute(folder)?);
        options.mounts.push(MountOption { at, path, read_only: true });
    }
    if with.profile == Profile::Game {
        options.profile = embedded_craftos::config::Profile::Game;
    }
    if with.count_lines {
        let file = std::fs::File::options().create(true).append(true).open(data.join(LINES))?;
        options.coverage = Some(Arc::new(Mutex::new(file)));
    }
    Ok(options)
}

/// The emulator, before it is told what to boot. CraftOS-PC needs no sound, and has to leave signals to the system.
pub(super) fn command(emulator: &Emulator) -> Command {
    let mut command = plain_command(emulator);
    command.env(PARENT_VARIABLE, std::process::id().to_string());
    command.env("SDL_AUDIODRIVER", "dummy").env("SDL_NO_SIGNAL_HANDLERS", "1");
    command
}

fn plain_command(emulator: &Emulator) -> Command {
    let own = emulator.keeper.as_ref().filter(|keeper| **keeper == emulator.path);
    match (emulator.kind, own, &emulator.keeper) {
        (Kind::Embedded, Some(program), _) => {
            let mut command = Command::new(program);
            command.env(ROLE_VARIABLE, "embedded-craftos").arg("--die-with-parent");
            command
        }
        (Kind::Embedded, None, _) => {
            let mut command = Command::new(&emulator.path);
            command.arg("--die-with-parent");
            command
        }
        (Kind::CraftosPc, _, Some(keeper)) if cfg!(target_os = "linux") => {
            let mut command = Command::new(keeper);
            command.env(ROLE_VARIABLE, KEEPER).arg(&emulator.path);
            command
        }
        (Kind::CraftosPc, ..) => Command::new(&emulator.path),
    }
}

/// How long a process of so many computers may take to end.
fn grace(computers: usize) -> Duration {
    TERMINATE + TERMINATE_EACH.saturating_mul(u32::try_from(computers).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_of_a_thousand_has_time_for_each_of_them() {
        assert!(grace(1) < TERMINATE * 2);
        assert!(grace(1000) >= TERMINATE_EACH * 1000);
        assert!(grace(1000) > grace(1) * 5);
    }
}
