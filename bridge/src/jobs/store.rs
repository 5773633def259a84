//! All jobs, in an embedded database: a change is on the disk before anyone hears of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redb::{Database, ReadableTable as _, TableDefinition};
use thiserror::Error;

use super::record::{Record, now};

const RECORDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("jobs");

/// Pieces of output, by job and by the position of their first byte.
const OUTPUT: TableDefinition<'_, (&str, u64), &str> = TableDefinition::new("output");

/// Jobs that are kept. Those that ended longest ago make room.
const MOST_JOBS: usize = 1000;

/// How long a job is kept after its end: a week is longer than anyone waits to look.
const KEEP: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What is kept of one job's output.
const MOST_OUTPUT: u64 = 1024 * 1024;

/// Why the jobs could not be read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    #[error(
        "failed to open the folder for jobs `{path}`\nhint: `--state` names a folder that the bridge may write to"
    )]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("failed to read or write the jobs")]
    Database(#[from] Box<redb::Error>),
    #[error("{MOST_JOBS} jobs are running already")]
    Full,
    #[error("the bridge is shutting down")]
    Closed,
}

/// Every error of the database is one of the store.
fn failed(error: impl Into<redb::Error>) -> StoreError {
    StoreError::Database(Box::new(error.into()))
}

/// The jobs of this bridge.
#[derive(Debug)]
pub struct Store {
    /// None once the bridge is ending.
    database: Mutex<Option<Arc<Database>>>,
    /// All records: there are few, and they are small.
    records: Mutex<BTreeMap<String, Record>>,
}

impl Store {
    /// Opens the jobs of a folder; without one they are gone when the bridge ends.
    pub fn open(folder: Option<&Path>) -> Result<Self, StoreError> {
        let database = match folder {
            None => Database::builder()
                .create_with_backend(redb::backends::InMemoryBackend::new())
                .map_err(failed)?,
            Some(folder) => {
                std::fs::create_dir_all(folder)
                    .map_err(|source| StoreError::Folder { path: folder.to_owned(), source })?;
                Database::create(folder.join("jobs.redb")).map_err(failed)?
            }
        };
        let mut records = BTreeMap::new();
        let begun = database.begin_write().map_err(failed)?;
        {
            let table = begun.open_table(RECORDS).map_err(failed)?;
            begun.open_table(OUTPUT).map_err(failed)?;
            for row in table.iter().map_err(failed)? {
                let (id, bytes) = row.map_err(failed)?;
                // What another version has written and this one cannot read is left alone.
                if let Ok(record) = serde_json::from_slice(bytes.value()) {
                    records.insert(id.value().to_owned(), record);
                }
            }
        }
        begun.commit().map_err(failed)?;
        Ok(Self { database: Mutex::new(Some(Arc::new(database))), records: Mutex::new(records) })
    }

