//! The results of a run as data: what `--json` writes and `merge` reads. docs/REPORTS.md and
//! docs/results.schema.json describe it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Machine;
use crate::emulators::Kind;
use crate::suite::{Outcome, Report};

/// The version of the shape. A reader refuses any other; a key that is only added leaves it as it is.
pub const VERSION: u32 = 1;

/// Why results cannot be read.
#[derive(Debug, Error)]
pub enum ResultsError {
    #[error("failed to read results `{path}`")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("`{path}` holds no results\nhint: `craftos-harness run --json FILE` writes them")]
    Json { path: PathBuf, source: serde_json::Error },
    #[error("`{path}` holds results of version {found}; this program reads version {VERSION}")]
    Version { path: PathBuf, found: u32 },
    #[error("`{path}` contradicts itself: {what}")]
    Contradiction { path: PathBuf, what: String },
}

/// Everything that one run, or several that were merged, found out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    pub version: u32,
    /// How many scenarios were asked for, in all shards together.
    pub scenarios: usize,
    pub runs: Vec<Run>,
    pub summary: Vec<Tally>,
    pub results: Vec<Entry>,
}

/// One run of the program: the whole, or a shard of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The version of `craftos-harness`.
    pub harness: String,
    pub shard: Shard,
    /// When it began, in RFC 3339.
    pub started: String,
    pub duration_ms: u64,
    /// What the order was made from, where it was shuffled.
    pub seed: Option<u64>,
    pub filters: Vec<String>,
    pub jobs: usize,
    pub repeat: usize,
    pub machine: Machine,
    pub emulators: Vec<Used>,
    pub missing: Vec<Absent>,
    /// The names of the scenarios that were to be played on each of the emulators, as often as `repeat` says. Empty in
    /// results of older versions.
    #[serde(default)]
    pub planned: Vec<String>,
    /// How many times a scenario was to be played and was not, because the run was stopped.
    #[serde(default)]
    pub left: usize,
    /// The folder that the files of the results are in.
    pub report: Option<PathBuf>,
}

/// The Kth of N parts; the first of one is all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    pub index: usize,
    pub of: usize,
}

/// An emulator that scenarios ran on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    pub emulator: Kind,
    /// Which emulator of its kind, from 1.
    #[serde(default = "first")]
    pub instance: usize,
    pub version: String,
    pub path: PathBuf,
}

/// An emulator that was not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absent {
    pub emulator: Kind,
    pub reason: String,
}

/// The count of one emulator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub emulator: Kind,
    /// Which emulator of its kind, from 1.
    #[serde(default = "first")]
    pub instance: usize,
    pub passed: usize,
    pub accepted: usize,
    pub failed: usize,
    #[serde(default)]
    pub broken: usize,
    pub skipped: usize,
    /// The times of its scenarios together, which is more than the time that passed where several ran at once.
    pub duration_ms: u64,
}

/// How a scenario ended, without the why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Passed,
    Accepted,
    Failed,
    /// The emulator, the bridge or the harness died, so that nothing is known of what the scenario tests.
    Broken,
    Skipped,
}

/// How a whole run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Passed,
    /// At least one scenario failed.
    Failed,
    /// None failed, and at least one is broken or was not played because the run was stopped.
    Broken,
    /// No scenario was played: all were skipped.
    NothingRan,
}

impl End {
    /// The exit code: 0 passed, 1 a scenario failed, 2 the run could not say.
    pub fn code(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Failed => 1,
            Self::Broken | Self::NothingRan => 2,
        }
    }
}

/// One scenario on one emulator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub scenario: String,
    pub about: String,
    pub emulator: Kind,
    /// Which emulator of its kind, from 1: `--emulator` may name two of one kind.
    #[serde(default = "first")]
    pub instance: usize,
    /// Which time of `--repeat`, from 1.
    pub round: usize,
    /// What a simulation was played with. There are no results of simulations, only pages.
    #[serde(skip)]
    pub seed: Option<u64>,
    /// Its place in the order in which the scenarios began, from 1.
    pub order: usize,
    pub outcome: Verdict,
    /// Why it failed, is broken or was skipped.
    pub reason: Option<String>,
    pub duration_ms: u64,
    /// What it left, by what it is: paths below the report's folder.
    pub files: BTreeMap<String, String>,
}

