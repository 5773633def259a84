//! What a computer printed, as a stream of lines for stdout.
//!
//! The screen is drawn again and again; this is not. Text that a program writes goes out once, in order,
//! and a new line begins where the cursor went to another line.

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::time::{Moment, Time};

/// So much is kept back at most; a program that prints without a pause is not held up by a call of the system for each
/// word.
const BUFFER: usize = 8 * 1024;
/// A line that is longer is broken: what is held is not counted as the computer's memory.
const LONGEST_LINE: usize = 256 * 1024;
/// What is printed is seen after that time, also if the program does not yield but goes on printing.
const LATEST: Duration = Duration::from_millis(50);

/// Where what is printed goes; several computers may share one.
pub type Sink = Arc<Mutex<dyn Write + Send>>;

/// What one computer prints. Copies are the same stream: others can send what a computer has printed that does not yield.
#[derive(Clone)]
pub struct Output {
    sink: Option<Sink>,
    /// Whether lines are to stay whole: then the last one is kept back until it is.
    whole_lines: bool,
    time: Arc<Time>,
    printed: Arc<Mutex<Printed>>,
}

struct Printed {
    /// Whether the last thing written was not the end of a line.
    open_line: bool,
    held: Vec<u8>,
    sent: Moment,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Output").field("whole_lines", &self.whole_lines).finish_non_exhaustive()
    }
}

impl Output {
    pub fn new(sink: Option<Sink>, whole_lines: bool, time: Arc<Time>) -> Self {
        let printed = Printed { open_line: false, held: Vec::new(), sent: time.now() };
        Self { sink, whole_lines, time, printed: Arc::new(Mutex::new(printed)) }
    }

    fn printed(&self) -> MutexGuard<'_, Printed> {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes text as it is; it goes out when the computer waits, or when there is much of it.
    pub fn text(&self, text: &[u8]) {
        self.write(&mut self.printed(), text);
    }

    fn write(&self, printed: &mut Printed, text: &[u8]) {
        let Some(last) = text.last() else { return };
        printed.open_line = *last != b'\n';
        if self.sink.is_none() {
            return;
        }
        printed.held.extend_from_slice(text);
        if printed.held.len() >= BUFFER || self.time.now() >= printed.sent + LATEST {
            self.send(printed);
        }
    }

    fn send(&self, printed: &mut Printed) {
        let Some(sink) = &self.sink else { return };
        let mut end = if self.whole_lines {
            printed.held.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1)
        } else {
            printed.held.len()
        };
        if end == 0 && printed.held.len() > LONGEST_LINE {
            printed.held.push(b'\n');
            printed.open_line = false;
            end = printed.held.len();
        }
        if end > 0 {
            send(sink, &printed.held[..end]);
            printed.held.drain(..end);
            printed.sent = self.time.now();
        }
    }

    /// Sends what may go out.
    pub fn flush(&self) {
        self.send(&mut self.printed());
    }

    /// Ends the line if one has begun.
    pub fn end_line(&self) {
        let printed = &mut self.printed();
        if printed.open_line {
            self.write(printed, b"\n");
        }
    }

    /// Ends the line if one has begun, and sends everything.
    pub fn finish(&self) {
        self.end_line();
        self.flush();
    }
}

/// A reader that went away must not stop the computer.
fn send(sink: &Sink, bytes: &[u8]) {
    if let Ok(mut sink) = sink.lock() {
        let _ = sink.write_all(bytes).and_then(|()| sink.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_once_and_are_held_until_they_are_whole() {
        let sink = Arc::new(Mutex::new(Vec::new()));
        let output = Output::new(Some(sink.clone()), true, Arc::new(Time::real()));
        output.text(b"a");
        output.flush();
        assert!(sink.lock().expect("nobody panicked").is_empty());
        output.text(b"b\nc");
        output.end_line();
        output.end_line();
        output.text(b"d\n");
        output.flush();
        assert_eq!(*sink.lock().expect("nobody panicked"), b"ab\nc\nd\n");
    }
}
