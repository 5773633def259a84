//! A folder of the host as a mount: every access stays inside it.
//!
//! Programs cannot make symbolic links, but a folder may contain some. One that leads out of the folder is
//! refused; one that stays inside works.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::held::{Found, Held};
use super::{FileHandle, FsError, Mode};

/// A folder of the host.
#[derive(Debug, Clone)]
pub struct Disk {
    root: PathBuf,
    held: Option<Arc<Held>>,
}

impl Disk {
    /// The folder must exist: it is resolved once, so that a link to it cannot be turned later.
    pub fn new(root: &Path) -> io::Result<Self> {
        Ok(Self { root: root.canonicalize()?, held: None })
    }

    /// The same folder, of which everything is looked at once: for one that nothing changes as long as this is used.
    #[must_use]
    pub fn held(self) -> Self {
        Self { held: Some(Arc::default()), ..self }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The host's path; the longest part of it that exists must lie in the folder.
    fn locate(&self, parts: &[String]) -> Result<PathBuf, FsError> {
        self.look(parts).map(|(path, _)| path)
    }

    /// The same, with what is there: nothing, or a file or folder.
    fn look(&self, parts: &[String]) -> Result<Found, FsError> {
        let Some(held) = &self.held else { return self.find(parts) };
        if let Some(found) = held.found(parts) {
            return Ok(found);
        }
        let found = self.find(parts)?;
        held.keep_found(parts, &found);
        Ok(found)
    }

    fn find(&self, parts: &[String]) -> Result<Found, FsError> {
        let mut path = self.root.clone();
        let mut found = None;
        for (index, part) in parts.iter().enumerate() {
            refuse_device(part)?;
            path.push(part);
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.file_type().is_symlink() => {
                    let target = path.canonicalize()?;
                    if !target.starts_with(&self.root) {
                        return Err(FsError::Denied);
                    }
                    found = Some(fs::metadata(&target)?);
                    path = target;
                }
                Ok(metadata) => found = Some(metadata),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    for rest in &parts[index + 1..] {
                        refuse_device(rest)?;
                        path.push(rest);
                    }
                    return Ok((path, None));
                }
                // Below a file there is nothing.
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Err(FsError::NotFound),
                Err(error) => return Err(error.into()),
            }
        }
        if parts.is_empty() {
            found = Some(fs::metadata(&path)?);
        }
        Ok((path, found))
    }

    pub fn metadata(&self, parts: &[String]) -> Result<Metadata, FsError> {
        self.look(parts)?.1.ok_or(FsError::NotFound)
    }

    pub fn list(&self, parts: &[String]) -> Result<Vec<String>, FsError> {
        let path = self.locate(parts)?;
        if !fs::metadata(&path)?.is_dir() {
            return Err(FsError::NotADirectory);
        }
        let mut names: Vec<String> = Vec::new();
        for entry in fs::read_dir(path)? {
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    pub fn make_folder(&self, parts: &[String]) -> Result<(), FsError> {
        let path = self.locate(parts).map_err(|error| match error {
            FsError::NotFound => FsError::NotCreated,
            other => other,
        })?;
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            Ok(_) => Err(FsError::Exists),
            Err(_) => fs::create_dir_all(path).map_err(|error| match error.into() {
                FsError::Full => FsError::Full,
                _ => FsError::NotCreated,
            }),
        }
    }

    pub fn delete(&self, parts: &[String]) -> Result<(), FsError> {
        let (last, folder) = parts.split_last().ok_or(FsError::Denied)?;
        // The entry itself is removed, never what a link points to.
        let path = match self.locate(folder) {
            Ok(folder) => folder.join(last),
            Err(FsError::NotFound) => return Ok(()),
            Err(error) => return Err(error),
        };
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => Ok(fs::remove_dir_all(path)?),
            Ok(_) => Ok(fs::remove_file(path)?),
            Err(_) => Ok(()),
        }
    }

    /// Moves within the folder, making the folders on the way.
    pub fn rename(&self, from: &[String], to: &[String]) -> Result<(), FsError> {
        let (from, to) = (self.locate(from)?, self.locate(to)?);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        Ok(fs::rename(from, to)?)
    }

    /// Opens a file; with it comes how long it was.
    pub fn open(&self, parts: &[String], mode: Mode) -> Result<(File, u64), FsError> {
        let (path, found) = self.look(parts)?;
        if mode.truncates() || mode.appends() {
            if found.as_ref().is_some_and(Metadata::is_dir) {
                return Err(FsError::IsADirectory);
            }
            // A pipe of the host would hold up the computer, and a device is none of its files.
            if found.as_ref().is_some_and(|metadata| !metadata.is_file()) {
                return Err(FsError::NotAFile);
            }
            if found.is_none()
                && let Some(parent) = path.parent()
            {
                fs::create_dir_all(parent)?;
            }
        } else if !found.as_ref().ok_or(FsError::NotFound)?.is_file() {
            return Err(FsError::NotAFile);
        }
        let length = found.map_or(0, |metadata| metadata.len());
        let file = OpenOptions::new()
            .read(mode.reads())
            .write(mode.writes())
            .create(mode.truncates() || mode.appends())
            .truncate(mode.truncates())
            .open(path)?;
        Ok((file, length))
    }

    /// All of a file; none if it cannot be read or is larger than that.
    pub fn read(&self, parts: &[String], largest: u64) -> Option<Vec<u8>> {
        if let Some(text) = self.held_text(parts) {
            return (text.len() as u64 <= largest).then(|| text.to_vec());
        }
        let (file, length) = self.open(parts, Mode::READ).ok()?;
        if length > largest {
            return None;
        }
        FileHandle::file(file, Mode::READ, length).ok()?.read_all().ok()
    }

    /// All of a file that is held; none if it cannot be read or is too large for that.
    pub fn held_text(&self, parts: &[String]) -> Option<Arc<[u8]>> {
        let held = self.held.as_ref()?;
        if let Some(text) = held.text(parts) {
            return Some(text);
        }
        let (file, length) = self.open(parts, Mode::READ).ok()?;
        if !held.has_room(length) {
            return None;
        }
        let text: Arc<[u8]> = FileHandle::file(file, Mode::READ, length).ok()?.read_all().ok()?.into();
        held.keep_text(parts, text.clone());
        Some(text)
    }

    /// All and free bytes of the host's disk.
    pub fn space(&self) -> (u64, u64) {
        #[cfg(unix)]
        if let Ok(stat) = rustix::fs::statvfs(&self.root) {
            return (stat.f_blocks * stat.f_frsize, stat.f_bfree * stat.f_frsize);
        }
        #[cfg(windows)]
        if let Some(space) = crate::windows::disk_space(&self.root) {
            return space;
        }
        (0, 0)
    }

    /// What the files of the folder take, for a limit of the computer's own.
    pub fn used(&self) -> u64 {
        fn total(folder: &Path) -> u64 {
            let Ok(entries) = fs::read_dir(folder) else {
                return 0;
            };
            entries
                .flatten()
                .map(|entry| match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => total(&entry.path()),
                    Ok(metadata) => metadata.len(),
                    Err(_) => 0,
                })
                .sum()
        }
        total(&self.root)
    }
}

