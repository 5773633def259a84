//! A project: what goes onto a computer, where the specs and the scenarios are, and what they run on. [`file`] reads it
//! from `craftos.toml`.

mod file;
mod place;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use craftos_computers::computer::Profile;
use craftos_computers::emulators::Kind;
use thiserror::Error;

pub use self::file::SPEC_FOLDERS;
use self::file::{ProjectFile, did_you_mean, parts};
use crate::coverage::Exclude;

/// The name of a project's file.
pub const FILE: &str = "craftos.toml";

/// The folder in a project that the harness keeps what it writes in.
pub const OWN_FOLDER: &str = ".craftos";

/// What is wrong with a project.
#[derive(Debug, Error)]
pub enum ProjectError {
    #[error("no `{FILE}` is here or in a folder above `{}`\nhint: `craftos-harness init` writes one", .0.display())]
    None(PathBuf),
    #[error("failed to read `{}`", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("failed to read `{}`\n{message}{hint}", path.display())]
    Toml { path: PathBuf, message: String, hint: String },
    #[error("`{}`, line {line}: {message}", path.display())]
    Wrong { path: PathBuf, line: usize, message: String },
}

/// Something of the project that a computer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// A file or a folder below the project's folder.
    pub from: PathBuf,
    /// Where it is on the computer.
    pub to: String,
    /// Whether the computer sees the folder itself, read-only, instead of a copy.
    pub mount: bool,
}

/// What coverage counts and demands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measured {
    pub exclude: Exclude,
    /// A run that covers less of all lines has failed.
    pub minimum_percent: Option<u8>,
}

/// Programs that show what an emulator does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Probes {
    /// Where they are, below the project's folder.
    pub folder: PathBuf,
    /// A program of the project that they may talk to.
    pub server: Option<PathBuf>,
    /// By probe: what it gets as its argument, one after the other.
    pub cases: BTreeMap<PathBuf, Vec<String>>,
}

/// A project that can be tested.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its folder.
    pub root: PathBuf,
    /// What goes onto a computer.
    pub files: Vec<Placed>,
    /// The program that a computer of a scenario starts, and its arguments, unless the scenario names another.
    pub start: String,
    pub arguments: Vec<String>,
    /// Files and folders that have specs, below the root.
    pub specs: Vec<PathBuf>,
    /// The folder of the scenarios, below the root.
    pub scenarios: Option<PathBuf>,
    /// The emulators to test on; all that are there without it.
    pub emulators: Option<Vec<Kind>>,
    pub profiles: Vec<Profile>,
    pub settings: BTreeMap<String, String>,
    /// Whether requests that no stub answers go out.
    pub network: bool,
    /// What one test may take.
    pub timeout: Duration,
    pub coverage: Measured,
    pub probes: Option<Probes>,
}

impl Project {
    /// Reads the project of a folder, or of the nearest one above it that has one.
    pub fn find(from: &Path) -> Result<Self, ProjectError> {
        let from = std::path::absolute(from)
            .map_err(|source| ProjectError::Read { path: from.to_owned(), source })?;
        let root = from.ancestors().find(|folder| folder.join(FILE).is_file());
        Self::read(root.ok_or_else(|| ProjectError::None(from.clone()))?)
    }

    /// Reads the project of a folder.
    pub fn read(root: &Path) -> Result<Self, ProjectError> {
        Self::read_file(root, &root.join(FILE))
    }

    /// Reads a project's file for a folder that has none of its own.
    pub fn read_file(root: &Path, path: &Path) -> Result<Self, ProjectError> {
        let path = path.to_owned();
        let text = std::fs::read_to_string(&path)
            .map_err(|source| ProjectError::Read { path: path.clone(), source })?;
        let file: ProjectFile = toml::from_str(&text).map_err(|error| {
            let message = error.to_string();
            let hint = did_you_mean(&message);
            ProjectError::Toml { path: path.clone(), message, hint }
        })?;
        file.check(root).map_err(|wrong| {
            let (line, message) = (wrong.line(&text), wrong.message);
            ProjectError::Wrong { path, line, message }
        })
    }

    /// What is copied onto a computer, with where it is on this machine.
    pub fn copies(&self) -> Vec<(PathBuf, String)> {
        self.placed(false)
    }

    /// The folders that a computer sees without a copy.
    pub fn mounts(&self) -> Vec<(PathBuf, String)> {
        self.placed(true)
    }

    fn placed(&self, mount: bool) -> Vec<(PathBuf, String)> {
        let wanted = self.files.iter().filter(|placed| placed.mount == mount);
        wanted.map(|placed| (self.root.join(&placed.from), placed.to.clone())).collect()
    }

    /// The path in the project of a file that Lua names on the computer; nothing for one that is not the project's.
    pub fn on_host(&self, on_computer: &str) -> Option<PathBuf> {
        let wanted: Vec<&str> = parts(on_computer).collect();
        let places = self.files.iter().filter_map(|Placed { from, to, .. }| {
            let at: Vec<&str> = parts(to).collect();
            let rest = wanted.strip_prefix(&at[..])?;
            let start = if from == Path::new(".") { PathBuf::new() } else { from.clone() };
            let path = rest.iter().fold(start, |path, part| path.join(part));
            self.root.join(&path).is_file().then_some((at.len(), path))
        });
        // The innermost place is what the computer sees.
        places.max_by_key(|(depth, _)| *depth).map(|(_, path)| path)
    }

