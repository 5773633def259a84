//! When files were written, in a simulation: on its own calendar, which the host's is not.

use std::fs::{File, Metadata};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use crate::time::{SEEDED_EPOCH, Time};

/// Writes virtual times where the host keeps its own, so that they stay with a file that is moved.
#[derive(Debug, Clone)]
pub struct VirtualTimes(Arc<Time>);

impl VirtualTimes {
    /// Those of a simulation; none where time is the host's.
    pub fn of(time: &Arc<Time>) -> Option<Self> {
        time.is_simulated().then(|| Self(time.clone()))
    }

    /// A file was written now.
    pub fn stamp(&self, file: &File) {
        // A host that keeps no such time has it as old as the simulation.
        let _ = file.set_modified(UNIX_EPOCH + self.now());
    }

    /// When a file was written, since 1970. What the simulation has not written is as old as it is.
    pub fn modified(&self, metadata: &Metadata) -> Duration {
        let written = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let own = SEEDED_EPOCH..=self.now();
        written.filter(|time| metadata.is_file() && own.contains(time)).unwrap_or(SEEDED_EPOCH)
    }

    fn now(&self) -> Duration {
        SEEDED_EPOCH.saturating_add(self.0.now())
    }
}
