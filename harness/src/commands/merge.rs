//! `merge`: joins the results of all shards of a run, and says how the whole went.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::run::tell;
use crate::cli::OutputArgs;
use crate::report::files::Folder;
use crate::report::{self, Results};

/// Joins, writes what was asked for, and exits as one run would have.
pub fn merge(files: &[PathBuf], outputs: &OutputArgs) -> anyhow::Result<ExitCode> {
    let (mut whole, parts) = report::merge(files)?;
    for (flag, output) in [("json", &outputs.json), ("junit", &outputs.junit)] {
        if let Some(file) = output.as_ref().and_then(|output| files.iter().find(|file| is_same(file, output)))
        {
            anyhow::bail!(
                "`{}` holds results that are only read\nhint: give `--{flag}` another file",
                file.display()
            );
        }
    }
    if let Some(root) = &outputs.report {
        // What is there already is replaced, which must not be what is read.
        if let Some((file, _)) = parts.iter().find(|(file, part)| is_same(&source(file, part), root)) {
            anyhow::bail!(
                "`{}` is the report of `{}` itself, which `merge` only reads\nhint: give `--report` another folder",
                root.display(),
                file.display()
            );
        }
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
    Ok(ExitCode::from(whole.end().code()))
}

/// Whether two paths lead to one folder that is there.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| if path.as_os_str().is_empty() { Path::new(".") } else { path }.canonicalize();
    matches!((real(one), real(other)), (Ok(one), Ok(other)) if one == other)
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
