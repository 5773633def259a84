//! Several computers in one process, where they hear each other's modems.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use super::control::Command;
use super::folder::{Mounts, mounts};
use super::machine::{TICK, failed, tuning};
use super::{Computer, ComputerError, Folder, FolderError, Housing, Spec};
use crate::emulators::{Emulator, Kind};
use crate::scratch::{self, Scratch};

/// Among many of one process a computer looks less often for commands, so that all of them together do not look more
/// than 400 times a second.
const TICK_OF_ONE: Duration = Duration::from_micros(2500);

impl Computer {
    /// Boots several computers in one process, the first of them first; does not wait for the last.
    pub async fn boot_together(emulator: &Emulator, specs: Vec<Spec>) -> Result<Vec<Self>, ComputerError> {
        let Some(first) = specs.first().cloned() else { return Ok(Vec::new()) };
        let many = u32::try_from(specs.len()).unwrap_or(u32::MAX);
        let tuning = tuning(emulator, TICK.max(TICK_OF_ONE.saturating_mul(many)));
        let making = move || {
            let mounts = mounts(&specs);
            let (data, folders) = make(&specs, tuning, &mounts)?;
            Ok::<_, FolderError>((specs, mounts, data, folders))
        };
        let (specs, mounts, data, folders) = match emulator.simulation {
            // On another thread it would be done at a moment that no seed decides.
            Some(_) => making()?,
            None => tokio::task::spawn_blocking(making).await.expect("making folders does not panic")?,
        };
        let housing = Housing::start(emulator, data, &specs, mounts);
        let housing = Arc::new(housing.map_err(|source| failed(emulator, &first, source))?);
        let computers: Vec<Self> = specs
            .into_iter()
            .zip(folders)
            .map(|(spec, folder)| Self::new(spec, housing.clone(), folder, tuning.tick))
            .collect();
        create_others(emulator, &computers.iter().collect::<Vec<_>>()).await?;
        Ok(computers)
    }

    /// Boots one more computer in the process of this one, which has to run, and waits until it has booted. An id that
    /// another computer had before, which is off, begins anew with it.
    pub async fn join(&self, emulator: &Emulator, spec: Spec) -> Result<Self, ComputerError> {
        self.must_run()?;
        if spec.id == self.spec.id || self.housing.has(spec.id) && self.housing.said(spec.id).is_none() {
            let (computer, command) = (spec.name.clone(), Command::create(spec.id).to_string());
            let reason = "a computer with this id runs already".to_owned();
            return Err(ComputerError::Refused { computer, command, reason });
        }
        let (data, mounts) = (self.folder.data(), self.housing.mounts().clone());
        Folder::clear(&data, &spec)?;
        let folder = Folder::make_in(&data, &spec, tuning(emulator, TICK), &mounts)?;
        self.command(&Command::create(spec.id)).await?;
        self.housing.take_in(spec.id);
        let computer = Self::new(spec, self.housing.clone(), folder, TICK);
        computer.booted().await?;
        Ok(computer)
    }

    /// Starts a process anew for all computers of one.
    pub async fn boot_together_again(
        emulator: &Emulator,
        all: &[impl Deref<Target = Self>],
    ) -> Result<(), ComputerError> {
        let Some(first) = all.first() else { return Ok(()) };
        // Before their files are touched: nothing is written by then.
        first.housing.running().process.kill().await;
        for computer in all {
            computer.forget_this_boot();
        }
        let restarted = first.housing.restart(emulator).await;
        restarted.map_err(|source| failed(emulator, &first.spec, source))?;
        create_others(emulator, &all.iter().map(|computer| &**computer).collect::<Vec<_>>()).await
    }
}

type Made = (Arc<Scratch>, Vec<Folder>);

fn make(specs: &[Spec], tuning: super::boot::Tuning, mounts: &Mounts) -> Result<Made, FolderError> {
    let first = &specs[0];
    let made = Scratch::new(&format!("process {}", first.process.as_deref().unwrap_or(&first.name)));
    let data = Arc::new(made.map_err(|source| FolderError::Write {
        computer: first.name.clone(),
        path: scratch::place(),
        source,
    })?);
    let folders = specs.iter().map(|spec| Folder::make_in(&data, spec, tuning, mounts));
    let folders = folders.collect::<Result<Vec<_>, _>>()?;
    Ok((data, folders))
}

/// Has a computer of a process that runs create the next, one after the other, where the emulator boots only one:
/// CraftOS-PC crashes when two boot at once.
async fn create_others(emulator: &Emulator, all: &[&Computer]) -> Result<(), ComputerError> {
    if emulator.kind == Kind::Embedded {
        return Ok(());
    }
    for (index, next) in all.iter().enumerate().skip(1) {
        all[index - 1].booted().await?;
        let creator = all[..index].iter().find(|computer| computer.exit().is_none()).unwrap_or(&all[0]);
        creator.command(&Command::create(next.spec.id)).await?;
    }
    // The next thing that happens may be another process: it must not meet the last one at its boot.
    if let [_, .., last] = all {
        last.booted().await?;
    }
    Ok(())
}
