//! The process of a server: a group of its own, ended in the order that the specification asks for.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use thiserror::Error;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use crate::config::surroundings::look_up;
use crate::settings::{GroupWatcher, Settings};
use crate::spec::LocalSpec;

/// What a process may take to die after it was killed. A kill cannot be refused; only a machine that swaps needs longer.
const REAP: Duration = Duration::from_secs(5);

/// The same where a thread is held up by it: a process that was killed is gone within a millisecond or two.
const DROP_REAP: Duration = Duration::from_millis(500);

/// Why a process did not start.
#[derive(Debug, Error)]
pub enum SpawnError {
    #[error("the folder `{}` is not there", .0.display())]
    Folder(PathBuf),
    #[error("the program `{0}` was not found\nhint: is it installed, and on the PATH?")]
    NotFound(String),
    #[error("failed to start `{program}`")]
    Start { program: String, source: std::io::Error },
}

/// A running server.
#[derive(Debug)]
pub struct Process {
    child: Box<dyn ChildWrapper>,
    exit: Option<ExitStatus>,
    group: Option<(u32, GroupWatcher)>,
}

/// The ends of its pipes.
#[derive(Debug)]
pub struct Pipes {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

impl Process {
    /// Starts a program.
    pub fn start(spec: &LocalSpec, settings: &Settings) -> Result<(Self, Pipes), SpawnError> {
        if !spec.folder.is_dir() {
            return Err(SpawnError::Folder(spec.folder.clone()));
        }
        let program = find(spec)?;
        let mut command = match &settings.starter {
            None => Command::new(program),
            Some(starter) => {
                let mut command = Command::new(&starter.program);
                command.arg(program).envs(starter.environment.iter().map(|(name, value)| (name, value)));
                command
            }
        };
        command.args(&spec.arguments).current_dir(&spec.folder);
        command.envs(spec.environment.iter().map(|(name, value)| (name, value.reveal())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        command.wrap(process_wrap::tokio::KillOnDrop);
        let failed = |source| SpawnError::Start { program: spec.program.clone(), source };
        let mut child = command.spawn().map_err(failed)?;
        let group = child.id().zip(settings.group_watcher);
        if let Some((id, watcher)) = group {
            watcher(id, true);
        }
        let pipes = Pipes {
            stdin: child.stdin().take().expect("it is piped"),
            stdout: child.stdout().take().expect("it is piped"),
            stderr: child.stderr().take().expect("it is piped"),
        };
        Ok((Self { child, exit: None, group }, pipes))
    }

    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the process has ended.
    pub async fn ended(&mut self) -> Option<ExitStatus> {
        if self.exit.is_none() {
            self.exit = self.child.wait().await.ok();
        }
        self.exit
    }

    /// Ends the process once its stdin was closed: waits, sends TERM, waits, kills what is left of the group.
    pub async fn end(&mut self, grace: Duration) -> Option<ExitStatus> {
        let gone = tokio::time::timeout(grace, self.ended()).await.is_ok();
        #[cfg(unix)]
        let gone = gone || {
            let _ = self.child.signal(rustix::process::Signal::TERM.as_raw());
            tokio::time::timeout(grace, self.ended()).await.is_ok()
        };
        // Also where it has ended: a child that it left may still be in its group.
        let _ = self.child.start_kill();
        if !gone {
            let _ = tokio::time::timeout(REAP, self.ended()).await;
        }
        self.exit
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.start_kill();
        let deadline = Instant::now() + DROP_REAP;
        while self.exit.is_none() && Instant::now() < deadline {
            self.exit = self.child.try_wait().ok().flatten();
            if self.exit.is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        if let Some((id, watcher)) = self.group {
            watcher(id, false);
        }
    }
}

/// Finds a program as a shell in its folder would; on Windows `npx` is `npx.cmd`, which only a search finds.
fn find(spec: &LocalSpec) -> Result<PathBuf, SpawnError> {
    let missing = || SpawnError::NotFound(spec.program.clone());
    let folder = std::path::absolute(&spec.folder).map_err(|_| SpawnError::Folder(spec.folder.clone()))?;
    let own = look_up(&spec.environment, "PATH").map(|path| path.reveal().into());
    let paths = own.or_else(|| std::env::var_os("PATH"));
    which::which_in(Path::new(&spec.program), paths, folder).map_err(|_| missing())
}
