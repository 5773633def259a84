//! Reads scenarios from their folders. What is wrong in one is shown with its file and its line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use craftos_specs::project::Project;
use embedded_craftos::ids::Ids;
use thiserror::Error;

use super::check::{Wrong, check};
use super::file::{ComputerSection, ScenarioFile};
use super::given::check_given;
use super::must_fail::MustFail;
use super::snapshot::leftovers;
use crate::bridge::BridgeSpec;
use crate::computer::{PROGRAM, Spec};
use crate::places::Places;
use crate::stage::ADDRESS;

/// The file that makes a folder a scenario's.
const FILE: &str = "scenario.toml";

/// May stand in any folder.
const README: &str = "README.md";

/// Why a scenario cannot be read.
#[derive(Debug, Error)]
pub enum LoadError {
    #[error(
        "there is no folder `{path}`, and no project with scenarios around the current folder\nhint: run this inside the project, or name its fixtures with `--fixtures DIR`"
    )]
    NoProject { path: PathBuf },
    #[error("failed to read scenario `{path}`")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("failed to read scenario `{path}`\n{message}hint: craftos-fixtures/README.md explains every key")]
    Toml { path: PathBuf, message: String },
    #[error("scenario `{path}`, line {line}: {message}")]
    Wrong { path: PathBuf, line: usize, message: String },
    #[error(
        "there is no scenario below `{path}`\nhint: a scenario is a folder with a `{FILE}`; `--fixtures DIR` names another folder"
    )]
    Nothing { path: PathBuf },
    #[error(
        "`{path}` belongs to no scenario: there is no `{FILE}` next to it\nhint: rename it, or move it below the folder of its scenario"
    )]
    Stray { path: PathBuf },
    #[error("`{path}` is inside the folder of another scenario\nhint: move its folder next to the other")]
    Nested { path: PathBuf },
    #[error(
        "nothing is compared with snapshot `{path}`\nhint: remove it, or add `differs.EMULATOR = \"the reason\"` to the scenario"
    )]
    LeftOver { path: PathBuf },
    #[error(
        "the project has no scenarios: there is no folder `{path}`\nhint: a scenario is a folder with a `{FILE}` in it; `craftos-harness init` writes a first one, and `craftos-harness test` runs specs"
    )]
    NoScenarios { path: PathBuf },
    #[error("no scenario matches `{0}`\nhint: `craftos-harness list` names them all")]
    NoMatch(String),
}

/// A scenario that can be played.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its folder below `scenarios/`, such as `probe/three`.
    pub name: String,
    pub folder: PathBuf,
    /// Its file as the snapshot names it: below the project.
    pub source: String,
    pub file: ScenarioFile,
    /// The file with each of its `must_fail` changes made, in their order.
    pub changed: Vec<ScenarioFile>,
}

/// Reads every scenario whose name contains one of the filters, or is one, ordered by name. Each filter has to match something.
pub fn all(places: &Places, filters: &[String]) -> Result<Vec<Scenario>, LoadError> {
    let root = places.scenarios();
    if !root.is_dir() && places.project.is_some() {
        return Err(LoadError::NoScenarios { path: root });
    }
    if !root.is_dir() {
        return Err(LoadError::NoProject { path: root });
    }
    let mut folders = Vec::new();
    collect(&root, &mut folders)?;
    folders.sort();
    if folders.is_empty() {
        return Err(LoadError::Nothing { path: root });
    }
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
    // A whole name is that of one scenario, also where the names of others begin with it.
    let whole: BTreeSet<&str> = named
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| filters.iter().any(|f| f == name))
        .collect();
    let fits = |filter: &str, name: &str| {
        if whole.contains(filter) { name == filter } else { name.contains(filter) }
    };
    let wanted: BTreeSet<String> = named
        .iter()
        .map(|(name, _)| name.clone())
        .filter(|name| filters.is_empty() || filters.iter().any(|filter| fits(filter, name)))
        .collect();
    named
        .into_iter()
        .filter(|(name, _)| wanted.contains(name))
        .map(|(name, folder)| load(name, folder, places))
        .collect()
}

