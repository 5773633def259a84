//! All jobs, in an embedded database: a change is on the disk before anyone hears of it.
#![expect(
    clippy::result_large_err,
    reason = "the error of the database, which is boxed before it leaves this file"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use redb::{Database, ReadableTable as _, TableDefinition, WriteTransaction};
use thiserror::Error;
use tokio::sync::watch;

use super::record::Record;
use crate::sources::{Sources, millis};

const RECORDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("jobs");

/// Pieces of output, by job and by the position of their first byte.
const OUTPUT: TableDefinition<'_, (&str, u64), &str> = TableDefinition::new("output");

/// What a chunk returned, described, or of a tool its whole result; by job, as JSON. Not in the records: those are all in
/// memory.
const RETURNS: TableDefinition<'_, &str, &str> = TableDefinition::new("returns");

/// The file in the folder for jobs.
const FILE: &str = "jobs.redb";

/// Jobs that are kept. Those that ended longest ago make room.
const MOST_JOBS: usize = 1000;

/// How long a job is kept after its end: a week is longer than anyone waits to look.
const KEEP: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What is kept of one job's output.
const MOST_OUTPUT: u64 = 1024 * 1024;

/// What all jobs together may have printed and returned. `mcp-computer` keeps 256 KiB of each: that is as many of them
/// as there may be.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Why the jobs could not be read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    #[error(
        "failed to open the folder for jobs `{path}`\nhint: `--state` names a folder that the bridge may write to"
    )]
    Folder { path: PathBuf, source: std::io::Error },
    #[error(
        "another bridge has the jobs in `{path}`\nhint: give each bridge a folder of its own with `--state`, or end the other one"
    )]
    Taken { path: PathBuf },
    #[error("failed to open the jobs `{path}`\nhint: move that file away to begin without the jobs in it")]
    Open { path: PathBuf, source: Box<redb::Error> },
    #[error("failed to read or write the jobs")]
    Database(#[from] Box<redb::Error>),
    #[error("{MOST_JOBS} jobs are running already")]
    Full,
    #[error("all jobs together have printed and returned {MOST_BYTES} bytes, and none of them has ended")]
    NoRoom,
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
    /// The file; none where the jobs are in memory.
    path: Option<PathBuf>,
    pub sources: Sources,
    handle: Mutex<Handle>,
    /// All records: there are few, and they are small.
    records: Mutex<Records>,
    /// Counts what is worth telling of jobs: other states, and other questions.
    news: watch::Sender<u64>,
}

/// The database as it is at hand.
#[derive(Debug)]
enum Handle {
    Open(Arc<Database>),
    /// The disk failed, or was full: it has to be opened again before it takes anything.
    Failed,
    /// The bridge is ending.
    Closed,
}