impl Entry {
    pub fn from_report(report: &Report) -> Self {
        let (outcome, reason) = match &report.outcome {
            Outcome::Passed => (Verdict::Passed, None),
            Outcome::Accepted => (Verdict::Accepted, None),
            Outcome::Failed(why) => (Verdict::Failed, Some(why.clone())),
            Outcome::Broken(why) => (Verdict::Broken, Some(why.clone())),
            Outcome::Skipped(why) => (Verdict::Skipped, Some(why.clone())),
        };
        Self {
            scenario: report.scenario.clone(),
            about: report.about.clone(),
            emulator: report.emulator,
            instance: report.instance,
            round: report.round,
            seed: report.seed,
            order: report.order,
            outcome,
            reason,
            duration_ms: milliseconds(report.time),
            files: report.files.clone(),
        }
    }

    fn key(&self) -> Key<'_> {
        (self.emulator, self.instance, &self.scenario, self.round)
    }

    /// The emulator's name, which is also its folder in a report.
    pub fn emulator_name(&self) -> String {
        emulator_name(self.emulator, self.instance)
    }
}

/// What has one result: an emulator (its kind, and which of that kind), a scenario, a round.
type Key<'a> = (Kind, usize, &'a str, usize);

/// `embedded` for the first emulator of that kind, `embedded-2` for the second.
pub fn emulator_name(kind: Kind, instance: usize) -> String {
    if instance == 1 { kind.to_string() } else { format!("{kind}-{instance}") }
}

fn first() -> usize {
    1
}

impl Results {
    /// Puts results in order and counts them.
    pub fn new(scenarios: usize, runs: Vec<Run>, mut results: Vec<Entry>) -> Self {
        results.sort_by(|one, other| one.key().cmp(&other.key()));
        let mut emulators: Vec<_> = results.iter().map(|entry| (entry.emulator, entry.instance)).collect();
        emulators.dedup();
        let summary =
            emulators.into_iter().map(|(kind, instance)| Tally::of(kind, instance, &results)).collect();
        Self { version: VERSION, scenarios, runs, summary, results }
    }

