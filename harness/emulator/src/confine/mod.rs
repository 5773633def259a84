//! The second wall, on Linux: before the first line of Lua runs, the process gives up what no computer needs.
//!
//! The first wall is the emulator itself, which gives programs no way to the host's files and processes. This one holds when
//! that has a hole: the kernel refuses files outside of the folders that the computers have, and system calls that start
//! other programs or reach into them. It is best effort: a kernel that knows less refuses less, and other systems nothing.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod program;

use std::fmt;
use std::path::PathBuf;

use crate::options::Options;

/// What a process that runs computers needs of the host's files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    pub readable: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
}

impl Places {
    /// The folders of the computers, what is mounted on them, and where screens are written.
    pub fn new(options: &Options, ids: impl IntoIterator<Item = u32>, screens: Option<PathBuf>) -> Self {
        let mut places = Self::default();
        let data = &options.directory;
        places.writable.extend([data.clone(), data.join("config"), data.join("computer")]);
        places.writable.extend(options.computers_directory.clone());
        // A folder may be a link to another place.
        let folders = ids.into_iter().map(|id| options.computer_folder(id));
        places.writable.extend(folders.filter(|folder| folder.is_symlink()));
        places.writable.extend(screens);
        for mount in &options.mounts {
            let list = if mount.read_only { &mut places.readable } else { &mut places.writable };
            list.push(mount.path.clone());
        }
        places.readable.extend(options.rom.clone());
        places
    }
}

/// Which walls stand, or could.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confinement {
    /// Files outside of the computers' folders are refused.
    pub files: bool,
    /// System calls that start other programs or reach into them are refused.
    pub calls: bool,
}

impl fmt::Display for Confinement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match (self.files, self.calls) {
            (true, true) => "files (Landlock) and system calls (seccomp)",
            (true, false) => "files (Landlock), but not system calls: this kernel has no seccomp",
            (false, true) => "system calls (seccomp), but not files: this kernel has no Landlock",
            (false, false) => "nothing: this system has neither Landlock nor seccomp",
        })
    }
}

/// Confines this thread, and all that it starts from now on, to those places. To be called before other threads are there.
#[cfg(target_os = "linux")]
pub fn confine(places: &Places) -> Confinement {
    // Files first: what they are confined by is itself a system call.
    Confinement { files: files::confine(places), calls: calls::confine() }
}

#[cfg(not(target_os = "linux"))]
pub fn confine(_places: &Places) -> Confinement {
    support()
}

/// What this system can refuse.
#[cfg(target_os = "linux")]
pub fn support() -> Confinement {
    Confinement { files: files::supported(), calls: calls::supported() }
}

#[cfg(not(target_os = "linux"))]
pub fn support() -> Confinement {
    Confinement { files: false, calls: false }
}
