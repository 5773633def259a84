//! The checked configuration: a flag counts over the environment, the environment over the default. clap reads both, in
//! [`crate::cli`]; beside it only `KEEP_TEMP_DIR` and `CARGO_TARGET_DIR` are read, where they are used.

use std::path::PathBuf;

use thiserror::Error;

use crate::cli::{Cli, Command, RunArgs, UpArgs};
use crate::cli_mcp::{McpArgs, McpCommand, ServerArgs};
use crate::emulators::Kind;
use crate::places::Places;

/// What is wrong with the command line.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ConfigError {
    #[error("`--shard {0}` is not `K/N` with K from 1 to N\nhint: `--shard 1/3` is the first third")]
    Shard(String),
    #[error("`--jobs 0` runs nothing")]
    NoJobs,
    #[error("`--bridge` names no command")]
    NoBridge,
    #[error("the arguments of a tool are a JSON object\n{0}")]
    Json(String),
}

/// What the program does.
#[derive(Debug)]
pub struct Config {
    pub task: Task,
    pub emulators: Vec<String>,
    pub craftos_pc: Option<PathBuf>,
    pub places: Places,
}

/// One of its tasks.
#[derive(Debug)]
pub enum Task {
    Run(RunConfig),
    List(Vec<String>),
    Up(UpArgs),
    Call { server: ServerArgs, tool: String, arguments: serde_json::Value },
    Mcp { args: McpArgs, arguments: Option<serde_json::Value> },
    Lua { code: String, timeout: u64 },
    Doctor,
}

/// How scenarios are run.
#[derive(Debug)]
pub struct RunConfig {
    pub filters: Vec<String>,
    pub jobs: usize,
    pub require: Vec<Kind>,
    pub accept: bool,
    pub repeat: usize,
    /// Which scenarios of how many parts: (0, 1) is all.
    pub shard: (usize, usize),
    pub bridge: Option<Vec<String>>,
    pub junit: Option<PathBuf>,
    pub report: Option<PathBuf>,
}

impl TryFrom<Cli> for Config {
    type Error = ConfigError;

    fn try_from(cli: Cli) -> Result<Self, ConfigError> {
        let command = cli.command.unwrap_or_else(|| Command::Run(RunArgs::everything()));
        let task = match command {
            Command::Run(args) => Task::Run(run(args)?),
            Command::List { filters } => Task::List(filters),
            Command::Up(args) => Task::Up(args),
            Command::Probe(server) => {
                Task::Call { server, tool: "probe-computers".to_owned(), arguments: serde_json::json!({}) }
            }
            Command::Exec { id, code, server } => {
                let arguments = serde_json::json!({ "computerId": id, "code": code });
                Task::Call { server, tool: "exec-lua".to_owned(), arguments }
            }
            Command::Call { tool, json, server } => Task::Call { server, tool, arguments: object(&json)? },
            Command::Mcp(args) => {
                let arguments = match &args.command {
                    McpCommand::Call { json, .. } => Some(object(json)?),
                    _ => None,
                };
                Task::Mcp { args, arguments }
            }
            Command::Lua { code, timeout } => Task::Lua { code, timeout },
            Command::Doctor => Task::Doctor,
        };
        let places = Places::find(cli.program, cli.fixtures);
        Ok(Self { task, emulators: cli.emulator, craftos_pc: cli.craftos_pc, places })
    }
}

fn object(json: &str) -> Result<serde_json::Value, ConfigError> {
    let object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(json).map_err(|error| ConfigError::Json(error.to_string()))?;
    Ok(object.into())
}

fn run(args: RunArgs) -> Result<RunConfig, ConfigError> {
    let processors = std::thread::available_parallelism().map_or(1, Into::into);
    let jobs = args.jobs.unwrap_or(processors * 2);
    if jobs == 0 {
        return Err(ConfigError::NoJobs);
    }
    let shard = match &args.shard {
        None => (0, 1),
        Some(text) => shard(text).ok_or_else(|| ConfigError::Shard(text.clone()))?,
    };
    let bridge: Option<Vec<String>> =
        args.bridge.map(|command| command.split_whitespace().map(ToOwned::to_owned).collect());
    if bridge.as_ref().is_some_and(Vec::is_empty) {
        return Err(ConfigError::NoBridge);
    }
    Ok(RunConfig {
        filters: args.filters,
        jobs,
        require: args.require,
        accept: args.accept,
        repeat: args.repeat,
        shard,
        bridge,
        junit: args.junit,
        report: args.report,
    })
}

fn shard(text: &str) -> Option<(usize, usize)> {
    let (which, parts) = text.split_once('/')?;
    let (which, parts): (usize, usize) = (which.parse().ok()?, parts.parse().ok()?);
    (1..=parts).contains(&which).then(|| (which - 1, parts))
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
        assert!(run.filters.is_empty() && !run.accept && run.shard == (0, 1));
    }

    #[test]
    fn a_shard_is_checked() {
        let Task::Run(run) = config(&["run", "--shard", "2/3"]).expect("valid").task else {
            panic!("it runs")
        };
        assert_eq!(run.shard, (1, 3));
        assert_eq!(config(&["run", "--shard", "4/3"]).map(|_| ()), Err(ConfigError::Shard("4/3".to_owned())));
    }

    #[test]
    fn the_arguments_of_a_call_are_an_object() {
        assert!(matches!(config(&["call", "x", "[1]"]), Err(ConfigError::Json(_))));
    }
}
