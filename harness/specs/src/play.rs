//! One spec file on one emulator. Each file has a fresh computer; where a test hangs, or ends its computer, that test has
//! failed, and the tests behind it go on with another one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use craftos_computers::computer::{Computer, ComputerError, Profile, Spec, TYPING, lua_string};
use craftos_computers::emulators::{Emulator, Kind};
use thiserror::Error;

use crate::coverage::{Counted, CountedError};
use crate::others::{First, Others};
use crate::probes::ProbeError;
use crate::project::Project;
use crate::results::{Failure, Outcome, Place, TestResult};
use crate::told::{self, Problem, Test, Told};

/// The runner's parts, and where they are on a computer.
pub(crate) const RUNNER: [(&str, &str); 22] = [
    ("busted.lua", include_str!("../lua/busted.lua")),
    ("computers.lua", include_str!("../lua/computers.lua")),
    ("devices.lua", include_str!("../lua/devices.lua")),
    ("drive.lua", include_str!("../lua/drive.lua")),
    ("environment.lua", include_str!("../lua/environment.lua")),
    ("expect.lua", include_str!("../lua/expect.lua")),
    ("failures.lua", include_str!("../lua/failures.lua")),
    ("guard.lua", include_str!("../lua/guard.lua")),
    ("network.lua", include_str!("../lua/network.lua")),
    ("parts.lua", include_str!("../lua/parts.lua")),
    ("pauses.lua", include_str!("../lua/pauses.lua")),
    ("peripherals.lua", include_str!("../lua/peripherals.lua")),
    ("report.lua", include_str!("../lua/report.lua")),
    ("responses.lua", include_str!("../lua/responses.lua")),
    ("run.lua", include_str!("../lua/run.lua")),
    ("runner.lua", include_str!("../lua/runner.lua")),
    ("sockets.lua", include_str!("../lua/sockets.lua")),
    ("spies.lua", include_str!("../lua/spies.lua")),
    ("stubs.lua", include_str!("../lua/stubs.lua")),
    ("tree.lua", include_str!("../lua/tree.lua")),
    ("typing.lua", TYPING),
    ("world.lua", include_str!("../lua/world.lua")),
];
pub(crate) const VALUES: (&str, &str) = ("values.lua", include_str!("../lua/values.lua"));
const FOLDER: &str = ".harness/specs";

/// The file that runs before the specs, beside the harness's own.
const BEFORE: &str = "specs/before.lua";

/// How often the results are looked at.
const LOOK: Duration = Duration::from_millis(5);

/// What a computer may take to boot and load a file, beside the time of a test.
const LOAD_GRACE: Duration = Duration::from_secs(20);

/// The id of the computer that a spec runs on.
const ID: u32 = 0;

