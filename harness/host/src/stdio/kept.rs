//! The last of what a server wrote: enough for a message, and no more however much it writes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// A stack trace and what led to it; a server that floods its output fills no memory.
const KEPT_BYTES: usize = 8 * 1024;

/// The lines that a message shows.
const SHOWN_LINES: usize = 12;

/// Keeps the end of a text. Clones keep the same one.
#[derive(Debug, Clone, Default)]
pub struct Kept(Arc<Mutex<VecDeque<u8>>>);

impl Kept {
    pub fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().expect("nobody panics with it");
        let last = &bytes[bytes.len().saturating_sub(KEPT_BYTES)..];
        kept.extend(last);
        let over = kept.len().saturating_sub(KEPT_BYTES);
        kept.drain(..over);
    }

    /// Reads a stream to its end and keeps the last of it.
    pub async fn drain(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            self.push(&buffer[..count]);
        }
    }

    /// The last lines, as a terminal may show them.
    pub fn last_lines(&self) -> Vec<String> {
        let mut kept = self.0.lock().expect("nobody panics with it");
        let text = String::from_utf8_lossy(kept.make_contiguous()).into_owned();
        drop(kept);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let from = lines.len().saturating_sub(SHOWN_LINES);
        lines[from..].iter().map(|text| crate::text::line(text.trim_end())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let kept = Kept::default();
        kept.push(&vec![b'a'; 100_000]);
        kept.push(b"\nlast\n");
        assert_eq!(kept.0.lock().expect("ours").len(), KEPT_BYTES);
        assert_eq!(kept.last_lines().last().map(String::as_str), Some("last"));
    }

    #[test]
    fn a_message_shows_few_lines_and_no_escapes() {
        let kept = Kept::default();
        for number in 0..100 {
            kept.push(format!("line {number}\u{1b}\r\n").as_bytes());
        }
        let lines = kept.last_lines();
        assert_eq!(lines.len(), SHOWN_LINES);
        assert_eq!(lines[0], "line 88\\u{1b}");
    }
}
