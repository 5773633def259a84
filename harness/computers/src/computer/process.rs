//! The process of an emulator, or of a bridge: watched, and told to the janitor.

use std::ops::Deref;
use std::sync::OnceLock;
use std::time::Duration;

use child_processes::Drained;
use tokio::process::Command;

use super::Exit;
use crate::scratch::process_group;

/// A running process. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    drained: Drained,
    /// Why it was killed, where it had its time.
    overdue: OnceLock<Exit>,
}

impl Process {
    /// Starts a command in a group of its own.
    pub fn spawn(command: Command) -> std::io::Result<Self> {
        let drained = Drained::start(command, Some(process_group))?;
        Ok(Self { drained, overdue: OnceLock::new() })
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

impl Deref for Process {
    type Target = Drained;

    fn deref(&self) -> &Drained {
        &self.drained
    }
}
