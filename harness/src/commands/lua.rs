//! `lua`: runs Lua on a fresh computer, the probe for a hypothesis.

use std::process::ExitCode;
use std::time::Duration;

use super::out::out;
use crate::computer::{Computer, Spec};
use crate::config::Config;
use crate::emulators::{Emulator, find};

/// The code for Lua that failed.
const FAILED: u8 = 1;

/// Runs Lua on each emulator that was named, on the embedded one where none was, and prints what it printed.
pub async fn lua(config: &Config, code: &str, timeout: u64) -> anyhow::Result<ExitCode> {
    let named =
        if config.emulators.is_empty() { vec!["embedded".to_owned()] } else { config.emulators.clone() };
    let found = find(&named, config.craftos_pc.as_deref()).await?;
    let mut failed = false;
    for emulator in &found.emulators {
        let (exit, printed) = run_on(emulator, code, Duration::from_secs(timeout)).await?;
        out!("{printed}");
        if exit != "exit 0" {
            eprintln!("{}: {exit}", emulator.kind);
            failed = true;
        }
    }
    Ok(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// Boots a computer that runs this chunk, waits for its end, and gives how it ended and what it printed.
pub async fn run_on(emulator: &Emulator, code: &str, timeout: Duration) -> anyhow::Result<(String, String)> {
    let mut spec = Spec::new(0);
    "/chunk.lua".clone_into(&mut spec.program);
    spec.files.insert("chunk.lua".to_owned(), code.to_owned());
    let computer = Computer::boot(emulator, spec)?;
    let exit = computer.exited(timeout).await?.to_string();
    let mut printed = computer.printed();
    if !printed.is_empty() && !printed.ends_with('\n') {
        printed.push('\n');
    }
    Ok((exit, printed))
}
