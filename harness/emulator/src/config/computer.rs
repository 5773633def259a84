//! `config/<id>.json`: what belongs to one computer, above all its label.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use thiserror::Error;

use super::{Profile, SettingsError};

/// A label that could not be kept.
#[derive(Debug, Error)]
#[error("failed to write the label to `{path}`")]
pub struct LabelError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl LabelError {
    /// Why, without the path: that is none of a program's business.
    pub fn into_source(self) -> io::Error {
        self.source
    }
}

/// One computer's configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputerConfig {
    path: PathBuf,
    values: Map<String, Value>,
    pub label: Option<Vec<u8>>,
    pub is_color: bool,
}

impl ComputerConfig {
    pub fn read(path: &Path, profile: Profile) -> Result<Self, SettingsError> {
        let values: Map<String, Value> = match fs::read(path) {
            Ok(text) => serde_json::from_slice(&text)
                .map_err(|source| SettingsError::Parse { path: path.to_owned(), source })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Map::new(),
            Err(source) => {
                return Err(SettingsError::Read { path: path.to_owned(), source });
            }
        };
        let wrong =
            |expected| SettingsError::Type { path: path.to_owned(), name: "label".to_owned(), expected };
        let label = match values.get("label") {
            None | Some(Value::Null) => None,
            // With this key, whatever its value, the reference decodes the label.
            Some(Value::String(label)) if values.contains_key("base64") => {
                Some(STANDARD.decode(label).map_err(|_| wrong("base64 string"))?)
            }
            Some(Value::String(label)) => Some(profile.bytes_of(label)),
            Some(_) => return Err(wrong("string")),
        };
        let is_color = values.get("isColor").and_then(Value::as_bool).unwrap_or(true);
        Ok(Self { path: path.to_owned(), values, label: label.filter(|label| !label.is_empty()), is_color })
    }

    /// Width and height of the screen, where the file gives them.
    pub fn size(&self) -> Option<(usize, usize)> {
        let side = |name: &str| {
            self.values.get(name).and_then(Value::as_u64).and_then(|side| usize::try_from(side).ok())
        };
        Some((side("computerWidth")?, side("computerHeight")?))
            .filter(|&(width, height)| width > 0 && height > 0)
    }

    /// Changes the label and writes the file, whole or not at all; a label that cannot be kept is not changed.
    pub fn set_label(&mut self, label: Option<Vec<u8>>, profile: Profile) -> Result<(), LabelError> {
        let mut values = self.values.clone();
        values.remove("base64");
        match &label {
            None => {
                values.remove("label");
            }
            Some(bytes) => {
                let text = if let Ok(text) = String::from_utf8(profile.host_bytes(bytes.clone())) {
                    text
                } else {
                    values.insert("base64".to_owned(), Value::Bool(true));
                    STANDARD.encode(bytes)
                };
                values.insert("label".to_owned(), Value::String(text));
            }
        }
        write(&self.path, &values).map_err(|source| LabelError { path: self.path.clone(), source })?;
        (self.values, self.label) = (values, label);
        Ok(())
    }
}

/// Writes beside the file first: one that finds no room leaves what was there.
fn write(path: &Path, values: &Map<String, Value>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut text = serde_json::to_vec_pretty(values)?;
    text.push(b'\n');
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_survive_a_restart_whatever_their_bytes() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("config/7.json");
        for profile in [Profile::CraftosPc, Profile::Game] {
            for label in [&b"base-t\xc3\xbcrtle"[..], b"\xff\x00x", b"plain"] {
                let mut config = ComputerConfig::read(&path, profile).expect("it is well formed");
                config.set_label(Some(label.to_vec()), profile).expect("the folder can be written");
                let again = ComputerConfig::read(&path, profile).expect("it is well formed");
                assert_eq!(again.label.as_deref(), Some(label));
            }
        }
    }

    #[test]
    fn a_label_that_cannot_be_kept_is_not_changed() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("config/7.json");
        let mut config = ComputerConfig::read(&path, Profile::CraftosPc).expect("there is no file");
        config.set_label(Some(b"old".to_vec()), Profile::CraftosPc).expect("the folder can be written");
        fs::remove_dir_all(folder.path().join("config")).expect("it can be removed");
        fs::write(folder.path().join("config"), "no folder").expect("a file can be written");
        config.set_label(Some(b"new".to_vec()), Profile::CraftosPc).expect_err("there is no folder");
        assert_eq!(config.label.as_deref(), Some(&b"old"[..]));
    }

    #[test]
    fn a_label_is_decoded_when_the_file_has_the_key() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("7.json");
        fs::write(&path, r#"{"base64": false, "label": "YWJj"}"#).expect("a file can be written");
        let config = ComputerConfig::read(&path, Profile::CraftosPc).expect("it is well formed");
        assert_eq!(config.label.as_deref(), Some(&b"abc"[..]));
    }

    proptest::proptest! {
        #[test]
        fn any_file_is_read_or_refused(
            text in r#"(\{|\}|"label"|"base64"|"isColor"|"computerWidth"|:|,|true|null|-1|1e99|"[a-z=]{0,4}"|\PC){0,12}"#,
        ) {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let path = folder.path().join("7.json");
            fs::write(&path, text).expect("a file can be written");
            if let Ok(config) = ComputerConfig::read(&path, Profile::CraftosPc) {
                proptest::prop_assert!(config.size().is_none_or(|(width, height)| width > 0 && height > 0));
            }
        }
    }
}