/// Finds the folders of scenarios below a folder. A file that belongs to none is an error: it may be a scenario whose
/// file has a wrong name.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), LoadError> {
    let failed = |source| LoadError::Read { path: folder.to_owned(), source };
    if folder.join(FILE).is_file() {
        found.push(folder.to_owned());
        return no_scenario_below(folder);
    }
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().map_err(failed)?.is_dir() {
            collect(&entry.path(), found)?;
        } else if name != README && !name.starts_with('.') {
            return Err(LoadError::Stray { path: entry.path() });
        }
    }
    Ok(())
}

/// What is below a scenario's folder is its own: files that it names.
fn no_scenario_below(folder: &Path) -> Result<(), LoadError> {
    let failed = |source| LoadError::Read { path: folder.to_owned(), source };
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            if path.join(FILE).is_file() {
                return Err(LoadError::Nested { path: path.join(FILE) });
            }
            no_scenario_below(&path)?;
        }
    }
    Ok(())
}

/// Reads one scenario.
pub fn load(name: String, folder: PathBuf, places: &Places) -> Result<Scenario, LoadError> {
    let path = folder.join(FILE);
    let read = |source| LoadError::Read { path: path.clone(), source };
    let text = std::fs::read_to_string(&path).map_err(read)?;
    let wrong = |wrong: Wrong| {
        let (line, message) = (wrong.line(&text), wrong.message);
        LoadError::Wrong { path: path.clone(), line, message }
    };
    let toml = |error: toml::de::Error| LoadError::Toml { path: path.clone(), message: error.to_string() };
    let mut file: ScenarioFile = toml::from_str(&text).map_err(toml)?;
    file.fill_in(places.project.is_some());
    check(&mut file, &folder, places).map_err(wrong)?;
    check_given(&file).map_err(wrong)?;
    if let Some(name) = leftovers(&folder, file.differs.keys().copied()).map_err(read)?.into_iter().next() {
        return Err(LoadError::LeftOver { path: folder.join(name) });
    }
    let table: toml::Table = text.parse().map_err(toml)?;
    let mut changed = Vec::new();
    for (index, change) in file.must_fail.iter().enumerate() {
        let (at, change) = (change.span().start, change.get_ref());
        let of = |message: String| {
            wrong(Wrong::at(at, format!("`must_fail` {} (`{}`): {message}", index + 1, change.about)))
        };
        changed.push(change_of(change, &table, &folder, places).map_err(of)?);
    }
    let source = source(&path, &name, places);
    Ok(Scenario { name, folder, source, file, changed })
}

/// A scenario's file below its project; as it would be in this project, where it is in none.
fn source(path: &Path, name: &str, places: &Places) -> String {
    let below = path.strip_prefix(&places.root).ok().map(|path| path.to_string_lossy().replace('\\', "/"));
    below.unwrap_or_else(|| format!("craftos-fixtures/scenarios/{name}/{FILE}"))
}

/// The scenario with one of its changes made. The lines of the changed text are in no file: they are not shown.
fn change_of(
    change: &MustFail,
    table: &toml::Table,
    folder: &Path,
    places: &Places,
) -> Result<ScenarioFile, String> {
    let text = toml::to_string(&change.apply(table)?).map_err(|error| error.to_string())?;
    let mut file: ScenarioFile =
        toml::from_str(&text).map_err(|error| format!("the changed scenario: {}", error.message()))?;
    file.fill_in(places.project.is_some());
    check(&mut file, folder, places).map_err(|wrong| format!("the changed scenario: {}", wrong.message))?;
    Ok(file)
}

impl ComputerSection {
    /// The ids of the computers that this section stands for.
    pub fn ids(&self) -> Result<Vec<u32>, String> {
        match (self.id, &self.ids) {
            (Some(id), None) => Ok(vec![id]),
            (None, Some(_)) if self.name.is_some() => {
                Err("many computers are called by their ids\nhint: leave out `name`, or give an `id`"
                    .to_owned())
            }
            (None, Some(ids)) => {
                ids.parse::<Ids>().map(|ids| ids.iter().collect()).map_err(|error| error.to_string())
            }
            _ => Err("a computer has an `id`, or many have `ids`".to_owned()),
        }
    }

