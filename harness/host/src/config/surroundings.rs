//! What a configuration is resolved in: the folder, the home, the environment. The one place that asks the process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where and with which variables a configuration is read.
#[derive(Clone)]
pub struct Surroundings {
    pub folder: PathBuf,
    pub home: Option<PathBuf>,
    pub variables: BTreeMap<String, String>,
}

impl Surroundings {
    /// Those of this process. Variables that are no text are left out: no file can name their value.
    pub fn here() -> std::io::Result<Self> {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Ok(Self { folder: std::env::current_dir()?, home: std::env::home_dir(), variables })
    }

    /// A folder with no home and no variables.
    pub fn bare(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), home: None, variables: BTreeMap::new() }
    }

    pub fn variable(&self, name: &str) -> Option<&str> {
        look_up(&self.variables, name).map(String::as_str)
    }

    /// The folders that are looked in, from this one up to the root of the project: the folder with `.git` in it.
    /// Without a project only this one: what lies in a stranger's folder above must not start programs here.
    pub fn folders(&self) -> Vec<&Path> {
        let above: Vec<&Path> = self.folder.ancestors().collect();
        match above.iter().position(|folder| folder.join(".git").exists()) {
            Some(root) => above[..=root].to_vec(),
            None => vec![&self.folder],
        }
    }
}

/// Looks for a variable as the system would: on Windows `PATH` is mostly written `Path`.
pub fn look_up<'a, T>(variables: &'a BTreeMap<String, T>, name: &str) -> Option<&'a T> {
    let alike = || variables.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
    let found = variables.get(name);
    if cfg!(windows) { found.or_else(|| alike().map(|(_, value)| value)) } else { found }
}

impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The environment holds secrets.
        f.debug_struct("Surroundings").field("folder", &self.folder).finish_non_exhaustive()
    }
}
