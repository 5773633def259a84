//! What computers live in: an emulator's process and its data folder, for one of them or for several together.
//!
//! Only computers of one process hear each other's modems.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::process::Command;

use super::folder::parts;
use super::{Process, Profile, Spec};
use crate::emulators::{Emulator, KEEPER, Kind, PARENT_VARIABLE, ROLE_VARIABLE};
use crate::scratch::Scratch;

/// What an emulator may take to end when it is asked to.
const TERMINATE: Duration = Duration::from_secs(5);

/// A process and its folder. Dropping it kills the process and removes the folder.
#[derive(Debug)]
pub struct Housing {
    // Dropped first: a process that still writes would keep its folder from being removed.
    process: Mutex<Arc<Process>>,
    data: Arc<Scratch>,
    ids: Vec<u32>,
    profile: Profile,
    /// Folders that all computers see, each with its place.
    mounts: Vec<(&'static str, PathBuf)>,
}

impl Housing {
    /// Starts an emulator on a folder that is ready to boot from.
    pub fn start(emulator: &Emulator, data: Arc<Scratch>, specs: &[Spec]) -> std::io::Result<Self> {
        let ids: Vec<u32> = specs.iter().map(|spec| spec.id).collect();
        let first = specs.first();
        let profile = first.map(|spec| spec.profile).unwrap_or_default();
        let program = first.filter(|spec| spec.process.is_some()).and_then(|spec| spec.install.as_ref());
        let mounts: Vec<_> = program.map(|program| parts(program).collect()).unwrap_or_default();
        let process = spawn(emulator, data.path(), &ids, profile, &mounts)?;
        Ok(Self { process: Mutex::new(Arc::new(process)), data, ids, profile, mounts })
    }

    /// Ends the process and starts another on the same folder.
    pub async fn restart(&self, emulator: &Emulator) -> std::io::Result<()> {
        self.process().kill().await;
        let process = spawn(emulator, self.data.path(), &self.ids, self.profile, &self.mounts)?;
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(process);
        Ok(())
    }

    pub fn process(&self) -> Arc<Process> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether several computers live here.
    pub fn is_shared(&self) -> bool {
        self.ids.len() > 1
    }

    /// Ends all computers at once.
    pub async fn terminate(&self) {
        self.process().terminate(TERMINATE).await;
    }
}

fn spawn(
    emulator: &Emulator,
    data: &Path,
    ids: &[u32],
    profile: Profile,
    mounts: &[(&'static str, PathBuf)],
) -> std::io::Result<Process> {
    let mut command = command(emulator);
    command.args(["--headless", "-d"]).arg(data);
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    match emulator.kind {
        Kind::Embedded => command.args(["-i", &ids.join(",")]),
        // CraftOS-PC boots one; the others are created from inside.
        Kind::CraftosPc => command.args(["-i", &ids[0]]),
    };
    for (at, folder) in mounts {
        let folder = std::path::absolute(folder)?;
        let mut mount = OsString::from(format!("{at}="));
        mount.push(folder);
        command.arg("--mount-ro").arg(mount);
    }
    if profile == Profile::Game {
        command.args(["--profile", "game"]);
    }
    command.env("SDL_AUDIODRIVER", "dummy").env("SDL_NO_SIGNAL_HANDLERS", "1");
    Process::spawn(command)
}

fn command(emulator: &Emulator) -> Command {
    let mut command = plain_command(emulator);
    command.env(PARENT_VARIABLE, std::process::id().to_string());
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
