//! Finds the spec files of a project, and writes files that are kept.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use craftos_computers::computer::is_left_out;
use thiserror::Error;

use crate::project::{Project, SPEC_FOLDERS};

/// How the name of a spec file ends.
const SUFFIX: &str = "_spec.lua";

/// Says whether a file has the name of a spec.
pub fn is_spec(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(SUFFIX))
}

/// Writes a file whole or not at all: a full disk, or a machine that stops, leaves the old one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".new-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // As any other file of a checkout; the umask takes what it takes.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut fresh = builder.tempfile_in(folder)?;
    fresh.write_all(bytes)?;
    fresh.as_file().sync_all()?;
    fresh.persist(path)?;
    Ok(())
}

/// Why spec files cannot be found.
#[derive(Debug, Error)]
pub enum FilesError {
    #[error("failed to read the folder `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "there are no specs: none of {0} is there\nhint: name their folder in `specs`, or let `craftos-harness init` write a first one"
    )]
    NoFolder(String),
    #[error("there is no file `*{SUFFIX}` in {0}\nhint: `craftos-harness init` writes a first one")]
    None(String),
}

/// The spec files, as paths below the project's folder, in order.
pub fn all(project: &Project) -> Result<Vec<PathBuf>, FilesError> {
    if project.specs.is_empty() {
        let folders = SPEC_FOLDERS.map(|folder| format!("`{folder}/`")).join(", ");
        return Err(FilesError::NoFolder(folders));
    }
    let mut found = Vec::new();
    for place in &project.specs {
        if project.root.join(place).is_file() {
            found.push(place.clone());
        } else {
            visit(&project.root, place, &|name| name.ends_with(SUFFIX), &mut found)?;
        }
    }
    found.sort();
    found.dedup();
    if found.is_empty() {
        let places: Vec<String> = project.specs.iter().map(|path| format!("`{}`", path.display())).collect();
        return Err(FilesError::None(places.join(", ")));
    }
    Ok(found)
}

/// Every file below a folder that counts as source, as paths below the root.
pub fn below(root: &Path, folder: &Path) -> Result<Vec<PathBuf>, FilesError> {
    let mut found = Vec::new();
    visit(root, folder, &|_| true, &mut found)?;
    Ok(found)
}

fn visit(
    root: &Path,
    folder: &Path,
    wanted: &dyn Fn(&str) -> bool,
    found: &mut Vec<PathBuf>,
) -> Result<(), FilesError> {
    let path = root.join(folder);
    let failed = |source| FilesError::Read { path: path.clone(), source };
    for entry in std::fs::read_dir(&path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let below = if folder == Path::new(".") { PathBuf::from(&name) } else { folder.join(&name) };
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() && !is_left_out(&name) {
            visit(root, &below, wanted, found)?;
        } else if wanted(&name) && path.join(entry.file_name()).is_file() {
            found.push(below);
        }
    }
    Ok(())
}
