//! The verdict on a tree, and how it is printed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Parser;

use crate::compare::{Likeness, compare, percent};
use crate::index::Index;
use crate::tree::{Source, sources};

/// A file whose share is larger follows the other's flow of control. An independent implementation of the same APIs, which
/// shares their signatures and messages, has 5 to 30 percent.
const FILE_LIMIT: f64 = 30.0;

/// Shorter files have no flow of control to follow: a handful of calls makes up a large share.
const FILE_TOKENS: usize = 120;

/// A longer run is not chance.
const RUN_LIMIT: usize = 64;

/// The share of all files together.
const TOTAL_LIMIT: f64 = 12.0;

/// Says how much of our source runs alongside other source. Exit codes: 0 below the limits, 1 over them, 2 could not run.
#[derive(Debug, Parser)]
pub struct Cli {
    /// A folder or file of ours; may be given several times
    #[arg(long, required = true, value_name = "PATH")]
    ours: Vec<PathBuf>,
    /// How many of the longest runs to show
    #[arg(long, default_value_t = 20)]
    runs: usize,
    /// What to compare with: checkouts outside the project
    #[arg(required = true, value_name = "DIR")]
    theirs: Vec<PathBuf>,
}

/// Compares, prints the report, and says whether it is below the limits.
pub fn run(cli: &Cli) -> Result<ExitCode> {
    let (report, passed) = report(cli)?;
    print!("{report}");
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read(roots: &[PathBuf]) -> Result<Vec<Source>> {
    let mut all = Vec::new();
    for root in roots {
        let found = sources(root)?;
        ensure!(!found.is_empty(), "no Lua or Rust below `{}`", root.display());
        all.extend(found);
    }
    Ok(all)
}

fn report(cli: &Cli) -> Result<(String, bool)> {
    let ours = read(&cli.ours)?;
    let index = Index::new(read(&cli.theirs)?);
    let mut files: Vec<(&Source, Likeness)> =
        ours.iter().map(|source| (source, compare(source, &index))).collect();
    files.sort_by(|(_, one), (_, other)| other.percent().total_cmp(&one.percent()));
    let mut text = String::new();
    let mut over = Vec::new();
    for (source, likeness) in &files {
        let too_alike = likeness.tokens >= FILE_TOKENS && likeness.percent() > FILE_LIMIT;
        if likeness.alike > 0 {
            writeln!(
                text,
                "{:5.1} % of {:6} tokens, longest run {:4}  {}",
                likeness.percent(),
                likeness.tokens,
                likeness.longest(),
                source.path.display()
            )?;
        }
        if too_alike {
            over.push(format!(
                "`{}`: {:.1} % is over {FILE_LIMIT} %",
                source.path.display(),
                likeness.percent()
            ));
        }
        if likeness.longest() > RUN_LIMIT {
            over.push(format!(
                "`{}`: a run of {} tokens is over {RUN_LIMIT}",
                source.path.display(),
                likeness.longest()
            ));
        }
    }
    longest_runs(&mut text, &files, &index, cli.runs)?;
    let tokens = files.iter().map(|(_, likeness)| likeness.tokens).sum();
    let alike = files.iter().map(|(_, likeness)| likeness.alike).sum();
    let total = percent(alike, tokens);
    writeln!(text, "in all: {alike} of {tokens} tokens, {total:.1} %")?;
    if total > TOTAL_LIMIT {
        over.push(format!("in all: {total:.1} % is over {TOTAL_LIMIT} %"));
    }
    for line in &over {
        writeln!(text, "over the limit: {line}")?;
    }
    Ok((text, over.is_empty()))
}

/// Shows the longest runs of all files, with both places.
fn longest_runs(text: &mut String, files: &[(&Source, Likeness)], index: &Index, count: usize) -> Result<()> {
    let mut runs: Vec<_> = files
        .iter()
        .flat_map(|(source, likeness)| likeness.runs.iter().map(move |run| (*source, run)))
        .collect();
    runs.sort_by_key(|(_, run)| std::cmp::Reverse(run.length));
    for (source, run) in runs.into_iter().take(count) {
        let theirs = &index.files[run.theirs.file];
        let place = |source: &Source, token: usize| -> String {
            format!("{}:{}", shown(&source.path), source.tokens[token].line)
        };
        let (own, other) = (place(source, run.ours), place(theirs, run.theirs.token));
        writeln!(text, "run of {:4} tokens: {own} and {other}", run.length)?;
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
