//! One probe on every emulator. The first of them that is the reference records, where a run is to record.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use craftos_computers::computer::{Bare, Status, lua_string};
use craftos_computers::emulators::Kind;
use thiserror::Error;

use super::differ::differing;
use super::recorded::Recorded;
use super::{Probe, ServerError};
use crate::play::Target;
use crate::project::Project;
use crate::results::{Failure, Outcome, TestResult};

/// Runs a probe and writes what it prints to a file; its first line is the host's.
const STARTUP: &str = include_str!("../../lua/probe.lua");

/// What stands for the address of the server in a recorded text: its port is another each time.
const SERVER: &str = "SERVER";

/// Why a probe could not be run: nothing that it did.
#[derive(Debug, Error)]
pub enum ProbeError {
    #[error("failed to read `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("failed to record `{}`", path.display())]
    Record { path: PathBuf, source: io::Error },
    #[error("failed to boot a computer on `{}`", path.display())]
    Boot { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Server(#[from] ServerError),
}

/// What probes are run with.
#[derive(Debug)]
pub struct Playing<'a> {
    pub project: &'a Project,
    /// The address of what they may talk to.
    pub server: Option<String>,
    pub round: usize,
    /// Records what the reference prints, instead of comparing that.
    pub accept: bool,
}

impl Playing<'_> {
    /// Runs a probe on every emulator, the reference first; gives each result as it comes.
    pub async fn play(
        &self,
        probe: &Probe,
        targets: &[Target],
        result: &mut (dyn FnMut(TestResult) + Send),
    ) -> Result<(), ProbeError> {
        let recorded = Recorded::of(probe);
        let read = |path: PathBuf| move |source| ProbeError::Read { path, source };
        let mut expected = recorded.read(&self.project.root).map_err(read(recorded.path()))?;
        let reference = reference(targets);
        for (index, target) in
            reference.into_iter().chain(targets.iter().filter(|other| !is(other, reference))).enumerate()
        {
            let started = Instant::now();
            let outcome = match self.run(probe, target).await? {
                Err(failure) => Outcome::Failed(Box::new(failure)),
                Ok(printed) if self.accept && index == 0 => {
                    let path = recorded.path();
                    let record = |source| ProbeError::Record { path, source };
                    recorded.write(&self.project.root, &printed).map_err(record)?;
                    expected = Some(printed);
                    Outcome::Passed
                }
                Ok(printed) => compare(expected.as_deref(), &printed, &recorded),
            };
            let ms = started.elapsed().as_secs_f64() * 1000.0;
            let (file, emulator, round) = (probe.file.clone(), target.to_string(), self.round);
            result(TestResult { file, name: probe.name(), line: None, emulator, round, outcome, ms });
        }
        Ok(())
    }

    /// Runs a probe on a fresh computer; gives what it printed, or why there is nothing to compare.
    async fn run(&self, probe: &Probe, target: &Target) -> Result<Result<Vec<u8>, Failure>, ProbeError> {
        let path = self.project.root.join(&probe.file);
        let code = std::fs::read(&path).map_err(|source| ProbeError::Read { path, source })?;
        let case = probe.case.as_ref().map_or_else(|| "nil".to_owned(), |case| lua_string(case));
        let startup = format!("local case = {case}\n{STARTUP}");
        let mut files = BTreeMap::from([("startup.lua", startup.into_bytes()), ("probe.lua", code)]);
        if let Some(address) = &self.server {
            files.insert("server", address.clone().into_bytes());
        }
        let boot = |source| ProbeError::Boot { path: target.emulator.path.clone(), source };
        let computer = Bare::boot(&target.emulator, &files).map_err(boot)?;
        let has_ended = computer.end_within(self.project.timeout).await;
        computer.process().drained().await;
        let printed = computer.read("out.txt").map_err(boot)?.unwrap_or_default();
        let is_whole = computer.read("done").map_err(boot)?.is_some();
        let status = computer.process().status();
        // CraftOS-PC may crash when its computer is off already: what the probe showed is whole by then.
        let is_well = target.emulator.kind == Kind::CraftosPc || status.is_some_and(Status::is_success);
        let message = match status {
            _ if !has_ended => format!("the probe did not end within {} s", self.project.timeout.as_secs()),
            _ if is_whole && is_well => return Ok(Ok(self.without_address(printed))),
            Some(status) if is_whole => format!("the emulator crashed at its end: {status}"),
            Some(status) => format!("the computer ended before the probe did: {status}"),
            None => "the computer ended before the probe did".to_owned(),
        };
        let said = computer.process().output();
        let screen = format!("{}\n{said}", String::from_utf8_lossy(&printed));
        Ok(Err(Failure { message, screen: screen.trim().to_owned(), ..Failure::default() }))
    }

    /// What was printed, without what is another in each run.
    fn without_address(&self, printed: Vec<u8>) -> Vec<u8> {
        let Some(address) = &self.server else { return printed };
        let (mut rest, mut text) = (&printed[..], Vec::new());
        while let Some(at) = rest.windows(address.len()).position(|part| part == address.as_bytes()) {
            text.extend_from_slice(&rest[..at]);
            text.extend_from_slice(SERVER.as_bytes());
            rest = &rest[at + address.len()..];
        }
        text.extend_from_slice(rest);
        text
    }
}

/// The target whose behaviour counts: CraftOS-PC where it is there.
fn reference(targets: &[Target]) -> Option<&Target> {
    targets.iter().find(|target| target.emulator.kind == Kind::CraftosPc).or(targets.first())
}

fn is(one: &Target, other: Option<&Target>) -> bool {
    other.is_some_and(|other| std::ptr::eq(one, other))
}

fn compare(expected: Option<&[u8]>, printed: &[u8], recorded: &Recorded) -> Outcome {
    let path = recorded.path();
    let failure = match expected {
        Some(expected) if expected == printed => return Outcome::Passed,
        Some(expected) => {
            let (expected, actual) = differing(expected, printed);
            let message = format!("the probe prints something else than is recorded in `{}`", path.display());
            Failure { message, expected: Some(expected), actual: Some(actual), ..Failure::default() }
        }
        None => {
            let message = "nothing is recorded for this probe\nhint: `craftos-harness test --accept` records what it prints";
            let (_, screen) = differing(b"", printed);
            Failure { message: message.to_owned(), screen, ..Failure::default() }
        }
    };
    Outcome::Failed(Box::new(failure))
}
