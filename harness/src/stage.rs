//! What a scenario plays on: a bridge, the proxy before it, a client, and computers on one emulator.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use serde_json::{Value, json};
use thiserror::Error;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::bridge::{BridgeError, BridgeSpec, RunningBridge};
use crate::client::{Answer, Client, ClientError};
use crate::computer::{Closing, Computer, ComputerError, Exit, Spec};
use crate::emulators::{Emulator, Kind};
use crate::proxy::{Behind, Proxy};
use crate::record::{Record, held};
use crate::report::trace::What;
use crate::servers::Servers;

/// A computer links within 0.1 s; ten that boot at once on a busy machine need seconds.
pub const LINK_PATIENCE: Duration = Duration::from_secs(30);

/// What each further computer adds to that: a debug build boots some 50 in a second.
const LINK_PATIENCE_EACH: Duration = Duration::from_millis(50);

/// How often it is looked whether an emulator or the bridge has died: at once for a person, and nothing for a machine.
const DEATH_LOOK: Duration = Duration::from_millis(50);

/// How long a process whose connection has ended may take to be seen as ended too.
const DYING: Duration = Duration::from_secs(2);

/// Both versions of the program say this once they have read the answer to their hello.
const LINKED: &str = "linked as ";

/// With these words a line begins that is not true of a link any more.
const UNLINKED: [&str; 2] = ["mcp-computer v", "connecting again in "];

/// Whether a program says that it is linked, and has said nothing else since. It may never have read a greeting that
/// the record has seen, so that greetings cannot be counted.
fn says_linked(printed: &str) -> bool {
    let last = |words: &[&str]| {
        let is_said = |line: &str| words.iter().any(|word| line.starts_with(word));
        printed.lines().enumerate().filter(|(_, line)| is_said(line)).map(|(number, _)| number).last()
    };
    last(&[LINKED]) > last(&UNLINKED)
}