    /// Reads results and checks what a type cannot.
    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let path = || path.to_owned();
        let bytes = std::fs::read(path()).map_err(|source| ResultsError::Read { path: path(), source })?;
        let json = |source| ResultsError::Json { path: path(), source };
        let Versioned { version: found } = serde_json::from_slice(&bytes).map_err(json)?;
        if found != VERSION {
            return Err(ResultsError::Version { path: path(), found });
        }
        let results: Self = serde_json::from_slice(&bytes).map_err(json)?;
        results.check().map_err(|what| ResultsError::Contradiction { path: path(), what })?;
        Ok(results)
    }

    fn check(&self) -> Result<(), String> {
        if self.runs.is_empty() {
            return Err("it has no run".to_owned());
        }
        if let Some(run) = self.runs.iter().find(|run| !(1..=run.shard.of).contains(&run.shard.index)) {
            return Err(format!("there is no shard {}/{}", run.shard.index, run.shard.of));
        }
        let mut seen = BTreeSet::new();
        if let Some(entry) = self.results.iter().find(|entry| !seen.insert(entry.key())) {
            return Err(format!("`{}` on {} is there twice", entry.scenario, entry.emulator_name()));
        }
        let planned: BTreeSet<Key<'_>> = self.runs.iter().flat_map(Run::keys).collect();
        if let Some((kind, instance, scenario, round)) = planned.difference(&seen).next() {
            let name = emulator_name(*kind, *instance);
            return Err(format!("`{scenario}` was planned on {name} (round {round}) and has no result"));
        }
        let all_are_planned = self.runs.iter().all(|run| !run.planned.is_empty());
        // What one shard did not run on an emulator, and others did, has a result after `merge`.
        let is_planned = |entry: &&Entry| {
            self.runs
                .iter()
                .any(|run| (1..=run.repeat).contains(&entry.round) && run.planned.contains(&entry.scenario))
        };
        if all_are_planned && let Some(entry) = self.results.iter().find(|entry| !is_planned(entry)) {
            return Err(format!(
                "`{}` (round {}) has a result and was not planned",
                entry.scenario, entry.round
            ));
        }
        let below = |path: &str| {
            let parts = Path::new(path).components();
            !path.is_empty() && parts.into_iter().all(|part| matches!(part, std::path::Component::Normal(_)))
        };
        if let Some(path) =
            self.results.iter().flat_map(|entry| entry.files.values()).find(|path| !below(path))
        {
            return Err(format!("`{path}` is not below the report's folder"));
        }
        Ok(())
    }

    /// What was to be played and was not, because a run was stopped.
    pub fn left(&self) -> usize {
        self.runs.iter().map(|run| run.left).sum()
    }

    /// How the whole ended. A failure counts more than what is broken: it is a finding about what was tested.
    pub fn end(&self) -> End {
        let count = |of: fn(&Tally) -> usize| self.summary.iter().map(of).sum::<usize>();
        if count(|tally| tally.failed) > 0 {
            End::Failed
        } else if count(|tally| tally.broken) > 0 || self.left() > 0 {
            End::Broken
        } else if count(|tally| tally.passed + tally.accepted) == 0 {
            End::NothingRan
        } else {
            End::Passed
        }
    }

    /// Pretty JSON with a newline at its end.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("results have no maps with odd keys") + "\n"
    }

    /// The versions of an emulator that scenarios ran on; several, where machines differ.
    pub fn versions(&self, kind: Kind) -> Vec<&str> {
        let used = self.runs.iter().flat_map(|run| &run.emulators).filter(|used| used.emulator == kind);
        let mut versions: Vec<&str> = used.map(|used| used.version.as_str()).collect();
        versions.sort_unstable();
        versions.dedup();
        versions
    }

    /// What did not run, each with the shard where that is not the whole.
    pub fn missing(&self) -> Vec<(Kind, String)> {
        let mut all = Vec::new();
        for run in &self.runs {
            for absent in &run.missing {
                let at = if run.shard.of == 1 { String::new() } else { format!(" (shard {})", run.shard) };
                all.push((absent.emulator, format!("{}{at}", absent.reason)));
            }
        }
        all
    }
}

impl Tally {
    fn of(kind: Kind, instance: usize, results: &[Entry]) -> Self {
        let is_own = |entry: &&Entry| entry.emulator == kind && entry.instance == instance;
        let own: Vec<&Entry> = results.iter().filter(is_own).collect();
        let count = |verdict| own.iter().filter(|entry| entry.outcome == verdict).count();
        Self {
            emulator: kind,
            instance,
            passed: count(Verdict::Passed),
            accepted: count(Verdict::Accepted),
            failed: count(Verdict::Failed),
            broken: count(Verdict::Broken),
            skipped: count(Verdict::Skipped),
            duration_ms: own.iter().map(|entry| entry.duration_ms).sum(),
        }
    }
}

impl Tally {
    pub fn name(&self) -> String {
        emulator_name(self.emulator, self.instance)
    }

    /// Whether this is the count of the entry's emulator.
    pub fn counts(&self, entry: &Entry) -> bool {
        (self.emulator, self.instance) == (entry.emulator, entry.instance)
    }
}

impl Run {
    /// Everything that has to have a result: each planned scenario, on each emulator, in each round.
    fn keys(&self) -> Vec<Key<'_>> {
        let mut keys = Vec::new();
        for used in &self.emulators {
            for scenario in &self.planned {
                keys.extend(
                    (1..=self.repeat).map(|round| (used.emulator, used.instance, &**scenario, round)),
                );
            }
        }
        keys
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Accepted => "accepted",
            Self::Failed => "failed",
            Self::Broken => "broken",
            Self::Skipped => "skipped",
        }
    }
}

/// Whole milliseconds.
pub fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
