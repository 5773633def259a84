//! What a run of specs leaves: pages, the results as data, and coverage for other programs.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use craftos_specs::coverage::{Coverage, lcov};
use craftos_specs::project::Project;
use craftos_specs::suite::Ran;

use crate::config::TestConfig;
use crate::report::coverage as coverage_pages;
use crate::report::specs::{self, SpecRun};

/// The report's folder inside the one that the harness has in a project.
const REPORT: &str = "test";

/// The results of all tests, a line of JSON each.
const RESULTS: &str = "results.jsonl";

/// Coverage for other programs.
const LCOV: &str = "lcov.info";

/// Writes the report. A project that cannot be written to gets none, unless a folder was named for it.
pub fn write(
    project: &Project,
    test: &TestConfig,
    ran: &Ran,
    coverage: Option<&Coverage>,
    took: Duration,
) -> anyhow::Result<()> {
    if let (Some(coverage), Some(Some(path))) = (coverage, &test.coverage) {
        write_file(path, &lcov(coverage))?;
    }
    let named = test.report.as_deref();
    let folder = match named {
        Some(folder) => folder.to_owned(),
        None => match project.own_folder() {
            Ok(folder) => folder.join(REPORT),
            Err(error) if is_refused(&error) => {
                eprintln!(
                    "no report: `{}` cannot be written to\nhint: `--report DIR` names another place",
                    project.root.display()
                );
                return Ok(());
            }
            Err(error) => return Err(error).context("failed to make the folder for the report"),
        },
    };
    if named.is_none() {
        // All that is in it is an earlier run's: pages of files that are gone would stay for ever.
        let _ = std::fs::remove_dir_all(&folder);
    }
    for (path, text) in all(project, ran, coverage, took) {
        write_file(&folder.join(path), &text)?;
    }
    eprintln!("report: {}", folder.join("index.html").display());
    Ok(())
}

fn is_refused(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

fn all(project: &Project, ran: &Ran, coverage: Option<&Coverage>, took: Duration) -> Vec<(PathBuf, String)> {
    let mut lines = String::new();
    for result in &ran.results {
        lines += &serde_json::to_string(result).expect("results hold texts and numbers only");
        lines.push('\n');
    }
    let run = SpecRun { ran, took, coverage };
    let mut files = vec![("index.html".into(), specs::write(&run)), (RESULTS.into(), lines)];
    if let Some(coverage) = coverage {
        files.push((LCOV.into(), lcov(coverage)));
        files.extend(coverage_pages::write(coverage, &project.root));
    }
    files
}

fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let failed = || format!("failed to write `{}`", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(failed)?;
    }
    std::fs::write(path, text).with_context(failed)
}