/// What went wrong with the bridge, a computer or a step.
#[derive(Debug, Error)]
pub enum StageError {
    #[error(transparent)]
    Bridge(#[from] BridgeError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Computer(#[from] ComputerError),
    #[error("failed to listen on loopback")]
    Proxy(#[from] std::io::Error),
    #[error("two computers are called `{0}`\nhint: give one of them another id, or a name of its own")]
    Doubled(String),
    #[error(
        "computer {computer} is to share process `{process}` with others that are set up differently\nhint: what is in one process has the same program, http rules, limits and profile"
    )]
    Unlike { computer: String, process: String },
    #[error("there is no computer `{0}` in this scenario")]
    NoComputer(String),
    #[error("computer {0} has not been booted\nhint: add a `boot` step before this one")]
    NotBooted(String),
    #[error("computer {0} has no link to send a frame on")]
    NoLink(String),
    #[error(transparent)]
    Server(#[from] mcp_host::HostError),
    #[error("it took longer than the {0} s that the scenario gives it")]
    Within(u64),
    #[error("the step has no effect: {0}")]
    NoEffect(String),
    #[error("computer {computer}: {found}")]
    Otherwise { computer: String, found: String },
    #[error("expected {what}: {expected}\nfound: {found}")]
    Expected { what: &'static str, expected: String, found: String },
    #[error("in `{step}`")]
    Inside { step: String, source: Box<StageError> },
    #[error("the emulator of computer {computer} died: {exit}\n{last}")]
    Crashed { computer: String, exit: Exit, last: String },
    #[error("there is no bridge\nhint: add a step `bridge = \"start\"` before this one")]
    NoBridge,
}

impl StageError {
    /// Whether the connection to the bridge was lost.
    fn is_lost(&self) -> bool {
        match self {
            Self::Client(error) => matches!(error, ClientError::Call { .. } | ClientError::Connect { .. }),
            Self::Inside { source, .. } => source.is_lost(),
            _ => false,
        }
    }

    /// Whether something died that no scenario tests: the emulator, the bridge or the harness.
    pub fn is_broken(&self) -> bool {
        match self {
            Self::Bridge(_) | Self::Proxy(_) | Self::Crashed { .. } => true,
            Self::Inside { source, .. } => source.is_broken(),
            Self::Computer(error) => error.is_broken(),
            _ => false,
        }
    }
}

/// The stage. Dropping it leaves nothing behind.
#[derive(Debug)]
pub struct Stage {
    pub emulator: Emulator,
    pub record: Arc<Record>,
    /// None where the scenario has no bridge.
    proxy: Option<Proxy>,
    bridge_spec: Option<BridgeSpec>,
    version: String,
    bridge: Mutex<Option<RunningBridge>>,
    client: Mutex<Option<Arc<Client>>>,
    computers: BTreeMap<String, (Spec, Slot)>,
    /// Other servers than the bridge.
    pub servers: Servers,
}

/// The place of a computer, which is empty until it is booted.
#[derive(Debug, Default)]
struct Slot(std::sync::Mutex<Option<Arc<Computer>>>);

impl Slot {
    fn get(&self) -> Option<Arc<Computer>> {
        held(&self.0).clone()
    }

    fn set(&self, computer: Computer) {
        *held(&self.0) = Some(Arc::new(computer));
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
        let proxy = match bridge_spec {
            Some(_) => Some(Proxy::start(record.clone()).await?),
            None => None,
        };
        let mut computers = BTreeMap::new();
        for mut spec in specs {
            if let Some(proxy) = &proxy {
                let url = proxy.url(&spec.name);
                for argument in &mut spec.arguments {
                    *argument = argument.replace("{url}", &url);
                }
            }
            computers.insert(spec.name.clone(), (spec, Slot::default()));
        }
        let stage = Self {
            emulator,
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

    pub async fn start_bridge(&self) -> Result<(), StageError> {
        let spec = self.bridge_spec.as_ref().ok_or(StageError::NoBridge)?;
        let mut running = self.bridge.lock().await;
        if running.is_some() {
            return Err(StageError::NoEffect("the bridge runs already".to_owned()));
        }
        let bridge = RunningBridge::start(spec, &self.record).await?;
        self.proxy()?.set_behind(Behind::Bridge(bridge.link));
        *running = Some(bridge);
        Ok(())
    }

    /// Ends the bridge, and the client with it.
    pub async fn stop_bridge(&self) -> Result<(), StageError> {
        self.end_bridge(Behind::Nothing).await
    }

    /// Ends the bridge and starts another. Computers that link meanwhile wait for it.
    pub async fn restart_bridge(&self) -> Result<(), StageError> {
        self.end_bridge(Behind::NextBridge).await?;
        self.start_bridge().await
    }

    async fn end_bridge(&self, behind: Behind) -> Result<(), StageError> {
        self.close_client().await;
        let bridge = self.bridge.lock().await.take().ok_or(StageError::NoBridge)?;
        self.proxy()?.set_behind(behind);
        Ok(bridge.shutdown().await?)
    }

    /// Ends the bridge without asking it. A bridge with a process of its own is killed: it closes nothing and says
    /// nothing to anyone.
    pub async fn kill_bridge(&self) -> Result<(), StageError> {
        self.client.lock().await.take();
        self.proxy()?.set_behind(Behind::Nothing);
        drop(self.bridge.lock().await.take().ok_or(StageError::NoBridge)?);
        Ok(())
    }

    /// The address of the MCP endpoint.
    pub async fn mcp_url(&self) -> Result<String, StageError> {
        let bridge = self.bridge.lock().await;
        bridge.as_ref().map(|bridge| bridge.mcp_url.clone()).ok_or(StageError::NoBridge)
    }

    /// The address for more computers.
    pub async fn link_url(&self) -> Result<String, StageError> {
        let bridge = self.bridge.lock().await;
        bridge.as_ref().map(|bridge| format!("ws://{}", bridge.link)).ok_or(StageError::NoBridge)
    }

    /// Who is linked to the bridge, where it is inside this process.
    pub async fn who(&self) -> Vec<(u64, Option<String>)> {
        self.bridge.lock().await.as_ref().map(RunningBridge::linked).unwrap_or_default()
    }

    /// The client, connected at its first use.
    pub async fn client(&self) -> Result<Arc<Client>, StageError> {
        let mut client = self.client.lock().await;
        if let Some(client) = &*client {
            return Ok(client.clone());
        }
        let url = self.mcp_url().await?;
        let token = self.bridge_spec.as_ref().and_then(|spec| spec.mcp_token.as_deref());
        let connected = Arc::new(Client::connect_on(&url, &self.version, token, Some(&self.record)).await?);
        *client = Some(connected.clone());
        Ok(connected)
    }

    async fn close_client(&self) {
        if let Some(client) = self.client.lock().await.take().and_then(Arc::into_inner) {
            client.close().await;
        }
    }

    /// Calls a tool and waits for the answer.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Answer, StageError> {
        let answer = self.call_unless(tool, arguments, None::<std::future::Pending<()>>).await?;
        Ok(answer.expect("only a call that can be cancelled has no answer"))
    }

    /// Calls a tool and waits for the answer, or cancels the call when told to.
    pub async fn call_unless(
        &self,
        tool: &str,
        arguments: Value,
        cancel: Option<impl Future<Output = ()>>,
    ) -> Result<Option<Answer>, StageError> {
        let client = self.client().await?;
        Ok(client.call(tool, arguments, cancel).await?)
    }

    /// Calls a tool of another server than the bridge.
    pub async fn call_server(
        &self,
        server: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<Answer, StageError> {
        // A server may be called while there is no bridge; one that is the bridge is not reached then, and says so.
        let bridge = self.mcp_url().await.unwrap_or_default();
        let (name, call) = (server.to_owned(), tool.to_owned());
        self.record.note(What::Call { server: name, call, arguments: arguments.clone() });
        let arguments = if arguments.is_null() { json!({}) } else { arguments };
        let called = self.servers.call(server, tool, arguments, &bridge).await?;
        let answer = Answer::Result(called);
        let told = serde_json::to_value(&answer).unwrap_or_default();
        self.record.note(What::Answer { server: server.to_owned(), answer: told });
        Ok(answer)
    }

    /// The names of all computers, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.computers.keys().map(String::as_str)
    }

    fn slot(&self, name: &str) -> Result<&(Spec, Slot), StageError> {
        self.computers.get(name).ok_or_else(|| StageError::NoComputer(name.to_owned()))
    }

    /// A computer that was booted.
    pub fn computer(&self, name: &str) -> Result<Arc<Computer>, StageError> {
        let (_, slot) = self.slot(name)?;
        slot.get().ok_or_else(|| StageError::NotBooted(name.to_owned()))
    }

    /// The id of a computer, by its name.
    pub fn id_of(&self, name: &str) -> Result<u32, StageError> {
        Ok(self.slot(name)?.0.id)
    }

    /// Waits until a computer has no link any more.
    pub async fn gone(&self, name: &str) -> Result<(), StageError> {
        self.until(name, "gone", |record| record.has_left(name)).await
    }

    /// Boots a computer, or boots it again on the folder that it has; with it all computers of its process.
    pub async fn boot(&self, name: &str) -> Result<(), StageError> {
        let (spec, slot) = self.slot(name)?;
        if let Some(process) = &spec.process {
            return self.boot_process(process).await;
        }
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

    /// How long a computer may take to link: longer where many boot at once.
    fn patience(&self) -> Duration {
        let many = u32::try_from(self.computers.len()).unwrap_or(u32::MAX);
        LINK_PATIENCE + LINK_PATIENCE_EACH.saturating_mul(many)
    }

    /// Waits until a computer is linked, and has read that it is.
    pub async fn linked(&self, name: &str) -> Result<(), StageError> {
        let computer = self.computer(name)?;
        self.until(name, "linked", |record| record.is_linked(name)).await?;
        computer.prints("showing `linked as `", self.patience(), says_linked).await?;
        Ok(())
    }

    /// Waits until something holds for the links of a computer.
    pub async fn until(
        &self,
        name: &str,
        condition: &str,
        holds: impl Fn(&Record) -> bool,
    ) -> Result<(), StageError> {
        let mut changes = self.record.watch(name);
        let deadline = Instant::now() + self.patience();
        while !holds(&self.record) {
            self.look(name, condition, deadline, &mut changes).await?;
        }
        Ok(())
    }

    /// Waits for the next change of the record; sees meanwhile whether the computer still runs.
    async fn look(
        &self,
        name: &str,
        condition: &str,
        deadline: Instant,
        changes: &mut tokio::sync::watch::Receiver<u64>,
    ) -> Result<(), StageError> {
        let next = Instant::now() + Duration::from_millis(100);
        let noticed = tokio::time::timeout_at(next.min(deadline), changes.changed()).await;
        if noticed.is_ok() {
            return Ok(());
        }
        let computer = self.computer(name)?;
        if Instant::now() >= deadline {
            return Err(computer.deadline(condition, self.patience()).into());
        }
        // Once it has ended and its last link with it, nothing more comes.
        if let Some(exit) = computer.exit().filter(|_| self.record.has_left(name)) {
            let (computer, last) = (name.to_owned(), computer.last());
            let condition = format!("it was {condition}");
            return Err(ComputerError::Ended { computer, condition, exit, last }.into());
        }
        Ok(())
    }

    /// Does something, and gives it up as soon as an emulator or the bridge has died.
    pub async fn unless_broken<T>(
        &self,
        work: impl Future<Output = Result<T, StageError>>,
    ) -> Result<T, StageError> {
        let done = tokio::select! {
            done = work => done,
            death = self.death() => Err(death),
        };
        // What failed because something died is told as that.
        match done {
            Err(error) if error.is_lost() => {
                // A connection ends a moment before the process behind it is seen to have ended.
                Err(tokio::time::timeout(DYING, self.death()).await.unwrap_or(error))
            }
            Err(error) if !error.is_broken() => Err(self.dead().await.unwrap_or(error)),
            done => done,
        }
    }

    /// Waits until something has died.
    async fn death(&self) -> StageError {
        loop {
            if let Some(death) = self.dead().await {
                return death;
            }
            tokio::time::sleep(DEATH_LOOK).await;
        }
    }

    /// The first emulator, or the bridge, that has ended without being asked to.
    async fn dead(&self) -> Option<StageError> {
        if let Ok(bridge) = self.bridge.try_lock()
            && let Some(running) = &*bridge
            && let Some(error) = running.death().await
        {
            return Some(error.into());
        }
        let mut running = BTreeSet::new();
        for (name, (_, slot)) in &self.computers {
            let Some(computer) = slot.get() else { continue };
            // A thousand computers of one process are asked for once, as long as it runs.
            if running.contains(&computer.process_id()) {
                continue;
            }
            match computer.exit() {
                Some(exit) if !exit.is_orderly() => {
                    let (computer, last) = (name.clone(), computer.death().await.last_words);
                    return Some(StageError::Crashed { computer, exit, last });
                }
                Some(_) => {}
                None => {
                    running.insert(computer.process_id());
                }
            }
        }
        None
    }

    /// Whether every computer ended as it was asked to, or by itself.
    pub fn ended_in_order(&self, ended: &BTreeMap<String, (Exit, String)>) -> Result<(), StageError> {
        match ended.iter().find(|(_, (exit, _))| !exit.is_orderly()) {
            Some((name, (exit, _))) => {
                let last = self.computer(name)?.last();
                Err(StageError::Crashed { computer: name.clone(), exit: *exit, last })
            }
            None => Ok(()),
        }
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

#[cfg(test)]
mod tests {
    use super::{check, says_linked};
    use crate::computer::Spec;

    #[test]
    fn computers_of_one_process_may_differ_in_their_settings_only() {
        let of = |id| Spec { process: Some("pair".to_owned()), ..Spec::new(id) };
        let mut second = of(2);
        second.settings.insert("farm.rows".to_owned(), "7".to_owned());
        check(&[of(1), second.clone()]).expect("settings are each computer's own");
        let error = check(&[of(1), Spec { http: false, ..second }]).expect_err("`http` is the process's");
        assert!(error.to_string().contains("computer 2 is to share process `pair`"), "{error}");
    }

    #[test]
    fn the_last_word_of_a_program_counts() {
        let boot = "mcp-computer v0.2.0 connecting to\nws://127.0.0.1:1/12\n";
        let linked = "linked as 12 (Label: connecting again in )\nwaiting for requests...\n";
        let lost = "link lost: gone\nconnecting again in 1.1 s\n";
        assert!(!says_linked(""));
        assert!(!says_linked(boot));
        assert!(says_linked(&format!("{boot}{linked}")));
        assert!(!says_linked(&format!("{boot}{linked}{lost}")));
        assert!(says_linked(&format!("{boot}{lost}{linked}")));
        assert!(!says_linked(&format!("{boot}{linked}{boot}")));
    }
}
