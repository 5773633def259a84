//! Copies files and folders of the host.

use std::fs;
use std::io;
use std::path::Path;

/// Folders of a project that are no part of its source, and large.
const LEFT_OUT: [&str; 4] = [".git", ".craftos", "node_modules", "target"];

/// Says whether a folder of this name is no part of a project's own source.
pub fn is_left_out(name: &str) -> bool {
    LEFT_OUT.contains(&name)
}

/// Copies a file, or a folder of a project without what tools keep there.
pub fn copy_source(from: &Path, to: &Path) -> io::Result<()> {
    copy_all_but(from, to, &LEFT_OUT)
}

/// Copies a file, or a folder with everything that is in it.
pub fn copy_whole(from: &Path, to: &Path) -> io::Result<()> {
    copy_all_but(from, to, &[])
}

/// Links are followed to files only: one that leads to a folder may lead back.
fn copy_all_but(from: &Path, to: &Path, left_out: &[&str]) -> io::Result<()> {
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
        let is_left_out = kind.is_dir() && left_out.iter().any(|left_out| *left_out == name);
        if !is_left_out && (kind.is_dir() || entry.path().is_file()) {
            copy_all_but(&entry.path(), &to.join(name), left_out)?;
        }
    }
    Ok(())
}
