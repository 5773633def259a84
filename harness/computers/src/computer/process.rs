//! The process of an emulator, or of a bridge: watched, and told to the janitor; or a world of a simulation that stands
//! for one.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use child_processes::{Drained, Status};
use tokio::process::Command;

use super::Exit;
use crate::scratch::process_group;
use crate::simulation::SimulatedProcess;

/// A running process. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    body: Body,
    /// Why it was killed, where it had its time.
    overdue: OnceLock<Exit>,
}

#[derive(Debug)]
enum Body {
    Child(Drained),
    Simulated(Arc<SimulatedProcess>),
}

impl Process {
    /// Starts a command in a group of its own.
    pub fn spawn(command: Command) -> std::io::Result<Self> {
        let drained = Drained::start(command, Some(process_group))?;
        Ok(Self { body: Body::Child(drained), overdue: OnceLock::new() })
    }

    /// Takes a world of a simulation for a process.
    pub(super) fn simulated(process: Arc<SimulatedProcess>) -> Self {
        Self { body: Body::Simulated(process), overdue: OnceLock::new() }
    }

    /// The world of a simulation that stands for it, where one does.
    pub fn world(&self) -> Option<&Arc<SimulatedProcess>> {
        match &self.body {
            Body::Child(_) => None,
            Body::Simulated(process) => Some(process),
        }
    }

    /// Its id, and that of its group.
    pub fn id(&self) -> Option<u32> {
        match &self.body {
            Body::Child(child) => child.id(),
            Body::Simulated(process) => Some(process.id),
        }
    }

    /// How it ended, if it has.
    pub fn status(&self) -> Option<Status> {
        match &self.body {
            Body::Child(child) => child.status(),
            Body::Simulated(process) => process.status(),
        }
    }

    /// Waits until it has ended, for so long; nothing where it runs on.
    pub async fn ended_within(&self, patience: Duration) -> Option<Status> {
        match &self.body {
            Body::Child(child) => child.ended_within(patience).await,
            Body::Simulated(process) => tokio::time::timeout(patience, process.ended()).await.ok(),
        }
    }

    /// Whether it was killed from here before it ended.
    pub fn was_killed(&self) -> bool {
        match &self.body {
            Body::Child(child) => child.was_killed(),
            Body::Simulated(process) => process.was_killed(),
        }
    }

    /// Asks it to end. Windows has no way to ask.
    pub fn terminate(&self) {
        match &self.body {
            Body::Child(child) => child.terminate(),
            Body::Simulated(process) => process.terminate(),
        }
    }

    /// Has it stand still, or go on; false where that cannot be asked of it.
    pub(super) fn freeze(&self, frozen: bool) -> bool {
        match &self.body {
            Body::Child(child) => child.freeze(frozen),
            Body::Simulated(_) => false,
        }
    }

    /// Kills it and waits until it is gone.
    pub async fn kill(&self) -> Option<Status> {
        match &self.body {
            Body::Child(child) => child.kill().await,
            Body::Simulated(process) => {
                process.kill();
                process.status()
            }
        }
    }

    /// Asks it to end, and kills it where it has not after a while.
    pub async fn terminate_within(&self, grace: Duration) -> Option<Status> {
        if let Body::Child(child) = &self.body {
            return child.terminate_within(grace).await;
        }
        self.terminate();
        match self.ended_within(grace).await {
            None => self.kill().await,
            ended => ended,
        }
    }

    /// Waits until everything that an ended process wrote has been read.
    pub async fn drained(&self) {
        if let Body::Child(child) = &self.body {
            child.drained().await;
        }
    }

    /// The end of what it wrote to stdout and stderr.
    pub fn output(&self) -> String {
        match &self.body {
            Body::Child(child) => child.output(),
            Body::Simulated(process) => process.output(),
        }
    }

    /// Waits until a process ends whose computers are off; kills it where it does not.
    pub(super) async fn end_by_itself(&self, grace: Duration) {
        if self.ended_within(grace).await.is_none() {
            self.kill_overdue(Exit::HungAtEnd(grace)).await;
        }
    }

    /// Kills a process that had its time, and remembers why.
    pub(super) async fn kill_overdue(&self, why: Exit) {
        if self.status().is_none() {
            let _ = self.overdue.set(why);
        }
        self.kill().await;
    }

    /// Why it was killed, where it had its time.
    pub(super) fn overdue(&self) -> Option<Exit> {
        self.overdue.get().copied()
    }
}
