//! The command line: the flags of `craftos --headless`, validated into a [`Plan`].
//!
//! A flag wins over the environment, and that over the files in the data folder. The environment is read here
//! and nowhere else.

use std::env;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Parser;
use clap::builder::BoolishValueParser;

use crate::config::Profile;
use crate::faults;
use crate::ids::Ids;
use crate::options::{MountOption, Options};

/// A headless `ComputerCraft` emulator with the command line and data layout of CraftOS-PC.
#[derive(Debug, Parser)]
#[command(name = "embedded-craftos", version)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Cli {
    /// Data folder, with `config/` and `computer/` in it.
    #[arg(short, long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Folder with the computers' folders, if not `computer/` in the data folder.
    #[arg(short = 'C', long, value_name = "DIR")]
    computers_dir: Option<PathBuf>,
    /// Computers to boot: an id, a range such as `0-999`, or a list such as `1,5,7-9`.
    #[arg(short, long, default_value = "0", value_name = "IDS")]
    id: Ids,
    /// Lua to run on each computer before its `/startup.lua`.
    #[arg(long, value_name = "LUA", overrides_with = "script")]
    exec: Option<String>,
    /// Lua file to run on each computer before its `/startup.lua`.
    #[arg(long, value_name = "FILE", overrides_with = "exec")]
    script: Option<PathBuf>,
    /// Arguments for `--exec` or `--script`, separated by spaces.
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    args: Option<String>,
    /// Mounts a folder read-only on each computer.
    #[arg(long, value_name = "PATH=DIR", value_parser = parse_mount)]
    mount: Vec<(String, PathBuf)>,
    /// Mounts a folder read-only on each computer, like `--mount`.
    #[arg(long, value_name = "PATH=DIR", value_parser = parse_mount)]
    mount_ro: Vec<(String, PathBuf)>,
    /// Mounts a folder for reading and writing on each computer.
    #[arg(long, value_name = "PATH=DIR", value_parser = parse_mount)]
    mount_rw: Vec<(String, PathBuf)>,
    /// Folder with `bios.lua` and `rom/` to use instead of the embedded ones.
    #[arg(long, value_name = "DIR")]
    rom: Option<PathBuf>,
    /// Accepted because CraftOS-PC has this flag; there is no other mode.
    #[arg(long)]
    headless: bool,
    /// What the computers behave like.
    #[arg(long, value_enum, default_value_t)]
    profile: Profile,
    /// File with certificates (PEM) to trust for `https` and `wss`, in addition to the usual authorities.
    #[arg(long, value_name = "FILE")]
    certificates: Option<PathBuf>,
    /// Makes two runs print the same: fixes `math.random`, `pairs`, addresses, timers and clocks.
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Runs all computers on one thread in virtual time, which jumps to the next event when all wait. `--seed` (0 by
    /// default) decides the order, and two runs print the same bytes. There is no `http`.
    #[arg(long)]
    simulate: bool,
    /// Ends a simulation after this much virtual time.
    #[arg(long, value_name = "SECONDS", requires = "simulate", value_parser = parse_seconds)]
    until: Option<Duration>,
    /// TOML file that says what goes wrong: see docs/EMULATOR.md. `--seed` decides when, or the file's `plan`.
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// Writes the faults that happened to this file, as a plan that `--faults` takes.
    #[arg(long, value_name = "FILE", requires = "faults")]
    fault_plan: Option<PathBuf>,
    /// Writes each computer's screen to this folder as text, JSON and PNG, at exit and on SIGUSR1.
    #[arg(long, value_name = "DIR")]
    screen_dump: Option<PathBuf>,
    /// Writes to this file how often each line of Lua ran: a line of JSON whenever a computer turns off or reboots.
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,
    /// Ends when the process that started this one ends.
    #[arg(long, env = "EMBEDDED_CRAFTOS_DIE_WITH_PARENT", value_parser = BoolishValueParser::new())]
    die_with_parent: bool,
    /// Turns off the second wall; on Linux that wall denies the process files and system calls that no computer needs.
    #[arg(long, env = "EMBEDDED_CRAFTOS_NO_CONFINE", value_parser = BoolishValueParser::new())]
    no_confine: bool,
}