impl Store {
    /// Opens the jobs of a folder; without one they are gone when the bridge ends.
    pub fn open(folder: Option<&Path>, sources: Sources) -> Result<Self, StoreError> {
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)
                .map_err(|source| StoreError::Folder { path: folder.to_owned(), source })?;
        }
        let path = folder.map(|folder| folder.join(FILE));
        let (database, records) = open_database(path.as_deref())?;
        let handle = Mutex::new(Handle::Open(Arc::new(database)));
        let news = watch::Sender::default();
        Ok(Self { path, sources, handle, records: Mutex::new(records), news })
    }

    /// Tells whoever waits for news of a job.
    pub fn tell(&self) {
        self.news.send_modify(|count| *count += 1);
    }

    /// Changes whenever the state of a job does, or what it asks.
    pub fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    fn database(&self) -> Result<Arc<Database>, StoreError> {
        let mut handle = self.handle.lock();
        if matches!(*handle, Handle::Failed) {
            *handle = Handle::Open(Arc::new(open_database(self.path.as_deref())?.0));
        }
        match &*handle {
            Handle::Open(database) => Ok(database.clone()),
            Handle::Failed | Handle::Closed => Err(StoreError::Closed),
        }
    }

    /// Changes the database, all of it or nothing.
    fn change(&self, work: impl Fn(&WriteTransaction) -> Result<(), redb::Error>) -> Result<(), StoreError> {
        let database = self.database()?;
        let change = || {
            let begun = database.begin_write()?;
            work(&begun)?;
            begun.commit().map_err(redb::Error::from)
        };
        let outcome = change();
        if let Err(redb::Error::Io(_) | redb::Error::PreviousIo) = outcome {
            *self.handle.lock() = Handle::Failed;
        }
        outcome.map_err(failed)
    }

    /// Closes the file: what comes later is refused, and the next bridge can open it.
    pub fn close(&self) {
        *self.handle.lock() = Handle::Closed;
    }

    pub fn get(&self, id: &str) -> Option<Record> {
        self.records.lock().get(id).cloned()
    }

    /// All jobs, the newest first.
    pub fn all(&self) -> Vec<Record> {
        let mut all: Vec<Record> = self.records.lock().values().cloned().collect();
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
        self.write(record, None, None)
    }

    /// Adds to a job's output, and writes the job down. What is beyond the limit is left out.
    pub fn append(&self, record: &mut Record, text: &str) -> Result<(), StoreError> {
        let (at, more) = (record.bytes, text.len() as u64);
        if more == 0 || at + more > MOST_OUTPUT || self.make_bytes(record, more).is_err() {
            return self.put(record);
        }
        record.bytes += more;
        self.write(record, Some((at, text)), None)
    }

    /// Writes a job down together with what it returned, as JSON.
    pub fn finish(&self, record: &mut Record, returns: &str) -> Result<(), StoreError> {
        self.make_bytes(record, returns.len() as u64)?;
        record.returned = returns.len() as u64;
        self.write(record, None, Some(returns))
    }

    fn write(
        &self,
        record: &Record,
        output: Option<(u64, &str)>,
        returns: Option<&str>,
    ) -> Result<(), StoreError> {
        let (id, bytes) = (&*record.id, serde_json::to_vec(record).expect("it holds text and numbers only"));
        self.change(|begun| {
            begun.open_table(RECORDS)?.insert(id, &*bytes)?;
            if let Some((at, text)) = output {
                begun.open_table(OUTPUT)?.insert((id, at), text)?;
            }
            if let Some(returns) = returns {
                begun.open_table(RETURNS)?.insert(id, returns)?;
            }
            Ok(())
        })?;
        let before = self.records.lock().insert(record.id.clone(), record.clone());
        if before.is_none_or(|before| before.state != record.state) {
            self.tell();
        }
        Ok(())
    }

    /// What a job returned, as JSON; nothing where it returned nothing.
    pub fn returns(&self, id: &str) -> Result<Option<String>, StoreError> {
        let begun = self.database()?.begin_read().map_err(failed)?;
        let found = begun.open_table(RETURNS).map_err(failed)?.get(id).map_err(failed)?;
        Ok(found.map(|text| text.value().to_owned()))
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
        let oldest = self.sources.now_ms().saturating_sub(millis(KEEP));
        let ended = self.ended();
        let surplus = (self.records.lock().len() + 1).saturating_sub(MOST_JOBS);
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

    /// Makes room for so many bytes of a job; others that ended longest ago make it.
    fn make_bytes(&self, of: &Record, more: u64) -> Result<(), StoreError> {
        let others: u64 =
            self.records.lock().values().filter(|record| record.id != of.id).map(Record::size).sum();
        let mut surplus = (others + of.size() + more).saturating_sub(MOST_BYTES);
        for record in self.ended().into_iter().filter(|record| record.id != of.id && record.size() > 0) {
            if surplus == 0 {
                break;
            }
            self.remove(&record.id)?;
            surplus = surplus.saturating_sub(record.size());
        }
        if surplus == 0 { Ok(()) } else { Err(StoreError::NoRoom) }
    }

    /// The jobs that have ended, that which ended longest ago first.
    fn ended(&self) -> Vec<Record> {
        let mut ended: Vec<Record> =
            self.records.lock().values().filter(|record| record.state.is_end()).cloned().collect();
        ended.sort_by_key(|record| record.updated);
        ended
    }

    /// Forgets a job.
    pub fn remove(&self, id: &str) -> Result<(), StoreError> {
        self.change(|begun| {
            begun.open_table(RECORDS)?.remove(id)?;
            begun.open_table(RETURNS)?.remove(id)?;
            begun.open_table(OUTPUT)?.retain_in((id, 0)..=(id, u64::MAX), |_, _| false)?;
            Ok(())
        })?;
        self.records.lock().remove(id);
        Ok(())
    }
}

