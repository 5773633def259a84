//! Looks for emulators: what was named, then the environment, then the usual places.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;

use super::{Emulator, EmulatorError, Kind, MINIMUM, Version, self_as_program};

/// A binary answers `--version` in milliseconds; one that opens a window instead never does.
const VERSION_PATIENCE: Duration = Duration::from_secs(10);

/// With this the version of the embedded emulator begins.
const EMBEDDED: &str = "embedded-craftos ";

/// The names under which CraftOS-PC is installed.
const NAMES: [&str; 3] = ["craftos", "craftos-pc", "CraftOS-PC"];

/// Where its installers put it, off the `PATH`.
const PLACES: [&str; 3] = [
    "/Applications/CraftOS-PC.app/Contents/MacOS/craftos",
    r"C:\Program Files\CraftOS-PC\CraftOS-PC_console.exe",
    r"C:\Program Files\CraftOS-PC\CraftOS-PC.exe",
];

/// What is there, and what is not.
#[derive(Debug, Default)]
pub struct Found {
    pub emulators: Vec<Emulator>,
    pub missing: Vec<Missing>,
}

/// An emulator that cannot be used, and why.
#[derive(Debug)]
pub struct Missing {
    pub kind: Kind,
    pub reason: EmulatorError,
}

impl Found {
    pub fn get(&self, kind: Kind) -> Option<&Emulator> {
        self.emulators.iter().find(|emulator| emulator.kind == kind)
    }

    /// Leaves out what nobody wants.
    pub fn keep(&mut self, wanted: &[Kind]) {
        self.emulators.retain(|emulator| wanted.contains(&emulator.kind));
        self.missing.retain(|missing| wanted.contains(&missing.kind));
    }
}

/// Looks for every emulator. What was named by the user and cannot be used is an error; what was not named is
/// missing, with its reason.
pub async fn find(named: &[String], craftos_pc: Option<&Path>) -> Result<Found, EmulatorError> {
    let mut found = Found::default();
    if named.is_empty() {
        found.take(Kind::Embedded, embedded());
        found.take(Kind::CraftosPc, reference(craftos_pc).await);
        return Ok(found);
    }
    for name in named {
        let emulator = match name.as_str() {
            "embedded" => embedded()?,
            "craftos-pc" => reference(craftos_pc).await?,
            path => ask(&PathBuf::from(path)).await?,
        };
        found.emulators.push(emulator);
    }
    Ok(found)
}

impl Found {
    fn take(&mut self, kind: Kind, outcome: Result<Emulator, EmulatorError>) {
        match outcome {
            Ok(emulator) => self.emulators.push(emulator),
            Err(reason) => self.missing.push(Missing { kind, reason }),
        }
    }
}

fn embedded() -> Result<Emulator, EmulatorError> {
    let path = self_as_program().ok_or(EmulatorError::NoProgram)?;
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let (kind, keeper) = (Kind::Embedded, Some(path.clone()));
    Ok(Emulator { kind, keeper, path, version, simulation: None })
}

async fn reference(named: Option<&Path>) -> Result<Emulator, EmulatorError> {
    if let Some(path) = named {
        return ask_reference(path).await;
    }
    let on_path = NAMES.iter().find_map(|name| which::which(name).ok());
    let placed = || PLACES.iter().map(PathBuf::from).find(|path| path.is_file());
    match on_path.or_else(placed) {
        Some(path) => ask_reference(&path).await,
        None => Err(EmulatorError::NotFound),
    }
}

/// The same of a binary that has to be CraftOS-PC.
async fn ask_reference(path: &Path) -> Result<Emulator, EmulatorError> {
    let emulator = ask(path).await?;
    if emulator.kind == Kind::CraftosPc {
        return Ok(emulator);
    }
    let said = format!("{EMBEDDED}{}", emulator.version);
    Err(EmulatorError::NotTheReference { path: path.to_owned(), said })
}

/// Asks a binary for its version.
async fn ask(path: &Path) -> Result<Emulator, EmulatorError> {
    let mut command = Command::new(path);
    command.arg("--version").kill_on_drop(true).stdin(std::process::Stdio::null());
    let output = match tokio::time::timeout(VERSION_PATIENCE, command.output()).await {
        Ok(Ok(output)) => output,
        Ok(Err(source)) => return Err(EmulatorError::Start { path: path.to_owned(), source }),
        Err(_) => {
            let seconds = VERSION_PATIENCE.as_secs();
            return Err(EmulatorError::Silent { path: path.to_owned(), seconds });
        }
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let keeper = self_as_program();
    if let Some(version) = said.trim().strip_prefix(EMBEDDED) {
        let (kind, version) = (Kind::Embedded, version.to_owned());
        return Ok(Emulator { kind, path: path.to_owned(), version, keeper, simulation: None });
    }
    match Version::read(&said) {
        Some(found) if found < MINIMUM => Err(EmulatorError::TooOld { path: path.to_owned(), found }),
        Some(version) => Ok(Emulator {
            kind: Kind::CraftosPc,
            path: path.to_owned(),
            version: version.to_string(),
            keeper,
            simulation: None,
        }),
        None => {
            let said = said.lines().next().unwrap_or_default().to_owned();
            Err(EmulatorError::NotAnEmulator { path: path.to_owned(), said })
        }
    }
}
