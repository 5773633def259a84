//! The data folder of one computer, as CraftOS-PC lays it out: configuration, files, the program.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use thiserror::Error;

use super::boot::{self, Tuning};
use super::source::copy_source;
use super::spec::{HARNESS, SpecError, parts, segments};
use super::{Printed, Spec};
use crate::scratch::{self, Scratch};

/// The settings of all computers of a process.
pub(super) const GLOBAL: &str = "config/global.json";

/// The script that boots every computer of a process.
const SCRIPT: &str = "boot.lua";

/// What a computer reads before anything runs on it, and what it then decides: whether its shell has tabs. The other
/// settings are set by the boot, which is too late for this one.
const SETTINGS: &str = ".settings";
const TABS: &str = "bios.use_multishell";

/// How many files were written: each has a name of its own while it is.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Folders that all computers of a process see, each with its place on them.
pub(super) type Mounts = Vec<(&'static str, PathBuf)>;

/// What went wrong with a computer's folder.
#[derive(Debug, Error)]
pub enum FolderError {
    #[error("failed to write `{path}` for computer {computer}")]
    Write { computer: String, path: PathBuf, source: io::Error },
    #[error("failed to read `{path}` of computer {computer}")]
    Read { computer: String, path: PathBuf, source: io::Error },
    #[error("computer {computer} cannot be booted")]
    Spec { computer: String, source: SpecError },
    #[error(
        "`{path}` is not a path inside computer {computer}\nhint: leave out `..`, backslashes and colons"
    )]
    Outside { computer: String, path: String },
    #[error("`{path}` of computer {computer} is a folder")]
    IsFolder { computer: String, path: String },
    #[error("`{path}` of computer {computer} is inside a file")]
    InsideFile { computer: String, path: String },
    #[error("failed to copy `{path}` onto computer {computer}")]
    Copy { computer: String, path: PathBuf, source: io::Error },
    #[error(
        "`{path}` of computer {computer} is in a folder that all computers of its process share and cannot change\nhint: give the file in the computer's `files`, or boot the computer in its own process"
    )]
    Mounted { computer: String, path: String },
    #[error("failed to copy the program `{path}`")]
    Program { path: PathBuf, source: io::Error },
}

/// The folder of one computer inside the data folder of an emulator's process, which goes away with the last of them.
#[derive(Debug)]
pub struct Folder {
    data: Arc<Scratch>,
    name: String,
    id: u32,
    mounts: Mounts,
}

impl Folder {
    /// Makes a data folder for one computer.
    pub fn make(spec: &Spec, tuning: Tuning) -> Result<Self, FolderError> {
        let data = Scratch::new(&format!("computer {}", spec.name)).map_err(|source| FolderError::Write {
            computer: spec.name.clone(),
            path: scratch::place(),
            source,
        })?;
        Self::make_in(&Arc::new(data), spec, tuning, &Mounts::new())
    }

    /// Writes everything that a computer boots from into a data folder that others may have as well. What is mounted is
    /// not installed.
    pub(super) fn make_in(
        data: &Arc<Scratch>,
        spec: &Spec,
        tuning: Tuning,
        mounts: &Mounts,
    ) -> Result<Self, FolderError> {
        spec.check().map_err(|source| FolderError::Spec { computer: spec.name.clone(), source })?;
        let folder =
            Self { data: data.clone(), name: spec.name.clone(), id: spec.id, mounts: mounts.clone() };
        if !data.path().join(GLOBAL).exists() {
            folder.write_data(GLOBAL, global(spec).to_string().as_bytes())?;
            folder.write_data(SCRIPT, boot::script().as_bytes())?;
        }
        let label = spec.label.as_ref().map_or_else(|| json!({}), |label| json!({ "label": label }));
        folder.write_data(&format!("config/{}.json", spec.id), label.to_string().as_bytes())?;
        if let Some(program) = spec.install.as_ref().filter(|_| mounts.is_empty()) {
            let target = folder.root();
            for (part, from) in parts(program) {
                copy_source(&from, &target.join(part))
                    .map_err(|source| FolderError::Program { path: from, source })?;
            }
        }
        for (from, to) in &spec.copies {
            let target = to
                .split('/')
                .filter(|part| !part.is_empty())
                .fold(folder.root(), |path, part| path.join(part));
            copy_source(from, &target).map_err(|source| FolderError::Copy {
                computer: spec.name.clone(),
                path: from.clone(),
                source,
            })?;
        }
        for (path, text) in &spec.files {
            folder.put(path, text.as_bytes())?;
        }
        if wants_tabs(spec) && !folder.root().join(SETTINGS).exists() {
            folder.put(SETTINGS, format!("{{ [ \"{TABS}\" ] = true }}").as_bytes())?;
        }
        for (path, text) in &spec.notes {
            folder.put(&format!("{HARNESS}/{path}"), text.as_bytes())?;
        }
        folder.put(&format!("{HARNESS}/boot.lua"), boot::file(spec, tuning).as_bytes())?;
        Ok(folder)
    }

