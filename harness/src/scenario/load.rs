//! Reads scenarios from their folders and checks what a type cannot.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::file::{ComputerSection, ScenarioFile};
use crate::bridge::BridgeSpec;
use crate::client::VERSIONS;
use crate::computer::Spec;
use crate::places::Places;

/// Why a scenario cannot be read.
#[derive(Debug, Error)]
pub enum LoadError {
    #[error("failed to read scenario `{path}`")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("failed to read scenario `{path}`\n{message}hint: craftos-fixtures/README.md explains every key")]
    Toml { path: PathBuf, message: String },
    #[error("scenario `{path}`: {message}")]
    Wrong { path: PathBuf, message: String },
    #[error("no scenario matches `{0}`\nhint: `craftos-harness list` names them all")]
    NoMatch(String),
}

/// A scenario that can be played.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its folder below `scenarios/`, such as `probe/three`.
    pub name: String,
    pub folder: PathBuf,
    pub file: ScenarioFile,
}

/// Reads every scenario whose name contains one of the filters, ordered by name. Each filter has to match something.
pub fn all(places: &Places, filters: &[String]) -> Result<Vec<Scenario>, LoadError> {
    let root = places.scenarios();
    let mut folders = Vec::new();
    collect(&root, &mut folders).map_err(|source| LoadError::Read { path: root.clone(), source })?;
    folders.sort();
    let named: Vec<(String, PathBuf)> = folders
        .into_iter()
        .map(|folder| {
            let relative = folder.strip_prefix(&root).expect("it was found below it");
            let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
            (parts.join("/"), folder)
        })
        .collect();
    if let Some(filter) =
        filters.iter().find(|filter| !named.iter().any(|(name, _)| name.contains(filter.as_str())))
    {
        return Err(LoadError::NoMatch(filter.clone()));
    }
    let wanted =
        |name: &str| filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()));
    named.into_iter().filter(|(name, _)| wanted(name)).map(|(name, folder)| load(name, folder)).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if folder.join("scenario.toml").is_file() {
        found.push(folder.to_owned());
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), found)?;
        }
    }
    Ok(())
}

/// Reads one scenario.
pub fn load(name: String, folder: PathBuf) -> Result<Scenario, LoadError> {
    let path = folder.join("scenario.toml");
    let text =
        std::fs::read_to_string(&path).map_err(|source| LoadError::Read { path: path.clone(), source })?;
    let file: ScenarioFile = toml::from_str(&text)
        .map_err(|error| LoadError::Toml { path: path.clone(), message: error.to_string() })?;
    check(&file).map_err(|message| LoadError::Wrong { path, message })?;
    Ok(Scenario { name, folder, file })
}

fn check(file: &ScenarioFile) -> Result<(), String> {
    if !VERSIONS.contains(&file.mcp.as_str()) {
        return Err(format!("`mcp = \"{}\"` is none of {}", file.mcp, VERSIONS.join(", ")));
    }
    let mut names = BTreeSet::new();
    for computer in &file.computers {
        let name = computer.name();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return Err(format!("a computer's name has letters, digits and `-` only, not `{name}`"));
        }
        if !names.insert(name.clone()) {
            return Err(format!("two computers are called `{name}`\nhint: give one of them a `name`"));
        }
    }
    for name in file.steps.iter().flat_map(super::Step::computers) {
        if !names.contains(name) {
            return Err(format!("a step names computer `{name}`, which is not there"));
        }
    }
    Ok(())
}

impl ComputerSection {
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.id.to_string())
    }

    fn spec(&self, places: &Places) -> Spec {
        let mut arguments = vec!["{url}".to_owned()];
        arguments.extend(self.arguments.iter().cloned());
        Spec {
            id: self.id,
            name: self.name(),
            label: self.label.clone(),
            install: places.client(&self.program),
            program: self.start.clone().unwrap_or_else(|| "/programs/mcp-computer.lua".to_owned()),
            arguments,
            files: self.files.clone(),
            settings: self.settings.clone(),
            http: self.http,
            allow: self.allow.clone(),
            abort_timeout_ms: self.abort_timeout_ms,
        }
    }
}

impl Scenario {
    pub fn specs(&self, places: &Places) -> Vec<Spec> {
        self.file.computers.iter().map(|computer| computer.spec(places)).collect()
    }

    pub fn bridge(&self, command: Option<Vec<String>>) -> BridgeSpec {
        let section = &self.file.bridge;
        BridgeSpec {
            command,
            probe_timeout_ms: section.probe_timeout_ms,
            exec_timeout_ms: section.exec_timeout_ms,
            link_token: section.link_token.clone(),
            mcp_token: section.mcp_token.clone(),
            ..BridgeSpec::default()
        }
    }
}
