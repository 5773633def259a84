//! `lua`: runs Lua on a fresh computer: code, a file or standard input.

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;

use super::out::out;
use super::values::written;
use crate::computer::{Computer, Spec};
use crate::config::Config;
use crate::emulators::{Emulator, find};

/// The code for Lua that failed.
const FAILED: u8 = 1;

/// Stands for standard input.
const STDIN: &str = "-";

/// The name of code that is in no file.
const CHUNK: &str = "chunk.lua";

/// The program that runs the chunk, and the files that it leaves: all of them out of the chunk's way.
const RUNNER: &str = include_str!("run.lua");
const RUNNER_PATH: &str = ".run/run.lua";
const RETURNED_PATH: &str = ".run/returned";

/// What is run, under the name that its errors have.
#[derive(Debug)]
pub struct Source {
    name: String,
    code: String,
}

impl Source {
    /// Reads `-` from standard input, a file where there is one, and takes anything else as code.
    pub fn read(given: &str) -> anyhow::Result<Self> {
        if given == STDIN {
            let mut code = String::new();
            std::io::stdin().read_to_string(&mut code).context("failed to read standard input")?;
            return Ok(Self { name: CHUNK.to_owned(), code });
        }
        let path = Path::new(given);
        if path.is_file() {
            let code = std::fs::read_to_string(path).with_context(|| format!("failed to read `{given}`"))?;
            let name = path.file_name().and_then(|name| name.to_str()).filter(|name| is_plain(name));
            return Ok(Self { name: name.unwrap_or(CHUNK).to_owned(), code });
        }
        anyhow::ensure!(!is_file_name(given), "there is no file `{given}`");
        Ok(Self { name: CHUNK.to_owned(), code: given.to_owned() })
    }

    /// Code that is in no file.
    pub fn code(code: &str) -> Self {
        Self { name: CHUNK.to_owned(), code: code.to_owned() }
    }
}

/// Whether a file may have this name on a computer, where the harness has files of its own.
fn is_plain(name: &str) -> bool {
    name != "startup.lua" && !name.starts_with('.') && !name.contains(['\\', ':'])
}

/// Whether somebody meant a file: no chunk of one word ends so.
fn is_file_name(given: &str) -> bool {
    Path::new(given).extension().is_some_and(|extension| extension == "lua")
        && !given.contains(char::is_whitespace)
        && !given.contains(['(', '=', '"'])
}

/// What became of it.
#[derive(Debug)]
pub struct Ran {
    pub exit: String,
    /// What was printed, and then what was returned, a value a line.
    pub told: String,
}

impl Ran {
    pub fn is_well(&self) -> bool {
        self.exit == "exit 0"
    }
}

/// Runs Lua on each emulator that was named, on the embedded one where none was, and prints what it printed and returned.
pub async fn lua(config: &Config, given: &str, timeout: Duration) -> anyhow::Result<ExitCode> {
    let source = Source::read(given)?;
    let named =
        if config.emulators.is_empty() { vec!["embedded".to_owned()] } else { config.emulators.clone() };
    let found = find(&named, config.craftos_pc.as_deref()).await?;
    let mut failed = false;
    for emulator in &found.emulators {
        let ran = run_on(emulator, &source, timeout).await?;
        out!("{}", ran.told);
        if !ran.is_well() {
            eprintln!("{}: {}", emulator.kind, ran.exit);
            failed = true;
        }
    }
    Ok(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// Boots a computer that runs this chunk, waits for its end, and gives how it ended, what it printed and what it returned.
pub async fn run_on(emulator: &Emulator, source: &Source, timeout: Duration) -> anyhow::Result<Ran> {
    let mut spec = Spec::new(0);
    spec.program = format!("/{RUNNER_PATH}");
    spec.arguments = vec![format!("/{}", source.name), format!("/{RETURNED_PATH}")];
    spec.files.insert(RUNNER_PATH.to_owned(), RUNNER.to_owned());
    spec.files.insert(source.name.clone(), source.code.clone());
    let computer = Computer::boot(emulator, spec)?;
    let exit = computer.exited(timeout).await?;
    // What the chunk did is not known to be all of it.
    anyhow::ensure!(exit.is_orderly(), "{} died: {exit}\n{}", emulator.kind, computer.last());
    let exit = exit.to_string();
    let mut told = computer.printed();
    if !told.is_empty() && !told.ends_with('\n') {
        told.push('\n');
    }
    let returned = computer.folder().read(RETURNED_PATH)?.unwrap_or_default();
    told.push_str(&written(&returned));
    Ok(Ran { exit, told })
}
