//! Compares a transcript with the snapshot beside its scenario, in insta's format, so that `cargo insta review` works
//! on it as well.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use similar::{ChangeTag, TextDiff};
use thiserror::Error;

use crate::emulators::Kind;

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
    #[error("snapshot `{path}` has no header\nhint: `--accept` writes it anew")]
    Header { path: PathBuf },
    #[error("failed to write snapshot `{path}`")]
    Write { path: PathBuf, source: std::io::Error },
}

/// Compares a transcript with the snapshot in a folder.
pub fn compare(folder: &Path, transcript: &str, differs: Option<Kind>) -> Result<Comparison, SnapshotError> {
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
    if expected.trim_end() == transcript.trim_end() {
        return Ok(Comparison::Same);
    }
    Ok(Comparison::Different(diff(expected.trim_end(), transcript.trim_end())))
}

/// Puts a transcript beside the snapshot, for `cargo insta review` to show.
pub fn pend(folder: &Path, name: &str, transcript: &str, differs: Option<Kind>) -> Result<(), SnapshotError> {
    write(&folder.join(format!("{}.new", file(differs))), name, transcript)
}

/// Removes the transcripts that an earlier run put beside the snapshots.
pub fn forget(folder: &Path) {
    for differs in [None, Some(Kind::Embedded), Some(Kind::CraftosPc)] {
        let _ = std::fs::remove_file(folder.join(format!("{}.new", file(differs))));
    }
}

/// Makes this transcript the expected one.
pub fn accept(
    folder: &Path,
    name: &str,
    transcript: &str,
    differs: Option<Kind>,
) -> Result<(), SnapshotError> {
    write(&folder.join(file(differs)), name, transcript)?;
    forget(folder);
    Ok(())
}

fn write(path: &Path, name: &str, transcript: &str) -> Result<(), SnapshotError> {
    let text = format!(
        "---\nsource: craftos-fixtures/scenarios/{name}/scenario.toml\nexpression: transcript\n---\n{}\n",
        transcript.trim_end()
    );
    std::fs::write(path, text).map_err(|source| SnapshotError::Write { path: path.to_owned(), source })
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
        assert_eq!(compare(path, "a\nb\n", None).expect("works"), Comparison::New);
        accept(path, "x", "a\nb\n", None).expect("works");
        assert_eq!(compare(path, "a\nb", None).expect("works"), Comparison::Same);
        let Comparison::Different(diff) = compare(path, "a\nc", None).expect("works") else {
            panic!("it differs")
        };
        assert_eq!(diff, "  a\n- b\n+ c\n");
        pend(path, "x", "a\nc", None).expect("works");
        assert!(path.join("transcript.snap.new").is_file());
        forget(path);
        assert!(!path.join("transcript.snap.new").exists());
    }
}