    /// Removes what a computer with this id has left in a data folder.
    pub(super) fn clear(data: &Scratch, spec: &Spec) -> Result<(), FolderError> {
        let path = root(data.path(), spec.id);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(FolderError::Write { computer: spec.name.clone(), path, source: error })
            }
            _ => Ok(()),
        }
    }

    /// The data folder around it.
    pub fn data(&self) -> Arc<Scratch> {
        self.data.clone()
    }

    fn root(&self) -> PathBuf {
        root(self.data.path(), self.id)
    }

    /// Where a file of the computer is, and whether all computers of the process share it.
    fn inside(&self, path: &str) -> Result<(PathBuf, bool), FolderError> {
        let outside = || FolderError::Outside { computer: self.name.clone(), path: path.to_owned() };
        let parts = segments(path).ok_or_else(outside)?;
        let mount = self.mounts.iter().find(|(at, _)| *at == parts[0]);
        let (start, rest) = match mount {
            Some((_, folder)) => (folder.clone(), &parts[1..]),
            None => (self.root(), &parts[..]),
        };
        Ok((rest.iter().fold(start, |folder, part| folder.join(part)), mount.is_some()))
    }

    /// Where a file of this computer alone is.
    fn own(&self, path: &str) -> Result<PathBuf, FolderError> {
        match self.inside(path)? {
            (place, false) => Ok(place),
            (_, true) => Err(FolderError::Mounted { computer: self.name.clone(), path: path.to_owned() }),
        }
    }

    /// Writes a file on the computer.
    pub fn put(&self, path: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let place = self.own(path)?;
        let (computer, shown) = (self.name.clone(), path.to_owned());
        if place.is_dir() {
            return Err(FolderError::IsFolder { computer, path: shown });
        }
        let root = self.root();
        if place.ancestors().skip(1).take_while(|above| *above != root).any(Path::is_file) {
            return Err(FolderError::InsideFile { computer, path: shown });
        }
        self.write(place, bytes)
    }

    fn write_data(&self, path: &str, bytes: &[u8]) -> Result<(), FolderError> {
        self.write(self.data.path().join(path), bytes)
    }

    fn write(&self, path: PathBuf, bytes: &[u8]) -> Result<(), FolderError> {
        let parent = path.parent().expect("every path here is inside the data folder");
        // In one step: a computer that runs never sees half of a file. Beside the computers' files: none is overwritten.
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let partial = self.data.path().join(format!("partial-{number}"));
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&partial, bytes))
            .and_then(|()| fs::rename(&partial, &path))
            .map_err(|source| FolderError::Write { computer: self.name.clone(), path, source })
    }

    /// Reads a file of the computer; nothing, where there is none.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FolderError> {
        let (place, _) = self.inside(path)?;
        match fs::read(&place) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(_) if place.is_dir() => {
                Err(FolderError::IsFolder { computer: self.name.clone(), path: path.to_owned() })
            }
            Err(source) => Err(FolderError::Read { computer: self.name.clone(), path: place, source }),
        }
    }

    /// Removes a file of the computer.
    pub fn remove(&self, path: &str) -> Result<(), FolderError> {
        let path = self.own(path)?;
        fs::remove_file(&path).map_err(|source| FolderError::Write {
            computer: self.name.clone(),
            path,
            source,
        })
    }

    /// What the computer wrote to one of the harness's files.
    pub(super) fn note(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.root().join(HARNESS).join(name)).ok()
    }

    /// Writes one of the harness's files.
    pub(super) fn put_note(&self, name: &str, text: &str) -> Result<(), FolderError> {
        self.put(&format!("{HARNESS}/{name}"), text.as_bytes())
    }

    /// Removes one of the harness's files; tells whether it was there.
    pub(super) fn remove_note(&self, name: &str) -> bool {
        fs::remove_file(self.root().join(HARNESS).join(name)).is_ok()
    }

    /// What the computer has printed: what was scrolled away, then the screen.
    pub(super) fn printed(&self) -> Printed {
        loop {
            let booted = self.note("booted");
            let log = self.note("output.log").unwrap_or_default();
            let screen = self.note("screen.txt").unwrap_or_default();
            // A boot between two of these would mix what was printed before and after it.
            if self.note("booted") == booted {
                return Printed::new(booted.as_deref(), &log, &screen);
            }
        }
    }
}

