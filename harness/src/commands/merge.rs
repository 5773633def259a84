//! `merge`: joins the results of all shards of a run, and says how the whole went.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::run::{FAILED, tell};
use crate::cli::OutputArgs;
use crate::report::files::Folder;
use crate::report::{self, Results};

/// Joins, writes what was asked for, and exits as one run would have.
pub fn merge(files: &[PathBuf], outputs: &OutputArgs) -> anyhow::Result<ExitCode> {
    let (mut whole, parts) = report::merge(files)?;
    if let Some(root) = &outputs.report {
        let folder = Folder::prepare(root)?;
        for (file, part) in &parts {
            let absent = folder.take(&source(file, part), part)?;
            if absent > 0 {
                eprintln!("{absent} files of `{}` are not there: their pages are missing", file.display());
            }
        }
        whole.runs.iter_mut().for_each(|run| run.report = Some(root.clone()));
        folder.finish(&whole)?;
    }
    tell(&whole, outputs.report.as_deref(), outputs)?;
    Ok(if whole.failed() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// The folder with the files of a shard: the one that its results lie in, otherwise the one that they name.
fn source(file: &Path, part: &Results) -> PathBuf {
    let beside = file.parent().unwrap_or(Path::new(""));
    let pages = || part.results.iter().filter_map(|entry| entry.files.get("page"));
    if pages().any(|page| beside.join(page).is_file()) {
        return beside.to_owned();
    }
    part.runs[0].report.clone().unwrap_or_else(|| beside.to_owned())
}