    fn records(&self) -> MutexGuard<'_, BTreeMap<String, Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn database(&self) -> Result<Arc<Database>, StoreError> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or(StoreError::Closed)
    }

    /// Closes the file: what comes later is refused, and the next bridge can open it.
    pub fn close(&self) {
        drop(self.database.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    pub fn get(&self, id: &str) -> Option<Record> {
        self.records().get(id).cloned()
    }

    /// All jobs, the newest first.
    pub fn all(&self) -> Vec<Record> {
        let mut all: Vec<Record> = self.records().values().cloned().collect();
        all.sort_by(|one, other| (other.created, &other.id).cmp(&(one.created, &one.id)));
        all
    }

    /// Adds a job, and forgets old ones.
    pub fn add(&self, record: &Record) -> Result<(), StoreError> {
        self.make_room()?;
        self.put(record)
    }

    /// Writes a job down as it is now.
    pub fn put(&self, record: &Record) -> Result<(), StoreError> {
        self.write(record, None)
    }

    /// Adds to a job's output, and writes the job down. What is beyond the limit is left out.
    pub fn append(&self, record: &mut Record, text: &str) -> Result<(), StoreError> {
        let at = record.bytes;
        if text.is_empty() || at + text.len() as u64 > MOST_OUTPUT {
            return self.write(record, None);
        }
        record.bytes += text.len() as u64;
        self.write(record, Some((at, text)))
    }

    fn write(&self, record: &Record, output: Option<(u64, &str)>) -> Result<(), StoreError> {
        let bytes = serde_json::to_vec(record).expect("it holds text and numbers only");
        let begun = self.database()?.begin_write().map_err(failed)?;
        begun.open_table(RECORDS).map_err(failed)?.insert(record.id.as_str(), &*bytes).map_err(failed)?;
        if let Some((at, text)) = output {
            begun
                .open_table(OUTPUT)
                .map_err(failed)?
                .insert((record.id.as_str(), at), text)
                .map_err(failed)?;
        }
        begun.commit().map_err(failed)?;
        self.records().insert(record.id.clone(), record.clone());
        Ok(())
    }

    /// A job's output from a byte on, at most so much of it and whole characters only.
    pub fn output(&self, id: &str, from: u64, most: usize) -> Result<String, StoreError> {
        let begun = self.database()?.begin_read().map_err(failed)?;
        let table = begun.open_table(OUTPUT).map_err(failed)?;
        let mut text = String::new();
        for row in table.range((id, 0)..=(id, u64::MAX)).map_err(failed)? {
            let (key, piece) = row.map_err(failed)?;
            let ((_, at), piece) = (key.value(), piece.value());
            let skipped = usize::try_from(from.saturating_sub(at)).unwrap_or(usize::MAX);
            let start = (skipped..=piece.len()).find(|at| piece.is_char_boundary(*at));
            text.push_str(start.map_or("", |start| &piece[start..]));
            if text.len() >= most {
                let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                text.truncate(end);
                break;
            }
        }
        Ok(text)
    }

    /// Forgets what ended long ago, and where that leaves no room, what ended longest ago.
    fn make_room(&self) -> Result<(), StoreError> {
        let oldest = now().saturating_sub(u64::try_from(KEEP.as_millis()).unwrap_or(u64::MAX));
        let mut ended: Vec<Record> =
            self.records().values().filter(|record| record.state.is_end()).cloned().collect();
        ended.sort_by_key(|record| record.updated);
        let surplus = (self.records().len() + 1).saturating_sub(MOST_JOBS);
        if surplus > ended.len() {
            return Err(StoreError::Full);
        }
        for (at, record) in ended.into_iter().enumerate() {
            if at < surplus || record.updated < oldest {
                self.remove(&record.id)?;
            }
        }
        Ok(())
    }

    fn remove(&self, id: &str) -> Result<(), StoreError> {
        let begun = self.database()?.begin_write().map_err(failed)?;
        begun.open_table(RECORDS).map_err(failed)?.remove(id).map_err(failed)?;
        begun
            .open_table(OUTPUT)
            .map_err(failed)?
            .retain_in((id, 0)..=(id, u64::MAX), |_, _| false)
            .map_err(failed)?;
        begun.commit().map_err(failed)?;
        self.records().remove(id);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::State;

    fn record(id: &str) -> Record {
        Record::new(id.to_owned(), 12, Some("base".to_owned()))
    }

    #[test]
    fn jobs_are_there_after_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut one = record("one");
        {
            let store = Store::open(Some(folder.path())).expect("a store");
            store.add(&one).expect("written");
            store.append(&mut one, "digging ü\n").expect("written");
            store.append(&mut one, "done\n").expect("written");
        }
        let store = Store::open(Some(folder.path())).expect("a store");
        assert_eq!(store.get("one"), Some(one));
        assert_eq!(store.output("one", 0, 1000).expect("read"), "digging ü\ndone\n");
        assert_eq!(store.output("one", 8, 3).expect("read"), "ü\n");
        assert_eq!(store.output("one", 9, 1000).expect("read"), "\ndone\n", "a character is not cut");
        assert_eq!(store.output("one", 99, 1000).expect("read"), "");
        assert_eq!(store.output("two", 0, 1000).expect("read"), "");
    }

    #[test]
    fn what_ended_makes_room_and_what_runs_stays() {
        let store = Store::open(None).expect("a store");
        for number in 0..MOST_JOBS {
            let mut record = record(&format!("{number:04}"));
            if number == 7 {
                record.set_state(State::Done, None);
            }
            store.put(&record).expect("written");
        }
        store.add(&record("next")).expect("one has ended");
        assert!(store.get("0007").is_none() && store.get("0006").is_some());
        assert!(matches!(store.add(&record("more")), Err(StoreError::Full)));
        let mut old = store.get("0001").expect("there");
        old.set_state(State::Failed, None);
        old.updated = 1;
        store.put(&old).expect("written");
        let mut young = store.get("0002").expect("there");
        young.set_state(State::Failed, None);
        store.put(&young).expect("written");
        store.add(&record("more")).expect("an old one has ended");
        assert!(store.get("0001").is_none() && store.get("0002").is_some());
    }

    #[test]
    fn output_is_bounded() {
        let store = Store::open(None).expect("a store");
        let mut one = record("one");
        for _ in 0..40 {
            store.append(&mut one, &"x".repeat(100_000)).expect("written");
        }
        assert!(one.bytes <= MOST_OUTPUT);
        assert_eq!(store.output("one", 0, usize::MAX).expect("read").len() as u64, one.bytes);
    }
}
