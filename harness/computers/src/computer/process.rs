//! The process of an emulator: its own group, its output drained from the start, nothing left behind.

use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::task::AbortHandle;
use tokio_util::task::TaskTracker;

use crate::scratch::process_group;

/// Enough for an error message and a screen; an emulator that floods its output fills no memory.
const KEPT_BYTES: usize = 16 * 1024;

/// What a process may take to die after it was killed. A kill cannot be refused; only a machine that swaps needs longer.
const REAP: Duration = Duration::from_secs(5);

/// The same where a thread is held up by it: a process that was killed is gone within a millisecond or two.
const DROP_REAP: Duration = Duration::from_millis(500);

/// How long the last words of a process that has ended may still be on their way.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How often it is looked whether a process has ended.
const LOOK: Duration = Duration::from_millis(1);

/// A running emulator.
#[derive(Debug)]
pub struct Process {
    id: Option<u32>,
    child: Mutex<Child>,
    output: Arc<Mutex<VecDeque<u8>>>,
    drains: TaskTracker,
    draining: Vec<AbortHandle>,
}

#[derive(Debug)]
struct Child {
    group: Box<dyn ChildWrapper>,
    exit: Option<ExitStatus>,
    killed: bool,
}

impl Process {
    /// Starts a command in a group of its own.
    pub fn spawn(mut command: Command) -> std::io::Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        command.wrap(process_wrap::tokio::KillOnDrop);
        let mut child = command.spawn()?;
        let id = child.id();
        if let Some(id) = id {
            process_group(id, true);
        }
        let output = Arc::new(Mutex::new(VecDeque::new()));
        let (drains, mut draining) = (TaskTracker::new(), Vec::new());
        if let Some(stdout) = child.stdout().take() {
            draining.push(drains.spawn(drain(stdout, output.clone())).abort_handle());
        }
        if let Some(stderr) = child.stderr().take() {
            draining.push(drains.spawn(drain(stderr, output.clone())).abort_handle());
        }
        drains.close();
        let child = Mutex::new(Child { group: child, exit: None, killed: false });
        Ok(Self { id, child, output, drains, draining })
    }

    /// Its id, and that of its group.
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the process ended, if it has.
    pub fn ended(&self) -> Option<ExitStatus> {
        let mut child = self.child();
        if child.exit.is_none() {
            child.exit = child.group.try_wait().ok().flatten();
        }
        child.exit
    }

    /// Tells whether it was killed from here before it ended. Windows gives such a process a code, as if it had chosen it.
    pub fn was_killed(&self) -> bool {
        self.child().killed
    }

    /// Waits until everything that an ended process wrote has been read; not for a child of it that holds the pipe.
    pub async fn drained(&self) {
        let _ = tokio::time::timeout(LAST_WORDS, self.drains.wait()).await;
    }

    /// Asks the process to end, waits a while, and kills what is left of its group. Windows has no way to ask.
    pub async fn terminate(&self, grace: Duration) {
        #[cfg(unix)]
        if self.ended().is_none() {
            let _ = self.child().group.signal(rustix::process::Signal::TERM.as_raw());
            self.gone(grace).await;
        }
        #[cfg(not(unix))]
        let _ = grace;
        self.kill().await;
    }

    /// Kills the group and waits until it is gone.
    pub async fn kill(&self) {
        self.start_kill();
        self.gone(REAP).await;
    }

    fn start_kill(&self) {
        let runs = self.ended().is_none();
        let mut child = self.child();
        child.killed |= runs;
        // Also where it has ended: a child that the emulator left may still be in its group.
        let _ = child.group.start_kill();
    }

    async fn gone(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        while self.ended().is_none() && Instant::now() < deadline {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The last of what the process wrote to stdout and stderr.
    pub fn output(&self) -> String {
        let mut kept = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(kept.make_contiguous()).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child().group.start_kill();
        let deadline = Instant::now() + DROP_REAP;
        while self.ended().is_none() && Instant::now() < deadline {
            std::thread::sleep(LOOK);
        }
        self.draining.iter().for_each(AbortHandle::abort);
        if let Some(id) = self.id {
            process_group(id, false);
        }
    }
}

async fn drain(mut stream: impl AsyncRead + Unpin, kept: Arc<Mutex<VecDeque<u8>>>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&buffer[..count]);
        let over = kept.len().saturating_sub(KEPT_BYTES);
        kept.drain(..over);
    }
}
