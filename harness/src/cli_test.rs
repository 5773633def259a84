//! The command line of `test`, as it is typed.

use std::path::PathBuf;

use clap::Args;

use crate::computer::Profile;
use crate::emulators::Kind;

fn profile(text: &str) -> Result<Profile, String> {
    match text {
        "craftos-pc" => Ok(Profile::CraftosPc),
        "game" => Ok(Profile::Game),
        _ => Err("it is `craftos-pc` or `game`".to_owned()),
    }
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct TestArgs {
    /// Parts of names of tests or of their files; all tests by default
    pub filters: Vec<String>,

    /// How many spec files run at once; by default twice the number of processors
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// Run everything this many times
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeat: usize,

    /// Start no further file once a test has failed
    #[arg(long)]
    pub fail_fast: bool,

    /// Run the tests of each file in an order made from a seed, which is printed
    #[arg(long, value_name = "SEED")]
    pub shuffle: Option<Option<u64>>,

    /// Run only every Nth file, starting with the Kth
    #[arg(long, value_name = "K/N")]
    pub shard: Option<String>,

    /// Fail if this emulator is not there
    #[arg(long, value_enum, env = "HARNESS_REQUIRE", value_delimiter = ',', value_name = "EMULATOR")]
    pub require: Vec<Kind>,

    /// Use this profile instead of the project's `profiles`; only the embedded emulator has `game`
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    pub profile: Vec<Profile>,

    /// Use this file as the `craftos.toml` of the current folder
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,

    /// Run this Lua on each computer before its specs
    #[arg(long, value_name = "FILE")]
    pub before: Option<PathBuf>,

    /// Count which lines of the project run, on the embedded emulator; also write them to this file in lcov's format
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub coverage: Option<Option<PathBuf>>,

    /// Leave pages and results in this folder; by default in the project's `.craftos/test`
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,

    /// Record what the probes print on CraftOS-PC or, if that is not installed, on the embedded emulator
    #[arg(long)]
    pub accept: bool,

    /// After each edit run again what it concerns, until Ctrl-C
    #[arg(long, conflicts_with_all = ["junit", "shard", "repeat", "coverage", "report", "accept"])]
    pub watch: bool,

    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Write a line of JSON to stdout for each result, instead of text
    #[arg(long)]
    pub json: bool,
}
