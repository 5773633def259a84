//! A server that is started when it is first needed, and started again when it dies: sooner at first, then later, and
//! after too many deaths in a row not at all until somebody asks again.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use thiserror::Error;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::client::{Connection, Ending, Era, StartError, open};
use crate::settings::Settings;
use crate::spec::ServerSpec;

/// Why a server cannot be used.
#[derive(Debug, Error)]
pub enum ServerError {
    #[error("failed to start `{id}`")]
    Start { id: String, source: StartError },
    #[error("`{id}` died {deaths} times in a row; the last time {how}")]
    Dies { id: String, deaths: u32, how: Ending },
    #[error("`{id}` was shut down")]
    Stopped { id: String },
}

/// Where a server stands.
#[derive(Debug, Clone)]
pub enum State {
    /// Switched off in the configuration.
    Disabled,
    /// Not needed yet.
    Idle,
    Starting,
    Ready,
    /// It died, and is started again soon.
    Restarting,
    /// With why.
    Broken(String),
    Stopped,
}

impl State {
    /// In one word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Idle => "idle",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Restarting => "restarting",
            Self::Broken(_) => "broken",
            Self::Stopped => "stopped",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A server at a glance.
#[derive(Debug, Clone)]
pub struct Status {
    pub id: String,
    /// Its command or its address.
    pub place: String,
    pub state: State,
    pub era: Option<Era>,
    pub tools: Option<usize>,
    /// What its last start took.
    pub start_time: Option<Duration>,
    /// How often it died and was started again.
    pub restarts: u32,
}

#[derive(Debug, Clone)]
enum Phase {
    Idle,
    Starting,
    Ready(Arc<Connection>),
    Restarting,
    Broken { error: Arc<ServerError>, failures: u32, again: Instant },
    Stopped,
}

/// A server and who looks after it.
#[derive(Debug)]
pub struct Server {
    spec: Arc<ServerSpec>,
    settings: Arc<Settings>,
    phase: watch::Sender<Phase>,
    restarts: Arc<Mutex<u32>>,
    keeper: Mutex<Option<JoinHandle<()>>>,
    stop: CancellationToken,
}

impl Server {
    pub fn new(spec: ServerSpec, settings: Arc<Settings>) -> Self {
        Self {
            spec: Arc::new(spec),
            settings,
            phase: watch::Sender::new(Phase::Idle),
            restarts: Arc::default(),
            keeper: Mutex::default(),
            stop: CancellationToken::new(),
        }
    }

    pub fn id(&self) -> &str {
        &self.spec.id
    }

    pub fn status(&self) -> Status {
        let phase = self.phase.borrow().clone();
        let connection = match &phase {
            Phase::Ready(connection) => Some(connection.clone()),
            _ => None,
        };
        let state = match phase {
            Phase::Idle => State::Idle,
            Phase::Starting => State::Starting,
            Phase::Ready(_) => State::Ready,
            Phase::Restarting => State::Restarting,
            Phase::Broken { error, .. } => State::Broken(crate::text::chain(&*error)),
            Phase::Stopped => State::Stopped,
        };
        Status {
            id: self.spec.id.clone(),
            place: crate::text::line(&self.spec.place()),
            state,
            era: connection.as_ref().map(|connection| connection.era().clone()),
            tools: connection.as_ref().map(|connection| connection.listed().len()),
            start_time: connection.as_ref().map(|connection| connection.start_time()),
            restarts: *self
                .restarts
                .lock()
                .expect("the lock is never poisoned: no code panics while holding it"),
        }
    }

    /// The connection; starts the server where it is needed, and waits where it is being started.
    pub async fn connection(&self) -> Result<Arc<Connection>, Arc<ServerError>> {
        self.begin();
        let mut phase = self.phase.subscribe();
        loop {
            match &*phase.borrow_and_update() {
                Phase::Ready(connection) if !connection.is_gone() => return Ok(connection.clone()),
                Phase::Broken { error, .. } => return Err(error.clone()),
                Phase::Stopped => return Err(Arc::new(ServerError::Stopped { id: self.spec.id.clone() })),
                Phase::Idle | Phase::Starting | Phase::Ready(_) | Phase::Restarting => {}
            }
            phase.changed().await.expect("the server holds the other end");
        }
    }