    pub(super) fn name(&self, id: u32) -> String {
        self.name.clone().unwrap_or_else(|| id.to_string())
    }

    /// The names of its computers, where they link by themselves and run Lua: those of the current program.
    pub(super) fn linked_names(&self) -> Vec<String> {
        if !self.links() {
            return Vec::new();
        }
        self.ids().unwrap_or_default().into_iter().map(|id| self.name(id)).collect()
    }

    pub(super) fn specs(&self, places: &Places) -> Vec<Spec> {
        let ids = self.ids().expect("it was checked when the scenario was read");
        ids.into_iter().map(|id| self.spec(id, places)).collect()
    }

    fn spec(&self, id: u32, places: &Places) -> Spec {
        let mut arguments = Vec::new();
        // What links needs an address; any other program gets its own words only.
        if self.program != "none" {
            arguments.push(ADDRESS.to_owned());
        }
        arguments.extend(self.arguments.iter().cloned());
        let mut spec = Spec {
            id,
            name: self.name(id),
            label: self.label.as_ref().map(|label| label.replace("{id}", &id.to_string())),
            install: places.client(&self.program),
            program: self.start.clone().unwrap_or_else(|| PROGRAM.to_owned()),
            arguments,
            files: BTreeMap::new(),
            copies: Vec::new(),
            mounts: Vec::new(),
            notes: Vec::new(),
            extension: None,
            settings: self.settings.clone(),
            http: self.http,
            allow: self.allow.clone(),
            limits: self.limits.clone(),
            profile: self.profile,
            process: self.process.clone(),
            count_lines: false,
        };
        if let Some(project) = &places.project {
            spec = self.in_project(spec, project);
        }
        self.put_files_on(&mut spec);
        self.put_world_on(&mut spec);
        spec
    }

    /// A computer of a project has the project's files and settings, and starts what the project starts; what the scenario
    /// says itself counts before that.
    fn in_project(&self, mut spec: Spec, project: &Project) -> Spec {
        spec.copies = project.copies();
        spec.mounts = project.mounts();
        spec.settings = project.settings.clone();
        spec.settings.extend(self.settings.clone());
        if self.program == "none" && self.start.is_none() {
            spec.program.clone_from(&project.start);
            if self.arguments.is_empty() {
                spec.arguments.clone_from(&project.arguments);
            }
        }
        spec
    }
}

/// A folder that a scenario names: in that of the program, or beside the scenario.
pub(super) fn folder_of(name: &str, scenario: &Path, places: &Places) -> PathBuf {
    match name.strip_prefix("{program}/") {
        Some(rest) => places.program.join(rest),
        None => scenario.join(name),
    }
}

impl Scenario {
    /// The computers, section by section.
    pub fn specs(&self, places: &Places) -> Vec<Vec<Spec>> {
        self.file.computers.iter().map(|computer| computer.get_ref().specs(places)).collect()
    }

    /// The names of the computers that link by themselves and run Lua: those of the current program.
    pub fn linked_names(&self) -> Vec<String> {
        self.file.computers.iter().flat_map(|section| section.get_ref().linked_names()).collect()
    }

    /// How many computers it has.
    pub fn size(&self) -> usize {
        let count = |section: &ComputerSection| section.ids().map_or(0, |ids| ids.len());
        self.file.computers.iter().map(|computer| count(computer.get_ref())).sum()
    }

    pub fn bridge(&self, command: Option<Vec<String>>, places: &Places) -> BridgeSpec {
        let section = &self.file.bridge;
        BridgeSpec {
            command,
            probe_timeout_ms: section.probe_timeout_ms,
            hello_timeout: None,
            exec_timeout_ms: section.exec_timeout_ms,
            link_token: section.link_token.clone(),
            mcp_token: section.mcp_token.clone(),
            tools: section.tools.iter().map(|name| folder_of(name.get_ref(), &self.folder, places)).collect(),
            ..BridgeSpec::default()
        }
    }
}
