//! Where the project's files are: the program, the old clients, the scenarios.

use std::path::{Path, PathBuf};

/// The folders that the harness reads.
#[derive(Debug, Clone)]
pub struct Places {
    /// The project.
    pub root: PathBuf,
    /// With `programs/` and `apis/` in it.
    pub program: PathBuf,
    /// With `scenarios/` and `clients/` in it.
    pub fixtures: PathBuf,
}

impl Places {
    /// Takes what was named; otherwise the project around the current folder, otherwise the one this was built from.
    pub fn find(program: Option<PathBuf>, fixtures: Option<PathBuf>) -> Self {
        let here = std::env::current_dir().unwrap_or_default();
        let root = here
            .ancestors()
            .find(|folder| folder.join("craftos-fixtures").is_dir())
            .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), Path::to_owned);
        Self {
            program: program.unwrap_or_else(|| root.join("lua")),
            fixtures: fixtures.unwrap_or_else(|| root.join("craftos-fixtures")),
            root,
        }
    }

    pub fn scenarios(&self) -> PathBuf {
        self.fixtures.join("scenarios")
    }

    /// The folder of a client: `current`, a version of an old one, or `none`.
    pub fn client(&self, version: &str) -> Option<PathBuf> {
        match version {
            "none" => None,
            "current" => Some(self.program.clone()),
            old => Some(self.fixtures.join("clients").join(old)),
        }
    }
}
