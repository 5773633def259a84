//! The text that is recorded for a probe: `fs_seek.recorded` beside `fs_seek.lua`, `calls.bit.recorded` for a case. Long
//! ones are compressed, with `.gz` behind that.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::Probe;
use crate::files::write_whole;

const SUFFIX: &str = ".recorded";
const COMPRESSED: &str = ".recorded.gz";

/// What is longer is compressed: nobody reads it whole.
const LONG: usize = 8 * 1024;

/// Where the text of a probe is.
#[derive(Debug)]
pub struct Recorded {
    /// Below the project's folder, without what stands behind it where it is compressed.
    path: PathBuf,
}

impl Recorded {
    pub fn of(probe: &Probe) -> Self {
        let name = probe.name().join(".") + SUFFIX;
        Self { path: probe.file.with_file_name(name) }
    }

    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// The path of a recorded text without what tells that it is compressed; nothing for another file.
    pub fn plain(file: &Path) -> Option<PathBuf> {
        let name = file.file_name()?.to_str()?;
        let stem = name.strip_suffix(COMPRESSED).or_else(|| name.strip_suffix(SUFFIX))?;
        Some(file.with_file_name(format!("{stem}{SUFFIX}")))
    }

    /// Reads it; nothing where there is none.
    pub fn read(&self, root: &Path) -> io::Result<Option<Vec<u8>>> {
        let path = root.join(&self.path);
        match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            read => return read.map(Some),
        }
        match std::fs::read(compressed(&path)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => {
                let mut text = Vec::new();
                GzDecoder::new(&read?[..]).read_to_end(&mut text)?;
                Ok(Some(text))
            }
        }
    }

    /// Writes it, where it is not there already.
    pub fn write(&self, root: &Path, text: &[u8]) -> io::Result<()> {
        if self.read(root).ok().flatten().as_deref() == Some(text) {
            return Ok(());
        }
        let plain = root.join(&self.path);
        let packed = compressed(&plain);
        let (path, other, bytes) = if text.len() > LONG {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(text)?;
            (packed, plain, encoder.finish()?)
        } else {
            (plain, packed, text.to_vec())
        };
        write_whole(&path, &bytes)?;
        match std::fs::remove_file(other) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn compressed(path: &Path) -> PathBuf {
    path.with_extension(COMPRESSED.trim_start_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_plain_and_long_ones_are_compressed() {
        let folder = tempfile::tempdir().expect("a folder");
        let recorded = Recorded::of(&Probe { file: "calls.lua".into(), case: Some("bit".to_owned()) });
        assert_eq!(recorded.read(folder.path()).expect("readable"), None);
        let there = || {
            let entries = std::fs::read_dir(folder.path()).expect("readable");
            entries
                .map(|entry| entry.expect("readable").file_name().into_string().expect("text"))
                .collect::<Vec<_>>()
        };
        for (text, name) in [
            (vec![b'x', 0xff], "calls.bit.recorded"),
            (b"0123456789\n".repeat(LONG / 10), "calls.bit.recorded.gz"),
            (Vec::new(), "calls.bit.recorded"),
        ] {
            recorded.write(folder.path(), &text).expect("writable");
            assert_eq!(recorded.read(folder.path()).expect("readable"), Some(text));
            assert_eq!(there(), [name]);
        }
    }

    #[test]
    fn a_text_is_replaced_and_not_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let recorded = Recorded::of(&Probe { file: "calls.lua".into(), case: None });
        recorded.write(folder.path(), b"before").expect("writable");
        // Another name of the old file: what is written into that would show here.
        let old = folder.path().join("old");
        std::fs::hard_link(folder.path().join(recorded.path()), &old).expect("one disk");
        recorded.write(folder.path(), b"after").expect("writable");
        assert_eq!(std::fs::read(&old).expect("it is there"), b"before");
        assert_eq!(recorded.read(folder.path()).expect("readable").as_deref(), Some(&b"after"[..]));
    }
}
