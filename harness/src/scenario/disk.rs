//! The files of a computer in a scenario: a text, or a file or folder beside the scenario.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::file::ComputerSection;
use crate::computer::{Spec, check_path};

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
                OnDisk::From { path, .. } => spec.copies.push((path.clone(), place.clone())),
            }
        }
    }
}