    /// Ends the server in order. It is not started again.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        let keeper =
            self.keeper.lock().expect("the lock is never poisoned: no code panics while holding it").take();
        match keeper {
            Some(keeper) => drop(keeper.await),
            None => drop(self.phase.send_replace(Phase::Stopped)),
        }
    }

    /// Starts who looks after it, unless somebody does, or it broke so recently that nothing can have changed.
    fn begin(&self) {
        let mut keeper =
            self.keeper.lock().expect("the lock is never poisoned: no code panics while holding it");
        let failures = match &*self.phase.borrow() {
            Phase::Idle => 0,
            Phase::Broken { failures, again, .. } if Instant::now() >= *again => *failures,
            _ => return,
        };
        if self.stop.is_cancelled() {
            return;
        }
        self.phase.send_replace(Phase::Starting);
        let looked_after = Keeper {
            spec: self.spec.clone(),
            settings: self.settings.clone(),
            phase: self.phase.clone(),
            restarts: self.restarts.clone(),
            stop: self.stop.clone(),
            failures,
        };
        *keeper = Some(tokio::spawn(looked_after.keep()));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Aborting drops the process with the task, and that kills its group.
        if let Some(keeper) =
            self.keeper.lock().expect("the lock is never poisoned: no code panics while holding it").take()
        {
            keeper.abort();
        }
    }
}

struct Keeper {
    spec: Arc<ServerSpec>,
    settings: Arc<Settings>,
    phase: watch::Sender<Phase>,
    restarts: Arc<Mutex<u32>>,
    stop: CancellationToken,
    /// Starts that failed, before this one.
    failures: u32,
}

impl Keeper {
    /// Keeps the server up until it is broken or stopped.
    async fn keep(self) {
        let mut deaths = 0;
        let mut was_up = false;
        loop {
            let opened = tokio::select! {
                opened = open(&self.spec, &self.settings) => opened,
                () = self.stop.cancelled() => return self.set(Phase::Stopped),
            };
            let error = match opened {
                Ok(mut opened) => {
                    was_up = true;
                    let since = Instant::now();
                    self.set(Phase::Ready(opened.connection.clone()));
                    let how = tokio::select! {
                        how = opened.lost() => how,
                        () = self.stop.cancelled() => {
                            opened.close().await;
                            return self.set(Phase::Stopped);
                        }
                    };
                    self.set(Phase::Restarting);
                    opened.close().await;
                    deaths = if since.elapsed() >= self.settings.steady { 1 } else { deaths + 1 };
                    ServerError::Dies { id: self.spec.id.clone(), deaths, how }
                }
                Err(source) => {
                    deaths += 1;
                    ServerError::Start { id: self.spec.id.clone(), source }
                }
            };
            // One that was never up is wrong, and not unlucky: trying again is left to who needs it.
            if !was_up || deaths >= self.settings.deaths {
                return self.broken(error, self.failures + deaths);
            }
            self.set(Phase::Restarting);
            tokio::select! {
                () = tokio::time::sleep(self.settings.pause(deaths)) => {}
                () = self.stop.cancelled() => return self.set(Phase::Stopped),
            }
            *self.restarts.lock().expect("the lock is never poisoned: no code panics while holding it") += 1;
            self.set(Phase::Starting);
        }
    }

    fn broken(&self, error: ServerError, failures: u32) {
        let again = Instant::now() + self.settings.pause(failures);
        self.set(Phase::Broken { error: Arc::new(error), failures, again });
    }

    fn set(&self, phase: Phase) {
        self.phase.send_replace(phase);
    }
}
