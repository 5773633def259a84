//! Many spec files on many emulators, some at once.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt as _;

use crate::coverage::Counted;
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
    /// Where it is counted which lines ran, if it is.
    pub counted: Option<Arc<Counted>>,
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

/// What is told of a run while it runs.
#[derive(Debug, Clone, Copy)]
pub enum Told<'a> {
    Result(&'a TestResult),
    /// All tests of a file have ended on an emulator, or none will begin.
    FileEnded,
}

/// A file that could not be run on an emulator.
#[derive(Debug)]
pub struct Broken {
    pub file: PathBuf,
    pub emulator: String,
    pub error: PlayError,
}

impl Suite<'_> {
    /// How many times a file is run on an emulator.
    pub fn planned(&self) -> usize {
        self.rounds * self.files.len() * self.targets.len()
    }

    /// Runs everything, and tells of each result as it comes.
    pub async fn run(&self, told: &(dyn Fn(Told<'_>) + Sync)) -> Ran {
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
                let choice = Choice {
                    filters: self.filters.clone(),
                    seed,
                    round,
                    before: self.before.clone(),
                    counted: self.counted.clone(),
                };
                let mut results = Vec::new();
                let mut take = |result: TestResult| {
                    if self.fail_fast && result.is_failed() {
                        stopped.store(true, Ordering::Relaxed);
                    }
                    told(Told::Result(&result));
                    results.push(result);
                };
                let played = play(self.project, file, target, &choice, &mut take).await;
                told(Told::FileEnded);
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
