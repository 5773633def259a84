//! `doctor`: says what is there and what is missing, with what to do.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::lua::{Source, run_on};
use super::out::outln;
use crate::config::Config;
use crate::emulators::find;
use crate::scenario;
use crate::suite::chain;

/// A computer boots in 0.1 s, and in seconds on a busy machine.
const BOOT: Duration = Duration::from_secs(20);

/// The code for something that is needed and missing.
const FAILED: u8 = 1;

/// Prints a line for each thing that was looked at.
pub async fn doctor(config: &Config) -> anyhow::Result<ExitCode> {
    let mut well = true;
    let found = find(&config.emulators, config.craftos_pc.as_deref()).await?;
    for emulator in &found.emulators {
        let started = Instant::now();
        let (kind, path) = (emulator.kind, emulator.path.display());
        match run_on(emulator, &Source::code("print(_HOST)"), BOOT).await {
            Ok(ran) if ran.is_well() => {
                let (host, time) = (ran.told.trim().replace('\n', " "), started.elapsed().as_millis());
                outln!("ok       {kind} {}: `{path}` boots in {time} ms: {host}", emulator.version);
            }
            Ok(ran) => {
                well = false;
                outln!("broken   {kind} {}: `{path}`: {}: {}", emulator.version, ran.exit, ran.told.trim());
            }
            Err(error) => {
                well = false;
                outln!("broken   {kind} {}: `{path}`: {error:#}", emulator.version);
            }
        }
    }
    for missing in &found.missing {
        outln!(
            "missing  {}: {}",
            missing.kind,
            chain(&missing.reason).trim_end().replace('\n', "\n         ")
        );
    }
    outln!("ok       the embedded emulator confines {}", embedded_craftos::confine::support());
    let program = config.places.program.join("programs/mcp-computer.lua");
    if program.is_file() {
        outln!("ok       program: `{}`", program.display());
    } else {
        well = false;
        outln!(
            "missing  program: `{}`\n         hint: run this in the project, or name the folder with `--program`",
            program.display()
        );
    }
    let scenarios = match config.places.read_project() {
        Ok(places) if places.project.as_ref().is_some_and(|project| project.scenarios.is_none()) => {
            Ok(Vec::new())
        }
        Ok(places) => scenario::all(&places, &[]).map_err(anyhow::Error::from),
        Err(error) => Err(error.into()),
    };
    match scenarios {
        Ok(scenarios) => outln!("ok       scenarios: {}", scenarios.len()),
        Err(error) => {
            well = false;
            outln!("broken   scenarios: {}", chain(error.as_ref()).trim_end().replace('\n', "\n         "));
        }
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}