/// Why a spec file could not be run: nothing that its tests did.
#[derive(Debug, Error)]
pub enum PlayError {
    #[error(transparent)]
    Computer(#[from] ComputerError),
    #[error("failed to read what the runner reports")]
    Told(#[from] serde_json::Error),
    #[error(transparent)]
    Counted(#[from] CountedError),
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// What tests run on.
#[derive(Debug, Clone)]
pub struct Target {
    pub emulator: Emulator,
    pub profile: Profile,
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.profile {
            Profile::CraftosPc => write!(f, "{}", self.emulator.kind),
            Profile::Game => write!(f, "{} (game)", self.emulator.kind),
        }
    }
}

/// How the tests of a file are chosen.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Tests whose name, with that of their file, has one of these in it; all without any.
    pub filters: Vec<String>,
    /// What their order is made from; as they are written without it.
    pub seed: Option<u64>,
    pub round: usize,
    /// Lua that each computer runs before anything else: its text.
    pub before: Option<String>,
    /// Where it is counted which lines ran, if it is.
    pub counted: Option<Arc<Counted>>,
}

/// Runs one spec file; gives each result as it comes.
pub async fn play(
    project: &Project,
    file: &Path,
    target: &Target,
    choice: &Choice,
    result: &mut (dyn FnMut(TestResult) + Send),
) -> Result<(), PlayError> {
    let mut playing = Playing {
        project,
        file,
        target,
        choice,
        result,
        tests: Vec::new(),
        found: 0,
        ended: BTreeSet::new(),
    };
    while playing.boot().await? {}
    Ok(())
}

struct Playing<'a> {
    project: &'a Project,
    file: &'a Path,
    target: &'a Target,
    choice: &'a Choice,
    result: &'a mut (dyn FnMut(TestResult) + Send),
    tests: Vec<Test>,
    /// How many tests this boot has found.
    found: usize,
    /// The numbers of the tests that have ended.
    ended: BTreeSet<usize>,
}

/// How a boot ended.
enum End {
    Done,
    /// The computer ended by itself: how.
    Gone(String),
    /// The computer started anew: the file is being loaded a second time.
    Rebooted,
    Late,
}

impl Playing<'_> {
    /// Boots a computer that runs the tests which have not ended. Says whether some are left.
    async fn boot(&mut self) -> Result<bool, PlayError> {
        let spec = self.spec();
        let computer = Computer::boot(&self.target.emulator, spec.clone())?;
        let first = First { computer: &computer, emulator: &self.target.emulator, spec: &spec };
        let mut others = Others::default();
        let (mut seen, mut current, before) = (0, None, self.ended.len());
        let mut deadline = Instant::now() + LOAD_GRACE + self.project.timeout;
        let end = loop {
            let exit = computer.exit();
            let told = told::read(
                &computer.folder().read(&format!("{FOLDER}/results")).ok().flatten().unwrap_or_default(),
            )?;
            let loads = told.iter().enumerate().filter(|(_, event)| matches!(event, Told::Loading));
            let again = loads.map(|(at, _)| at).nth(1);
            let until = again.unwrap_or(told.len());
            for event in &told[seen.min(until)..until] {
                // A test that asks and asks for another computer has no more time for it.
                if !matches!(event, Told::Ask { .. }) {
                    deadline = Instant::now() + self.project.timeout;
                }
                self.take(event, &mut current);
                if let Told::Ask { question } = event {
                    others.answer(first, question, self.project.timeout).await;
                }
            }
            seen = told.len();
            if again.is_some() {
                break End::Rebooted;
            } else if matches!(told.last(), Some(Told::Done | Told::Unreadable(_))) {
                break End::Done;
            } else if let Some(exit) = exit {
                break End::Gone(exit.to_string());
            } else if Instant::now() >= deadline {
                break End::Late;
            }
            tokio::time::sleep(LOOK).await;
        };
        let screen = computer.printed();
        self.finish(&computer, &end).await?;
        let why = match end {
            End::Done => return Ok(false),
            End::Rebooted => "the computer was rebooted during the test".to_owned(),
            End::Gone(exit) => format!("the computer ended during the test: {exit}"),
            End::Late => format!("the test did not end within {} s", self.project.timeout.as_secs()),
        };
        let failure = Failure { message: why, screen, ..Failure::default() };
        match current {
            Some(number) => self.end(number, Outcome::Failed(Box::new(failure)), 0.0),
            // A test took away what the computer needs, and has ended: the others get another computer.
            None if self.ended.len() > before => {}
            None => {
                self.whole_file(failure);
                return Ok(false);
            }
        }
        // There may be tests behind it that were not found yet.
        Ok(true)
    }

    /// Ends a computer. Where lines are counted it may say which ones ran: the emulator writes that at the computer's end.
    async fn finish(&self, computer: &Computer, end: &End) -> Result<(), PlayError> {
        let Some(counted) = self.choice.counted.as_ref().filter(|_| self.counts_lines()) else {
            let _ = computer.kill().await;
            return Ok(());
        };
        match end {
            End::Done if !computer.housing().is_shared() => {
                computer.end().await;
            }
            // Others that the test has started end with it.
            _ => computer.housing().terminate().await,
        }
        let lines = computer.housing().lines().map_err(CountedError::Read)?;
        Ok(counted.add(&lines)?)
    }

    fn counts_lines(&self) -> bool {
        self.choice.counted.is_some() && self.target.emulator.kind == Kind::Embedded
    }

    fn take(&mut self, event: &Told, current: &mut Option<usize>) {
        match event {
            Told::Loading => self.found = 0,
            Told::Found { test } => {
                self.found += 1;
                // A computer that goes on for another finds the same tests again.
                if self.found > self.tests.len() {
                    self.tests.push(test.clone());
                    if test.left_out {
                        self.ended.insert(self.found);
                    }
                }
            }
            Told::Unreadable(problem) => self.whole_file(self.failure(problem)),
            Told::Begin { number } => *current = Some(*number),
            Told::End { number, outcome, ms, error } => {
                *current = None;
                let outcome = match outcome {
                    told::Outcome::Passed => Outcome::Passed,
                    told::Outcome::Pending => Outcome::Pending,
                    told::Outcome::Failed => {
                        Outcome::Failed(Box::new(self.failure(&error.clone().unwrap_or_default())))
                    }
                };
                self.end(*number, outcome, *ms);
            }
            Told::Teardown { number, error } => {
                let mut failure = self.failure(error);
                failure.message = format!("a teardown behind this test failed: {}", failure.message);
                self.tell(*number, Outcome::Failed(Box::new(failure)), 0.0);
            }
            Told::Ask { .. } | Told::Done => {}
        }
    }