    /// The folder for what the harness writes of its own accord. Version control is told to leave it alone.
    pub fn own_folder(&self) -> std::io::Result<PathBuf> {
        own_folder(&self.root)
    }
}

/// Makes the folder for what the harness writes in a project.
pub fn own_folder(root: &Path) -> std::io::Result<PathBuf> {
    let folder = root.join(OWN_FOLDER);
    std::fs::create_dir_all(&folder)?;
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        std::fs::write(ignore, "*\n")?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn project(text: &str) -> Result<Project, ProjectError> {
        let folder = tempfile::tempdir().expect("a folder");
        for path in ["spec", "src/lib"] {
            std::fs::create_dir_all(folder.path().join(path)).expect("a folder");
        }
        std::fs::write(folder.path().join("src/lib/a.lua"), "").expect("a file");
        std::fs::write(folder.path().join(FILE), text).expect("a file");
        let found = Project::find(&folder.path().join("src/lib"))?;
        assert_eq!(found.on_host("nothing.lua"), None);
        assert_eq!(found.on_host("/lib/a.lua").is_some(), text.contains("\"src"));
        Ok(found)
    }

    #[test]
    fn an_empty_file_takes_everything_and_finds_the_specs() {
        let project = project("").expect("it is a project");
        assert_eq!(project.files, [Placed { from: ".".into(), to: "/".to_owned(), mount: false }]);
        assert_eq!(project.specs, [PathBuf::from("spec")]);
    }

    #[test]
    fn a_file_that_lua_names_is_found_in_the_project() {
        let project = project("files = { \"src\" = \"/\" }").expect("it is a project");
        assert_eq!(project.files, [Placed { from: "src".into(), to: "/".to_owned(), mount: false }]);
    }

    #[test]
    fn what_starts_what_is_mounted_and_what_is_measured() {
        let text = "start = \"main\"\narguments = [\"-v\"]\n\
            files = { \"src/lib\" = { path = \"/lib\", mount = true } }\n\
            [coverage]\nexclude = [\"src/data\"]\nminimum_percent = 80\n";
        let project = project(text).expect("it is a project");
        assert_eq!((project.start.as_str(), &project.arguments[..]), ("main", &["-v".to_owned()][..]));
        assert_eq!(project.files, [Placed { from: "src/lib".into(), to: "/lib".to_owned(), mount: true }]);
        assert_eq!(project.coverage.minimum_percent, Some(80));
        assert!(project.coverage.exclude.leaves_out(Path::new("src/data/a.lua")));
        assert_eq!(project.scenarios, None);
    }

    #[rstest]
    #[case("fils = {}", "did you mean `files`?")]
    #[case("profiles = [\"gmae\"]", "did you mean `game`?")]
    #[case("colour = 1", "unknown field `colour`")]
    #[case("files = { \"nowhere\" = \"/\" }", "there is no `nowhere`")]
    #[case("\n\nfiles = { \"nowhere\" = \"/\" }", "line 3: ")]
    #[case("files = { \"src\" = { path = \"/\", munt = true } }", "did you mean `mount`?")]
    #[case("files = { \"src\" = { path = \"/\", mount = true } }", "not at the root of the disk")]
    #[case("files = { \"src\" = \"../x\" }", "not a path inside a computer")]
    #[case("files = { \"src\" = 1 }", "a path on the computer")]
    #[case("scenarios = \"nowhere\"", "there is no folder `nowhere`")]
    #[case("start = \"\"", "names a program")]
    #[case("coverage = { exlude = [] }", "did you mean `exclude`?")]
    #[case("coverage = { minimum_percent = 101 }", "at most 100")]
    #[case("files = { \"../up\" = \"/\" }", "not a path inside the project")]
    #[case("specs = [\"nowhere\"]", "there is no `nowhere`")]
    #[case("probes = { folder = \"nowhere\" }", "there is no folder `nowhere`")]
    #[case("probes = \"src\"", "expected a table such as `{ folder = ")]
    #[case("coverage = 80", "expected a table such as `{ exclude = ")]
    #[case("probes = { foldre = \"src\" }", "did you mean `folder`?")]
    #[case("probes = { folder = \"src\", server = \"no\" }", "there is no program `no`")]
    #[case(
        "[probes]\nfolder = \"src\"\ncases = { \"b.lua\" = [\"x\"] }",
        "line 3: `probes`: there is no probe `b.lua`"
    )]
    #[case("probes = { folder = \"src\", cases = { \"lib/a.lua\" = [] } }", "at least one case")]
    #[case("probes = { folder = \"src\", cases = { \"lib/a.lua\" = [\"x/y\"] } }", "part of a file's name")]
    #[case("probes = { folder = \"src\", cases = { \"lib/a.lua\" = [\"x\", \"x\"] } }", "the case `x` twice")]
    #[case("timeout_s = 0", "leaves no time")]
    #[case("timeout_s = 1\nemulators = []", "line 2: `emulators` names at least one")]
    fn what_is_wrong_is_named(#[case] text: &str, #[case] message: &str) {
        let error = project(text).expect_err("it is wrong").to_string();
        assert!(error.contains(message), "{error}");
    }
}
