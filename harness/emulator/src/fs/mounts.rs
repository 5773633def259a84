//! A computer's whole file system: what is mounted where, and the operations across mounts.

use std::fs::Metadata;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::rom::{Entry, LuaFile};
use super::{Disk, FileHandle, FsError, Mode, Rom, VirtualTimes, wildcard};

/// Deeper trees than this are not copied: a link inside a mount could otherwise lead round in a circle.
const DEEPEST_COPY: usize = 64;

/// How much of a file is in memory while it is copied.
const COPIED_AT_ONCE: usize = 64 * 1024;

/// What a disk without a limit holds in a simulation: more than any computer's files take, and the same on every host.
const SIMULATED_SPACE: u64 = 1 << 40;

/// Asked between two pieces of a copy, and two entries of a folder, whether that is enough.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// What a mount shows.
#[derive(Debug, Clone)]
pub enum Backend {
    Disk(Disk),
    Rom(Rom),
}

/// Something mounted at a path of the computer.
#[derive(Debug, Clone)]
pub struct Mount {
    pub at: Vec<String>,
    pub backend: Backend,
    pub read_only: bool,
    /// What `fs.getDrive` calls it.
    pub drive: String,
}

/// What is known of a file or folder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attributes {
    pub size: u64,
    pub is_dir: bool,
    pub read_only: bool,
    /// Milliseconds since 1970.
    pub created: f64,
    pub modified: f64,
}

/// The mounts of one computer.
#[derive(Debug, Clone)]
pub struct FileSystem {
    mounts: Vec<Mount>,
    /// The computer's own limit in bytes, if it has one.
    limit: Option<u64>,
    /// When files were written, in a simulation.
    times: Option<VirtualTimes>,
}

impl FileSystem {
    /// Starts with the computer's own folder as the root.
    pub fn new(root: Disk, limit: Option<u64>, times: Option<VirtualTimes>) -> Self {
        let root =
            Mount { at: Vec::new(), backend: Backend::Disk(root), read_only: false, drive: "hdd".to_owned() };
        Self { mounts: vec![root], limit, times }
    }

    pub fn mount(&mut self, mount: Mount) {
        self.mounts.push(mount);
    }

    /// Takes away what is mounted at exactly that path; the root stays.
    pub fn unmount(&mut self, at: &[String]) -> bool {
        let before = self.mounts.len();
        self.mounts.retain(|mount| mount.at.is_empty() || mount.at != at);
        self.mounts.len() < before
    }

    pub fn mounts(&self) -> &[Mount] {
        &self.mounts
    }

