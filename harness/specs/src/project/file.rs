//! `craftos.toml` as it is written, and what is wrong with it. Strict: a key that is not here is an error that shows the
//! line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use craftos_computers::computer::{Profile, check_path};
use craftos_computers::emulators::Kind;
use serde::Deserialize;

use super::place::Place;
use super::{Measured, Placed, Probes, Project};
use crate::coverage::Exclude;

/// Where specs are looked for when the file does not say.
pub const SPEC_FOLDERS: [&str; 4] = ["spec", "specs", "tests", "test"];

/// Where scenarios are looked for when the file does not say.
const SCENARIO_FOLDER: &str = "scenarios";

/// What one test may take when the file does not say. It is more than a busy machine makes of a test that waits for
/// a second, and less than a person waits for one that hangs.
const TEST_SECONDS: u64 = 20;

/// What a computer of a scenario runs when neither says it: a prompt, to type at.
const SHELL: &str = "shell";

/// Names that are close enough to be meant: two letters wrong, or one in four.
const CLOSE: usize = 2;

/// The file as it is written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectFile {
    files: BTreeMap<String, Place>,
    start: Option<String>,
    arguments: Vec<String>,
    specs: Option<Vec<String>>,
    scenarios: Option<String>,
    emulators: Option<Vec<Kind>>,
    profiles: Option<Vec<Profile>>,
    settings: BTreeMap<String, String>,
    network: bool,
    timeout_s: Option<u64>,
    coverage: CoverageSection,
    probes: Option<ProbesSection>,
}

/// Programs that show what an emulator does.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as `{ folder = \"probes\" }`")]
struct ProbesSection {
    folder: String,
    server: Option<String>,
    #[serde(default)]
    cases: BTreeMap<String, Vec<String>>,
}

/// What coverage counts and demands.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table such as `{ exclude = [\"src/vendor\"] }`")]
struct CoverageSection {
    exclude: Vec<String>,
    minimum_percent: Option<u8>,
}

/// Something that is wrong: the key or the value that it is about, and what to say.
#[derive(Debug)]
pub struct Wrong {
    named: String,
    pub message: String,
}

impl Wrong {
    fn about(named: &str, message: impl Into<String>) -> Self {
        Self { named: named.to_owned(), message: message.into() }
    }

    /// The line that has it, counted from 1: as a text in quotes, or as a key.
    pub fn line(&self, text: &str) -> usize {
        let quoted = [format!("\"{}\"", self.named), format!("'{}'", self.named)];
        let is_key = |line: &str| {
            let rest = line.trim_start().trim_start_matches('[').strip_prefix(&*self.named);
            rest.is_some_and(|rest| rest.trim_start().starts_with(['=', ']', '.']))
        };
        let has_it = |line: &str| quoted.iter().any(|text| line.contains(text)) || is_key(line);
        text.lines().position(has_it).map_or(1, |index| index + 1)
    }
}

impl ProjectFile {
    /// Checks what the types cannot.
    pub fn check(self, root: &Path) -> Result<Project, Wrong> {
        let files = placed(self.files, root)?;
        let specs = match self.specs {
            None => SPEC_FOLDERS.iter().map(PathBuf::from).filter(|path| root.join(path).is_dir()).collect(),
            Some(named) => named
                .into_iter()
                .map(|name| {
                    let path = inside(&name).filter(|path| root.join(path).exists());
                    path.ok_or_else(|| {
                        Wrong::about(&name, format!("`specs`: there is no `{name}` in the project"))
                    })
                })
                .collect::<Result<Vec<_>, _>>()?,
        };
        let scenarios = match self.scenarios {
            None => Some(PathBuf::from(SCENARIO_FOLDER)).filter(|path| root.join(path).is_dir()),
            Some(name) => {
                let path = inside(&name).filter(|path| root.join(path).is_dir());
                let wrong = || {
                    Wrong::about(&name, format!("`scenarios`: there is no folder `{name}` in the project"))
                };
                Some(path.ok_or_else(wrong)?)
            }
        };
        let probes = self.probes.map(|section| section.check(root)).transpose()?;
        for (key, is_empty) in [
            ("profiles", self.profiles.as_ref().is_some_and(Vec::is_empty)),
            ("emulators", self.emulators.as_ref().is_some_and(Vec::is_empty)),
        ] {
            if is_empty {
                return Err(Wrong::about(key, format!("`{key}` names at least one, or is left out")));
            }
        }
        if self.timeout_s == Some(0) {
            return Err(Wrong::about("timeout_s", "`timeout_s = 0` leaves no time for any test"));
        }
        if self.start.as_ref().is_some_and(String::is_empty) {
            return Err(Wrong::about("start", "`start` names a program, or is left out"));
        }
        if self.coverage.minimum_percent.is_some_and(|percent| percent > 100) {
            return Err(Wrong::about("minimum_percent", "`minimum_percent` is at most 100"));
        }
        Ok(Project {
            root: root.to_owned(),
            files,
            start: self.start.unwrap_or_else(|| SHELL.to_owned()),
            arguments: self.arguments,
            specs,
            scenarios,
            emulators: self.emulators,
            profiles: self.profiles.unwrap_or_else(|| vec![Profile::CraftosPc]),
            settings: self.settings,
            network: self.network,
            timeout: Duration::from_secs(self.timeout_s.unwrap_or(TEST_SECONDS)),
            coverage: Measured {
                exclude: Exclude(self.coverage.exclude),
                minimum_percent: self.coverage.minimum_percent,
            },
            probes,
        })
    }
}

