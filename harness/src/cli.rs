//! The command line, as it is typed. [`crate::config`] checks it and decides what it means.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::cli_kill::{KILLS, KillArgs};
use crate::cli_mcp::{McpArgs, ServerArgs};
use crate::cli_test::TestArgs;
use crate::emulators::Kind;
use crate::faults::Profile;

/// A year: nobody waits longer, and clocks can count that far.
const LONGEST_S: u64 = 365 * 24 * 3600;

/// Boots ComputerCraft computers and a bridge, drives them through MCP, and compares what happened with snapshots.
///
/// Without a command it does what `run` does: it runs every scenario on every emulator that it finds. Exit codes: 0 passed,
/// 1 a scenario or a test failed, 2 it could not run, or nothing ran.
#[derive(Debug, Parser)]
#[command(name = "craftos-harness", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Emulator to use: `embedded`, `craftos-pc` or the path of a binary; repeat it to use several, if the command can. By
    /// default `run` and `test` use every emulator that they find
    #[arg(long, global = true, value_name = "EMULATOR")]
    pub emulator: Vec<String>,

    /// The binary of CraftOS-PC; by default `craftos` on the PATH, or in the places where it is usually installed
    #[arg(long, global = true, env = "CRAFTOS_PC", value_name = "PATH")]
    pub craftos_pc: Option<PathBuf>,

    /// Folder with `programs/` and `apis/`, instead of the project's `lua/`
    #[arg(long, global = true, value_name = "DIR")]
    pub program: Option<PathBuf>,

    /// Folder with `scenarios/` and `clients/`, instead of the project's `craftos-fixtures/`
    #[arg(long, global = true, value_name = "DIR")]
    pub fixtures: Option<PathBuf>,
}

/// What is asked for.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run scenarios and compare them with their snapshots
    Run(RunArgs),
    /// Play scenarios in virtual time: bridge, client and computers in one process, in an order that a seed decides
    Simulate(SimulateArgs),
    /// Join the results of all shards of a run into one
    Merge(MergeArgs),
    /// Print the names of the scenarios, and what each of them shows
    List {
        /// Names of scenarios, or parts of names; all scenarios by default
        filters: Vec<String>,
    },
    /// Boot a bridge and computers, and keep them up until Ctrl-C
    Up(UpArgs),
    /// Ask every computer of a running bridge whether it answers, with the tool `probe-computers`
    Probe(ServerArgs),
    /// Run Lua on a computer of a running bridge; print its output as it comes, and what it returns
    Exec {
        /// The computer's id
        #[arg(value_name = "COMPUTER")]
        id: u64,
        /// What to run
        #[arg(value_name = "LUA")]
        code: String,
        /// How long it may run, such as `5`, `90s` or `500ms`; 30 seconds unless the bridge says otherwise
        #[arg(long, value_name = "TIME", value_parser = time)]
        timeout: Option<Duration>,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Call a tool of a running bridge
    Call {
        /// The tool's name
        tool: String,
        /// The arguments as a JSON object
        #[arg(default_value = "{}")]
        json: String,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Work with the MCP servers of this folder's configuration, as an agent does
    Mcp(McpArgs),
    /// Run Lua on a fresh computer; print its output and what it returns
    Lua {
        /// Lua, the path of a file, or `-` for standard input
        #[arg(value_name = "LUA|FILE|-", allow_hyphen_values = true)]
        given: String,
        /// How long it may run, such as `5`, `90s` or `500ms`
        #[arg(long, value_name = "TIME", default_value = "30", value_parser = time)]
        timeout: Duration,
    },
    /// Run the Lua specs of the project that this folder is in
    Test(TestArgs),
    /// Write the first files of a project with specs into this folder
    Init,
    /// Check that the emulators, the program and the scenarios are there, and say what to do if not
    Doctor,
    /// Measure how long the suite takes on this machine, against booting its emulators alone
    Bench(BenchArgs),
}

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Names of scenarios, or parts of names; all scenarios by default
    pub filters: Vec<String>,

    /// Measure everything this many times; the medians are shown
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub rounds: usize,

    /// How many scenarios run at once; by default twice the number of processors
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// Names of scenarios, or parts of names; all scenarios by default
    pub filters: Vec<String>,

    /// How many scenarios run at once; by default twice the number of processors
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// Fail if this emulator is not there
    #[arg(long, env = "HARNESS_REQUIRE", value_enum, value_delimiter = ',', value_name = "EMULATOR")]
    pub require: Vec<Kind>,

    /// Write the transcripts of this run as the snapshots that later runs must match
    #[arg(long)]
    pub accept: bool,

    /// Run everything this many times
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeat: usize,

    /// How long the whole run may take; a scenario that has not ended by then fails
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=LONGEST_S))]
    pub deadline: Option<u64>,

    /// Start the scenarios in an order made from this seed, or from a random seed, which is printed
    #[arg(long, value_name = "SEED", num_args = 0..=1)]
    pub shuffle: Option<Option<u64>>,

    /// Run only the Kth of N parts of the scenarios; `merge` joins the results of all parts
    #[arg(long, value_name = "K/N")]
    pub shard: Option<String>,

    /// Instead of the steps, make calls while things go wrong, and check what must hold; `--seed` decides what happens
    #[arg(long, value_enum, value_name = "PROFILE", conflicts_with = "accept")]
    pub faults: Option<Profile>,

    /// The seed of `--faults`; by default a random one, which is printed
    #[arg(long, value_name = "SEED", requires = "faults")]
    pub seed: Option<u64>,

    /// Test this bridge instead of the project's own: a command that takes `--ready-file F`
    #[arg(long, value_name = "CMD")]
    pub bridge: Option<String>,

    #[command(flatten)]
    pub outputs: OutputArgs,
}

