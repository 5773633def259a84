//! The one scheduler: computers run as a task among those of the bridge and its clients, and time moves when all wait.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use embedded_craftos::{Options, Random};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::{Ports, SimulatedProcess};

/// The clock of a simulation: tokio's, from the moment at which it began.
#[derive(Debug)]
pub(super) struct Clock {
    began: Instant,
    woken: Notify,
}

impl Clock {
    pub fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Lets the computers run before their next timer: something has happened to one of them.
    pub fn wake(&self) {
        self.woken.notify_one();
    }
}

/// Where simulated computers are booted. Copies are the same one.
#[derive(Debug, Clone)]
pub struct Simulation(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    seed: u64,
    clock: Arc<Clock>,
    ports: Arc<Ports>,
    processes: Mutex<Vec<Weak<SimulatedProcess>>>,
    last_process: AtomicU32,
    random: Mutex<Random>,
}

impl Simulation {
    /// Begins now, on the clock of this runtime, which has to be paused.
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Inner {
            seed,
            clock: Arc::new(Clock { began: Instant::now(), woken: Notify::new() }),
            ports: Arc::default(),
            processes: Mutex::default(),
            last_process: AtomicU32::new(0),
            random: Mutex::new(Random::new(seed)),
        }))
    }

    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// The network.
    pub fn ports(&self) -> &Arc<Ports> {
        &self.0.ports
    }

    /// How much time has passed.
    pub fn now(&self) -> Duration {
        self.0.clock.now()
    }

    fn processes(&self) -> MutexGuard<'_, Vec<Weak<SimulatedProcess>>> {
        self.0.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that follows from the seed and from how many were asked for before.
    pub fn draw(&self) -> u64 {
        self.0.random.lock().unwrap_or_else(PoisonError::into_inner).draw()
    }

    /// Starts a world with these computers.
    pub(crate) fn start(&self, mut options: Options, ids: &[u32]) -> io::Result<Arc<SimulatedProcess>> {
        let id = self.0.last_process.fetch_add(1, Ordering::Relaxed) + 1;
        options.seed = Some(self.draw());
        let process = SimulatedProcess::start(id, options, ids, &self.0.clock, &self.0.ports)?;
        let process = Arc::new(process);
        self.processes().push(Arc::downgrade(&process));
        self.0.clock.wake();
        Ok(process)
    }

    /// Makes the computers run, for as long as somebody waits for this.
    pub async fn drive(&self) {
        loop {
            let now = self.now();
            let mut running = self.running();
            // Whose packets are sent first at one moment is decided by the seed.
            while !running.is_empty() {
                let chosen = self.draw() % running.len() as u64;
                let process = running.swap_remove(usize::try_from(chosen).expect("it is a place in a list"));
                process.run(now);
            }
            let next = self.running().iter().filter_map(|process| process.emulator().next_moment()).min();
            let woken = self.0.clock.woken.notified();
            match next {
                None => woken.await,
                Some(next) => tokio::select! {
                    biased;
                    () = woken => {}
                    () = sleep_until(self.0.clock.began + next) => {}
                },
            }
        }
    }

    /// Those that have not ended, in the order in which they began.
    fn running(&self) -> Vec<Arc<SimulatedProcess>> {
        let mut processes = self.processes();
        processes.retain(|process| process.upgrade().is_some_and(|process| process.status().is_none()));
        processes.iter().filter_map(Weak::upgrade).collect()
    }
}
