//! The checked configuration: a flag counts over the environment, the environment over the default. clap reads both, in
//! [`crate::cli`]; beside it only `KEEP_TEMP_DIR` and `CARGO_TARGET_DIR` are read, where they are used.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use crate::cli::{BenchArgs, Cli, Command, OutputArgs, RunArgs, SimulateArgs, UpArgs};
use crate::cli_mcp::{McpArgs, McpCommand, ServerArgs};
use crate::cli_test::TestArgs;
use crate::commands::words::{WordsError, split};
use crate::commands::{Chunk, KillConfig};
use crate::computer::Profile;
use crate::emulators::Kind;
use crate::faults::Profile as FaultProfile;
use crate::places::Places;
use crate::report::Shard;
use crate::simulate::{Seeds, SeedsError};

/// What a simulation is played with where nothing is said: the same for everyone, so that two people see the same.
const FIRST_SEED: u64 = 1;

/// Threads that play: more than any machine has processors, and few enough that each can be started.
const MOST_THREADS: usize = 1024;

/// What is wrong with the command line.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ConfigError {
    #[error("`--shard {0}` is not `K/N` with K from 1 to N\nhint: `--shard 1/3` is the first third")]
    Shard(String),
    #[error("`--jobs 0` runs nothing")]
    NoJobs,
    #[error("`--jobs` of `simulate` is at most {MOST_THREADS}: each is a thread")]
    ManyJobs,
    #[error("`--repeat 0` runs nothing")]
    NoRounds,
    #[error("`--{flag} {path}` is in a folder that does not exist\nhint: create the folder first")]
    NoFolder { flag: &'static str, path: String },
    #[error(
        "`--program {path}`: {lacks}\nhint: name a folder with `programs/` and `apis/` in it, such as the project's `lua/`"
    )]
    Program { path: String, lacks: String },
    #[error("`--bridge`: {0}")]
    Bridge(WordsError),
    #[error("the arguments of a tool are a JSON object\n{0}")]
    Json(String),
    #[error("`--seeds`: {0}")]
    Seeds(SeedsError),
    #[error(
        "`--shard` with `--for` needs `--seed`: each shard would draw seeds of its own\nhint: give all shards the same `--seed`"
    )]
    ShardSeed,
}

/// What the program does.
#[derive(Debug)]
pub struct Config {
    pub task: Task,
    pub emulators: Vec<String>,
    pub craftos_pc: Option<PathBuf>,
    pub places: Places,
    pub given: Given,
}

/// The folders that were named on the command line, for hints that repeat them.
#[derive(Debug, Default)]
pub struct Given {
    pub program: Option<PathBuf>,
    pub fixtures: Option<PathBuf>,
}

/// One of its tasks.
#[derive(Debug)]
pub enum Task {
    Run(RunConfig),
    Simulate(SimulateConfig),
    Merge { files: Vec<PathBuf>, outputs: OutputArgs },
    List(Vec<String>),
    Up(UpArgs),
    Call { server: ServerArgs, tool: String, arguments: serde_json::Value },
    Mcp { args: McpArgs, arguments: Option<serde_json::Value> },
    Test(TestConfig),
    KillEverywhere(KillConfig),
    Init,
    Exec { server: ServerArgs, chunk: Chunk },
    Lua { given: String, timeout: Duration },
    Doctor,
    Bench(BenchArgs),
}

/// How specs are run.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct TestConfig {
    pub filters: Vec<String>,
    pub jobs: usize,
    pub require: Vec<Kind>,
    pub repeat: usize,
    pub fail_fast: bool,
    pub shard: Shard,
    /// What the order of the tests is made from; as they are written without it.
    pub seed: Option<u64>,
    pub profiles: Vec<Profile>,
    /// A project's file for the current folder.
    pub project: Option<PathBuf>,
    /// Lua that each computer runs before its specs.
    pub before: Option<PathBuf>,
    /// Records what the probes print.
    pub accept: bool,
    /// Runs again after each edit.
    pub watch: bool,
    /// Counts which lines run; the file for lcov, where one was named.
    pub coverage: Option<Option<PathBuf>>,
    /// Where the report goes, if not into the project.
    pub report: Option<PathBuf>,
    pub junit: Option<PathBuf>,
    pub json: bool,
}