    fn end(&mut self, number: usize, outcome: Outcome, ms: f64) {
        self.ended.insert(number);
        self.tell(number, outcome, ms);
    }

    fn tell(&mut self, number: usize, outcome: Outcome, ms: f64) {
        let test = number.checked_sub(1).and_then(|index| self.tests.get(index));
        let (name, line) =
            test.map_or((vec![format!("test {number}")], None), |test| (test.name.clone(), test.line));
        self.give(name, line, outcome, ms);
    }

    /// A failure that is no single test's: the file does not load, or its computer ended before a test began.
    fn whole_file(&mut self, failure: Failure) {
        let name = vec!["(the file)".to_owned()];
        self.give(name, None, Outcome::Failed(Box::new(failure)), 0.0);
    }

    fn give(&mut self, name: Vec<String>, line: Option<u64>, outcome: Outcome, ms: f64) {
        let (file, emulator) = (self.file.to_owned(), self.target.to_string());
        (self.result)(TestResult { file, name, line, emulator, round: self.choice.round, outcome, ms });
    }

    /// A problem with the paths of the project instead of the computer's.
    fn failure(&self, problem: &Problem) -> Failure {
        let place = problem.file.as_deref().zip(problem.line).and_then(|(file, line)| {
            let path =
                self.project.on_host(file).or_else(|| self.is_this(file).then(|| self.file.to_owned()))?;
            Some(Place { file: path, line })
        });
        Failure {
            message: problem.message.clone(),
            expected: problem.expected.clone(),
            actual: problem.actual.clone(),
            place,
            traceback: problem.traceback.clone().unwrap_or_default(),
            screen: problem.screen.clone().unwrap_or_default(),
        }
    }

    fn is_this(&self, file: &str) -> bool {
        on_computer(self.file).trim_start_matches('/') == file.trim_start_matches('/')
    }

    /// The computer for the tests that have not ended.
    fn spec(&self) -> Spec {
        let mut spec = Spec::new(ID);
        spec.program = format!("/{FOLDER}/run.lua");
        spec.profile = self.target.profile;
        spec.count_lines = self.counts_lines();
        spec.settings = self.project.settings.clone();
        let absolute = |path: &PathBuf| self.project.root.join(path);
        spec.copies = self.project.copies();
        spec.mounts = self.project.mounts();
        spec.copies.extend(self.project.specs.iter().map(|path| (absolute(path), on_computer(path))));
        let parts = RUNNER.iter().chain([&VALUES]);
        spec.notes = parts.map(|(name, lua)| (format!("specs/{name}"), (*lua).to_owned())).collect();
        spec.notes.push(("specs/plan.lua".to_owned(), self.plan()));
        spec.notes.extend(self.choice.before.iter().map(|lua| (BEFORE.to_owned(), lua.clone())));
        spec
    }

    fn plan(&self) -> String {
        let mut plan = format!("return {{ file = {}, filters = {{", lua_string(&on_computer(self.file)));
        for filter in &self.choice.filters {
            let _ = write!(plan, " {},", lua_string(filter));
        }
        plan.push_str(" }, folders = {");
        for folder in self.project.specs.iter().filter(|path| self.project.root.join(path).is_dir()) {
            let _ = write!(plan, " {},", lua_string(&on_computer(folder)));
        }
        plan.push_str(" }");
        if self.choice.before.is_some() {
            let _ = write!(plan, ", before = {}", lua_string(&format!("/.harness/{BEFORE}")));
        }
        if self.project.network {
            plan.push_str(", network = true");
        }
        if let Some(seed) = self.choice.seed {
            let _ = write!(plan, ", seed = {}", seed % 1_000_003);
        }
        if !self.tests.is_empty() {
            plan.push_str(", ended = {");
            for number in &self.ended {
                let _ = write!(plan, " [{number}] = true,");
            }
            plan.push_str(" }");
        }
        plan + " }\n"
    }
}

/// Where a file of the project that is copied as it lies goes on a computer.
fn on_computer(path: &Path) -> String {
    path.iter().fold(String::new(), |text, part| format!("{text}/{}", part.to_string_lossy()))
}
