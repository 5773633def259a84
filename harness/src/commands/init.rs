//! `init`: the first files of a project that is to be tested.

use std::process::ExitCode;

use anyhow::Context as _;
use craftos_specs::init as first_files;

use super::out::outln;

/// Writes the first files of a project into the current folder.
pub fn init() -> anyhow::Result<ExitCode> {
    let here = std::env::current_dir().context("failed to find the current folder")?;
    let done = first_files::init(&here)?;
    for path in &done.written {
        outln!("wrote {}", path.display());
    }
    for path in &done.kept {
        outln!("kept {}, which was already there", path.display());
    }
    if !done.found.is_empty() {
        outln!("found {} spec files", done.found.len());
    }
    outln!("next: craftos-harness test, and craftos-harness run for the scenarios");
    Ok(ExitCode::SUCCESS)
}
