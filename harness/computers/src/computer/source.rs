//! Copies files and folders of the host onto a computer.

use std::fs;
use std::io;
use std::path::Path;

/// Folders that are no part of a project's source, and large: they stay on the host.
const LEFT_OUT: [&str; 4] = [".git", ".craftos", "node_modules", "target"];

/// Copies a file, or a folder with all that is in it, but for what tools keep there. Links are followed to files only: one
/// that leads to a folder may lead back.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_file() {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        return fs::copy(from, to).map(|_| ());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        let is_left_out = kind.is_dir() && LEFT_OUT.iter().any(|left_out| *left_out == name);
        if !is_left_out && (kind.is_dir() || entry.path().is_file()) {
            copy(&entry.path(), &to.join(name))?;
        }
    }
    Ok(())
}
