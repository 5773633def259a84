//! What a simulation has found in a folder that its programs cannot write: all of its computers look there once, and
//! see the same from its beginning to its end. No file system of its own: what is not held is looked for on the host.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// More paths than all programs of a project look for; a program that makes up names has the rest looked for each time.
const MOST_PATHS: usize = 16 * 1024;

/// More than the programs of a project take; what is larger is read each time.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// A path of the host, and what is there.
pub(super) type Found = (PathBuf, Option<Metadata>);

/// What was found below one folder.
#[derive(Debug, Default)]
pub(super) struct Held(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    found: HashMap<Vec<String>, Found>,
    texts: HashMap<Vec<String>, Arc<[u8]>>,
    bytes: usize,
}

impl Held {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Both maps hold whole entries, whatever became of the thread that had the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn found(&self, parts: &[String]) -> Option<Found> {
        self.inner().found.get(parts).cloned()
    }

    pub fn keep_found(&self, parts: &[String], found: &Found) {
        let mut inner = self.inner();
        if inner.found.len() < MOST_PATHS {
            inner.found.insert(parts.to_vec(), found.clone());
        }
    }

    pub fn text(&self, parts: &[String]) -> Option<Arc<[u8]>> {
        self.inner().texts.get(parts).cloned()
    }

    /// Whether a text of this length can be kept as well.
    pub fn has_room(&self, length: u64) -> bool {
        length <= (MOST_BYTES - self.inner().bytes) as u64
    }

    pub fn keep_text(&self, parts: &[String], text: Arc<[u8]>) {
        let mut inner = self.inner();
        // The file may have grown since somebody asked for room.
        if text.len() <= MOST_BYTES - inner.bytes {
            inner.bytes += text.len();
            inner.texts.insert(parts.to_vec(), text);
        }
    }
}