/// Names that are devices in every folder of a Windows machine.
fn refuse_device(part: &str) -> Result<(), FsError> {
    if !cfg!(windows) {
        return Ok(());
    }
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_ascii_uppercase();
    let numbered = (stem.starts_with("COM") || stem.starts_with("LPT")) && stem.len() == 4;
    if numbered || ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str()) {
        Err(FsError::Denied)
    } else {
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn parts(path: &str) -> Vec<String> {
        path.split('/').map(str::to_owned).collect()
    }

    #[test]
    fn a_link_out_of_the_folder_is_refused() {
        let outside = tempfile::tempdir().expect("a folder can be made");
        fs::write(outside.path().join("secret"), "x").expect("a file can be written");
        let inside = tempfile::tempdir().expect("a folder can be made");
        std::os::unix::fs::symlink(outside.path(), inside.path().join("out")).expect("a link can be made");
        let disk = Disk::new(inside.path()).expect("the folder exists");
        assert!(disk.open(&parts("out/secret"), Mode::READ).is_err());
        assert!(disk.list(&parts("out")).is_err());
        assert!(disk.open(&parts("out/new"), Mode::WRITE).is_err());
        assert!(disk.delete(&parts("out/secret")).is_err());
        disk.delete(&parts("out")).expect("the link itself may go");
        assert!(outside.path().join("secret").exists());
    }

    #[test]
    fn a_link_that_stays_inside_works() {
        let inside = tempfile::tempdir().expect("a folder can be made");
        fs::create_dir(inside.path().join("a")).expect("a folder can be made");
        fs::write(inside.path().join("a/f"), "x").expect("a file can be written");
        std::os::unix::fs::symlink("a", inside.path().join("b")).expect("a link can be made");
        let disk = Disk::new(inside.path()).expect("the folder exists");
        assert!(disk.open(&parts("b/f"), Mode::READ).is_ok());
    }

    #[test]
    fn a_dangling_link_out_of_the_folder_cannot_be_created_through() {
        let outside = tempfile::tempdir().expect("a folder can be made");
        let inside = tempfile::tempdir().expect("a folder can be made");
        let target = outside.path().join("new");
        std::os::unix::fs::symlink(&target, inside.path().join("link")).expect("a link can be made");
        let disk = Disk::new(inside.path()).expect("the folder exists");
        assert!(disk.open(&parts("link"), Mode::WRITE).is_err());
        assert!(!target.exists());
    }
}
