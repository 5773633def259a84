//! What a scenario plays on: a bridge, the proxy before it, a client, and computers on one emulator.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use thiserror::Error;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::bridge::{BridgeError, BridgeSpec, RunningBridge};
use crate::client::{Answer, Client, ClientError};
use crate::computer::{Computer, ComputerError, Spec};
use crate::emulators::Emulator;
use crate::proxy::Proxy;
use crate::record::Record;

/// A computer links within 0.1 s; ten that boot at once on a busy machine need seconds.
pub const LINK_PATIENCE: Duration = Duration::from_secs(30);

/// Both versions of the program say this once they have read the answer to their hello.
const LINKED: &str = "linked as ";

/// What went wrong on a stage.
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
    #[error("there is no computer `{0}` in this scenario")]
    NoComputer(String),
    #[error("computer {0} has not been booted\nhint: add a `boot` step before this one")]
    NotBooted(String),
    #[error("computer {0} has no link to send a frame on")]
    NoLink(String),
    #[error("computer {computer}: not {condition} within {seconds} s")]
    Deadline { computer: String, condition: String, seconds: u64 },
    #[error("there is no bridge\nhint: add a step `bridge = \"start\"` before this one")]
    NoBridge,
}

/// The stage. Dropping it leaves nothing behind.
#[derive(Debug)]
pub struct Stage {
    pub emulator: Emulator,
    pub record: Arc<Record>,
    pub proxy: Proxy,
    bridge_spec: BridgeSpec,
    version: String,
    bridge: Mutex<Option<RunningBridge>>,
    client: Mutex<Option<Arc<Client>>>,
    computers: BTreeMap<String, (Spec, Mutex<Option<Computer>>)>,
}

impl Stage {
    /// Starts the bridge and the proxy; the computers are booted one by one. `version` is that of MCP.
    pub async fn set(
        emulator: Emulator,
        bridge_spec: BridgeSpec,
        version: &str,
        specs: Vec<Spec>,
    ) -> Result<Self, StageError> {
        let record = Arc::new(Record::default());
        let proxy = Proxy::start(record.clone()).await?;
        let mut computers = BTreeMap::new();
        for mut spec in specs {
            let url = proxy.url(&spec.name);
            for argument in &mut spec.arguments {
                *argument = argument.replace("{url}", &url);
            }
            computers.insert(spec.name.clone(), (spec, Mutex::default()));
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
        };
        stage.start_bridge().await?;
        Ok(stage)
    }

    pub async fn start_bridge(&self) -> Result<(), StageError> {
        let bridge = RunningBridge::start(&self.bridge_spec).await?;
        self.proxy.set_bridge(Some(bridge.link));
        *self.bridge.lock().await = Some(bridge);
        Ok(())
    }

    /// Ends the bridge, and the client with it.
    pub async fn stop_bridge(&self) -> Result<(), StageError> {
        self.close_client().await;
        let bridge = self.bridge.lock().await.take().ok_or(StageError::NoBridge)?;
        self.proxy.set_bridge(None);
        bridge.shutdown().await;
        Ok(())
    }

    /// Ends the bridge without asking it. A bridge with a process of its own is killed: it closes nothing and says
    /// nothing to anyone.
    pub async fn kill_bridge(&self) -> Result<(), StageError> {
        self.client.lock().await.take();
        self.proxy.set_bridge(None);
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
        let token = self.bridge_spec.mcp_token.as_deref();
        let connected = Arc::new(Client::connect(&url, &self.version, token).await?);
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
        self.record.note(&json!({ "call": tool, "arguments": arguments }));
        let answer = client.call(tool, arguments, cancel).await?;
        self.record.note(&json!({ "answer": answer }));
        Ok(answer)
    }

    /// The names of all computers, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.computers.keys().map(String::as_str)
    }

    fn slot(&self, name: &str) -> Result<&(Spec, Mutex<Option<Computer>>), StageError> {
        self.computers.get(name).ok_or_else(|| StageError::NoComputer(name.to_owned()))
    }

    /// Boots a computer, or boots it again on the folder that it has.
    pub async fn boot(&self, name: &str) -> Result<(), StageError> {
        let (spec, slot) = self.slot(name)?;
        let mut slot = slot.lock().await;
        match &mut *slot {
            Some(computer) => computer.boot_again(&self.emulator).await?,
            None => *slot = Some(Computer::boot(&self.emulator, spec.clone())?),
        }
        Ok(())
    }

    /// Does something with a computer that was booted.
    pub async fn with<T>(
        &self,
        name: &str,
        action: impl AsyncFnOnce(&mut Computer) -> T,
    ) -> Result<T, StageError> {
        let (_, slot) = self.slot(name)?;
        let mut slot = slot.lock().await;
        let computer = slot.as_mut().ok_or_else(|| StageError::NotBooted(name.to_owned()))?;
        Ok(action(computer).await)
    }

    /// Waits until a computer is linked, and has read that it is.
    pub async fn linked(&self, name: &str) -> Result<(), StageError> {
        self.with(name, async |_| ()).await?;
        self.until(name, "linked", |record| record.is_linked(name)).await?;
        let times = self.record.greetings(name);
        self.with(name, async |computer| computer.shows(LINKED, times, LINK_PATIENCE).await).await??;
        Ok(())
    }

    /// Waits until something holds for the links of a computer.
    pub async fn until(
        &self,
        name: &str,
        condition: &str,
        holds: impl Fn(&Record) -> bool,
    ) -> Result<(), StageError> {
        let mut changes = self.record.watch();
        let deadline = Instant::now() + LINK_PATIENCE;
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
        let (_, slot) = self.slot(name)?;
        // Whoever holds the computer waits for it as well: its own deadline counts.
        let Ok(mut slot) = slot.try_lock() else { return Ok(()) };
        let Some(computer) = slot.as_mut() else { return Err(StageError::NotBooted(name.to_owned())) };
        if Instant::now() >= deadline {
            return Err(computer.deadline(condition, LINK_PATIENCE).into());
        }
        if condition == "linked"
            && let Some(exit) = computer.exit()
        {
            let (computer, last) = (name.to_owned(), computer.last());
            let condition = "it was linked".to_owned();
            return Err(ComputerError::Ended { computer, condition, exit, last }.into());
        }
        Ok(())
    }

    /// The last screens of all computers, for a failure.
    pub async fn last(&self) -> String {
        let mut all = String::new();
        for (name, (_, slot)) in &self.computers {
            if let Some(computer) = &*slot.lock().await {
                let _ = write!(all, "computer {name}:\n{}", computer.last());
            }
        }
        all
    }

    /// Turns every computer off at once and gives how each ended and what it printed, by name.
    pub async fn end(&self) -> BTreeMap<String, (String, String)> {
        let stopping = self.computers.iter().map(|(name, (_, slot))| async move {
            let mut slot = slot.lock().await;
            let computer = slot.as_mut()?;
            let exit = computer.stop().await;
            let printed = computer.printed();
            self.record.note(&json!({ "computer": name, "exit": exit, "screen": printed }));
            Some((name.clone(), (exit, printed)))
        });
        let ended = futures_util::future::join_all(stopping).await;
        ended.into_iter().flatten().collect()
    }

    /// Ends the client and the bridge, after the computers.
    pub async fn clear(self) {
        self.close_client().await;
        if let Some(bridge) = self.bridge.into_inner() {
            bridge.shutdown().await;
        }
    }
}