#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// Names of scenarios, or parts of names; all scenarios by default
    pub filters: Vec<String>,

    /// The seed that decides every order; 1 by default. With `--for` the first of the seeds; a random one by default
    #[arg(long, value_name = "SEED", value_parser = clap::value_parser!(u64).range(..u64::MAX))]
    pub seed: Option<u64>,

    /// How many seeds, such as `1000` for 1 to 1000, or which seeds, such as `100..200` for 100 to 199
    #[arg(long, value_name = "SEEDS", conflicts_with = "seed")]
    pub seeds: Option<String>,

    /// Play one seed after the other for this long, such as `60s`; the range is printed
    #[arg(long = "for", value_name = "TIME", value_parser = time, conflicts_with = "seeds")]
    pub time: Option<Duration>,

    /// Instead of the steps, make calls while things go wrong, and check what must hold
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub faults: Option<Profile>,

    /// Play each seed this many times, and fail if anything that happens differs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeat: usize,

    /// How many plays run at once; by default the number of processors
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// Play only the Kth of N parts of all scenarios and seeds
    #[arg(long, value_name = "K/N")]
    pub shard: Option<String>,

    /// Leave pages, traces and logs of failures in this folder; by default in `target/simulate`
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub kill: KillArgs,

    /// Print a line of JSON for each kill on stdout
    #[arg(long, requires = "kill_everywhere", help_heading = KILLS)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The results of each shard: what `run --json` wrote, or `results.json` in its report
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub outputs: OutputArgs,
}

/// What is written beside the summary.
#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// Leave pages, traces and logs in this folder; by default `run` leaves them in the project's `target/e2e`, and
    /// `merge` leaves none
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,

    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Write the results as JSON; with `-` they go to stdout, and the summary to stderr
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct UpArgs {
    /// How many computers to boot, or names of scenarios whose computers to boot
    #[arg(value_name = "FIXTURE", default_value = "1")]
    pub wanted: Vec<String>,

    /// Port for MCP clients; by default 3000, or any free port if 3000 is taken
    #[arg(long, value_name = "PORT")]
    pub mcp_port: Option<u16>,

    /// Port for more computers; by default 3001, or any free port if 3001 is taken
    #[arg(long, value_name = "PORT")]
    pub link_port: Option<u16>,

    /// Folders with `_index.yaml` files that declare tools; the bridge serves these and its own
    #[arg(long, env = "CC_TOOLS", value_delimiter = ',', value_name = "DIR")]
    pub tools: Vec<PathBuf>,
}

/// A time: seconds, or a number with its unit.
pub fn time(text: &str) -> Result<Duration, String> {
    let time = match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?,
        Err(_) => humantime::parse_duration(text).map_err(|error| error.to_string())?,
    };
    let longest = Duration::from_secs(LONGEST_S);
    if time < Duration::from_millis(1) || time > longest {
        return Err("it is not between a millisecond and a year".to_owned());
    }
    Ok(time)
}

impl RunArgs {
    /// What is run where no command is given: the same as `run` alone.
    pub fn everything() -> Self {
        match Cli::parse_from(["craftos-harness", "run"]).command {
            Some(Command::Run(args)) => args,
            _ => unreachable!("`run` is what was parsed"),
        }
    }
}
