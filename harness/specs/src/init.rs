//! `init`: the first files of a project that is to be tested. It asks nothing and overwrites nothing.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::files;
use crate::project::FILE;

/// Folders that are taken for the project's own source when there is one.
const SOURCES: [&str; 3] = ["src", "lib", "programs"];

const SPEC: &str = "spec/example_spec.lua";
const WORKFLOW: &str = ".github/workflows/craftos.yml";

const SPEC_TEXT: &str = r#"-- Specs run on a computer of their own: everything that a program can do in the game, a spec can.
local test = require("craftos.test")

describe("this computer", function()
    it("adds", function()
        expect(1 + 1):eq(2)
    end)

    it("asks for a name and greets", function()
        local program = test.start(function()
            write("Name: ")
            print("Hello, " .. read() .. "!")
        end)
        program:type("Ada\n"):finish()
        expect(program:screen()):eq("Name: Ada\nHello, Ada!")
    end)
end)
"#;

const SCENARIO_FOLDER: &str = "scenarios";
const SCENARIO: &str = "scenarios/greets/scenario.toml";
const SCENARIO_TEXT: &str = include_str!("init/scenario.toml");

/// What the scenario has to do, as `run --accept` writes it.
const TRANSCRIPT: &str = "scenarios/greets/transcript.snap";
const TRANSCRIPT_TEXT: &str = include_str!("init/transcript.snap");

/// Where the release of this program was built: only then its action can be named.
const REPOSITORY: Option<&str> = option_env!("GITHUB_REPOSITORY");

/// The CI workflow. The action of the repository that published this program installs it; a program that somebody has
/// built on their own machine cannot know of any.
fn workflow_text(repository: Option<&str>) -> String {
    let head = "name: specs\non: [push, pull_request]\njobs:\n  specs:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n";
    let version = env!("CARGO_PKG_VERSION");
    match repository {
        Some(repository) => format!(
            "{head}      - uses: {repository}/.github/actions/craftos-test@v{version}\n        with:\n          arguments: --coverage\n      - run: craftos-harness run\n"
        ),
        None => format!(
            "# Needs `craftos-harness` on the PATH of the runner: add a step before it that installs it.\n{head}      - run: craftos-harness test --coverage --junit specs.xml\n      - run: craftos-harness run\n"
        ),
    }
}

/// Why the files cannot be written.
#[derive(Debug, Error)]
pub enum InitError {
    #[error("failed to write `{}`", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Files(#[from] files::FilesError),
}

/// What was done.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub written: Vec<PathBuf>,
    /// Files that were there and stay as they are.
    pub kept: Vec<PathBuf>,
    /// Specs that were there.
    pub found: Vec<PathBuf>,
}

/// Writes what is missing.
pub fn init(root: &Path) -> Result<Done, InitError> {
    let mut done = Done::default();
    let all = files::below(root, Path::new("."))?;
    done.found = all.into_iter().filter(|path| path.to_string_lossy().ends_with("_spec.lua")).collect();
    done.found.sort();
    write(root, FILE, &project_text(root, &done.found), &mut done)?;
    if done.found.is_empty() {
        write(root, SPEC, SPEC_TEXT, &mut done)?;
    }
    // A folder of that name may hold anything: it is left alone.
    if !root.join(SCENARIO_FOLDER).exists() {
        write(root, SCENARIO, SCENARIO_TEXT, &mut done)?;
        write(root, TRANSCRIPT, TRANSCRIPT_TEXT, &mut done)?;
    }
    write(root, WORKFLOW, &workflow_text(REPOSITORY), &mut done)?;
    Ok(done)
}

fn project_text(root: &Path, specs: &[PathBuf]) -> String {
    let source = SOURCES.iter().find(|folder| root.join(folder).is_dir());
    let files = source.map_or_else(
        || "# All of this folder goes onto the computer. Name parts of it to change that:\n# files = { \"src\" = \"/\" }\n".to_owned(),
        |folder| format!("# What goes onto the computer, and where.\nfiles = {{ \"{folder}\" = \"/\" }}\n"),
    );
    let mut folders: Vec<String> = specs
        .iter()
        .filter_map(|path| path.iter().next())
        .map(|part| format!("{:?}", part.to_string_lossy()))
        .collect();
    folders.sort();
    folders.dedup();
    if folders.is_empty() {
        folders.push("\"spec\"".to_owned());
    }
    format!(
        "{files}\n# Where the files `*_spec.lua` are.\nspecs = [{}]\n\n# The program that computers of scenarios start:\n# start = \"main\"\n",
        folders.join(", ")
    )
}

fn write(root: &Path, name: &str, text: &str, done: &mut Done) -> Result<(), InitError> {
    let path = root.join(name);
    let failed = |source| InitError::Write { path: path.clone(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => {
            file.write_all(text.as_bytes()).map_err(failed)?;
            done.written.push(PathBuf::from(name));
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => done.kept.push(PathBuf::from(name)),
        Err(source) => return Err(failed(source)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::{Placed, Project};

    #[test]
    fn what_is_there_stays_and_what_is_written_is_a_project() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("src")).expect("a folder");
        let first = init(folder.path()).expect("it writes");
        let files = [FILE, SPEC, SCENARIO, TRANSCRIPT, WORKFLOW].map(PathBuf::from);
        assert_eq!(first.written, files);
        let project = Project::read(folder.path()).expect("a project");
        assert_eq!(project.files, [Placed { from: "src".into(), to: "/".to_owned(), mount: false }]);
        std::fs::write(folder.path().join(FILE), "timeout_s = 3\n").expect("a file");
        let second = init(folder.path()).expect("it keeps");
        assert_eq!((second.written.len(), second.kept.len(), second.found.len()), (0, 2, 1));
        assert_eq!(std::fs::read_to_string(folder.path().join(FILE)).expect("a file"), "timeout_s = 3\n");
    }

    #[test]
    fn a_workflow_names_the_action_of_the_repository_that_published_the_program() {
        let action =
            format!("- uses: some/where/.github/actions/craftos-test@v{}", env!("CARGO_PKG_VERSION"));
        assert!(workflow_text(Some("some/where")).contains(&action));
        assert!(workflow_text(None).contains("- run: craftos-harness test"));
    }

    #[test]
    fn specs_that_are_there_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("checks/deep")).expect("a folder");
        std::fs::write(folder.path().join("checks/deep/a_spec.lua"), "").expect("a file");
        let done = init(folder.path()).expect("it writes");
        assert_eq!(done.found, [PathBuf::from("checks/deep/a_spec.lua")]);
        let project = Project::read(folder.path()).expect("a project");
        assert_eq!(project.specs, [PathBuf::from("checks")]);
    }
}
