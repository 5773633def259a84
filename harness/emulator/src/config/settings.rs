//! `config/global.json`: the settings of the emulator, with the names and defaults of the reference.
//!
//! A file that is not there means the defaults. One that cannot be read, is not JSON, or has a value of
//! another type than the default is an error: a test must not run with other settings than it asked for.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use thiserror::Error;

/// Names, types and values that hold unless a file says otherwise.
const DEFAULTS: &str = include_str!("defaults.json");

/// Settings that could not be read.
#[derive(Debug, Error)]
pub enum SettingsError {
    #[error("failed to read `{path}`")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("failed to parse `{path}`\nhint: it must be one JSON object")]
    Parse {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    #[error("setting `{name}` in `{path}` must be a {expected}")]
    Type { path: PathBuf, name: String, expected: &'static str },
}

/// All settings by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    values: Map<String, Value>,
}

impl Default for Settings {
    fn default() -> Self {
        let values = serde_json::from_str(DEFAULTS).expect("the defaults are one JSON object");
        Self { values }
    }
}

impl Settings {
    /// Changes a default.
    pub fn preset(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    /// Reads a file over the defaults; names that are not known are kept for who knows them.
    pub fn read(mut self, path: &Path) -> Result<Self, SettingsError> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(self),
            Err(source) => {
                return Err(SettingsError::Read { path: path.to_owned(), source });
            }
        };
        let read: Map<String, Value> = serde_json::from_slice(&text)
            .map_err(|source| SettingsError::Parse { path: path.to_owned(), source })?;
        for (name, value) in read {
            if let Some(default) = self.values.get(&name)
                && type_of(default) != type_of(&value)
            {
                let expected = type_of(default);
                return Err(SettingsError::Type { path: path.to_owned(), name, expected });
            }
            self.values.insert(name, value);
        }
        Ok(self)
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.values.keys()
    }

    /// Sets a value of the same type; the type's name if it is another.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), &'static str> {
        match self.values.get_mut(name) {
            Some(slot) if type_of(slot) == type_of(&value) => {
                *slot = value;
                Ok(())
            }
            Some(slot) => Err(type_of(slot)),
            None => Err("known setting"),
        }
    }

    pub fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    pub fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::as_str).unwrap_or("")
    }

    pub fn number(&self, name: &str) -> f64 {
        self.get(name).and_then(Value::as_f64).unwrap_or(0.0)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "negative sizes mean none at all"
    )]
    pub fn size(&self, name: &str) -> usize {
        self.number(name) as usize
    }

    pub fn list(&self, name: &str) -> Vec<String> {
        let entries = self.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        entries.iter().filter_map(|entry| entry.as_str().map(str::to_owned)).collect()
    }

    /// How long a computer may run without yielding.
    pub fn abort_timeout(&self) -> Duration {
        self.milliseconds("abortTimeout")
    }

    /// A time in milliseconds; one that no clock reaches is for ever.
    pub fn milliseconds(&self, name: &str) -> Duration {
        Duration::try_from_secs_f64(self.number(name).max(0.0) / 1000.0).unwrap_or(Duration::MAX)
    }
}

/// The name of a value's type as `config.getType` gives it.
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) | Value::Object(_) => "table",
        Value::Null => "nil",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings, SettingsError> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("global.json");
        fs::write(&path, text).expect("a file can be written");
        Settings::default().read(&path)
    }

    #[test]
    fn a_file_overrides_the_defaults_and_keeps_what_it_does_not_know() {
        let settings = read(r#"{"abortTimeout": 500, "lastVersion": "v2.8.3"}"#).expect("it is well formed");
        assert_eq!(settings.abort_timeout(), Duration::from_millis(500));
        assert_eq!(settings.text("lastVersion"), "v2.8.3");
        assert_eq!(settings.list("http_whitelist"), ["*"]);
        let settings = read(r#"{"abortTimeout": 1e300}"#).expect("it is well formed");
        assert_eq!(settings.abort_timeout(), Duration::MAX);
    }

    #[test]
    fn bad_files_are_errors_that_name_what_is_wrong() {
        assert!(matches!(read("{"), Err(SettingsError::Parse { .. })));
        let error = read(r#"{"abortTimeout": "soon"}"#).expect_err("a string is no number");
        assert!(error.to_string().contains("`abortTimeout`"), "{error}");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let path = folder.path().join("global.json");
            fs::write(&path, bytes).expect("a file can be written");
            let _ = Settings::default().read(&path);
        }
    }
}
