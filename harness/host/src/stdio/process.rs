//! Starts the process of a server: its program, folder and environment. `child-processes` watches and ends it.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use child_processes::Child;
use thiserror::Error;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use crate::config::surroundings::look_up;
use crate::settings::Settings;
use crate::spec::LocalSpec;

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

/// The ends of a server's pipes.
#[derive(Debug)]
pub struct Pipes {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// Starts the program of a server.
pub fn start(spec: &LocalSpec, settings: &Settings) -> Result<(Child, Pipes), SpawnError> {
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
    let started = Child::start(command, settings.group_watcher);
    let (child, pipes) =
        started.map_err(|source| SpawnError::Start { program: spec.program.clone(), source })?;
    let pipes = Pipes {
        stdin: pipes.stdin.expect("it is piped"),
        stdout: pipes.stdout.expect("it is piped"),
        stderr: pipes.stderr.expect("it is piped"),
    };
    Ok((child, pipes))
}

/// Finds a program as a shell in its folder would; on Windows `npx` is `npx.cmd`, which only a search finds.
fn find(spec: &LocalSpec) -> Result<PathBuf, SpawnError> {
    let missing = || SpawnError::NotFound(spec.program.clone());
    let folder = std::path::absolute(&spec.folder).map_err(|_| SpawnError::Folder(spec.folder.clone()))?;
    let own = look_up(&spec.environment, "PATH").map(|path| path.reveal().into());
    let paths = own.or_else(|| std::env::var_os("PATH"));
    which::which_in(Path::new(&spec.program), paths, folder).map_err(|_| missing())
}
