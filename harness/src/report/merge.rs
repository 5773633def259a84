//! Joins the results of all shards of a run into the results of the whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::results::{Entry, Results, ResultsError, Run, Shard, Verdict, emulator_name};

/// Why results cannot be joined.
#[derive(Debug, Error)]
pub enum MergeError {
    #[error(transparent)]
    Results(#[from] ResultsError),
    #[error("shard {shard} is there twice: in `{one}` and in `{other}`")]
    Doubled { shard: Shard, one: PathBuf, other: PathBuf },
    #[error("missing: shard {shards}\nhint: name the results of every shard")]
    Missing { shards: String },
    #[error("`{one}` and `{other}` are not of one run: {what}")]
    Different { one: PathBuf, other: PathBuf, what: String },
    #[error("shard {shard} in `{path}` was stopped before its end\nhint: run it again")]
    BrokenOff { shard: Shard, path: PathBuf },
    #[error("the shards have {found} of {wanted} scenarios")]
    Incomplete { found: usize, wanted: usize },
}

/// Reads and joins results; also gives which file each shard came from. What a shard did not run, and another did, has a
/// result that says so.
pub fn merge(paths: &[PathBuf]) -> Result<(Results, Vec<(PathBuf, Results)>), MergeError> {
    let mut parts: Vec<(PathBuf, Results)> = Vec::new();
    for path in paths {
        parts.push((path.clone(), Results::read(path)?));
    }
    check(&parts)?;
    let mut runs: Vec<Run> = parts.iter().flat_map(|(_, part)| part.runs.clone()).collect();
    runs.sort_by_key(|run| run.shard);
    let mut entries: Vec<Entry> = parts.iter().flat_map(|(_, part)| part.results.clone()).collect();
    entries.extend(not_run(&parts));
    let scenarios = parts.first().map_or(0, |(_, part)| part.scenarios);
    let whole = Results::new(scenarios, runs, entries);
    let found: BTreeSet<&str> = whole.results.iter().map(|entry| entry.scenario.as_str()).collect();
    if found.len() != scenarios {
        return Err(MergeError::Incomplete { found: found.len(), wanted: scenarios });
    }
    Ok((whole, parts))
}

/// A broken result for each scenario of a shard that lacked an emulator which another shard had.
fn not_run(parts: &[(PathBuf, Results)]) -> Vec<Entry> {
    let of_entry = |entry: &Entry| (entry.emulator, entry.instance);
    let all: BTreeSet<_> = parts.iter().flat_map(|(_, part)| part.results.iter().map(of_entry)).collect();
    let mut entries = Vec::new();
    for (path, part) in parts {
        let own: BTreeSet<_> = part.results.iter().map(of_entry).collect();
        for (emulator, instance) in all.difference(&own) {
            let mut seen = BTreeSet::new();
            for model in part.results.iter().filter(|entry| seen.insert((&entry.scenario, entry.round))) {
                let name = emulator_name(*emulator, *instance);
                let reason = format!(
                    "shard {} in `{}` did not run it on {name}, on which other shards ran\nhint: run that shard where {name} is\n",
                    part.runs[0].shard,
                    path.display()
                );
                entries.push(Entry {
                    emulator: *emulator,
                    instance: *instance,
                    outcome: Verdict::Broken,
                    reason: Some(reason),
                    duration_ms: 0,
                    files: BTreeMap::new(),
                    ..model.clone()
                });
            }
        }
    }
    entries
}

fn check(parts: &[(PathBuf, Results)]) -> Result<(), MergeError> {
    let mut seen: BTreeMap<Shard, &Path> = BTreeMap::new();
    let Some((first_path, first)) = parts.first() else { return Ok(()) };
    let model = &first.runs[0];
    for (path, part) in parts {
        for run in &part.runs {
            let differs = |what: &str, one: String, other: String| MergeError::Different {
                one: first_path.clone(),
                other: path.clone(),
                what: format!("{what} {one} and {other}"),
            };
            if run.shard.of != model.shard.of {
                return Err(differs("shards", model.shard.to_string(), run.shard.to_string()));
            }
            if part.scenarios != first.scenarios {
                let (one, other) = (first.scenarios, part.scenarios);
                return Err(differs("scenarios in all:", one.to_string(), other.to_string()));
            }
            if run.filters != model.filters || run.repeat != model.repeat {
                let shown = |run: &Run| format!("`{}` x{}", run.filters.join(" "), run.repeat);
                return Err(differs("filters", shown(model), shown(run)));
            }
            if run.left > 0 {
                return Err(MergeError::BrokenOff { shard: run.shard, path: path.clone() });
            }
            if let Some(before) = seen.insert(run.shard, path) {
                let (one, other) = (before.to_owned(), path.clone());
                return Err(MergeError::Doubled { shard: run.shard, one, other });
            }
        }
    }
    let of = model.shard.of;
    let absent = (1..=of).map(|index| Shard { index, of }).filter(|shard| !seen.contains_key(shard));
    let shards: Vec<String> = absent.map(|shard| shard.to_string()).collect();
    if shards.is_empty() { Ok(()) } else { Err(MergeError::Missing { shards: shards.join(", ") }) }
}