/// How scenarios are run.
#[derive(Debug)]
pub struct RunConfig {
    pub filters: Vec<String>,
    pub jobs: usize,
    pub require: Vec<Kind>,
    pub accept: bool,
    pub repeat: usize,
    /// What the whole run may take.
    pub deadline: Option<Duration>,
    pub shard: Shard,
    /// What the order of the scenarios is made from; by name without it.
    pub seed: Option<u64>,
    /// What goes wrong, and the seed that decides the rest.
    pub faults: Option<(FaultProfile, u64)>,
    pub bridge: Option<Vec<String>>,
    /// The same as it was written.
    pub bridge_words: Option<String>,
    pub outputs: OutputArgs,
}

/// How scenarios are simulated.
#[derive(Debug)]
pub struct SimulateConfig {
    pub filters: Vec<String>,
    pub seeds: Seeds,
    /// How long new plays begin.
    pub time: Option<Duration>,
    pub faults: Option<FaultProfile>,
    pub repeat: usize,
    pub jobs: usize,
    pub shard: Shard,
    pub report: Option<PathBuf>,
}

impl TryFrom<Cli> for Config {
    type Error = ConfigError;

    fn try_from(cli: Cli) -> Result<Self, ConfigError> {
        let command = cli.command.unwrap_or_else(|| Command::Run(RunArgs::everything()));
        let task = match command {
            Command::Run(args) => Task::Run(run(args)?),
            Command::Merge(args) => Task::Merge { files: args.files, outputs: outputs(args.outputs)? },
            Command::List { filters } => Task::List(filters),
            Command::Up(args) => Task::Up(args),
            Command::Probe(server) => {
                Task::Call { server, tool: "probe-computers".to_owned(), arguments: serde_json::json!({}) }
            }
            Command::Exec { id, code, timeout, server } => {
                Task::Exec { server, chunk: Chunk { computer: id, code, timeout } }
            }
            Command::Call { tool, json, server } => Task::Call { server, tool, arguments: object(&json)? },
            Command::Mcp(args) => {
                let arguments = match &args.command {
                    McpCommand::Call { json, .. } => Some(object(json)?),
                    _ => None,
                };
                Task::Mcp { args, arguments }
            }
            Command::Test(args) => Task::Test(test(args)?),
            Command::Simulate(args) => match args.kill.kill_everywhere.clone() {
                Some(program) => {
                    let (seed, json) = (args.seed.unwrap_or_default(), args.json);
                    Task::KillEverywhere(KillConfig { program, args: args.kill, seed, json })
                }
                None => Task::Simulate(simulate(args)?),
            },
            Command::Init => Task::Init,
            Command::Lua { given, timeout } => Task::Lua { given, timeout },
            Command::Doctor => Task::Doctor,
            Command::Bench(args) if args.jobs == Some(0) => return Err(ConfigError::NoJobs),
            Command::Bench(args) => Task::Bench(args),
        };
        if let Some(path) = &cli.program
            && let Some(lacks) = crate::places::lacks(path)
        {
            return Err(ConfigError::Program { path: path.display().to_string(), lacks });
        }
        let given = Given { program: cli.program.clone(), fixtures: cli.fixtures.clone() };
        let places = Places::find(cli.program, cli.fixtures);
        Ok(Self { task, emulators: cli.emulator, craftos_pc: cli.craftos_pc, places, given })
    }
}

fn object(json: &str) -> Result<serde_json::Value, ConfigError> {
    let object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(json).map_err(|error| ConfigError::Json(error.to_string()))?;
    Ok(object.into())
}

fn run(args: RunArgs) -> Result<RunConfig, ConfigError> {
    let jobs = args.jobs.unwrap_or_else(default_jobs);
    if jobs == 0 {
        return Err(ConfigError::NoJobs);
    }
    if args.repeat == 0 {
        return Err(ConfigError::NoRounds);
    }
    let shard = checked_shard(args.shard.as_deref())?;
    let bridge = args.bridge.as_deref().map(split).transpose().map_err(ConfigError::Bridge)?;
    Ok(RunConfig {
        filters: args.filters,
        jobs,
        require: args.require,
        accept: args.accept,
        repeat: args.repeat,
        shard,
        deadline: args.deadline.map(Duration::from_secs),
        seed: args.shuffle.map(|seed| seed.unwrap_or_else(any_seed)),
        faults: args.faults.map(|profile| (profile, args.seed.unwrap_or_else(any_seed))),
        bridge,
        bridge_words: args.bridge,
        outputs: outputs(args.outputs)?,
    })
}

