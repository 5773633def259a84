//! Compares a transcript with the snapshot beside its scenario, and writes that snapshot. It has insta's header.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use craftos_specs::files::write_whole;
use similar::{ChangeTag, TextDiff};
use thiserror::Error;

use super::foreign::by_protocol;
use crate::emulators::Kind;

/// With this the names of snapshots begin.
const TRANSCRIPT: &str = "transcript.";

/// The file that holds the snapshot of every emulator, or of the one that is known to differ.
fn file(differs: Option<Kind>) -> String {
    differs.map_or_else(|| "transcript.snap".to_owned(), |kind| format!("transcript.{kind}.snap"))
}

/// What a comparison may say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    Same,
    /// There is no snapshot yet.
    New,
    /// The lines that differ, with what is around them.
    Different(String),
}

/// Why a snapshot cannot be read or written.
#[derive(Debug, Error)]
pub enum SnapshotError {
    #[error("failed to read snapshot `{path}`")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("snapshot `{path}` has no header\nhint: `--accept` writes it again")]
    Header { path: PathBuf },
    #[error("failed to write snapshot `{path}`")]
    Write { path: PathBuf, source: std::io::Error },
}

/// Compares a transcript with the snapshot in a folder; a foreign bridge is not judged by its own words.
pub fn compare(
    folder: &Path,
    transcript: &str,
    differs: Option<Kind>,
    is_foreign: bool,
) -> Result<Comparison, SnapshotError> {
    let path = folder.join(file(differs));
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Comparison::New),
        Err(source) => return Err(SnapshotError::Read { path, source }),
    };
    // A checkout on Windows may have its own line ends.
    let text = text.replace("\r\n", "\n");
    let Some((_, expected)) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")) else {
        return Err(SnapshotError::Header { path });
    };
    let told = |text: &str| {
        let text = text.trim_end_matches('\n');
        if is_foreign { by_protocol(text) } else { text.to_owned() }
    };
    let (expected, transcript) = (told(expected), told(transcript));
    if expected == transcript {
        return Ok(Comparison::Same);
    }
    Ok(Comparison::Different(difference(&expected, &transcript)))
}

/// Makes this transcript the expected one of a scenario's file.
pub fn accept(
    folder: &Path,
    source: &str,
    transcript: &str,
    differs: Option<Kind>,
) -> Result<(), SnapshotError> {
    let text = format!(
        "---\nsource: {source}\nexpression: transcript\n---\n{}\n",
        transcript.trim_end_matches('\n')
    );
    let path = folder.join(file(differs));
    // What is there already need not be written, which may not be possible.
    if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    write_whole(&path, text.as_bytes()).map_err(|source| SnapshotError::Write { path, source })
}

/// Snapshots in a scenario's folder that nothing is compared with, by name. `differs` are the emulators that have a
/// snapshot of their own.
pub fn leftovers(folder: &Path, differs: impl Iterator<Item = Kind>) -> std::io::Result<Vec<String>> {
    let mut known = vec![file(None)];
    known.extend(differs.map(|kind| file(Some(kind))));
    let mut left = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            moved(&entry.path(), &name, &mut left)?;
        } else if is_snapshot(&name) && !known.contains(&name) {
            left.push(name);
        }
    }
    left.sort();
    Ok(left)
}

fn is_snapshot(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "snap") || name.ends_with(".snap.new")
}

/// Transcripts in a folder inside that of the scenario; other files there may be anything that it names.
fn moved(folder: &Path, shown: &str, left: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let inner = format!("{shown}/{name}");
        if entry.file_type()?.is_dir() {
            moved(&entry.path(), &inner, left)?;
        } else if is_snapshot(&name) && name.starts_with(TRANSCRIPT) {
            left.push(inner);
        }
    }
    Ok(())
}

/// The lines in which two transcripts differ, with what is around them.
pub fn difference(expected: &str, actual: &str) -> String {
    diff(expected.trim_end_matches('\n'), actual.trim_end_matches('\n'))
}

fn diff(expected: &str, actual: &str) -> String {
    let diff = TextDiff::from_lines(expected, actual);
    let mut text = String::new();
    for (number, group) in diff.grouped_ops(2).iter().enumerate() {
        if number > 0 {
            text.push_str("  ⋮\n");
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let _ = writeln!(text, "{sign} {}", change.value().trim_end_matches('\n'));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_is_shown_and_an_accepted_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        assert_eq!(compare(path, "a\nb\n", None, false).expect("works"), Comparison::New);
        accept(path, "x", "a\nb\n", None).expect("works");
        assert_eq!(compare(path, "a\nb", None, false).expect("works"), Comparison::Same);
        let Comparison::Different(diff) = compare(path, "a\nc", None, false).expect("works") else {
            panic!("it differs")
        };
        assert_eq!(diff, "  a\n- b\n+ c\n");
    }

    #[test]
    fn a_snapshot_that_nothing_is_compared_with_is_left_over() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [
            "transcript.snap",
            "transcript.embedded.snap",
            "transcript.craftos-pc.snap",
            "transcript.snap.new",
            "old.snap",
            "notes.txt",
        ] {
            std::fs::write(folder.path().join(name), "").expect("the folder is ours");
        }
        let left = leftovers(folder.path(), [Kind::Embedded].into_iter()).expect("it is there");
        assert_eq!(left, ["old.snap", "transcript.craftos-pc.snap", "transcript.snap.new"]);
    }

    /// Nothing but the snapshot is left in the folder, also where it could not be written.
    #[cfg(unix)]
    #[test]
    fn a_snapshot_is_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        accept(folder.path(), "x", "first", None).expect("works");
        let path = folder.path().join("transcript.snap");
        let before = std::fs::read(&path).expect("it was accepted");
        // A folder in the snapshot's place cannot be replaced by a file.
        let elsewhere = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(elsewhere.path().join("transcript.snap/x")).expect("the folder is ours");
        let error = accept(elsewhere.path(), "x", "second", None).expect_err("it cannot be written");
        assert!(error.to_string().contains("failed to write snapshot"), "{error}");
        assert_eq!(std::fs::read_dir(elsewhere.path()).expect("it is there").count(), 1);
        assert_eq!(std::fs::read(&path).expect("it is there"), before);
        accept(folder.path(), "x", "second", None).expect("works");
        assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 1);
    }
}
