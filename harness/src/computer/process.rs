//! The process of an emulator: its own group, its output drained from the start, nothing left behind.

use std::collections::VecDeque;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

use crate::emulators::{Emulator, Kind, ROLE_VARIABLE};

/// Enough for an error message and a screen; an emulator that floods its output fills no memory.
const KEPT_BYTES: usize = 16 * 1024;

/// What a process may take to die after it was killed. A kill cannot be refused; only a machine that swaps needs longer.
const REAP: Duration = Duration::from_secs(5);

/// The same where a thread is held up by it: a process that was killed is gone within a millisecond or two.
const DROP_REAP: Duration = Duration::from_millis(500);

/// How long the last words of a process that has ended may still be on their way.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A running emulator.
#[derive(Debug)]
pub struct Process {
    child: Box<dyn ChildWrapper>,
    output: Arc<Mutex<VecDeque<u8>>>,
    drains: tokio::task::JoinSet<()>,
    exit: Option<ExitStatus>,
}

impl Process {
    /// Starts an emulator on a data folder.
    pub fn start(emulator: &Emulator, id: u32, data: &Path) -> std::io::Result<Self> {
        let mut command = command(emulator);
        command.args(["--headless", "-d"]).arg(data).args(["-i", &id.to_string()]);
        command.env("SDL_AUDIODRIVER", "dummy").env("SDL_NO_SIGNAL_HANDLERS", "1");
        Self::spawn(command)
    }

    /// Starts any command in the same way.
    pub fn spawn(mut command: Command) -> std::io::Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        command.wrap(process_wrap::tokio::KillOnDrop);
        let mut child = command.spawn()?;
        let output = Arc::new(Mutex::new(VecDeque::new()));
        let mut drains = tokio::task::JoinSet::new();
        if let Some(stdout) = child.stdout().take() {
            drains.spawn(drain(stdout, output.clone()));
        }
        if let Some(stderr) = child.stderr().take() {
            drains.spawn(drain(stderr, output.clone()));
        }
        Ok(Self { child, output, drains, exit: None })
    }

    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// How the process ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        if self.exit.is_none() {
            self.exit = self.child.try_wait().ok().flatten();
        }
        self.exit
    }

    /// Waits until everything that an ended process wrote has been read; not for a child of it that holds the pipe.
    pub async fn drained(&mut self) {
        let _ = tokio::time::timeout(LAST_WORDS, async { while self.drains.join_next().await.is_some() {} })
            .await;
    }

    /// Asks the process to end, waits a while, and kills what is left of its group.
    pub async fn terminate(&mut self, grace: Duration) {
        #[cfg(unix)]
        if self.ended().is_none() {
            let _ = self.child.signal(rustix::process::Signal::TERM.as_raw());
            if let Ok(Ok(status)) = tokio::time::timeout(grace, self.child.wait()).await {
                self.exit = Some(status);
            }
        }
        #[cfg(not(unix))]
        let _ = grace;
        self.kill().await;
    }

    /// Kills the group and waits until it is gone.
    pub async fn kill(&mut self) {
        if self.ended().is_some() {
            // A child that the emulator left may still be in its group.
            let _ = self.child.start_kill();
            return;
        }
        let _ = self.child.start_kill();
        if let Ok(Ok(status)) = tokio::time::timeout(REAP, self.child.wait()).await {
            self.exit = Some(status);
        }
    }

    /// The last of what the process wrote to stdout and stderr.
    pub fn output(&self) -> String {
        let mut kept = self.output.lock().expect("nobody panics with it");
        String::from_utf8_lossy(kept.make_contiguous()).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.start_kill();
        let deadline = Instant::now() + DROP_REAP;
        while self.ended().is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn command(emulator: &Emulator) -> Command {
    let own = emulator.keeper.as_ref().filter(|keeper| **keeper == emulator.path);
    match (emulator.kind, own, &emulator.keeper) {
        (Kind::Embedded, Some(program), _) => {
            let mut command = Command::new(program);
            command.env(ROLE_VARIABLE, "embedded-craftos").arg("--die-with-parent");
            command
        }
        (Kind::Embedded, None, _) => {
            let mut command = Command::new(&emulator.path);
            command.arg("--die-with-parent");
            command
        }
        (Kind::CraftosPc, _, Some(keeper)) if cfg!(target_os = "linux") => {
            let mut command = Command::new(keeper);
            command.env(ROLE_VARIABLE, "keeper").arg(&emulator.path);
            command
        }
        (Kind::CraftosPc, ..) => Command::new(&emulator.path),
    }
}

async fn drain(mut stream: impl AsyncRead + Unpin, kept: Arc<Mutex<VecDeque<u8>>>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        let mut kept = kept.lock().expect("nobody panics with it");
        kept.extend(&buffer[..count]);
        let over = kept.len().saturating_sub(KEPT_BYTES);
        kept.drain(..over);
    }
}