/// What the program is to do.
#[derive(Debug)]
pub struct Plan {
    pub options: Options,
    pub ids: Ids,
    pub screen_dump: Option<PathBuf>,
    pub die_with_parent: bool,
    /// Whether the process confines itself before the first line of Lua.
    pub confine: bool,
    /// How much virtual time a simulation has.
    pub until: Option<Duration>,
    /// Where the faults that happened go: opened before the process confines itself.
    pub fault_plan: Option<File>,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "expected seconds, such as `3600` or `0.5`".to_owned())
}

fn parse_mount(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((at, path)) if !at.is_empty() && !path.is_empty() => Ok((at.to_owned(), path.into())),
        _ => Err("expected `PATH=DIR`, such as `lib=/srv/lua`".to_owned()),
    }
}

impl Cli {
    /// Reads what the flags name and checks it.
    pub fn into_plan(self) -> anyhow::Result<Plan> {
        let directory = match self.directory {
            Some(directory) => directory,
            None => default_directory().context("no data folder\nhint: give one with `--directory`")?,
        };
        let script = match (self.exec, self.script) {
            (Some(lua), _) => Some(lua.into_bytes()),
            (None, Some(path)) => Some(
                std::fs::read(&path)
                    .with_context(|| format!("failed to read the script `{}`", path.display()))?,
            ),
            (None, None) => None,
        };
        let mut options = Options::new(directory);
        let read_only = self.mount.into_iter().chain(self.mount_ro).map(|mount| (mount, true));
        for ((at, path), read_only) in read_only.chain(self.mount_rw.into_iter().map(|mount| (mount, false)))
        {
            if !path.is_dir() {
                bail!("failed to mount `{}`\nhint: it must be a folder that exists", path.display());
            }
            options.mounts.push(MountOption { at, path, read_only });
        }
        options.computers_directory = self.computers_dir;
        options.rom = self.rom;
        options.script = script;
        options.arguments = self.args;
        options.profile = self.profile;
        options.certificates = self.certificates;
        options.seed = self.seed;
        options.simulate = self.simulate;
        if let Some(path) = &self.coverage {
            // Opened before the process confines itself: the file may be anywhere.
            let file = File::options().create(true).append(true).open(path);
            let file = file.with_context(|| format!("failed to open `{}` for coverage", path.display()))?;
            options.coverage = Some(Arc::new(Mutex::new(file)));
        }
        options.faults = self.faults.as_deref().map(faults::read).transpose()?;
        let fault_plan = self.fault_plan.as_ref().map(|path| {
            File::create(path).with_context(|| format!("failed to open `{}` for the faults", path.display()))
        });
        options.output = Some(Arc::new(Mutex::new(io::stdout())));
        options.whole_lines = self.id.len() > 1;
        Ok(Plan {
            options,
            ids: self.id,
            screen_dump: self.screen_dump,
            die_with_parent: self.die_with_parent,
            confine: !self.no_confine,
            until: self.until,
            fault_plan: fault_plan.transpose()?,
        })
    }
}

/// Where the reference keeps its data.
fn default_directory() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if cfg!(windows) {
        return set("APPDATA").map(|folder| folder.join("CraftOS-PC"));
    }
    if cfg!(target_os = "macos") {
        return set("HOME").map(|home| home.join("Library/Application Support/CraftOS-PC"));
    }
    set("XDG_DATA_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".local/share")))
        .map(|folder| folder.join("craftos-pc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_the_reference_are_taken_and_others_refused() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().to_str().expect("the path is text");
        let mount = format!("lib={path}");
        let flags = [
            "x",
            "--headless",
            "-d",
            path,
            "-i",
            "1,2",
            "--mount-ro",
            &mount,
            "--exec",
            "print(1)",
            "--args",
            "-a b",
        ];
        let plan = Cli::try_parse_from(flags).expect("all are known").into_plan().expect("all are there");
        assert_eq!(plan.ids.len(), 2);
        assert_eq!(plan.options.arguments.as_deref(), Some("-a b"));
        assert!(plan.options.mounts[0].read_only);
        assert!(Cli::try_parse_from(["x", "--no-such-flag"]).is_err());
        assert!(Cli::try_parse_from(["x", "-i", "abc"]).is_err());
    }

    #[test]
    fn of_exec_and_script_the_last_one_wins() {
        let cli = Cli::try_parse_from(["x", "--script", "f", "--exec", "print(1)"]).expect("both are known");
        assert!(cli.exec.is_some() && cli.script.is_none());
    }
}
