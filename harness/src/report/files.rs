//! The folder of a report: `EMULATOR/SCENARIO/` for each scenario, and an index and the results at its top.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use thiserror::Error;

use super::results::{Entry, Results};
use super::{index, page};
use crate::record::Record;

/// The results, at the top of every report: what `merge` reads.
pub const RESULTS: &str = "results.json";

/// The page of the run, and of each scenario.
pub const PAGE: &str = "index.html";

/// Why a report cannot be written.
#[derive(Debug, Error)]
#[error("failed to write the report to `{path}`")]
pub struct FilesError {
    pub path: PathBuf,
    pub source: std::io::Error,
}

/// A report's folder.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Makes the folder where there is none, and removes what an earlier run left in it. What no run wrote stays.
    pub fn prepare(root: &Path) -> Result<Self, FilesError> {
        let folder = Self { root: root.to_owned() };
        if let Ok(before) = Results::read(&root.join(RESULTS)) {
            for entry in &before.results {
                for file in entry.files.values() {
                    let _ = std::fs::remove_file(root.join(file));
                }
                folder.remove_empty(&place(entry));
            }
            let _ = std::fs::remove_file(root.join(RESULTS));
            let _ = std::fs::remove_file(root.join(PAGE));
        }
        std::fs::create_dir_all(root).map_err(|source| FilesError { path: root.to_owned(), source })?;
        Ok(folder)
    }

    /// A folder that was prepared before.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Removes a folder and those around it that are empty, up to the root.
    fn remove_empty(&self, place: &str) {
        let mut folder = Path::new(place);
        let _ = std::fs::remove_dir(self.root.join(folder).join("logs"));
        while folder.components().any(|part| matches!(part, Component::Normal(_)))
            && std::fs::remove_dir(self.root.join(folder)).is_ok()
        {
            folder = folder.parent().unwrap_or(Path::new(""));
        }
    }

    /// Writes what a scenario left, and notes in the entry what is where.
    pub fn write(
        &self,
        entry: &mut Entry,
        transcript: Option<&str>,
        record: &Record,
    ) -> Result<(), FilesError> {
        let place = place(entry);
        let mut files = BTreeMap::from([("trace".to_owned(), ("trace.jsonl".to_owned(), record.trace()))]);
        if let Some(transcript) = transcript {
            files.insert("transcript".to_owned(), ("transcript.txt".to_owned(), transcript.to_owned()));
        }
        for (name, text) in record.logs() {
            files.insert(format!("log-{name}"), (format!("logs/{name}.log"), text));
        }
        entry.files.insert("page".to_owned(), format!("{place}/{PAGE}"));
        for (what, (file, text)) in &files {
            self.put(&format!("{place}/{file}"), text)?;
            entry.files.insert(what.clone(), format!("{place}/{file}"));
        }
        // A simulation has no page of all: it may be of a million plays.
        let back = entry.seed.is_none().then(|| "../".repeat(place.split('/').count()) + PAGE);
        let names: BTreeMap<&str, &str> =
            files.iter().map(|(what, (file, _))| (what.as_str(), file.as_str())).collect();
        let (trace, logs) = (record.trace(), record.logs());
        let texts =
            page::Texts { trace: &trace, transcript, logs: &logs, files: &names, back: back.as_deref() };
        self.put(&format!("{place}/{PAGE}"), page::write(entry, &texts))
    }

    /// Writes the index and the results.
    pub fn finish(&self, results: &Results) -> Result<(), FilesError> {
        self.put(PAGE, index::write(results))?;
        self.put(RESULTS, results.to_json())
    }

    /// Copies the files of results from the folder of another report; gives how many were not there.
    pub fn take(&self, from: &Path, results: &Results) -> Result<usize, FilesError> {
        let mut absent = 0;
        for file in results.results.iter().flat_map(|entry| entry.files.values()) {
            match std::fs::read(from.join(file)) {
                Ok(bytes) => self.put(file, bytes)?,
                Err(_) => absent += 1,
            }
        }
        Ok(absent)
    }

    fn put(&self, file: &str, text: impl AsRef<[u8]>) -> Result<(), FilesError> {
        let path = self.root.join(file);
        let folder = path.parent().unwrap_or(&self.root);
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
        written.map_err(|source| FilesError { path, source })
    }
}

/// Where the files of a scenario are; later rounds of `--repeat` beside the first, and each seed in a place of its own.
fn place(entry: &Entry) -> String {
    let turn = match (entry.seed, entry.round) {
        (Some(seed), _) => format!("@seed-{seed}"),
        (None, 1) => String::new(),
        (None, round) => format!("@{round}"),
    };
    format!("{}/{}{turn}", entry.emulator_name(), entry.scenario)
}

/// A path as it is shown: from the current folder where it is below it.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}
