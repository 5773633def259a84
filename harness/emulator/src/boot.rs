//! Starts computers: makes the folder, the mounts and the host of each, and gives it to those who step it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::config::{ComputerConfig, SettingsError};
use crate::fs::{Backend, Disk, FileSystem, Mount, Rom, VirtualTimes, sanitize};
use crate::host::{Host, HostSetup, Output};
use crate::machine::{Exit, Machine};
use crate::screen::Terminal;
use crate::world::{Shared, World};

/// A computer that could not start.
#[derive(Debug, Error)]
pub enum BootError {
    #[error("failed to make the folder `{path}` of computer {id}\nhint: is the data folder writable?")]
    Folder {
        id: u32,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Config(#[from] SettingsError),
    #[error("failed to mount `{path}`\nhint: it must be a folder that exists")]
    Mount {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{at}` is not a path that can be mounted at")]
    MountPoint { at: String },
    #[error("computer {id} runs already")]
    Running { id: u32 },
    #[error("failed to start a thread for computer {id}\nhint: is there a limit on threads?")]
    Thread {
        id: u32,
        #[source]
        source: io::Error,
    },
}

impl World {
    /// Turns a computer on, making it if it is new.
    pub fn boot(self: &Arc<Self>, id: u32) -> Result<Arc<Shared>, BootError> {
        let shared = self.turn_on(id)?;
        self.begin(&shared)?;
        Ok(shared)
    }

    /// Turns computers on. None runs before all of them are on: a program that began before would find others off, and turn
    /// them on itself.
    pub fn boot_all(self: &Arc<Self>, ids: impl IntoIterator<Item = u32>) -> Result<(), BootError> {
        let mut on = Vec::new();
        for id in ids {
            match self.turn_on(id) {
                Ok(shared) => on.push(shared),
                Err(error) => {
                    self.give_up(&on);
                    return Err(error);
                }
            }
        }
        for (place, shared) in on.iter().enumerate() {
            if let Err(error) = self.begin(shared) {
                self.give_up(&on[place + 1..]);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Turns off computers that were to run and do not.
    fn give_up(&self, on: &[Arc<Shared>]) {
        for shared in on {
            self.computer_stopped(shared, Exit::default());
        }
    }

    /// Turns a computer on, unless it is on: another one may do the same in this moment.
    pub fn boot_if_off(self: &Arc<Self>, id: u32) -> Result<(), BootError> {
        if self.find(id).is_some_and(|shared| shared.is_on()) {
            return Ok(());
        }
        match self.boot(id) {
            Ok(_) | Err(BootError::Running { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Marks a computer as on. It does not run yet.
    fn turn_on(self: &Arc<Self>, id: u32) -> Result<Arc<Shared>, BootError> {
        let options = self.options();
        let config = ComputerConfig::read(&options.computer_config(id), options.profile)?;
        let folder = options.computer_folder(id);
        fs::create_dir_all(&folder).map_err(|source| BootError::Folder { id, path: folder, source })?;
        let shared = self.find_or_add(id, || {
            let (width, height) = config.size().unwrap_or_else(|| {
                let settings = self.settings();
                (settings.size("defaultWidth").clamp(1, 1000), settings.size("defaultHeight").clamp(1, 1000))
            });
            Shared::new(id, self.scheduler().clone(), Terminal::new(width, height), config.label.clone())
        });
        if !shared.turn_on() {
            return Err(BootError::Running { id });
        }
        shared.reset_terminal();
        self.computer_started();
        Ok(shared)
    }

    /// Lets a computer run that is on.
    fn begin(self: &Arc<Self>, shared: &Arc<Shared>) -> Result<(), BootError> {
        let (id, machine) = (shared.id, Box::new(Machine::new(self.clone(), shared.clone())));
        self.scheduler().start(id, machine).map_err(|source| {
            self.computer_stopped(shared, Exit::default());
            BootError::Thread { id, source }
        })
    }

    /// Makes the host of a computer that starts.
    pub fn host_for(self: &Arc<Self>, shared: &Arc<Shared>) -> Result<Host, BootError> {
        let options = self.options();
        let id = shared.id;
        let settings = self.settings();
        // As on CraftOS-PC, the limit holds only in standards mode, which the game profile sets.
        let limit = settings.flag("standardsMode").then(|| settings.size("computerSpaceLimit") as u64);
        let computer_config = ComputerConfig::read(&options.computer_config(id), options.profile)?;
        Ok(Host::new(HostSetup {
            id,
            shared: shared.clone(),
            world: self.clone(),
            fs: self.file_system(id, limit)?,
            computer_config,
            output: Output::new(options.output.clone(), options.whole_lines, self.time().clone()),
            seed: options.seed,
            space_limited: limit.is_some(),
        }))
    }

    /// The disk of a computer, with what every computer has mounted.
    pub(crate) fn file_system(&self, id: u32, limit: Option<u64>) -> Result<FileSystem, BootError> {
        let folder = self.options().computer_folder(id);
        let disk = Disk::new(&folder).map_err(|source| BootError::Folder { id, path: folder, source })?;
        let mut file_system = FileSystem::new(disk, limit, VirtualTimes::of(self.time()));
        for mount in self.common_mounts()? {
            file_system.mount(mount);
        }
        Ok(file_system)
    }

    /// The ROM and what the options name.
    fn common_mounts(&self) -> Result<Vec<Mount>, BootError> {
        if let Some(mounts) = self.mounts().get() {
            return Ok(mounts.clone());
        }
        let mut mounts = vec![self.rom_mount()?];
        for mount in &self.options().mounts {
            mounts.push(disk_mount(&mount.at, &mount.path, mount.read_only)?);
        }
        if self.is_simulated() {
            // A play is the same from its beginning to its end, whatever is edited meanwhile.
            for mount in &mut mounts {
                if let (true, Backend::Disk(disk)) = (mount.read_only, &mut mount.backend) {
                    *disk = disk.clone().held();
                }
            }
        }
        Ok(self.mounts().get_or_init(|| mounts).clone())
    }

    fn rom_mount(&self) -> Result<Mount, BootError> {
        match &self.options().rom {
            Some(path) => {
                let mut mount = disk_mount("rom", &path.join("rom"), true)?;
                "rom".clone_into(&mut mount.drive);
                Ok(mount)
            }
            None => Ok(Mount {
                at: vec!["rom".to_owned()],
                backend: Backend::Rom(Rom),
                read_only: true,
                drive: "rom".to_owned(),
            }),
        }
    }
}

fn disk_mount(at: &str, path: &Path, read_only: bool) -> Result<Mount, BootError> {
    let parts = sanitize(at.as_bytes()).ok().filter(|parts| !parts.is_empty());
    let parts = parts.ok_or_else(|| BootError::MountPoint { at: at.to_owned() })?;
    let disk = Disk::new(path).and_then(|disk| {
        if disk.root().is_dir() { Ok(disk) } else { Err(io::ErrorKind::NotADirectory.into()) }
    });
    let disk = disk.map_err(|source| BootError::Mount { path: path.to_owned(), source })?;
    let drive = parts.join("/");
    Ok(Mount { at: parts, backend: Backend::Disk(disk), read_only, drive })
}