impl ProbesSection {
    fn check(self, root: &Path) -> Result<Probes, Wrong> {
        let wrong = |named: &str, message: String| Wrong::about(named, format!("`probes`: {message}"));
        let folder = inside(&self.folder).filter(|path| root.join(path).is_dir());
        let folder = folder.ok_or_else(|| {
            wrong(&self.folder, format!("there is no folder `{}` in the project", self.folder))
        })?;
        let server = self.server.map(|name| {
            let path = inside(&name).filter(|path| root.join(path).is_file());
            path.ok_or_else(|| wrong(&name, format!("there is no program `{name}` in the project")))
        });
        let mut cases = BTreeMap::new();
        for (name, of_probe) in self.cases {
            let path =
                inside(&name).map(|path| if folder == Path::new(".") { path } else { folder.join(path) });
            let path = path.filter(|path| root.join(path).is_file());
            let path =
                path.ok_or_else(|| wrong(&name, format!("there is no probe `{name}` in its folder")))?;
            if of_probe.is_empty() {
                return Err(wrong(
                    &name,
                    format!("`{name}` has at least one case, or is left out of `cases`"),
                ));
            }
            let mut seen = BTreeSet::new();
            for case in &of_probe {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                if case.is_empty() || !case.chars().all(is_plain) {
                    return Err(wrong(
                        case,
                        format!(
                            "the case `{case}` is part of a file's name: letters, digits, `_` and `-` only"
                        ),
                    ));
                }
                if !seen.insert(case) {
                    return Err(wrong(case, format!("`{name}` has the case `{case}` twice")));
                }
            }
            cases.insert(path, of_probe);
        }
        Ok(Probes { folder, server: server.transpose()?, cases })
    }
}

/// What goes onto a computer: all of the project where the file names nothing.
fn placed(files: BTreeMap<String, Place>, root: &Path) -> Result<Vec<Placed>, Wrong> {
    let mut placed = Vec::new();
    for (name, place) in files {
        let wrong = |message: String| Wrong::about(&name, format!("`files`: {message}"));
        let from =
            inside(&name).ok_or_else(|| wrong(format!("`{name}` is not a path inside the project")))?;
        if !root.join(&from).exists() {
            return Err(wrong(format!("there is no `{name}`")));
        }
        let is_root = parts(&place.to).next().is_none();
        if !is_root && let Err(error) = check_path(&place.to) {
            return Err(wrong(error.to_string()));
        }
        if place.mount && (is_root || !root.join(&from).is_dir()) {
            return Err(wrong(format!(
                "`{name}` cannot be mounted at `{}`: only a folder can, and not at the root of the disk",
                place.to
            )));
        }
        placed.push(Placed { from, to: place.to, mount: place.mount });
    }
    if placed.is_empty() {
        placed.push(Placed { from: PathBuf::from("."), to: "/".to_owned(), mount: false });
    }
    // What lies deeper is copied later: of two files for one place the computer has that of the innermost.
    placed.sort_by_key(|placed| parts(&placed.to).count());
    Ok(placed)
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

pub fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".")
}

/// The known key that an unknown one is most like, as a hint.
pub fn did_you_mean(message: &str) -> String {
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
