//! Dials from a TOML file.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::dials::{Faults, FaultsError};

/// Why dials could not be read.
#[derive(Debug, Error)]
pub enum FaultsFileError {
    #[error("failed to read the faults `{}`", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("failed to read the faults `{}`\n{message}", path.display())]
    Toml { path: PathBuf, message: String },
    #[error("the faults in `{}` are not valid", path.display())]
    Wrong { path: PathBuf, source: FaultsError },
}

/// Reads dials from a file, and checks them.
pub fn read(path: &Path) -> Result<Faults, FaultsFileError> {
    let path = path.to_owned();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) => return Err(FaultsFileError::Read { path, source }),
    };
    let faults: Faults = match toml::from_str(&text) {
        Ok(faults) => faults,
        Err(error) => {
            return Err(FaultsFileError::Toml { path, message: error.to_string().trim_end().to_owned() });
        }
    };
    faults.check().map_err(|source| FaultsFileError::Wrong { path, source })?;
    Ok(faults)
}
