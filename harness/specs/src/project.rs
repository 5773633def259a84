//! `craftos.toml`: what goes onto a computer, where the specs are, and what they run on. Strict: a key that is not here
//! is an error that shows the line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use craftos_computers::computer::Profile;
use craftos_computers::emulators::Kind;
use serde::Deserialize;
use thiserror::Error;

/// The name of a project's file.
pub const FILE: &str = "craftos.toml";

/// Where specs are looked for when the file does not say.
const SPEC_FOLDERS: [&str; 4] = ["spec", "specs", "tests", "test"];

/// What one test may take when the file does not say. It is more than a busy machine makes of a test that waits for
/// a second, and less than a person waits for one that hangs.
const TEST_SECONDS: u64 = 20;

/// Names that are close enough to be meant: two letters wrong, or one in four.
const CLOSE: usize = 2;

/// What is wrong with a project.
#[derive(Debug, Error)]
pub enum ProjectError {
    #[error("no `{FILE}` is here or in a folder above `{}`\nhint: `craftos-harness init` writes one", .0.display())]
    None(PathBuf),
    #[error("failed to read `{}`", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("failed to read `{}`\n{message}{hint}", path.display())]
    Toml { path: PathBuf, message: String, hint: String },
    #[error("`{}`: {message}", path.display())]
    Wrong { path: PathBuf, message: String },
}

/// The file as it is written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ProjectFile {
    files: BTreeMap<String, String>,
    specs: Option<Vec<String>>,
    emulators: Option<Vec<Kind>>,
    profiles: Option<Vec<Profile>>,
    settings: BTreeMap<String, String>,
    network: bool,
    timeout_s: Option<u64>,
}

/// A project that can be tested.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its folder.
    pub root: PathBuf,
    /// What is copied onto a computer: a path below the root, and where it goes.
    pub files: Vec<(PathBuf, String)>,
    /// Files and folders that have specs, below the root.
    pub specs: Vec<PathBuf>,
    /// The emulators to test on; all that are there without it.
    pub emulators: Option<Vec<Kind>>,
    pub profiles: Vec<Profile>,
    pub settings: BTreeMap<String, String>,
    /// Whether requests that no stub answers go out.
    pub network: bool,
    /// What one test may take.
    pub timeout: Duration,
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
        file.check(root).map_err(|message| ProjectError::Wrong { path, message })
    }

    /// The path in the project of a file that Lua names on the computer; nothing for one that is not the project's.
    pub fn on_host(&self, on_computer: &str) -> Option<PathBuf> {
        let wanted: Vec<&str> = parts(on_computer).collect();
        let places = self.files.iter().filter_map(|(from, to)| {
            let at: Vec<&str> = parts(to).collect();
            let rest = wanted.strip_prefix(&at[..])?;
            let start = if from == Path::new(".") { PathBuf::new() } else { from.clone() };
            let path = rest.iter().fold(start, |path, part| path.join(part));
            self.root.join(&path).is_file().then_some((at.len(), path))
        });
        // The innermost place is what the computer sees.
        places.max_by_key(|(depth, _)| *depth).map(|(_, path)| path)
    }
}

impl ProjectFile {
    fn check(self, root: &Path) -> Result<Project, String> {
        let mut files = Vec::new();
        for (from, to) in self.files {
            let path =
                inside(&from).ok_or_else(|| format!("`files`: `{from}` is not a path inside the project"))?;
            if !root.join(&path).exists() {
                return Err(format!("`files`: there is no `{from}`"));
            }
            files.push((path, to));
        }
        if files.is_empty() {
            files.push((PathBuf::from("."), "/".to_owned()));
        }
        let specs = match self.specs {
            None => SPEC_FOLDERS.iter().map(PathBuf::from).filter(|path| root.join(path).is_dir()).collect(),
            Some(named) => named
                .into_iter()
                .map(|name| {
                    let path = inside(&name).filter(|path| root.join(path).exists());
                    path.ok_or_else(|| format!("`specs`: there is no `{name}` in the project"))
                })
                .collect::<Result<Vec<_>, _>>()?,
        };
        if specs.is_empty() {
            let folders = SPEC_FOLDERS.map(|folder| format!("`{folder}/`")).join(", ");
            return Err(format!(
                "there are no specs: none of {folders} is there\nhint: name their folder in `specs`"
            ));
        }
        let profiles = self.profiles.unwrap_or_else(|| vec![Profile::CraftosPc]);
        if profiles.is_empty() || self.emulators.as_ref().is_some_and(Vec::is_empty) {
            return Err("`profiles` and `emulators` name at least one each, or are left out".to_owned());
        }
        if self.timeout_s == Some(0) {
            return Err("`timeout_s = 0` leaves no time for any test".to_owned());
        }
        Ok(Project {
            root: root.to_owned(),
            files,
            specs,
            emulators: self.emulators,
            profiles,
            settings: self.settings,
            network: self.network,
            timeout: Duration::from_secs(self.timeout_s.unwrap_or(TEST_SECONDS)),
        })
    }
}

/// A path that stays inside the project.
fn inside(path: &str) -> Option<PathBuf> {
    let is_inside = |part: &str| part != ".." && !part.contains(['\\', ':']);
    (!path.starts_with('/') && path.split('/').all(is_inside)).then(|| parts(path).collect::<PathBuf>()).map(
        |path| {
            if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
        },
    )
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".")
}

/// The known key that an unknown one is most like, as a hint.
fn did_you_mean(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let known_key = message.contains("unknown field") || message.contains("unknown variant");
    let names: Vec<&str> = quoted.by_ref().filter(|name| !name.contains('\n')).collect();
    let (Some(wrong), true) = (names.first(), known_key) else { return String::new() };
    let near = names[1..].iter().map(|name| (strsim::damerau_levenshtein(wrong, name), name)).min();
    match near {
        Some((distance, name)) if distance <= CLOSE.max(wrong.len() / 4) => {
            format!("hint: did you mean `{name}`?")
        }
        _ => "hint: docs/TESTING.md explains every key".to_owned(),
    }
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
        assert_eq!(found.on_host("/lib/a.lua").is_some(), text.contains("src"));
        Ok(found)
    }

    #[test]
    fn an_empty_file_takes_everything_and_finds_the_specs() {
        let project = project("").expect("it is a project");
        assert_eq!(project.files, [(PathBuf::from("."), "/".to_owned())]);
        assert_eq!(project.specs, [PathBuf::from("spec")]);
    }

    #[test]
    fn a_file_that_lua_names_is_found_in_the_project() {
        let project = project("files = { \"src\" = \"/\" }").expect("it is a project");
        assert_eq!(project.files, [(PathBuf::from("src"), "/".to_owned())]);
    }

    #[rstest]
    #[case("fils = {}", "did you mean `files`?")]
    #[case("profiles = [\"gmae\"]", "did you mean `game`?")]
    #[case("colour = 1", "unknown field `colour`")]
    #[case("files = { \"nowhere\" = \"/\" }", "there is no `nowhere`")]
    #[case("files = { \"../up\" = \"/\" }", "not a path inside the project")]
    #[case("specs = [\"nowhere\"]", "there is no `nowhere`")]
    #[case("timeout_s = 0", "leaves no time")]
    #[case("emulators = []", "at least one")]
    fn what_is_wrong_is_named(#[case] text: &str, #[case] message: &str) {
        let error = project(text).expect_err("it is wrong").to_string();
        assert!(error.contains(message), "{error}");
    }
}