    /// The mount that a path is in, and the path inside it; later mounts hide earlier ones.
    pub fn resolve<'a>(&self, path: &'a [String]) -> (&Mount, &'a [String]) {
        let mut best = &self.mounts[0];
        for mount in &self.mounts {
            if path.starts_with(&mount.at) && mount.at.len() >= best.at.len() {
                best = mount;
            }
        }
        (best, &path[best.at.len()..])
    }

    /// Whether a mount lies below the path, which then is a folder even if its own mount has none there.
    fn leads_to_mount(&self, path: &[String]) -> bool {
        self.mounts.iter().any(|mount| mount.at.starts_with(path))
    }

    pub fn attributes(&self, path: &[String]) -> Result<Attributes, FsError> {
        let (mount, inside) = self.resolve(path);
        let found = match &mount.backend {
            Backend::Disk(disk) => disk.metadata(inside).map(|metadata| {
                let (created, modified) = self.times_of(&metadata);
                Attributes {
                    size: if metadata.is_dir() { 0 } else { metadata.len() },
                    is_dir: metadata.is_dir(),
                    read_only: mount.read_only,
                    created,
                    modified,
                }
            }),
            Backend::Rom(rom) => rom.entry(inside).ok_or(FsError::NotFound).map(|entry| Attributes {
                size: if let Entry::File(file) = entry { file.text.len() as u64 } else { 0 },
                is_dir: entry == Entry::Folder,
                read_only: true,
                created: 0.0,
                modified: 0.0,
            }),
        };
        match found {
            Err(_) if self.leads_to_mount(path) => Ok(Attributes {
                size: 0,
                is_dir: true,
                read_only: mount.read_only,
                created: 0.0,
                modified: 0.0,
            }),
            found => found,
        }
    }

    /// When something was made and when it was written; hosts keep no virtual time of the first.
    fn times_of(&self, metadata: &Metadata) -> (f64, f64) {
        if let Some(times) = &self.times {
            let modified = millis(times.modified(metadata));
            return (modified, modified);
        }
        let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0.0, millis);
        let created = metadata.created().or_else(|_| metadata.modified());
        (created.map_or(0.0, since), metadata.modified().map_or(0.0, since))
    }

    pub fn exists(&self, path: &[String]) -> bool {
        self.attributes(path).is_ok()
    }

    pub fn is_dir(&self, path: &[String]) -> bool {
        self.attributes(path).is_ok_and(|attributes| attributes.is_dir)
    }

    pub fn is_read_only(&self, path: &[String]) -> bool {
        self.resolve(path).0.read_only
    }

    /// The names in a folder, sorted.
    pub fn list(&self, path: &[String]) -> Result<Vec<String>, FsError> {
        let (mount, inside) = self.resolve(path);
        let listed = match &mount.backend {
            Backend::Disk(disk) => disk.list(inside),
            Backend::Rom(rom) => rom.list(inside),
        };
        let mut names = match listed {
            Err(FsError::NotFound) if self.leads_to_mount(path) => Vec::new(),
            listed => listed?,
        };
        names.extend(
            self.mounts
                .iter()
                .filter(|mount| mount.at.starts_with(path))
                .filter_map(|mount| mount.at.get(path.len()).cloned()),
        );
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// The mount for writing at a path; a path that is itself a mount cannot be written.
    fn writable<'a>(&self, path: &'a [String]) -> Result<(&Disk, &'a [String]), FsError> {
        match self.resolve(path) {
            (Mount { read_only: false, backend: Backend::Disk(disk), .. }, inside) => Ok((disk, inside)),
            _ => Err(FsError::Denied),
        }
    }

    pub fn make_dir(&self, path: &[String]) -> Result<(), FsError> {
        let (disk, inside) = self.writable(path)?;
        disk.make_folder(inside)
    }

    pub fn delete(&self, path: &[String]) -> Result<(), FsError> {
        let (disk, inside) = self.writable(path)?;
        if self.mounts.iter().any(|mount| !mount.at.is_empty() && mount.at.starts_with(path)) {
            return Err(FsError::Denied);
        }
        disk.delete(inside)
    }

    pub fn open(&self, path: &[String], mode: Mode) -> Result<FileHandle, FsError> {
        let (mount, inside) = self.resolve(path);
        if mode.writes() && mount.read_only {
            let missing = !mode.truncates() && !mode.appends() && !self.exists(path);
            return Err(if missing { FsError::NotFound } else { FsError::Denied });
        }
        match &mount.backend {
            Backend::Disk(disk) => {
                if let (false, Some(text)) = (mode.writes(), disk.held_text(inside)) {
                    return Ok(FileHandle::shared(text, mode));
                }
                let (file, length) = disk.open(inside, mode)?;
                Ok(FileHandle::file(file, mode, length)?.with_times(self.times.clone()))
            }
            Backend::Rom(rom) => match rom.entry(inside).ok_or(FsError::NotFound)? {
                Entry::File(file) => Ok(FileHandle::memory(file.text, mode)),
                Entry::Folder => Err(FsError::NotAFile),
            },
        }
    }

    /// All of a file, of which the embedded ROM needs no copy; none if it cannot be read or is larger than that.
    pub fn read(&self, path: &[String], largest: u64) -> Option<LuaFile> {
        let (mount, inside) = self.resolve(path);
        match &mount.backend {
            Backend::Disk(disk) => disk.read(inside, largest).map(LuaFile::from),
            Backend::Rom(rom) => match rom.entry(inside)? {
                Entry::File(file) => Some(file.into()),
                Entry::Folder => None,
            },
        }
    }

    /// Whether a path leads through a file, so that nothing can be there.
    fn is_below_a_file(&self, path: &[String]) -> bool {
        (1..path.len()).any(|length| self.attributes(&path[..length]).is_ok_and(|found| !found.is_dir))
    }

    /// Copies a file or a folder, until `stop` says that it is enough.
    pub fn copy(&self, from: &[String], to: &[String], stop: Stop<'_>) -> Result<(), FsError> {
        self.attributes(from)?;
        self.writable(to)?;
        if self.is_below_a_file(to) {
            return Err(FsError::Escapes);
        }
        if is_inside(to, from) || is_inside(from, to) {
            return Err(FsError::CopyIntoItself);
        }
        self.copy_tree(from, to, 0, stop)
    }

    /// Where a copy of a file goes: into a folder of that name, if there is one; never over a file.
    fn place_for(&self, from: &[String], to: &[String]) -> Result<Vec<String>, FsError> {
        let mut place = to.to_vec();
        if self.is_dir(to) {
            place.extend(from.last().cloned());
            if self.is_dir(&place) {
                return Err(FsError::FileOntoFolder);
            }
        }
        if self.exists(&place) { Err(FsError::Exists) } else { Ok(place) }
    }

    fn copy_tree(&self, from: &[String], to: &[String], depth: usize, stop: Stop<'_>) -> Result<(), FsError> {
        if depth > DEEPEST_COPY {
            return Err(FsError::Io);
        }
        if !self.is_dir(from) {
            let to = &self.place_for(from, to)?[..];
            let mut source = self.open(from, Mode::READ)?;
            self.room_for(to, source.rest()?)?;
            let mut target = self.open(to, Mode::WRITE)?;
            return copy_content(&mut source, &mut target, stop).inspect_err(|_| {
                // Half a file is of no use, and takes what room there is.
                let _ = self.delete(to);
            });
        }
        if self.exists(to) && !self.is_dir(to) {
            return Err(FsError::FolderOntoFile);
        }
        self.make_dir(to)?;
        for name in self.list(from)? {
            if stop() {
                return Err(FsError::Stopped);
            }
            let child = |parent: &[String]| [parent, std::slice::from_ref(&name)].concat();
            self.copy_tree(&child(from), &child(to), depth + 1, stop)?;
        }
        Ok(())
    }

    /// Moves a file or a folder; what is copied for that goes on until `stop` says so, and the source stays if that fails.
    pub fn rename(&self, from: &[String], to: &[String], stop: Stop<'_>) -> Result<(), FsError> {
        let (source, inside_source) = self.writable(from)?;
        let (target, inside_target) = self.writable(to)?;
        if !self.exists(from) {
            return Err(FsError::NotFound);
        }
        if self.is_below_a_file(to) {
            return Err(FsError::Escapes);
        }
        if is_inside(to, from) {
            return Err(FsError::MoveIntoItself);
        }
        if self.exists(to) {
            return Err(FsError::Exists);
        }
        if source.root() == target.root() {
            return source.rename(inside_source, inside_target);
        }
        self.copy_tree(from, to, 0, stop).inspect_err(|_| {
            let _ = self.delete(to);
        })?;
        self.delete(from)
    }

    /// Paths that fit a pattern, as the program would write them.
    pub fn find(&self, pattern: &[String]) -> Vec<String> {
        let mut found: Vec<Vec<String>> = vec![Vec::new()];
        for part in pattern {
            let mut next = Vec::new();
            for folder in found {
                if part.contains(['*', '?']) {
                    let names = self.list(&folder).unwrap_or_default();
                    let fitting =
                        names.into_iter().filter(|name| wildcard::matches(part.as_bytes(), name.as_bytes()));
                    next.extend(fitting.map(|name| [&folder[..], &[name]].concat()));
                } else {
                    let path = [&folder[..], std::slice::from_ref(part)].concat();
                    if self.exists(&path) {
                        next.push(path);
                    }
                }
            }
            found = next;
        }
        found.into_iter().map(|path| path.join("/")).collect()
    }

    /// All and free bytes where a path lies; a read-only mount has neither.
    pub fn space(&self, path: &[String]) -> Option<(u64, u64)> {
        let (mount, _) = self.resolve(path);
        match (&mount.backend, mount.read_only) {
            (Backend::Disk(disk), false) => Some(match self.limit {
                Some(limit) if mount.at.is_empty() => (limit, limit.saturating_sub(disk.used())),
                _ if self.times.is_some() => (SIMULATED_SPACE, SIMULATED_SPACE.saturating_sub(disk.used())),
                _ => disk.space(),
            }),
            _ => None,
        }
    }

    /// Refuses what the computer's limit has no room for.
    pub fn room_for(&self, path: &[String], bytes: u64) -> Result<(), FsError> {
        if self.limit.is_none() {
            return Ok(());
        }
        match self.space(path) {
            Some((_, free)) if bytes > free => Err(FsError::Full),
            _ => Ok(()),
        }
    }
}

/// Copies all of a file, piece by piece: it may be larger than any memory.
fn copy_content(source: &mut FileHandle, target: &mut FileHandle, stop: Stop<'_>) -> Result<(), FsError> {
    while let Some(piece) = source.read(COPIED_AT_ONCE)? {
        if stop() {
            return Err(FsError::Stopped);
        }
        target.write(piece)?;
    }
    Ok(target.flush()?)
}

/// Whether a path lies in a folder or is it; hosts may not tell upper from lower case.
fn is_inside(path: &[String], folder: &[String]) -> bool {
    path.len() >= folder.len()
        && path.iter().zip(folder).all(|(left, right)| left.eq_ignore_ascii_case(right))
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds fit a double for the next 200,000 years")]
fn millis(since: Duration) -> f64 {
    since.as_millis() as f64
}
