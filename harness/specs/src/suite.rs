//! Many spec files and probes on many emulators, some at once.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use craftos_computers::computer::Profile;
use futures_util::StreamExt as _;

use crate::coverage::Counted;
use crate::play::{Choice, PlayError, Target, play};
use crate::probes::{Playing, Probe, ProbeError, Server};
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
    /// Programs that show what an emulator does.
    pub probes: Vec<Probe>,
    /// Records what they print on the reference.
    pub accept: bool,
}

/// One thing that is run.
enum Turn<'a> {
    Spec(usize, &'a PathBuf, &'a Target),
    /// On all emulators, one after the other: what one records, the others are compared with.
    Probe(usize, &'a Probe),
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
        self.rounds * (self.files.len() * self.targets.len() + self.probes.len())
    }

    /// What probes run on: they show what an emulator does, not how like the game it can be.
    fn bare_targets(&self) -> Vec<Target> {
        self.targets.iter().filter(|target| target.profile == Profile::CraftosPc).cloned().collect()
    }

    /// Runs everything, and tells of each result as it comes.
    pub async fn run(&self, told: &(dyn Fn(Told<'_>) + Sync)) -> Ran {
        let stopped = AtomicBool::new(false);
        let mut ran = Ran::default();
        let server = self.server().await;
        let address = match server {
            Ok(ref server) => server.as_ref().map(|server| server.address.clone()),
            Err(error) => {
                let file = self.probes[0].file.clone();
                ran.broken.push(Broken { file, emulator: "all".to_owned(), error: error.into() });
                return ran;
            }
        };
        let bare_targets = self.bare_targets();
        let mut turns = Vec::new();
        for round in 1..=self.rounds {
            for file in &self.files {
                turns.extend(self.targets.iter().map(|target| Turn::Spec(round, file, target)));
            }
            turns.extend(self.probes.iter().map(|probe| Turn::Probe(round, probe)));
        }
        let playing = turns.into_iter().map(|turn| {
            let (stopped, bare_targets, address) = (&stopped, &bare_targets, &address);
            async move {
                if stopped.load(Ordering::Relaxed) {
                    return None;
                }
                let mut results = Vec::new();
                let mut take = |result: TestResult| {
                    if self.fail_fast && result.is_failed() {
                        stopped.store(true, Ordering::Relaxed);
                    }
                    told(Told::Result(&result));
                    results.push(result);
                };
                let broken = match turn {
                    Turn::Spec(round, file, target) => self.spec(round, file, target, &mut take).await,
                    Turn::Probe(round, probe) => {
                        let (project, server, accept) = (self.project, address.clone(), self.accept);
                        let playing = Playing { project, server, round, accept };
                        let played = playing.play(probe, bare_targets, &mut take).await;
                        let (file, emulator) = (probe.file.clone(), "all".to_owned());
                        played.err().map(|error| Broken { file, emulator, error: error.into() })
                    }
                };
                told(Told::FileEnded);
                if broken.is_some() && self.fail_fast {
                    stopped.store(true, Ordering::Relaxed);
                }
                Some((results, broken))
            }
        });
        let ended: Vec<_> = futures_util::stream::iter(playing).buffered(self.jobs.max(1)).collect().await;
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

    /// Runs one spec file on one emulator.
    async fn spec(
        &self,
        round: usize,
        file: &Path,
        target: &Target,
        take: &mut (dyn FnMut(TestResult) + Send),
    ) -> Option<Broken> {
        let choice = Choice {
            filters: self.filters.clone(),
            seed: self.seed.map(|seed| seed.wrapping_add(round as u64 - 1)),
            round,
            before: self.before.clone(),
            counted: self.counted.clone(),
        };
        let error = play(self.project, file, target, &choice, take).await.err()?;
        Some(Broken { file: file.to_owned(), emulator: target.to_string(), error })
    }

    /// Starts what the probes may talk to, where some are run.
    async fn server(&self) -> Result<Option<Server>, ProbeError> {
        let named = self.project.probes.as_ref().and_then(|probes| probes.server.as_ref());
        match named {
            Some(program) if !self.probes.is_empty() => {
                Ok(Some(Server::start(&self.project.root, program).await?))
            }
            _ => Ok(None),
        }
    }
}
