//! A computer without the harness on it: it boots as the emulator boots any computer, runs its own startup file, and only
//! what is on its disk afterwards tells what it did. It takes no commands, and its screen is not recorded.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use serde_json::json;
use tokio::process::Command;

use super::Process;
use super::folder::{GLOBAL, root};
use super::housing::command;
use super::spec::segments;
use crate::emulators::Emulator;
use crate::scratch::Scratch;

/// The id of the computer.
const ID: u32 = 0;

/// A bare computer that was booted. Dropping it kills its process and removes its folder.
#[derive(Debug)]
#[must_use]
pub struct Bare {
    // Dropped before the folder: a process that still writes would keep it from being removed.
    process: Process,
    data: Scratch,
}

impl Bare {
    /// Boots a computer that has these files on its disk and nothing else. Its clock is in UTC, wherever this machine is.
    pub fn boot(emulator: &Emulator, files: &BTreeMap<&str, Vec<u8>>) -> io::Result<Self> {
        let data = Scratch::new("a bare computer")?;
        let settings = json!({
            "lastVersion": "v2.8.3",
            "default_computer_settings": "motd.enable=false,bios.use_multishell=false",
        });
        write(&data, GLOBAL, settings.to_string().as_bytes())?;
        for (path, bytes) in files {
            write(&data, &format!("computer/{ID}/{path}"), bytes)?;
        }
        let mut command: Command = command(emulator);
        command.args(["--headless", "-d"]).arg(data.path()).args(["-i", &ID.to_string()]).env("TZ", "UTC");
        Ok(Self { process: Process::spawn(command)?, data })
    }

    /// Its process.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// Waits until the process has ended, for so long at most; says whether it has. One that has not is killed.
    pub async fn end_within(&self, patience: Duration) -> bool {
        let has_ended = self.process.ended_within(patience).await.is_some();
        if !has_ended {
            self.process.kill().await;
        }
        has_ended
    }

    /// Reads a file of its disk; nothing, where there is none.
    pub fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        let parts = segments(path).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let path = parts.iter().fold(root(self.data.path(), ID), |folder, part| folder.join(part));
        match std::fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn write(data: &Scratch, path: &str, bytes: &[u8]) -> io::Result<()> {
    let path = data.path().join(path);
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(path, bytes)
}