type Records = BTreeMap<String, Record>;

/// Opens the database of a file, or one in memory, with all records in it.
fn open_database(path: Option<&Path>) -> Result<(Database, Records), StoreError> {
    let Some(path) = path else {
        let memory = redb::backends::InMemoryBackend::new();
        let database = Database::builder().create_with_backend(memory).map_err(failed)?;
        return read_records(&database).map(|records| (database, records));
    };
    let open = || {
        let database = Database::create(path).map_err(failed)?;
        read_records(&database).map(|records| (database, records))
    };
    // The database takes its own file at its word, and panics where that is damaged.
    let damaged = |_| Err(failed(redb::StorageError::Corrupted("the file is damaged".to_owned())));
    std::panic::catch_unwind(open).unwrap_or_else(damaged).map_err(|error| match error {
        StoreError::Database(source) if matches!(*source, redb::Error::DatabaseAlreadyOpen) => {
            StoreError::Taken { path: path.to_owned() }
        }
        StoreError::Database(source) => match *source {
            redb::Error::Io(source) if source.kind() != std::io::ErrorKind::InvalidData => {
                StoreError::Folder { path: path.to_owned(), source }
            }
            other => StoreError::Open { path: path.to_owned(), source: Box::new(other) },
        },
        other => other,
    })
}

