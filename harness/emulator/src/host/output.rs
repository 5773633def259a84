//! What a computer printed, as a stream of lines for stdout.
//!
//! The screen is drawn again and again; this is not. Text that a program writes goes out once, in order,
//! and a new line begins where the cursor went to another line.

use std::io::Write;
use std::sync::{Arc, Mutex};

/// Where what is printed goes; several computers may share one.
pub type Sink = Arc<Mutex<dyn Write + Send>>;

pub struct Output {
    sink: Option<Sink>,
    /// Whether the last thing written was not the end of a line.
    open_line: bool,
    /// What is held back until its line is whole, if lines are to stay whole.
    held: Option<Vec<u8>>,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Output")
            .field("open_line", &self.open_line)
            .finish_non_exhaustive()
    }
}

impl Output {
    pub fn new(sink: Option<Sink>, whole_lines: bool) -> Self {
        Self {
            sink,
            open_line: false,
            held: whole_lines.then(Vec::new),
        }
    }

    /// Writes text as it is.
    pub fn text(&mut self, text: &[u8]) {
        let Some(last) = text.last() else { return };
        self.open_line = *last != b'\n';
        let Some(sink) = &self.sink else { return };
        match &mut self.held {
            None => send(sink, text),
            Some(held) => {
                held.extend_from_slice(text);
                if let Some(end) = held.iter().rposition(|&byte| byte == b'\n') {
                    let rest = held.split_off(end + 1);
                    send(sink, held);
                    *held = rest;
                }
            }
        }
    }

    /// Ends the line if one has begun.
    pub fn end_line(&mut self) {
        if self.open_line {
            self.text(b"\n");
        }
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
        let mut output = Output::new(Some(sink.clone()), true);
        output.text(b"a");
        assert!(sink.lock().expect("nobody panicked").is_empty());
        output.text(b"b\nc");
        output.end_line();
        output.end_line();
        output.text(b"d\n");
        assert_eq!(*sink.lock().expect("nobody panicked"), b"ab\nc\nd\n");
    }
}
