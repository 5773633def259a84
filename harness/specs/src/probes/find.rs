//! Finds the probes of a project, and recorded texts that belong to none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::recorded::Recorded;
use crate::files::{self, FilesError};
use crate::project::Probes;

/// A program that shows something; once for each of its cases, where it has any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Below the project's folder.
    pub file: PathBuf,
    /// What it gets as its argument.
    pub case: Option<String>,
}

/// Why probes cannot be found.
#[derive(Debug, Error)]
pub enum FindError {
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error("there is no file `*.lua` in `{}`, the folder of `probes`", .0.display())]
    None(PathBuf),
    #[error("`{}` is the recording of a probe that does not exist\nhint: delete it, or restore its probe", .0.display())]
    LeftOver(PathBuf),
}

impl Probe {
    /// Its name without that of its folder, and its case.
    pub fn name(&self) -> Vec<String> {
        let stem = self.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        stem.into_iter().chain(self.case.clone()).collect()
    }

    /// Whether one of the filters of a run is in its name or in that of its file.
    pub fn fits(&self, filters: &[String]) -> bool {
        let name = format!("{} {}", self.file.display(), self.name().join(" "));
        filters.is_empty() || filters.iter().any(|filter| name.contains(filter))
    }
}

/// The probes of a project, by file, and in the order of their cases.
pub fn all(root: &Path, probes: &Probes) -> Result<Vec<Probe>, FindError> {
    let mut there = files::below(root, &probes.folder)?;
    there.sort();
    let mut found = Vec::new();
    for file in there.iter().filter(|file| file.extension().is_some_and(|extension| extension == "lua")) {
        let probe = |case: Option<String>| Probe { file: file.clone(), case };
        match probes.cases.get(file) {
            Some(cases) => found.extend(cases.iter().cloned().map(Some).map(probe)),
            None => found.push(probe(None)),
        }
    }
    if found.is_empty() {
        return Err(FindError::None(probes.folder.clone()));
    }
    let wanted: BTreeSet<PathBuf> = found.iter().map(|probe| Recorded::of(probe).path()).collect();
    let left_over =
        there.iter().find(|file| Recorded::plain(file).is_some_and(|path| !wanted.contains(&path)));
    match left_over {
        Some(file) => Err(FindError::LeftOver(file.clone())),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn found(files: &[&str]) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("probes/deep")).expect("a folder");
        for file in files {
            std::fs::write(folder.path().join("probes").join(file), "").expect("the folder is ours");
        }
        let cases = BTreeMap::from([("probes/deep/b.lua".into(), vec!["one".to_owned(), "two".to_owned()])]);
        let probes = Probes { folder: "probes".into(), server: None, cases };
        let names = |found: Vec<Probe>| found.iter().map(|probe| probe.name().join(" ")).collect();
        all(folder.path(), &probes).map(names).map_err(|error| error.to_string())
    }

    #[test]
    fn a_probe_is_found_once_for_each_of_its_cases() {
        let files = ["a.lua", "deep/b.lua", "a.recorded", "deep/b.two.recorded.gz", "notes.txt"];
        assert_eq!(found(&files).expect("all is well"), ["a", "b one", "b two"]);
        assert!(found(&["notes.txt"]).is_err_and(|error| error.contains("there is no file `*.lua`")));
    }

    #[test]
    fn what_is_recorded_for_no_probe_is_an_error() {
        for stray in ["c.recorded", "deep/b.recorded", "deep/b.three.recorded.gz"] {
            let error = found(&["a.lua", "deep/b.lua", stray]).expect_err("it belongs to none");
            assert!(
                error.contains(stray) && error.contains("recording of a probe that does not exist"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_filter_is_a_part_of_the_name() {
        let probe = Probe { file: "probes/fs_seek.lua".into(), case: Some("bit".to_owned()) };
        assert!(probe.fits(&[]) && probe.fits(&["seek".to_owned()]) && probe.fits(&["bit".to_owned()]));
        assert!(!probe.fits(&["fs_list".to_owned()]));
    }
}