fn simulate(args: SimulateArgs) -> Result<SimulateConfig, ConfigError> {
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    if jobs == 0 {
        return Err(ConfigError::NoJobs);
    }
    if jobs > MOST_THREADS {
        return Err(ConfigError::ManyJobs);
    }
    if args.repeat == 0 {
        return Err(ConfigError::NoRounds);
    }
    let shard = checked_shard(args.shard.as_deref())?;
    if shard.of > 1 && args.time.is_some() && args.seed.is_none() {
        return Err(ConfigError::ShardSeed);
    }
    let seeds = match (args.seeds, args.seed, args.time) {
        (Some(seeds), ..) => seeds.parse().map_err(ConfigError::Seeds)?,
        (None, seed, Some(_)) => Seeds { first: seed.unwrap_or_else(any_seed), end: None },
        (None, seed, None) => Seeds::one(seed.unwrap_or(FIRST_SEED)),
    };
    Ok(SimulateConfig {
        filters: args.filters,
        seeds,
        time: args.time,
        faults: args.faults,
        repeat: args.repeat,
        jobs,
        shard,
        report: args.report,
    })
}

fn checked_shard(text: Option<&str>) -> Result<Shard, ConfigError> {
    match text {
        None => Ok(Shard { index: 1, of: 1 }),
        Some(text) => shard(text).ok_or_else(|| ConfigError::Shard(text.to_owned())),
    }
}

fn test(args: TestArgs) -> Result<TestConfig, ConfigError> {
    let jobs = args.jobs.unwrap_or_else(default_jobs);
    if jobs == 0 {
        return Err(ConfigError::NoJobs);
    }
    if args.repeat == 0 {
        return Err(ConfigError::NoRounds);
    }
    for (flag, path) in
        [("junit", args.junit.as_ref()), ("coverage", args.coverage.as_ref().and_then(Option::as_ref))]
    {
        if let Some(path) = path {
            has_folder(flag, path)?;
        }
    }
    Ok(TestConfig {
        filters: args.filters,
        jobs,
        require: args.require,
        repeat: args.repeat,
        fail_fast: args.fail_fast,
        shard: checked_shard(args.shard.as_deref())?,
        seed: args.shuffle.map(|seed| seed.unwrap_or_else(any_seed)),
        profiles: args.profile,
        project: args.project,
        before: args.before,
        accept: args.accept,
        watch: args.watch,
        coverage: args.coverage,
        report: args.report,
        junit: args.junit,
        json: args.json,
    })
}

/// Twice the processors: scenarios mostly wait.
pub fn default_jobs() -> usize {
    2 * std::thread::available_parallelism().map_or(1, usize::from)
}

fn shard(text: &str) -> Option<Shard> {
    let (index, of) = text.split_once('/')?;
    let (index, of): (usize, usize) = (index.parse().ok()?, of.parse().ok()?);
    (1..=of).contains(&index).then_some(Shard { index, of })
}

/// A number that is short enough to be typed again.
fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000
}

/// A run of minutes whose results cannot be written in the end is a run for nothing: their folders are there before.
fn outputs(args: OutputArgs) -> Result<OutputArgs, ConfigError> {
    for (flag, path) in [("junit", &args.junit), ("json", &args.json)] {
        if let Some(path) = path {
            has_folder(flag, path)?;
        }
    }
    Ok(args)
}

fn has_folder(flag: &'static str, path: &Path) -> Result<(), ConfigError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(ConfigError::NoFolder { flag, path: path.display().to_string() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    fn config(arguments: &[&str]) -> Result<Config, ConfigError> {
        Config::try_from(Cli::parse_from([&["craftos-harness"], arguments].concat()))
    }

    #[test]
    fn no_command_means_run() {
        let Task::Run(run) = config(&[]).expect("valid").task else { panic!("it runs") };
        assert!(run.filters.is_empty() && !run.accept && run.shard == Shard { index: 1, of: 1 });
    }

    #[test]
    fn a_shard_is_checked() {
        let Task::Run(run) = config(&["run", "--shard", "2/3"]).expect("valid").task else {
            panic!("it runs")
        };
        assert_eq!(run.shard, Shard { index: 2, of: 3 });
        assert_eq!(config(&["run", "--shard", "4/3"]).map(|_| ()), Err(ConfigError::Shard("4/3".to_owned())));
    }

    #[test]
    fn the_arguments_of_a_call_are_an_object() {
        assert!(matches!(config(&["call", "x", "[1]"]), Err(ConfigError::Json(_))));
    }
}