/// Reads all records, and makes the tables where they are not there.
fn read_records(database: &Database) -> Result<Records, StoreError> {
    let mut records = Records::new();
    let begun = database.begin_write().map_err(failed)?;
    {
        let table = begun.open_table(RECORDS).map_err(failed)?;
        begun.open_table(OUTPUT).map_err(failed)?;
        begun.open_table(RETURNS).map_err(failed)?;
        for row in table.iter().map_err(failed)? {
            let (id, bytes) = row.map_err(failed)?;
            // What another version has written and this one cannot read is left alone.
            if let Ok(record) = serde_json::from_slice(bytes.value()) {
                records.insert(id.value().to_owned(), record);
            }
        }
    }
    begun.commit().map_err(failed)?;
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::State;

    fn open(folder: Option<&Path>) -> Store {
        Store::open(folder, Sources::of_system()).expect("a store")
    }

    fn record(id: &str) -> Record {
        Record::new(id.to_owned(), 12, Some("base".to_owned()), Sources::of_system().now_ms())
    }

    fn end(record: &mut Record, state: State, at: u64) {
        record.set_state(state, None, at);
    }

    #[test]
    fn jobs_are_there_after_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut one = record("one");
        {
            let store = open(Some(folder.path()));
            store.add(&one).expect("written");
            store.append(&mut one, "digging ü\n").expect("written");
            store.append(&mut one, "done\n").expect("written");
            store.finish(&mut one, "[1]").expect("written");
        }
        let store = open(Some(folder.path()));
        assert_eq!(store.get("one"), Some(one));
        assert_eq!(store.returns("one").expect("read").as_deref(), Some("[1]"));
        assert_eq!(store.output("one", 0, 1000).expect("read"), "digging ü\ndone\n");
        assert_eq!(store.output("one", 8, 3).expect("read"), "ü\n");
        assert_eq!(store.output("one", 9, 1000).expect("read"), "\ndone\n", "a character is not cut");
        assert_eq!(store.output("one", 99, 1000).expect("read"), "");
        assert_eq!(store.output("two", 0, 1000).expect("read"), "");
        store.remove("one").expect("removed");
        assert_eq!(store.returns("one").expect("read"), None);
        assert_eq!(store.output("one", 0, 1000).expect("read"), "");
    }

    #[test]
    fn what_ended_makes_room_and_what_runs_stays() {
        let store = open(None);
        let now = store.sources.now_ms();
        for number in 0..MOST_JOBS {
            let mut record = record(&format!("{number:04}"));
            if number == 7 {
                end(&mut record, State::Done, now);
            }
            store.put(&record).expect("written");
        }
        store.add(&record("next")).expect("one has ended");
        assert!(store.get("0007").is_none() && store.get("0006").is_some());
        assert!(matches!(store.add(&record("more")), Err(StoreError::Full)));
        for (id, at) in [("0001", now), ("0002", now - 1)] {
            let mut ended = store.get(id).expect("there");
            end(&mut ended, State::Failed, at);
            store.put(&ended).expect("written");
        }
        store.add(&record("more")).expect("an old one has ended");
        assert!(store.get("0001").is_some() && store.get("0002").is_none(), "what ended longest ago goes");
    }

    #[test]
    fn what_ended_long_ago_is_forgotten_and_the_newest_stand_first() {
        let store = open(None);
        let now = store.sources.now_ms();
        for (id, ago) in [("a", KEEP), ("b", KEEP / 2), ("c", Duration::ZERO)] {
            let mut record = Record { created: now - millis(ago), ..record(id) };
            end(&mut record, State::Done, now - millis(ago) - 1);
            store.put(&record).expect("written");
        }
        store.add(&Record { created: now - 1, ..record("d") }).expect("there is room");
        let ids: Vec<String> = store.all().into_iter().map(|record| record.id).collect();
        assert_eq!(ids, ["c", "d", "b"]);
    }

    #[test]
    fn output_is_bounded() {
        let store = open(None);
        let mut one = record("one");
        for _ in 0..40 {
            store.append(&mut one, &"x".repeat(100_000)).expect("written");
        }
        assert!(one.bytes <= MOST_OUTPUT);
        assert_eq!(store.output("one", 0, usize::MAX).expect("read").len() as u64, one.bytes);
    }

    #[test]
    fn what_all_have_returned_is_bounded_and_the_oldest_makes_room() {
        let store = open(None);
        // As if it had returned so much: what is written is small.
        let claims = |id: &str, returned: u64, ended: Option<u64>| {
            let mut record = Record { returned, ..record(id) };
            if let Some(at) = ended {
                end(&mut record, State::Done, at);
            }
            store.put(&record).expect("written");
        };
        claims("old", MOST_BYTES / 2, Some(1));
        claims("young", MOST_BYTES / 4, Some(2));
        claims("runs", MOST_BYTES / 4, None);
        let mut next = record("next");
        store.finish(&mut next, "[1]").expect("the oldest has made room");
        assert!(store.get("old").is_none() && store.get("young").is_some());
        claims("runs too", MOST_BYTES, None);
        assert!(matches!(store.finish(&mut next, "[1,2]"), Err(StoreError::NoRoom)));
        store.append(&mut next, "lost").expect("the job itself is kept");
        assert_eq!((next.bytes, store.get("young")), (0, None), "what ended has made room first");
        assert!(store.get("runs").is_some());
    }

    #[test]
    fn a_file_that_is_no_store_and_one_that_another_bridge_has_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        let refused = || Store::open(Some(folder.path()), Sources::of_system()).expect_err("refused");
        let first = open(Some(folder.path()));
        let error = refused();
        assert!(matches!(&error, StoreError::Taken { path: named } if *named == path), "{error:?}");
        let mut one = record("one");
        first.add(&one).expect("written");
        first.append(&mut one, &"x".repeat(9000)).expect("written");
        drop(first);
        let whole = std::fs::read(&path).expect("the file");
        let garbage: Vec<u8> = (0..=255).cycle().take(whole.len()).collect();
        let mut flipped = whole.clone();
        flipped.iter_mut().skip(64).step_by(97).for_each(|byte| *byte ^= 0x55);
        let damaged = [b"no database".to_vec(), garbage, whole[..whole.len() / 2].to_vec(), flipped];
        for (number, bytes) in damaged.into_iter().enumerate() {
            std::fs::write(&path, &bytes).expect("written");
            let error = refused();
            assert!(
                matches!(&error, StoreError::Open { path: named, .. } if *named == path),
                "{number}: {error:?}"
            );
        }
    }
}
