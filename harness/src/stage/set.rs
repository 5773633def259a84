//! A stage and who stands on it: set up once, asked by name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Mutex;

use super::StageError;
use crate::bridge::{BridgeSpec, RunningBridge};
use crate::client::Client;
use crate::computer::{Computer, Spec};
use crate::emulators::Emulator;
use crate::net::Net;
use crate::proxy::Proxy;
use crate::record::{Record, held};
use crate::report::trace::What;
use crate::servers::Servers;

/// Stands among the arguments of a computer for the address of its bridge. No argument that somebody writes looks like it.
pub const ADDRESS: &str = "\0address";

/// The stage. Dropping it leaves nothing behind.
#[derive(Debug)]
pub struct Stage {
    pub emulator: Emulator,
    pub net: Net,
    pub record: Arc<Record>,
    /// None where the scenario has no bridge.
    pub(super) proxy: Option<Proxy>,
    pub(super) bridge_spec: Option<BridgeSpec>,
    pub(super) version: String,
    pub(super) bridge: Mutex<Option<RunningBridge>>,
    pub(super) client: Mutex<Option<Arc<Client>>>,
    pub(super) computers: BTreeMap<String, (Spec, Slot)>,
    /// Other servers than the bridge.
    pub servers: Servers,
}

/// The place of a computer, which is empty until it is booted.
#[derive(Debug, Default)]
pub(super) struct Slot {
    computer: std::sync::Mutex<Option<Arc<Computer>>>,
    /// How many links it had when it was last booted from outside.
    links_before: AtomicUsize,
}

impl Slot {
    pub(super) fn get(&self) -> Option<Arc<Computer>> {
        held(&self.computer).clone()
    }

    pub(super) fn set(&self, computer: Computer) {
        *held(&self.computer) = Some(Arc::new(computer));
    }

    /// It is about to be booted, and has had so many links.
    pub(super) fn boots(&self, links: usize) {
        self.links_before.store(links, Ordering::Release);
    }
}

/// Names are unlike, and what counts for a whole process is alike for all computers in it.
pub(crate) fn check(specs: &[Spec]) -> Result<(), StageError> {
    let (mut names, mut processes) = (BTreeSet::new(), BTreeMap::new());
    for spec in specs {
        if !names.insert(&spec.name) {
            return Err(StageError::Doubled(spec.name.clone()));
        }
        let Some(process) = &spec.process else { continue };
        if !processes.entry(process).or_insert(spec).shares(spec) {
            return Err(StageError::Unlike { computer: spec.name.clone(), process: process.clone() });
        }
    }
    Ok(())
}

impl Stage {
    /// Starts the bridge and the proxy; the computers are booted one by one. `version` is that of MCP.
    pub async fn set(
        emulator: Emulator,
        bridge_spec: BridgeSpec,
        version: &str,
        specs: Vec<Spec>,
    ) -> Result<Self, StageError> {
        Self::set_on(Arc::default(), emulator, bridge_spec, version, specs).await
    }

    /// The same, on a record of the caller's, who reads it while it is written.
    pub async fn set_on(
        record: Arc<Record>,
        emulator: Emulator,
        bridge_spec: BridgeSpec,
        version: &str,
        specs: Vec<Spec>,
    ) -> Result<Self, StageError> {
        Self::set_with(record, emulator, Some(bridge_spec), version, specs).await
    }

    /// The same, with a bridge only where one is given: without it there is no proxy and no client either.
    pub async fn set_with(
        record: Arc<Record>,
        emulator: Emulator,
        bridge_spec: Option<BridgeSpec>,
        version: &str,
        specs: Vec<Spec>,
    ) -> Result<Self, StageError> {
        check(&specs)?;
        let net = Net::of(&emulator);
        let proxy = match bridge_spec {
            Some(_) => Some(Proxy::start(record.clone(), net.clone()).await?),
            None => None,
        };
        let mut computers = BTreeMap::new();
        for mut spec in specs {
            if let Some(proxy) = &proxy {
                for argument in spec.arguments.iter_mut().filter(|argument| *argument == ADDRESS) {
                    *argument = proxy.url(&spec.name);
                }
            }
            computers.insert(spec.name.clone(), (spec, Slot::default()));
        }
        let stage = Self {
            emulator,
            net,
            record,
            proxy,
            bridge_spec,
            version: version.to_owned(),
            bridge: Mutex::default(),
            client: Mutex::default(),
            computers,
            servers: Servers::default(),
        };
        if stage.bridge_spec.is_some() {
            stage.start_bridge().await?;
        }
        Ok(stage)
    }

    /// The proxy before the bridge.
    pub fn proxy(&self) -> Result<&Proxy, StageError> {
        self.proxy.as_ref().ok_or(StageError::NoBridge)
    }

    /// The names of all computers, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.computers.keys().map(String::as_str)
    }

    pub(super) fn slot(&self, name: &str) -> Result<&(Spec, Slot), StageError> {
        self.computers.get(name).ok_or_else(|| StageError::NoComputer(name.to_owned()))
    }

    /// A computer that was booted.
    pub fn computer(&self, name: &str) -> Result<Arc<Computer>, StageError> {
        let (_, slot) = self.slot(name)?;
        slot.get().ok_or_else(|| StageError::NotBooted(name.to_owned()))
    }

    /// Whether a computer has had a link since it was last booted from outside; a reboot does not count.
    pub fn has_linked(&self, name: &str) -> Result<bool, StageError> {
        let (_, slot) = self.slot(name)?;
        Ok(self.record.count_links(name) > slot.links_before.load(Ordering::Acquire))
    }

    /// The id of a computer, by its name.
    pub fn id_of(&self, name: &str) -> Result<u32, StageError> {
        Ok(self.slot(name)?.0.id)
    }

    /// Puts the screens that have changed since into the trace; `shown` remembers them.
    pub fn keep_screens(&self, shown: &mut BTreeMap<String, String>) {
        for (name, (_, slot)) in &self.computers {
            let Some(computer) = slot.get() else { continue };
            let printed = computer.printed();
            if shown.get(name) != Some(&printed) {
                self.record.note(What::Screen { computer: name.clone(), screen: printed.clone() });
                shown.insert(name.clone(), printed);
            }
        }
    }

    /// The last screens of all computers, for a failure.
    pub fn last(&self) -> String {
        let mut all = String::new();
        for (name, (_, slot)) in &self.computers {
            if let Some(computer) = slot.get() {
                let _ = write!(all, "computer {name}:\n{}", computer.last());
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::computer::Spec;

    #[test]
    fn computers_of_one_process_may_differ_in_their_settings_only() {
        let of = |id| Spec { process: Some("pair".to_owned()), ..Spec::new(id) };
        let mut second = of(2);
        second.settings.insert("farm.rows".to_owned(), "7".to_owned());
        check(&[of(1), second.clone()]).expect("settings are each computer's own");
        let error = check(&[of(1), Spec { http: false, ..second }]).expect_err("`http` is the process's");
        assert!(error.to_string().contains("computer 2 shares process `pair`"), "{error}");
    }
}
