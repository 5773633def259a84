//! The emulators that are measured, and data folders for them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The names under which CraftOS-PC is installed.
const NAMES: [&str; 3] = ["craftos", "craftos-pc", "CraftOS-PC"];

/// What is there.
pub struct Emulators {
    pub embedded: PathBuf,
    /// CraftOS-PC: `CRAFTOS_PC`, or what the PATH has.
    pub reference: Option<PathBuf>,
}

impl Emulators {
    pub fn find() -> Self {
        let named = std::env::var_os("CRAFTOS_PC").filter(|path| !path.is_empty()).map(PathBuf::from);
        let reference = match named {
            Some(path) => path.is_file().then_some(path),
            None => NAMES.iter().find_map(|name| on_path(name)),
        };
        Self { embedded: env!("CARGO_BIN_EXE_embedded-craftos").into(), reference }
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

/// A data folder that both emulators understand.
pub struct Data {
    folder: TempDir,
}

impl Data {
    /// With a startup file for computer 0, if there is one.
    pub fn new(startup: &str) -> std::io::Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir_all(folder.path().join("config"))?;
        std::fs::create_dir_all(folder.path().join("computer/0"))?;
        let settings = r#"{"lastVersion":"v2.8.3","abortTimeout":600000,"default_computer_settings":"motd.enable=false,bios.use_multishell=false"}"#;
        std::fs::write(folder.path().join("config/global.json"), settings)?;
        if !startup.is_empty() {
            std::fs::write(folder.path().join("computer/0/startup.lua"), startup)?;
        }
        Ok(Self { folder })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The emulator on this folder, silent, in the way that holds for both.
    pub fn command(&self, emulator: &Path) -> Command {
        let mut command = Command::new(emulator);
        command.env("SDL_AUDIODRIVER", "dummy").env("SDL_NO_SIGNAL_HANDLERS", "1");
        command.args(["--headless", "-d"]).arg(self.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}
