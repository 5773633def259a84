//! What stands for an emulator's process in a simulation: a world of computers that ends when all of them are off.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use child_processes::{Kept, Status};
use embedded_craftos::surroundings::{Duplex, Later, Surroundings};
use embedded_craftos::{Emulator, Options};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::Ports;
use super::drive::Clock;
use crate::computer::HARNESS;

/// The signal that a process is killed with.
const KILLED: i32 = 9;

/// A world that stands for a process. Dropping it kills it.
#[derive(Debug)]
pub struct SimulatedProcess {
    pub id: u32,
    emulator: Emulator,
    around: Arc<Around>,
    output: Kept,
    ended: watch::Sender<Option<Status>>,
    was_asked: AtomicBool,
    was_killed: AtomicBool,
}

/// The clock and the network of one world, whose connections end with it.
#[derive(Debug)]
struct Around {
    clock: Arc<Clock>,
    ports: Arc<Ports>,
    tasks: Mutex<Vec<AbortHandle>>,
}

impl Surroundings for Around {
    fn now(&self) -> std::time::Duration {
        self.clock.now()
    }

    fn wake(&self) {
        self.clock.wake();
    }

    fn spawn(&self, task: Later<()>) -> AbortHandle {
        let handle = tokio::spawn(task).abort_handle();
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|task| !task.is_finished());
        tasks.push(handle.clone());
        handle
    }

    fn connect(&self, address: SocketAddr) -> Later<io::Result<Box<dyn Duplex>>> {
        let ports = self.ports.clone();
        Box::pin(async move { ports.connect(address).await })
    }
}

impl SimulatedProcess {
    /// Makes a world from these options and turns its computers on.
    pub(super) fn start(
        id: u32,
        mut options: Options,
        ids: &[u32],
        clock: &Arc<Clock>,
        ports: &Arc<Ports>,
    ) -> io::Result<Self> {
        let output = Kept::default();
        let around = Arc::new(Around { clock: clock.clone(), ports: ports.clone(), tasks: Mutex::default() });
        options.output = Some(Arc::new(Mutex::new(Sink(output.clone()))));
        options.whole_lines = ids.len() > 1;
        options.simulate = true;
        options.surroundings = Some(around.clone());
        // Nothing goes wrong until somebody turns a dial; what the harness writes goes wrong never.
        options.faults.get_or_insert_default().disk.spared.insert(HARNESS.to_owned());
        let emulator = Emulator::new(options).map_err(io::Error::other)?;
        let process = Self {
            id,
            emulator,
            around,
            output,
            ended: watch::channel(None).0,
            was_asked: AtomicBool::new(false),
            was_killed: AtomicBool::new(false),
        };
        process.emulator.boot_all(ids.iter().copied()).map_err(io::Error::other)?;
        Ok(process)
    }

    /// The computers.
    pub fn emulator(&self) -> &Emulator {
        &self.emulator
    }

    /// Runs the computers as far as the clock has come.
    pub(super) fn run(&self, now: std::time::Duration) {
        self.emulator.simulate_until(now);
        if self.status().is_none() && !self.emulator.is_any_on() {
            self.end();
        }
    }

    /// All computers are off: the process ends with the code of the first that has one.
    fn end(&self) {
        let exits = self.emulator.exits();
        for (id, exit) in &exits {
            if let Some(error) = &exit.error {
                self.output.push(format!("computer {id}: {error}\n").as_bytes());
            }
        }
        let code = exits.iter().map(|(_, exit)| exit.code & 0xFF).find(|code| *code != 0).unwrap_or(0);
        self.ended.send_replace(Some(Status::Code(code)));
    }

    /// How it ended, if it has.
    pub fn status(&self) -> Option<Status> {
        *self.ended.borrow()
    }

    /// Waits until it has ended.
    pub async fn ended(&self) -> Status {
        let mut ended = self.ended.subscribe();
        let told = ended.wait_for(Option::is_some).await.map(|status| *status);
        told.ok().flatten().unwrap_or(Status::Unknown)
    }

    pub fn was_killed(&self) -> bool {
        self.was_killed.load(Ordering::Acquire)
    }

    /// Turns all computers off, as a signal does.
    pub fn terminate(&self) {
        // Each of a thousand computers of a process asks for it.
        if !self.was_asked.swap(true, Ordering::AcqRel) {
            self.emulator.shut_down();
        }
    }

    /// Ends it where it stands: what it has open is closed without a word.
    pub fn kill(&self) {
        if self.status().is_none() {
            self.was_killed.store(true, Ordering::Release);
            for task in self.around.tasks.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
                task.abort();
            }
            self.emulator.cut_power();
            self.ended.send_replace(Some(Status::Signal(KILLED)));
        }
    }

    /// What it has printed last.
    pub fn output(&self) -> String {
        self.output.text()
    }
}

impl Drop for SimulatedProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Takes what the computers print.
struct Sink(Kept);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
