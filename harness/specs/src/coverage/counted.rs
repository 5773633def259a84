//! What the emulators count while specs run: how often each line ran, by the names that computers have for files.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use thiserror::Error;

/// Lines with how often each ran.
pub(super) type Lines = BTreeMap<u32, u64>;

/// Why counts are missing.
#[derive(Debug, Error)]
pub enum CountedError {
    #[error("failed to read which lines ran")]
    Read(#[from] std::io::Error),
    #[error("failed to understand the emulator's counts of lines")]
    Json(#[from] serde_json::Error),
}

/// The counts of all computers, in all their boots.
#[derive(Debug, Default)]
pub struct Counted {
    files: Mutex<BTreeMap<String, Lines>>,
}

/// One boot of one computer, as the emulator writes it.
#[derive(Debug, Deserialize)]
struct Boot {
    files: BTreeMap<String, Vec<(u32, u64)>>,
}

impl Counted {
    /// Adds what an emulator wrote: a line of JSON for each boot.
    pub fn add(&self, text: &str) -> Result<(), CountedError> {
        for line in text.lines() {
            let boot: Boot = serde_json::from_str(line)?;
            let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
            for (name, lines) in boot.files {
                let counts = files.entry(name).or_default();
                for (line, count) in lines {
                    *counts.entry(line).or_default() += count;
                }
            }
        }
        Ok(())
    }

    /// Everything so far.
    pub(super) fn files(&self) -> BTreeMap<String, Lines> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boots_add_up() {
        let counted = Counted::default();
        let boots = "{\"computer\":0,\"files\":{\"/a\":[[1,2],[2,0]]}}\n{\"computer\":1,\"files\":{\"/a\":[[2,3]]}}\n";
        counted.add(boots).expect("it is what the emulator writes");
        assert_eq!(counted.files(), BTreeMap::from([("/a".to_owned(), Lines::from([(1, 2), (2, 3)]))]));
        assert!(counted.add("half a li").is_err());
    }
}
