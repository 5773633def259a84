//! Lines of a bounded length. A longer one is dropped as it comes, and told.

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// The largest message that is taken: what rmcp takes over HTTP, so that a result that works there works here.
pub const LONGEST: usize = 16 * 1024 * 1024;

/// What is kept of a line that is dropped: enough to see what it answers.
const HEAD: usize = 256;

/// Reads lines. Cancelling a read loses nothing: what was read of a line stays here.
#[derive(Debug)]
pub struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// The rest of a line that was too long is still to come.
    dropping: bool,
    taken: bool,
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Without its end.
    Whole(&'a [u8]),
    /// So many bytes of a line that is too long; with its head, where they are the first of them.
    Dropped {
        bytes: usize,
        head: Option<Vec<u8>>,
    },
    End,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub fn new(reader: R) -> Self {
        Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            line: Vec::new(),
            dropping: false,
            taken: false,
        }
    }

    /// The next line. A stream that cannot be read has ended.
    pub async fn next(&mut self) -> Line<'_> {
        if std::mem::take(&mut self.taken) {
            self.line.clear();
            // A server that once sent a large message does not hold its size for ever.
            self.line.shrink_to(64 * 1024);
        }
        loop {
            let Ok(available) = self.reader.fill_buf().await else { return Line::End };
            if available.is_empty() {
                return Line::End;
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let count = newline.map_or(available.len(), |at| at + 1);
            if self.dropping || self.line.len() + count > LONGEST {
                let bytes = self.line.len() + count;
                let first = !std::mem::replace(&mut self.dropping, newline.is_none());
                self.line.truncate(HEAD);
                let line = std::mem::take(&mut self.line);
                self.reader.consume(count);
                return Line::Dropped { bytes, head: first.then_some(line) };
            }
            self.line.extend_from_slice(&available[..count]);
            self.reader.consume(count);
            if newline.is_some() {
                self.taken = true;
                let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
                return Line::Whole(line.strip_suffix(b"\r").unwrap_or(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_end_in_either_way() {
        let mut lines = Lines::new(&b"one\r\n\ntwo\nrest"[..]);
        assert_eq!(lines.next().await, Line::Whole(b"one"));
        assert_eq!(lines.next().await, Line::Whole(b""));
        assert_eq!(lines.next().await, Line::Whole(b"two"));
        assert_eq!(lines.next().await, Line::End);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_dropped_and_the_next_is_read() {
        let mut text = vec![b'x'; LONGEST + 10];
        text.extend_from_slice(b"\nnext\n");
        let mut lines = Lines::new(&text[..]);
        let (mut dropped, mut lines_dropped) = (0, 0);
        loop {
            match lines.next().await {
                Line::Dropped { bytes, head } => {
                    dropped += bytes;
                    lines_dropped += usize::from(head == Some(vec![b'x'; HEAD]));
                }
                Line::Whole(line) => break assert_eq!(line, b"next"),
                Line::End => panic!("there is a next line"),
            }
        }
        assert_eq!((dropped, lines_dropped), (LONGEST + 11, 1));
    }
}
