//! What ran, set against the project's own files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::counted::{Counted, Lines};
use super::lines::executable;
use crate::files;
use crate::project::{Placed, Project};

/// How the name of a file ends that is Lua although nothing has loaded it.
const LUA: &str = "lua";

/// One file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCoverage {
    /// Below the project's folder.
    pub path: PathBuf,
    /// Each line that could run, and how often it did.
    pub lines: BTreeMap<u32, u64>,
}

impl FileCoverage {
    pub fn total(&self) -> usize {
        self.lines.len()
    }

    pub fn ran(&self) -> usize {
        self.lines.values().filter(|count| **count > 0).count()
    }

    /// What did not run, from line to line. Lines between them that cannot run do not end a range.
    pub fn missed(&self) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut is_open = false;
        for (line, count) in &self.lines {
            match ranges.last_mut() {
                _ if *count > 0 => is_open = false,
                Some((_, last)) if is_open => *last = *line,
                _ => {
                    ranges.push((*line, *line));
                    is_open = true;
                }
            }
        }
        ranges
    }
}

/// All files of a project that count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// In order of their paths.
    pub files: Vec<FileCoverage>,
    /// Files that are no Lua, with what the compiler says.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl Coverage {
    /// The coverage of a project. A file that nothing has loaded is there too: none of its lines ran. Specs and what is
    /// in their folders do not count.
    pub fn of(project: &Project, counted: &Counted) -> Self {
        let mut ran: BTreeMap<PathBuf, Lines> = BTreeMap::new();
        for (name, lines) in counted.files() {
            if let Some(path) = project.on_host(&name) {
                let counts = ran.entry(path).or_default();
                for (line, count) in lines {
                    *counts.entry(line).or_default() += count;
                }
            }
        }
        let mut paths: BTreeSet<PathBuf> = ran.keys().cloned().collect();
        paths.extend(sources(project));
        let mut coverage = Self::default();
        for path in paths {
            if is_test(project, &path) || project.coverage.exclude.leaves_out(&path) {
                continue;
            }
            let text = std::fs::read(project.root.join(&path)).map_err(|error| error.to_string());
            match text.and_then(|text| executable(&text)) {
                Ok(lines) => {
                    let counts = ran.get(&path);
                    let count = |line: &u32| counts.and_then(|counts| counts.get(line)).copied();
                    let lines = lines.iter().map(|line| (*line, count(line).unwrap_or_default())).collect();
                    coverage.files.push(FileCoverage { path, lines });
                }
                Err(message) => coverage.unreadable.push((path, message)),
            }
        }
        coverage
    }

    pub fn total(&self) -> usize {
        self.files.iter().map(FileCoverage::total).sum()
    }

    pub fn ran(&self) -> usize {
        self.files.iter().map(FileCoverage::ran).sum()
    }
}

/// Every Lua file that the project puts onto computers.
fn sources(project: &Project) -> Vec<PathBuf> {
    let mut sources = Vec::new();
    for Placed { from, .. } in &project.files {
        if project.root.join(from).is_file() {
            sources.push(from.clone());
        } else {
            sources.extend(files::below(&project.root, from).unwrap_or_default());
        }
    }
    sources.retain(|path| path.extension().is_some_and(|extension| extension == LUA));
    sources
}

/// Whether a file is a spec, or beside specs in a folder that has nothing else.
fn is_test(project: &Project, path: &Path) -> bool {
    let has_sources = |folder: &Path| project.files.iter().any(|placed| placed.from.starts_with(folder));
    files::is_spec(path)
        || project.specs.iter().any(|place| {
            place == path || (place != Path::new(".") && path.starts_with(place) && !has_sources(place))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("it is below")).expect("the folder is ours");
            std::fs::write(path, text).expect("the folder is ours");
        }
        let project = Project::read(folder.path()).expect("it is a project");
        (folder, project)
    }

    #[test]
    fn files_are_those_of_the_project_and_lines_those_that_can_run() {
        let (_folder, project) = project(&[
            ("craftos.toml", "files = { \"src\" = \"/\" }\ncoverage = { exclude = [\"src/vendor\"] }\n"),
            ("src/a.lua", "local x = 1\n-- nothing\nif x == 2 then\n    x = 3\n\n    x = 4\nend\nprint(x)\n"),
            ("src/never.lua", "return 1\n"),
            ("src/program", "return 1\n"),
            ("src/data.txt", "not Lua"),
            ("src/broken.lua", "not Lua"),
            ("src/vendor/b.lua", "return 1\n"),
            ("spec/a_spec.lua", ""),
            ("spec/helper.lua", "return 1\n"),
        ]);
        let counted = Counted::default();
        let boot = r#"{"computer":0,"files":{"/a.lua":[[1,2],[3,2],[4,0],[8,2],[99,1]],"/program":[[1,1]],"/vendor/b.lua":[[1,1]],"/spec/helper.lua":[[1,1]],"/else.lua":[[1,1]]}}"#;
        counted.add(boot).expect("it is what the emulator writes");
        let coverage = Coverage::of(&project, &counted);
        let found: Vec<(String, usize, usize)> = coverage
            .files
            .iter()
            .map(|file| (file.path.to_string_lossy().replace('\\', "/"), file.ran(), file.total()))
            .collect();
        let expected = [("src/a.lua", 3, 5), ("src/never.lua", 0, 1), ("src/program", 1, 1)];
        assert_eq!(found, expected.map(|(path, ran, total)| (path.to_owned(), ran, total)));
        assert_eq!(coverage.files[0].missed(), [(4, 6)]);
        assert_eq!((coverage.ran(), coverage.total()), (4, 7));
        assert!(matches!(&coverage.unreadable[..], [(path, _)] if path.ends_with("broken.lua")));
    }

    #[test]
    fn specs_beside_the_source_do_not_take_it_out() {
        let (_folder, project) = project(&[
            ("craftos.toml", "files = { \"src\" = \"/\" }\nspecs = [\"src\"]\n"),
            ("src/a.lua", "return 1\n"),
            ("src/a_spec.lua", "return 1\n"),
        ]);
        let coverage = Coverage::of(&project, &Counted::default());
        assert_eq!(
            coverage.files.iter().map(|file| file.path.clone()).collect::<Vec<_>>(),
            [Path::new("src/a.lua")]
        );
    }
}
