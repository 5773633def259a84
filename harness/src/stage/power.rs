//! Computers are booted, rebooted and turned off, each in the way that suits its emulator.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::future::{join_all, try_join_all};

use super::set::Slot;
use super::{Stage, StageError};
use crate::computer::{Closing, Computer, Exit, Spec};
use crate::emulators::Kind;
use crate::report::trace::What;

impl Stage {
    /// Boots a computer, or boots it again on the folder that it has; with it all computers of its process.
    pub async fn boot(&self, name: &str) -> Result<(), StageError> {
        let (spec, slot) = self.slot(name)?;
        if let Some(process) = &spec.process {
            return self.boot_process(process).await;
        }
        slot.boots(self.record.count_links(name));
        match slot.get() {
            Some(computer) => computer.boot_again(&self.emulator).await?,
            None => slot.set(Computer::boot(&self.emulator, spec.clone())?),
        }
        Ok(())
    }

    async fn boot_process(&self, process: &str) -> Result<(), StageError> {
        let is_member = |(spec, _): &&(Spec, Slot)| spec.process.as_deref() == Some(process);
        let mut members: Vec<&(Spec, Slot)> = self.computers.values().filter(is_member).collect();
        members.sort_by_key(|(spec, _)| spec.id);
        for (spec, slot) in &members {
            slot.boots(self.record.count_links(&spec.name));
        }
        let booted: Vec<Arc<Computer>> = members.iter().filter_map(|(_, slot)| slot.get()).collect();
        if !booted.is_empty() {
            return Ok(Computer::boot_together_again(&self.emulator, &booted).await?);
        }
        let specs = members.iter().map(|(spec, _)| spec.clone()).collect();
        let computers = Computer::boot_together(&self.emulator, specs).await?;
        for ((_, slot), computer) in members.into_iter().zip(computers) {
            slot.set(computer);
        }
        Ok(())
    }

    /// Boots computers at once and waits until all of them are linked.
    pub async fn boot_and_link(&self, names: &[String]) -> Result<(), StageError> {
        let mut processes = BTreeSet::new();
        let mut first = Vec::new();
        for name in names {
            let (spec, _) = self.slot(name)?;
            if spec.process.as_ref().is_none_or(|process| processes.insert(process)) {
                first.push(name);
            }
        }
        try_join_all(first.into_iter().map(|name| self.boot(name))).await?;
        try_join_all(names.iter().map(|name| self.linked(name))).await?;
        Ok(())
    }

    /// Boots computers and waits until each runs its program.
    pub async fn boot_and_run(&self, names: &[String]) -> Result<(), StageError> {
        for name in names {
            if self.computer(name).is_err() {
                self.boot(name).await?;
            }
            self.computer(name)?.booted().await?;
        }
        Ok(())
    }

    /// Turns every computer off at once and gives how each ended and what it printed, by name.
    pub async fn end(&self) -> BTreeMap<String, (Exit, String)> {
        let booted: Vec<(&String, Arc<Computer>)> =
            self.computers.iter().filter_map(|(name, (_, slot))| Some((name, slot.get()?))).collect();
        let exits = join_all(booted.iter().map(|(name, computer)| self.end_one(name, computer))).await;
        let (mut ended, mut logs) = (BTreeMap::new(), BTreeSet::new());
        for ((name, computer), exit) in booted.into_iter().zip(exits) {
            let printed = computer.printed();
            self.record.note(What::Screen { computer: name.clone(), screen: printed.clone() });
            self.record.note(What::Exit { computer: name.clone(), exit: exit.to_string() });
            let process = computer.spec.process.as_ref();
            let log = process.map_or_else(|| format!("computer-{name}"), |name| format!("process-{name}"));
            if logs.insert(log.clone()) {
                self.record.keep_log(&log, &computer.output());
            }
            ended.insert(name.clone(), (exit, printed));
        }
        ended
    }

    /// Turns a computer off; where it lives with others and its emulator takes signals, all of them by one signal.
    async fn end_one(&self, name: &str, computer: &Computer) -> Exit {
        if cfg!(unix) && self.emulator.kind == Kind::Embedded && computer.housing().is_shared() {
            computer.housing().terminate().await;
        }
        computer.end_closing(self.closing(&|| self.release(name))).await
    }

    /// Asks a computer that runs to turn itself off, and waits until it has and its link has ended.
    pub async fn stop(&self, name: &str) -> Result<Exit, StageError> {
        let exit = self.computer(name)?.stop_closing(self.closing(&|| self.release(name))).await?;
        self.gone(name).await?;
        Ok(exit)
    }

    /// Reboots a computer and waits until it has booted.
    pub async fn reboot(&self, name: &str) -> Result<(), StageError> {
        Ok(self.computer(name)?.reboot_closing(self.closing(&|| self.release(name))).await?)
    }

    /// Who closes the link of a computer that turns off: the proxy, where the emulator takes long to.
    fn closing<'a>(&self, release: &'a (dyn Fn() + Sync)) -> Closing<'a> {
        match self.emulator.kind {
            Kind::CraftosPc if self.proxy.is_some() => Closing::Other(release),
            _ => Closing::Itself,
        }
    }

    fn release(&self, name: &str) {
        if let Some(proxy) = &self.proxy {
            proxy.release(name);
        }
    }

    /// Ends the client and the bridge, after the computers.
    pub async fn clear(self) -> Result<(), StageError> {
        self.servers.shutdown().await;
        self.close_client().await;
        if let Some(bridge) = self.bridge.into_inner() {
            bridge.shutdown().await?;
        }
        Ok(())
    }
}
