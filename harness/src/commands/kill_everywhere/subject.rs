//! What is killed: a program, the project that it is in, and what has to hold in the end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use craftos_lua::{CompileError, Dialect};
use craftos_specs::project::{Project, ProjectError};
use embedded_craftos::config::Profile as EmulatorProfile;

use crate::cli_kill::KillArgs;
use crate::computer::{Profile, copy_source};

/// Lua that has to hold, under the name that its errors have.
#[derive(Debug)]
pub struct Check {
    pub name: String,
    pub code: String,
    /// As it was given, to be given again.
    pub given: String,
}

/// A program and what is around it.
#[derive(Debug)]
pub struct Subject {
    /// The program as it was given.
    pub given: PathBuf,
    project: Option<Project>,
    /// Where the program is on this machine, and on the computer.
    host_path: PathBuf,
    pub path: String,
    pub arguments: Vec<String>,
    pub again: Option<String>,
    pub check: Option<Check>,
}

impl Subject {
    /// Finds the program and its project, and reads the check.
    pub fn find(program: &Path, args: &KillArgs) -> anyhow::Result<Self> {
        let shown = program.display();
        if !program.is_file() {
            bail!("there is no file `{shown}`\nhint: `--kill-everywhere` takes the path of a Lua program");
        }
        let host_path = program.canonicalize().with_context(|| format!("failed to find `{shown}`"))?;
        let text = std::fs::read(&host_path).with_context(|| format!("failed to read `{shown}`"))?;
        if let Err(error) = compile(&text, &format!("@{shown}")) {
            bail!("`{shown}` is not Lua: {error}");
        }
        let folder = host_path.parent().context("a file has a folder")?;
        let project = match Project::find(folder) {
            Ok(project) => Some(project),
            Err(ProjectError::None(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let placed = project.as_ref().and_then(|project| on_computer(project, &host_path));
        if placed.is_none()
            && let Some(project) = &project
        {
            let file = project.root.join("craftos.toml");
            eprintln!(
                "note: `{shown}` is not among the files of `{}`: it is alone on its computer",
                file.display()
            );
        }
        let project = project.filter(|_| placed.is_some());
        let name = host_path.file_name().and_then(|name| name.to_str());
        let path = match (placed, name) {
            (Some(path), _) => path,
            (None, Some(name)) => format!("/{name}"),
            (None, None) => bail!("the name of `{shown}` is not text"),
        };
        Ok(Self {
            given: program.to_owned(),
            project,
            host_path,
            path,
            arguments: args
                .arguments
                .as_deref()
                .unwrap_or("")
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            again: args.again.clone(),
            check: args.check.as_deref().map(check).transpose()?,
        })
    }

    /// Puts the program, with its project, onto the computer whose folder that is.
    pub fn place(&self, folder: &Path) -> anyhow::Result<()> {
        let Some(project) = &self.project else {
            return put(&self.host_path, &folder.join(self.path.trim_start_matches('/')));
        };
        for (from, to) in project.copies() {
            put(&from, &folder.join(to.trim_start_matches('/')))?;
        }
        Ok(())
    }

    /// Folders that the computer sees without a copy.
    pub fn mounts(&self) -> Vec<(PathBuf, String)> {
        self.project.as_ref().map(Project::mounts).unwrap_or_default()
    }

    pub fn settings(&self) -> BTreeMap<String, String> {
        self.project.as_ref().map(|project| project.settings.clone()).unwrap_or_default()
    }

    pub fn profile(&self) -> EmulatorProfile {
        match self.project.as_ref().and_then(|project| project.profiles.first()) {
            Some(Profile::Game) => EmulatorProfile::Game,
            _ => EmulatorProfile::CraftosPc,
        }
    }

    /// The name that a file of the computer has for the user: where it is on this machine, if it is there.
    pub fn shown(&self, on_computer: &str) -> String {
        let path = on_computer.trim_start_matches('/');
        if path == self.path.trim_start_matches('/') {
            return self.given.display().to_string();
        }
        let found = self.project.as_ref().and_then(|project| project.on_host(path));
        found.map_or_else(|| format!("/{path}"), |path| path.display().to_string())
    }
}

/// Whether a text is Lua.
fn compile(text: &[u8], name: &str) -> Result<(), CompileError> {
    craftos_lua::compile(text, name.as_bytes(), usize::MAX, Dialect::CraftosPc).map(|_| ())
}

fn put(from: &Path, to: &Path) -> anyhow::Result<()> {
    copy_source(from, to).with_context(|| format!("failed to copy `{}` onto the computer", from.display()))
}

/// Where the project puts a file of its own: the innermost place.
fn on_computer(project: &Project, host_path: &Path) -> Option<String> {
    let places = project.files.iter().filter_map(|placed| {
        let from = project.root.join(&placed.from).canonicalize().ok()?;
        let rest = host_path.strip_prefix(&from).ok()?.to_str()?.replace('\\', "/");
        let to = placed.to.trim_end_matches('/');
        let path = if rest.is_empty() { to.to_owned() } else { format!("{to}/{rest}") };
        Some((from.components().count(), path))
    });
    places.max_by_key(|(depth, _)| *depth).map(|(_, path)| path)
}

/// Reads a check: a file where there is one, an expression or statements otherwise.
fn check(given: &str) -> anyhow::Result<Check> {
    let path = Path::new(given);
    let is_named =
        path.extension().is_some_and(|extension| extension == "lua") && !given.contains(['(', ' ', '"']);
    if path.is_file() || is_named {
        let code =
            std::fs::read_to_string(path).with_context(|| format!("failed to read the check `{given}`"))?;
        let name = format!("@{given}");
        if let Err(error) = compile(code.as_bytes(), &name) {
            bail!("the check `{given}` is not Lua: {error}");
        }
        return Ok(Check { name, code, given: given.to_owned() });
    }
    let expression = format!("return {given}");
    for code in [&expression, given] {
        if compile(code.as_bytes(), "=check").is_ok() {
            return Ok(Check { name: "=check".to_owned(), code: code.to_owned(), given: given.to_owned() });
        }
    }
    let error = compile(given.as_bytes(), "=check").expect_err("it was tried before");
    bail!("the check `{given}` is neither a file nor Lua: {error}")
}
