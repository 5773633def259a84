//! A process in a group of its own, with a supervisor: a task that waits for its end and tells everyone who asks.

use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::Status;

/// What a process may take to die after it was killed. A kill cannot be refused; only a machine that swaps needs longer.
const REAP: Duration = Duration::from_secs(5);

/// The same in a destructor, which holds up a thread: a process that was killed is gone within a millisecond or two.
const DROP_REAP: Duration = Duration::from_millis(500);

/// How often the destructor looks whether the process is gone.
const DROP_LOOK: Duration = Duration::from_millis(1);

/// Takes the id of a process group, and whether it is there: for somebody who outlives this process.
pub type GroupWatcher = fn(u32, bool);

/// The ends of the pipes that its command asked for.
#[derive(Debug)]
pub struct Pipes {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
}

/// A process that was started. Dropping it kills what is left of its group.
#[derive(Debug)]
#[must_use]
pub struct Child {
    id: Option<u32>,
    shared: Arc<Mutex<Shared>>,
    ended: watch::Receiver<Option<Status>>,
    supervisor: AbortHandle,
}

/// What the supervisor and the handle both need.
#[derive(Debug)]
struct Shared {
    group: Box<dyn ChildWrapper>,
    id: Option<u32>,
    watcher: Option<GroupWatcher>,
    /// The process was reaped and its group killed: its id may be another's by now.
    is_gone: bool,
    /// It was killed from here while it ran.
    was_killed: bool,
}

impl Shared {
    fn kill_group(&mut self) {
        if !self.is_gone {
            let _ = self.group.start_kill();
        }
    }

    /// Kills what the process left in its group; nothing is done with its id after that.
    fn clear(&mut self) {
        self.kill_group();
        self.is_gone = true;
        if let Some((id, watcher)) = self.id.zip(self.watcher.take()) {
            watcher(id, false);
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    // A panic while it was locked leaves a process that can still be killed.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Child {
    /// Starts a command in a group of its own, and its supervisor with it.
    pub fn start(command: Command, watcher: Option<GroupWatcher>) -> io::Result<(Self, Pipes)> {
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        command.wrap(process_wrap::tokio::KillOnDrop);
        let mut group = command.spawn()?;
        let id = group.id();
        if let Some((id, watcher)) = id.zip(watcher) {
            watcher(id, true);
        }
        let pipes = Pipes {
            stdin: group.stdin().take(),
            stdout: group.stdout().take(),
            stderr: group.stderr().take(),
        };
        let shared = Shared { group, id, watcher, is_gone: false, was_killed: false };
        let shared = Arc::new(Mutex::new(shared));
        let (tell, ended) = watch::channel(None);
        let supervisor = tokio::spawn(supervise(shared.clone(), tell)).abort_handle();
        Ok((Self { id, shared, ended, supervisor }, pipes))
    }

    /// Its id, and that of its group.
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// How the process ended, if the supervisor knows that it has.
    pub fn status(&self) -> Option<Status> {
        *self.ended.borrow()
    }

    /// Waits until the process has ended. Any number of tasks may wait.
    pub async fn ended(&self) -> Status {
        let mut ended = self.ended.clone();
        let told = ended.wait_for(Option::is_some).await.map(|status| *status);
        // A supervisor that was dropped with its runtime says nothing more.
        told.ok().flatten().unwrap_or(Status::Unknown)
    }

    /// The same for so long; nothing where it runs on.
    pub async fn ended_within(&self, patience: Duration) -> Option<Status> {
        tokio::time::timeout(patience, self.ended()).await.ok()
    }

    /// Whether it was killed from here before it ended. Windows gives such a process a code, as if it had chosen it.
    pub fn was_killed(&self) -> bool {
        lock(&self.shared).was_killed
    }

    /// Asks the process to end. Windows has no way to ask.
    pub fn terminate(&self) {
        #[cfg(unix)]
        {
            let shared = lock(&self.shared);
            if !shared.is_gone {
                let _ = shared.group.signal(rustix::process::Signal::TERM.as_raw());
            }
        }
    }

    /// Has the whole group stand still, or go on; false where the system has no way to ask.
    pub fn freeze(&self, frozen: bool) -> bool {
        #[cfg(unix)]
        {
            let signal = if frozen { rustix::process::Signal::STOP } else { rustix::process::Signal::CONT };
            let shared = lock(&self.shared);
            !shared.is_gone && shared.group.signal(signal.as_raw()).is_ok()
        }
        #[cfg(not(unix))]
        {
            let _ = frozen;
            false
        }
    }

    /// Kills the group and waits until the process is gone.
    pub async fn kill(&self) -> Option<Status> {
        {
            let mut shared = lock(&self.shared);
            shared.was_killed |= !shared.is_gone;
            shared.kill_group();
        }
        self.ended_within(REAP).await
    }

    /// Waits until the process ends by itself; asks it to, after a while; kills it, after another.
    pub async fn end(&self, grace: Duration) -> Option<Status> {
        if let Some(status) = self.ended_within(grace).await {
            return Some(status);
        }
        self.terminate_within(grace).await
    }

    /// Asks the process to end, and kills it where it has not after a while.
    pub async fn terminate_within(&self, grace: Duration) -> Option<Status> {
        self.terminate();
        if cfg!(unix)
            && let Some(status) = self.ended_within(grace).await
        {
            return Some(status);
        }
        self.kill().await
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.supervisor.abort();
        let mut shared = lock(&self.shared);
        shared.kill_group();
        let deadline = Instant::now() + DROP_REAP;
        while !shared.is_gone && Instant::now() < deadline {
            // One that cannot be asked for is nobody's child any more.
            match shared.group.try_wait() {
                Ok(None) => std::thread::sleep(DROP_LOOK),
                Ok(Some(_)) | Err(_) => break,
            }
        }
        shared.clear();
    }
}

/// Waits for the end of a process. The lock is held only while the system is asked.
async fn supervise(shared: Arc<Mutex<Shared>>, tell: watch::Sender<Option<Status>>) {
    let waited = poll_fn(|context| lock(&shared).group.wait().as_mut().poll(context)).await;
    // At once: a child that it left would hold its pipes, and nothing else will end it.
    lock(&shared).clear();
    tell.send_replace(Some(waited.map_or(Status::Unknown, Status::from)));
}
