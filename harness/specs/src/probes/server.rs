//! What probes may talk to: a program of the project that prints its address in one line, and ends when its input does.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use child_processes::Child;
use craftos_computers::scratch::process_group;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{ChildStdin, Command};

/// What it may take to say its address, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why the server cannot be used.
#[derive(Debug, Error)]
pub enum ServerError {
    #[error("failed to start the server of the probes, `{}`", path.display())]
    Start { path: PathBuf, source: io::Error },
    #[error("the server of the probes, `{}`, did not print its address in a line within {} s", .0.display(), PATIENCE.as_secs())]
    Silent(PathBuf),
}

/// A server that runs. Dropping it ends it.
#[derive(Debug)]
pub struct Server {
    /// What it printed, such as `127.0.0.1:4711`.
    pub address: String,
    _child: Child,
    _input: Option<ChildStdin>,
}

impl Server {
    /// Starts it and waits for its address.
    pub async fn start(root: &Path, program: &Path) -> Result<Self, ServerError> {
        let path = root.join(program);
        let mut command = Command::new(&path);
        command.current_dir(root).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let (child, pipes) = Child::start(command, Some(process_group))
            .map_err(|source| ServerError::Start { path: path.clone(), source })?;
        let mut lines = BufReader::new(pipes.stdout.expect("the command asked for it")).lines();
        let said = tokio::time::timeout(PATIENCE, lines.next_line()).await;
        let address = said.ok().and_then(Result::ok).flatten().map(|line| line.trim().to_owned());
        match address.filter(|address| !address.is_empty()) {
            Some(address) => Ok(Self { address, _child: child, _input: pipes.stdin }),
            None => Err(ServerError::Silent(path)),
        }
    }
}
