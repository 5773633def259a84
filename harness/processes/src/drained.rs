//! A process that is only watched: it has no input, and its output is read from the start and its end kept.

use std::io;
use std::ops::Deref;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::task::AbortHandle;
use tokio_util::task::TaskTracker;

use crate::{Child, GroupWatcher, Kept};

/// How long the last words of a process that has ended may still be on their way. Its group is killed when it ends;
/// only a process that left the group can hold the pipes longer.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A process whose output is kept.
#[derive(Debug)]
#[must_use]
pub struct Drained {
    child: Child,
    output: Kept,
    drains: TaskTracker,
    draining: Vec<AbortHandle>,
}

impl Drained {
    /// Starts a command.
    pub fn start(mut command: Command, watcher: Option<GroupWatcher>) -> io::Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (child, pipes) = Child::start(command, watcher)?;
        let (output, drains) = (Kept::default(), TaskTracker::new());
        let mut draining = Vec::new();
        if let Some(stdout) = pipes.stdout {
            draining.push(drains.spawn(output.clone().drain(stdout)).abort_handle());
        }
        if let Some(stderr) = pipes.stderr {
            draining.push(drains.spawn(output.clone().drain(stderr)).abort_handle());
        }
        drains.close();
        Ok(Self { child, output, drains, draining })
    }

    /// Waits until everything that an ended process wrote has been read.
    pub async fn drained(&self) {
        let _ = tokio::time::timeout(LAST_WORDS, self.drains.wait()).await;
    }

    /// The end of what the process wrote to stdout and stderr.
    pub fn output(&self) -> String {
        self.output.text()
    }
}

impl Deref for Drained {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.child
    }
}

impl Drop for Drained {
    fn drop(&mut self) {
        self.draining.iter().for_each(AbortHandle::abort);
    }
}
