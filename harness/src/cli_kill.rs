//! The command line of `simulate --kill-everywhere`, as it is typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::time;

/// What its flags stand under in the help of `simulate`.
pub const KILLS: &str = "In place of scenarios: a program that is killed everywhere";

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = KILLS)]
pub struct KillArgs {
    /// Play this Lua program; then kill its computer at each yield in turn, boot it again, and check that the program goes
    /// on without an error, to its end if it has one, and that `--check` holds
    #[arg(long, value_name = "PROGRAM",
        conflicts_with_all = ["filters", "seeds", "time", "faults", "repeat", "jobs", "shard", "report"])]
    pub kill_everywhere: Option<PathBuf>,

    /// The program's arguments, separated by spaces
    #[arg(long, value_name = "WORDS", requires = "kill_everywhere", allow_hyphen_values = true)]
    pub arguments: Option<String>,

    /// The command, as you type it at the prompt, that starts the program after a kill, such as `quarry resume`; by default the
    /// same start as before
    #[arg(long, value_name = "COMMAND", requires = "kill_everywhere")]
    pub again: Option<String>,

    /// What must hold in the end: a Lua file, or Lua; it fails by an error or by returning false
    #[arg(long, value_name = "FILE|LUA", requires = "kill_everywhere", allow_hyphen_values = true)]
    pub check: Option<String>,

    /// Kill at this yield only, the Nth of the run without a kill
    #[arg(long, value_name = "N", requires = "kill_everywhere",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub at: Option<u64>,

    /// How much virtual time each run has, such as `90` or `2h`; then a program that still runs is turned off
    #[arg(long, value_name = "TIME", default_value = "600", requires = "kill_everywhere", value_parser = time)]
    pub until: Duration,

    /// Kill at no more than N yields, spread over the run
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "kill_everywhere",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub kills: u64,
}
