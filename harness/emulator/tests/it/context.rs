//! What every test needs: a data folder, a small bios, the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;
use tempfile::TempDir;

/// Only a program that hangs reaches it: these runs take seconds on a machine with nothing else to do, and no more than a
/// minute on one with forty things to do at once.
pub const TIMEOUT: Duration = Duration::from_secs(600);

/// A data folder of a test's own.
#[derive(Debug)]
pub struct TestContext {
    folder: TempDir,
}

impl TestContext {
    /// Settings without what differs from day to day.
    pub fn new() -> Self {
        let context = Self { folder: tempfile::tempdir().expect("a folder can be made") };
        context.settings(r#"{"default_computer_settings": "motd.enable=false,bios.use_multishell=false"}"#);
        context
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn settings(&self, json: &str) {
        self.write("config/global.json", json);
    }

    /// Writes a file in the data folder.
    pub fn write(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("the folder is above it")).expect("a folder can be made");
        fs::write(path, content).expect("a file can be written");
    }

    pub fn read(&self, name: &str) -> String {
        let path = self.path().join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// A ROM whose bios is the given Lua; the computer turns off when it ends.
    pub fn rom(&self, bios: &str) -> PathBuf {
        self.write("rom/rom/readme.txt", "hello");
        self.write("rom/bios.lua", bios);
        self.path().join("rom")
    }

    /// The program on this data folder.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_embedded-craftos"));
        command.env_clear().timeout(TIMEOUT).arg("--headless").arg("-d").arg(self.path());
        // Without it Windows has no sockets.
        command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        command
    }

    /// Runs Lua on computer 0 with the embedded ROM and returns what was printed after the greeting.
    pub fn exec(&self, lua: &str) -> String {
        let output = self.command().args(["--exec", lua]).output().expect("the program runs");
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default()
    }

    /// Runs a bios of the test's own.
    pub fn bios(&self, lua: &str, arguments: &[&str]) -> Output {
        let rom = self.rom(lua);
        self.command().arg("--rom").arg(rom).args(arguments).output().expect("the program runs")
    }
}

/// The text of one of a program's streams.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
