//! Many spec files on many emulators, some at once.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt as _;

use crate::play::{Choice, PlayError, Target, play};
use crate::project::Project;
use crate::results::TestResult;

/// What is to be run.
#[derive(Debug)]
pub struct Suite<'a> {
    pub project: &'a Project,
    pub files: Vec<PathBuf>,
    pub targets: Vec<Target>,
    pub filters: Vec<String>,
    pub seed: Option<u64>,
    pub rounds: usize,
    /// Lua that each computer runs before its specs.
    pub before: Option<String>,
    /// How many files run at once.
    pub jobs: usize,
    /// Begins no further file once a test has failed.
    pub fail_fast: bool,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Ran {
    /// In the order of rounds, files and emulators, whatever ran first.
    pub results: Vec<TestResult>,
    /// Files that could not be run, with the reason.
    pub broken: Vec<Broken>,
    /// How many files did not begin.
    pub not_begun: usize,
}

/// A file that could not be run on an emulator.
#[derive(Debug)]
pub struct Broken {
    pub file: PathBuf,
    pub emulator: String,
    pub error: PlayError,
}

impl Suite<'_> {
    /// Runs everything, and tells of each result as it comes.
    pub async fn run(&self, told: &(dyn Fn(&TestResult) + Sync)) -> Ran {
        let stopped = AtomicBool::new(false);
        let mut turns = Vec::new();
        for round in 1..=self.rounds {
            for file in &self.files {
                for target in &self.targets {
                    turns.push((round, file, target));
                }
            }
        }
        let playing = turns.into_iter().map(|(round, file, target)| {
            let stopped = &stopped;
            async move {
                if stopped.load(Ordering::Relaxed) {
                    return None;
                }
                let seed = self.seed.map(|seed| seed.wrapping_add(round as u64 - 1));
                let choice =
                    Choice { filters: self.filters.clone(), seed, round, before: self.before.clone() };
                let mut results = Vec::new();
                let mut take = |result: TestResult| {
                    if self.fail_fast && result.is_failed() {
                        stopped.store(true, Ordering::Relaxed);
                    }
                    told(&result);
                    results.push(result);
                };
                let played = play(self.project, file, target, &choice, &mut take).await;
                if played.is_err() && self.fail_fast {
                    stopped.store(true, Ordering::Relaxed);
                }
                let broken = played.err().map(|error| Broken {
                    file: file.clone(),
                    emulator: target.to_string(),
                    error,
                });
                Some((results, broken))
            }
        });
        let ended: Vec<_> = futures_util::stream::iter(playing).buffered(self.jobs.max(1)).collect().await;
        let mut ran = Ran::default();
        for turn in ended {
            match turn {
                None => ran.not_begun += 1,
                Some((results, broken)) => {
                    ran.results.extend(results);
                    ran.broken.extend(broken);
                }
            }
        }
        ran
    }
}
