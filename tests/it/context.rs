//! What the tests share: the program, the emulators, and folders with scenarios of their own.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use craftos_harness::emulators::{Emulator, Kind, find, use_program};
use craftos_harness::places::Places;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_harness-under-test");

/// The bridge as a program of its own.
pub const BRIDGE: &str = env!("CARGO_BIN_EXE_bridge-under-test");

/// The program, without what the caller's environment would change.
pub fn harness() -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .env_remove("HARNESS_REQUIRE")
        .env_remove("CRAFTOS_PC")
        .env_remove("GITHUB_ACTIONS")
        .env_remove("MCP_URL")
        .env_remove("MCP_TOKEN");
    command
}

/// An emulator; nothing where it is not there, and why is printed.
pub async fn emulator(kind: Kind) -> Option<Emulator> {
    use_program(PROGRAM);
    match find(&[kind.to_string()], None).await {
        Ok(mut found) => Some(found.emulators.remove(0)),
        Err(error) => {
            assert_eq!(kind, Kind::CraftosPc, "the embedded emulator is always there: {error}");
            eprintln!("did not run on {kind}: {error}");
            None
        }
    }
}

/// The project's own files.
pub fn places() -> Places {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Places::find(Some(root.join("lua")), Some(root.join("craftos-fixtures")))
}

/// A folder of fixtures with one scenario in it.
pub struct Fixtures {
    folder: tempfile::TempDir,
}

impl Fixtures {
    pub fn with(name: &str, scenario: &str) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }.and(name, scenario)
    }

    /// The same with one more.
    pub fn and(self, name: &str, scenario: &str) -> Self {
        std::fs::create_dir_all(self.scenario(name)).expect("the folder is ours");
        std::fs::write(self.scenario(name).join("scenario.toml"), scenario).expect("the folder is ours");
        self
    }

    /// Any file of this folder.
    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// The report of the program on these fixtures.
    pub fn report(&self) -> PathBuf {
        self.path("e2e")
    }

    pub fn scenario(&self, name: &str) -> PathBuf {
        self.folder.path().join("scenarios").join(name)
    }

    /// The program on these fixtures, on the embedded emulator.
    pub fn harness(&self, arguments: &[&str]) -> Command {
        self.harness_on("embedded", arguments)
    }

    /// The same on another emulator.
    pub fn harness_on(&self, emulator: &str, arguments: &[&str]) -> Command {
        let mut command = harness();
        command.args(arguments).args(["--emulator", emulator, "--fixtures"]).arg(self.folder.path());
        command.arg("--program").arg(places().program).arg("--report").arg(self.report());
        command
    }
}
