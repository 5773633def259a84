//! What the computers of one process are made from; filled by the command line or by a Rust program.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::config::Profile;
use crate::faults::Faults;
use crate::host::Sink;
use crate::surroundings::Surroundings;

/// A folder of the host for every computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountOption {
    /// Where the computers see it.
    pub at: String,
    pub path: PathBuf,
    pub read_only: bool,
}

/// Options of an emulator.
#[derive(Clone)]
pub struct Options {
    /// The data folder: `config/` and `computer/` are in it.
    pub directory: PathBuf,
    /// Where the computers' folders are, if not in the data folder.
    pub computers_directory: Option<PathBuf>,
    /// A folder with `bios.lua` and `rom/` in place of the embedded ones.
    pub rom: Option<PathBuf>,
    pub mounts: Vec<MountOption>,
    /// Lua that runs before `/startup.lua`.
    pub script: Option<Vec<u8>>,
    /// Arguments for the script, separated by spaces.
    pub arguments: Option<String>,
    pub profile: Profile,
    /// A file with certificates of authorities to trust for `https` and `wss`, besides the usual ones.
    pub certificates: Option<PathBuf>,
    /// Makes two runs the same.
    pub seed: Option<u64>,
    /// Runs all computers on the thread that waits for them, in virtual time, in an order that the seed decides.
    pub simulate: bool,
    /// What a simulated world has around it: a time that goes on, and a network.
    pub surroundings: Option<Arc<dyn Surroundings>>,
    /// Where the time of a simulation begins: a computer that was off since another one ended goes on from there.
    pub began: Duration,
    /// What goes wrong in this world.
    pub faults: Option<Faults>,
    /// Where what the computers print goes.
    pub output: Option<Sink>,
    /// Where it is written how often each line ran; nothing is counted without it.
    pub coverage: Option<Sink>,
    /// Holds lines back until they are whole, so that those of several computers do not mix.
    pub whole_lines: bool,
    /// Turns a computer off when its startup fails, instead of leaving it at a prompt that nobody sees.
    pub stop_on_startup_error: bool,
}

impl Options {
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            computers_directory: None,
            rom: None,
            mounts: Vec::new(),
            script: None,
            arguments: None,
            profile: Profile::default(),
            certificates: None,
            seed: None,
            simulate: false,
            surroundings: None,
            began: Duration::ZERO,
            faults: None,
            output: None,
            coverage: None,
            whole_lines: false,
            stop_on_startup_error: true,
        }
    }

    pub fn global_config(&self) -> PathBuf {
        self.directory.join("config").join("global.json")
    }

    pub fn computer_config(&self, id: u32) -> PathBuf {
        self.directory.join("config").join(format!("{id}.json"))
    }

    /// The folder of a floppy disk, beside those of the computers.
    pub fn disk_folder(&self, id: u32) -> PathBuf {
        let computers = self.computers_directory.clone().unwrap_or_else(|| self.directory.join("computer"));
        computers.join("disk").join(id.to_string())
    }

    pub fn computer_folder(&self, id: u32) -> PathBuf {
        let computers: &Path = &self.directory.join("computer");
        self.computers_directory.as_deref().unwrap_or(computers).join(id.to_string())
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Options").field("directory", &self.directory).finish_non_exhaustive()
    }
}
