//! Where the project's files are: the program, the old clients, the scenarios, the report.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use craftos_specs::project::{self, OWN_FOLDER, Project, ProjectError};

/// The folder of scenarios and old clients in a project; what makes a folder a project.
const FIXTURES: &str = "craftos-fixtures";

/// The folders that the harness reads, and the one that it leaves reports in.
#[derive(Debug, Clone)]
pub struct Places {
    /// The project of the scenarios; the current folder where there is none.
    pub root: PathBuf,
    /// With `programs/` and `apis/` in it.
    pub program: PathBuf,
    /// With `scenarios/` and `clients/` in it.
    pub fixtures: PathBuf,
    /// Whether the scenarios are those of a `ComputerCraft` project, which has a `craftos.toml` and no fixtures.
    pub in_project: bool,
    /// That project, once it was read.
    pub project: Option<Arc<Project>>,
}

impl Places {
    /// Takes what was named; otherwise the project around the current folder. Only the program may also be the one that
    /// this was built beside, so that `lua` and `up` work in any folder.
    pub fn find(program: Option<PathBuf>, fixtures: Option<PathBuf>) -> Self {
        Self::find_from(&std::env::current_dir().unwrap_or_default(), program, fixtures)
    }

    fn find_from(here: &Path, program: Option<PathBuf>, fixtures: Option<PathBuf>) -> Self {
        let has_fixtures = |folder: &Path| folder.join(FIXTURES).is_dir();
        let has_file = |folder: &Path| folder.join(project::FILE).is_file();
        let around = here.ancestors().find(|folder| has_fixtures(folder) || has_file(folder));
        let in_project = fixtures.is_none() && around.is_some_and(|folder| !has_fixtures(folder));
        let of_fixtures = fixtures.as_ref().and_then(|folder| {
            let folder = here.join(folder).canonicalize().ok()?;
            folder.ends_with(FIXTURES).then(|| folder.parent().map(Path::to_owned)).flatten()
        });
        let root = of_fixtures.or_else(|| around.map(Path::to_owned)).unwrap_or_else(|| here.to_owned());
        let built_beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../lua");
        let own = || Some(root.join("lua")).filter(|folder| folder.is_dir()).unwrap_or_else(built_beside);
        Self {
            program: program.unwrap_or_else(own),
            fixtures: fixtures.unwrap_or_else(|| root.join(FIXTURES)),
            root,
            in_project,
            project: None,
        }
    }

    /// The same with the project's file read, where there is one.
    pub fn read_project(&self) -> Result<Self, ProjectError> {
        let mut places = self.clone();
        if self.in_project {
            places.project = Some(Arc::new(Project::read(&self.root)?));
        }
        Ok(places)
    }

    /// Where reports are left unless a folder is named.
    pub fn report(&self) -> PathBuf {
        if self.in_project {
            return self.root.join(OWN_FOLDER).join("run");
        }
        self.root.join("target/e2e")
    }

    pub fn scenarios(&self) -> PathBuf {
        if let Some(project) = &self.project {
            let folder = project.scenarios.as_deref().unwrap_or(Path::new("scenarios"));
            return project.root.join(folder);
        }
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

/// What a folder lacks to be that of a program. A program in one file needs no `apis/`.
pub fn lacks(program: &Path) -> Option<String> {
    if !program.is_dir() {
        return Some("there is no such folder".to_owned());
    }
    let has = |part: &str| program.join(part).is_dir();
    match (has("programs"), has("apis")) {
        (true, true) => None,
        (false, true) => Some("`programs/` is missing: there is no program to start".to_owned()),
        (false, false) => Some("`programs/` and `apis/` are missing: nothing would be installed".to_owned()),
        (true, false) => user_of_apis(&program.join("programs"))
            .map(|name| format!("`apis/` is missing, and `programs/{name}` uses it")),
    }
}

/// A program that names `/apis/`.
fn user_of_apis(programs: &Path) -> Option<String> {
    let entries = std::fs::read_dir(programs).ok()?.flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| std::fs::read_to_string(entry.path()).is_ok_and(|lua| lua.contains("/apis/")))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_a_program_has_all_that_the_program_uses() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        assert_eq!(lacks(&path.join("no")).as_deref(), Some("there is no such folder"));
        assert!(lacks(path).is_some_and(|lacks| lacks.contains("`programs/` and `apis/` are missing")));
        std::fs::create_dir(path.join("apis")).expect("the folder is ours");
        assert!(lacks(path).is_some_and(|lacks| lacks.contains("`programs/` is missing")));
        std::fs::create_dir(path.join("programs")).expect("the folder is ours");
        assert_eq!(lacks(path), None);
        std::fs::remove_dir(path.join("apis")).expect("the folder is ours");
        std::fs::write(path.join("programs/one.lua"), "print(1)").expect("the folder is ours");
        assert_eq!(lacks(path), None);
        std::fs::write(path.join("programs/two.lua"), "require(\"/apis/x\")").expect("the folder is ours");
        assert!(lacks(path).is_some_and(|lacks| lacks.contains("`programs/two.lua` uses it")));
    }

    #[test]
    fn a_report_belongs_to_the_project_of_the_scenarios_and_never_to_where_this_was_built() {
        let folder = tempfile::tempdir().expect("a folder");
        let real = folder.path().canonicalize().expect("it is there");
        let (project, elsewhere) = (real.join("project"), real.join("elsewhere"));
        std::fs::create_dir_all(project.join("craftos-fixtures/scenarios")).expect("the folder is ours");
        std::fs::create_dir_all(project.join("deep/down")).expect("the folder is ours");
        std::fs::create_dir_all(&elsewhere).expect("the folder is ours");
        let report =
            |here: &Path, fixtures: Option<PathBuf>| Places::find_from(here, None, fixtures).report();
        assert_eq!(report(&project.join("deep/down"), None), project.join("target/e2e"));
        assert_eq!(report(&elsewhere, None), elsewhere.join("target/e2e"));
        let named = Some(project.join("craftos-fixtures"));
        assert_eq!(report(&elsewhere, named), project.join("target/e2e"));
        let inner = project.join("deep");
        std::fs::write(inner.join("craftos.toml"), "").expect("the folder is ours");
        assert_eq!(report(&inner.join("down"), None), inner.join(".craftos/run"));
        // A project that has fixtures too keeps its reports where they were.
        std::fs::write(project.join("craftos.toml"), "").expect("the folder is ours");
        assert_eq!(report(&project, None), project.join("target/e2e"));
    }
}