/// Whether a computer's shell has tabs.
fn wants_tabs(spec: &Spec) -> bool {
    spec.settings.get(TABS).is_some_and(|value| value == "true")
}

/// The folder of a computer inside a data folder.
pub(super) fn root(data: &Path, id: u32) -> PathBuf {
    data.join("computer").join(id.to_string())
}

/// The script that boots the computers of a data folder.
pub(super) fn script(data: &Path) -> PathBuf {
    data.join(SCRIPT)
}

/// What the computers of one process see of a program without a copy each, which for many is all that a disk does. Where
/// one of them has files in such a folder, each gets its copy.
pub(super) fn mounts(specs: &[Spec]) -> Mounts {
    let Some(program) = specs.first().and_then(|spec| spec.install.as_ref()) else { return Mounts::new() };
    let mounts: Mounts = parts(program).collect();
    let is_mounted = |path: &String| {
        segments(path).is_some_and(|segments| mounts.iter().any(|(at, _)| *at == segments[0]))
    };
    let is_copied = |(_, path): &(PathBuf, String)| is_mounted(path);
    if specs.iter().any(|spec| spec.files.keys().any(is_mounted) || spec.copies.iter().any(is_copied)) {
        Mounts::new()
    } else {
        mounts
    }
}

fn global(spec: &Spec) -> Value {
    let mut global = json!({
        "lastVersion": "v2.8.3",
        // Those that count before the program runs. The computer's own are set by its boot: here a comma in a value
        // would begin another setting.
        "default_computer_settings": "motd.enable=false,bios.use_multishell=false",
        "http_enable": spec.http,
        "http_whitelist": spec.allow,
        "http_blacklist": [],
    });
    for (name, limit) in spec.limits.settings() {
        global[name] = limit.into();
    }
    global
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const TUNING: Tuning =
        Tuning { tick: Duration::from_secs(1), closing: Duration::ZERO, takes_numbers: false };

    #[test]
    fn a_file_cannot_be_put_outside() {
        let folder = Folder::make(&Spec::new(3), TUNING).expect("a temporary folder");
        assert!(matches!(folder.put("../x", b""), Err(FolderError::Outside { .. })));
        folder.put("/a/b.txt", b"x").expect("inside");
        assert_eq!(folder.read("a/b.txt").expect("readable"), Some(b"x".to_vec()));
        assert_eq!(folder.read("a/c.txt").expect("readable"), None);
        assert_eq!(folder.read("a/b.txt/c").expect("there is none"), None);
        assert!(matches!(folder.read("a"), Err(FolderError::IsFolder { .. })));
        assert!(matches!(folder.put("a", b""), Err(FolderError::IsFolder { .. })));
        assert!(matches!(folder.put("a/b.txt/c/d", b""), Err(FolderError::InsideFile { .. })));
    }
}
