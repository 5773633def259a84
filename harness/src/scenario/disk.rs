//! The files of a computer in a scenario: a text, or a file or folder beside the scenario.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::file::ComputerSection;
use crate::computer::{Spec, check_path, is_left_out};

/// What a computer has at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnDisk {
    Text(String),
    /// A file or a folder of this machine: as it is written, and where it is.
    From {
        written: String,
        path: PathBuf,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    from: String,
}

impl<'de> Deserialize<'de> for OnDisk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OnDiskVisitor)
    }
}

/// An untagged enum would say only that nothing fits; this one says which key is wrong.
struct OnDiskVisitor;

impl<'de> Visitor<'de> for OnDiskVisitor {
    type Value = OnDisk;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the text of a file, or `{ from = \"…\" }`")
    }

    fn visit_str<E>(self, text: &str) -> Result<OnDisk, E> {
        Ok(OnDisk::Text(text.to_owned()))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<OnDisk, M::Error> {
        let Table { from } = Table::deserialize(MapAccessDeserializer::new(map))?;
        Ok(OnDisk::From { path: PathBuf::from(&from), written: from })
    }
}

impl ComputerSection {
    /// Finds the files that it names. What is wrong is given with the path that it is about.
    pub(super) fn resolve_files(&mut self, folder: &Path) -> Result<(), (String, String)> {
        for (place, file) in &mut self.files {
            let OnDisk::From { written, path } = file else { continue };
            *path = folder.join(&*written);
            check_path(place).map_err(|error| (place.clone(), error.to_string()))?;
            if !path.exists() {
                return Err((place.clone(), format!("`files`: there is no `{}`", path.display())));
            }
            left_out(path, place).map_err(|message| (place.clone(), format!("`files`: {message}")))?;
        }
        self.check_places()
    }

    /// Refuses two things in one place, and what is inside a file. Files may lie over a folder that is copied.
    fn check_places(&self) -> Result<(), (String, String)> {
        let mut places: BTreeMap<Vec<&str>, (&String, bool)> = BTreeMap::new();
        for (place, file) in &self.files {
            let parts = place.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
            let is_folder = matches!(file, OnDisk::From { path, .. } if path.is_dir());
            if let Some((other, _)) = places.insert(parts, (place, is_folder)) {
                return Err((place.clone(), format!("`{other}` and `{place}` are the same file")));
            }
        }
        for (parts, (place, _)) in &places {
            let mut above = (1..parts.len()).filter_map(|count| places.get(&parts[..count]));
            if let Some((file, _)) = above.find(|(_, is_folder)| !is_folder) {
                return Err(((*place).clone(), format!("`{place}` is inside `{file}`, which is a file")));
            }
        }
        Ok(())
    }

    /// Puts them onto a computer that is to be booted.
    pub(super) fn put_files_on(&self, spec: &mut Spec) {
        for (place, file) in &self.files {
            match file {
                OnDisk::Text(text) => {
                    spec.files.insert(place.clone(), text.clone());
                }
                OnDisk::From { path, .. } => {
                    spec.copies.push((path.clone(), place.clone()));
                    // A project's own copy is without what tools keep there; what a scenario names is taken whole.
                    spec.copies.extend(left_out(path, place).unwrap_or_default());
                }
            }
        }
    }
}

/// The folders below a folder that a copy of a project would leave out, each with its place on the computer. What would not
/// be copied at all is refused.
fn left_out(folder: &Path, place: &str) -> Result<Vec<(PathBuf, String)>, String> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failed = |error: std::io::Error| format!("failed to read `{}`: {error}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let inner = format!("{}/{name}", place.trim_end_matches('/'));
        if entry.file_type().map_err(failed)?.is_dir() {
            if is_left_out(&name) {
                found.push((path.clone(), inner.clone()));
            }
            found.extend(left_out(&path, &inner)?);
        } else if !path.is_file() {
            return Err(format!("`{}` is no file and no folder: it cannot be copied", path.display()));
        }
    }
    Ok(found)
}
