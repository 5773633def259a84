//! The end of what a process wrote: enough for a message, and no more however much it writes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// A stack trace and what led to it, or an error message and a screen. A process that floods its output fills no
/// memory.
pub const KEPT_BYTES: usize = 16 * 1024;

/// Keeps the end of a text. Clones keep the same one.
#[derive(Debug, Clone, Default)]
pub struct Kept(Arc<Mutex<VecDeque<u8>>>);

impl Kept {
    fn bytes(&self) -> MutexGuard<'_, VecDeque<u8>> {
        // Whole bytes were pushed before any panic: what is there can be shown.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn push(&self, bytes: &[u8]) {
        let mut kept = self.bytes();
        kept.extend(&bytes[bytes.len().saturating_sub(KEPT_BYTES)..]);
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

    /// What is kept, as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes().make_contiguous()).into_owned()
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
        assert_eq!(kept.bytes().len(), KEPT_BYTES);
        assert!(kept.text().ends_with("a\nlast\n"));
    }
}
