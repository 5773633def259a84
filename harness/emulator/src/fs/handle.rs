//! An open file: a position, a buffer for each direction, and the readings that programs know.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use super::VirtualTimes;
use crate::net::Charge;

/// Lines and single characters are read from a buffer of this size.
const BUFFER: usize = 8192;

/// How a file is opened: the letters of `fs.open`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    kind: Kind,
    update: bool,
    pub binary: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Append,
}

impl Mode {
    pub const READ: Self = Self { kind: Kind::Read, update: false, binary: false };
    pub const WRITE: Self = Self { kind: Kind::Write, update: false, binary: false };

    /// `r`, `w` or `a`, then `+` and `b` where wanted.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (first, rest) = text.split_first()?;
        let kind = match first {
            b'r' => Kind::Read,
            b'w' => Kind::Write,
            b'a' => Kind::Append,
            _ => return None,
        };
        let (update, binary) = match rest {
            b"" => (false, false),
            b"b" => (false, true),
            b"+" => (true, false),
            b"+b" => (true, true),
            _ => return None,
        };
        Some(Self { kind, update, binary })
    }

    pub fn reads(self) -> bool {
        self.update || self.kind == Kind::Read
    }

    pub fn writes(self) -> bool {
        self.update || self.kind != Kind::Read
    }

    pub fn truncates(self) -> bool {
        self.kind == Kind::Write
    }

    pub fn appends(self) -> bool {
        self.kind == Kind::Append
    }
}

/// Where a seek starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whence {
    Set,
    Current,
    End,
}

#[derive(Debug)]
enum Source {
    Memory(&'static [u8]),
    Shared(Arc<[u8]>),
    /// With what it takes of the budget of the network.
    Owned(Vec<u8>, #[expect(dead_code, reason = "it is held until the handle goes")] Charge),
    File(File),
}

/// An open file.
#[derive(Debug)]
pub struct FileHandle {
    source: Source,
    pub mode: Mode,
    position: u64,
    /// What was read ahead, from `taken` on.
    ahead: Vec<u8>,
    taken: usize,
    /// Where the host's file stands, to seek only where that is elsewhere.
    cursor: u64,
    /// How long the file was when it was opened: so much room is made for what is read.
    length: u64,
    pending: Vec<u8>,
    touched: bool,
    /// Whether it is written whatever goes wrong with the disk.
    pub spared: bool,
    /// What tells when it was written, where that is not the host's clock.
    times: Option<VirtualTimes>,
}

impl FileHandle {
    pub fn memory(content: &'static [u8], mode: Mode) -> Self {
        Self::of(Source::Memory(content), mode)
    }

    /// Content that others read too.
    pub fn shared(content: Arc<[u8]>, mode: Mode) -> Self {
        Self::of(Source::Shared(content), mode)
    }

    /// Content that was made for this handle, such as the body of an HTTP response.
    pub fn owned(content: Vec<u8>, charge: Charge, mode: Mode) -> Self {
        Self::of(Source::Owned(content, charge), mode)
    }

    /// One that stands at the beginning.
    fn of(source: Source, mode: Mode) -> Self {
        Self {
            source,
            mode,
            position: 0,
            ahead: Vec::new(),
            taken: 0,
            cursor: 0,
            length: 0,
            pending: Vec::new(),
            touched: false,
            spared: false,
            times: None,
        }
    }

    pub fn file(mut file: File, mode: Mode, length: u64) -> io::Result<Self> {
        let position = if mode.appends() { file.seek(SeekFrom::End(0))? } else { 0 };
        let mut handle = Self::of(Source::File(file), mode);
        (handle.position, handle.cursor, handle.length) = (position, position, length);
        Ok(handle)
    }

    /// Has the file tell these times of what is written from now on; one that is new was made now.
    #[must_use]
    pub fn with_times(mut self, times: Option<VirtualTimes>) -> Self {
        self.times = times;
        if self.mode.truncates() || self.mode.appends() && self.length == 0 {
            self.stamp();
        }
        self
    }

    /// Notes that it was written now.
    fn stamp(&self) {
        if let (Source::File(file), Some(times)) = (&self.source, &self.times) {
            times.stamp(file);
        }
    }

    /// Whether nothing has been read as a whole yet.
    pub fn is_untouched(&self) -> bool {
        !self.touched && self.position == 0
    }

    pub fn touch(&mut self) {
        self.touched = true;
    }

    /// Reads more into the buffer; false at the end.
    fn fill(&mut self, wanted: usize) -> io::Result<bool> {
        self.flush()?;
        self.ahead.drain(..std::mem::take(&mut self.taken));
        let before = self.ahead.len();
        let start = self.position + before as u64;
        match &mut self.source {
            Source::Memory(content) => extend(&mut self.ahead, content, start, wanted),
            Source::Shared(content) => extend(&mut self.ahead, content, start, wanted),
            Source::Owned(content, _) => extend(&mut self.ahead, content, start, wanted),
            Source::File(file) => {
                // Room for what is there: otherwise it is read in pieces that begin with 32 bytes.
                let rest = self.length.saturating_sub(start).min(wanted as u64);
                self.ahead.reserve_exact(usize::try_from(rest).unwrap_or(0).saturating_add(1));
                if self.cursor != start {
                    file.seek(SeekFrom::Start(start))?;
                }
                let read = file.take(wanted as u64).read_to_end(&mut self.ahead);
                self.cursor = start + (self.ahead.len() - before) as u64;
                read?;
            }
        }
        Ok(self.ahead.len() > before)
    }

    /// What was read and not yet taken.
    fn waiting(&self) -> &[u8] {
        &self.ahead[self.taken..]
    }

    fn forget(&mut self) {
        self.taken = 0;
        self.ahead.clear();
        self.ahead.shrink_to(BUFFER);
    }

    /// Keeps no more than is usual: many files may be open, and what is read ahead is not counted as anyone's memory.
    fn spare(&mut self) {
        if self.waiting().len() > BUFFER {
            self.forget();
        }
    }

    fn consume(&mut self, count: usize) -> Vec<u8> {
        self.position += count as u64;
        if self.taken == 0 && count == self.ahead.len() {
            return std::mem::take(&mut self.ahead);
        }
        let start = self.taken;
        self.taken += count;
        self.ahead[start..self.taken].to_vec()
    }

    /// Up to `count` bytes; none at the end.
    pub fn read(&mut self, count: usize) -> io::Result<Option<Vec<u8>>> {
        while self.waiting().len() < count {
            let wanted = (count - self.waiting().len()).max(BUFFER);
            if !self.fill(wanted)? {
                break;
            }
        }
        if self.waiting().is_empty() && count > 0 {
            return Ok(None);
        }
        let available = self.waiting().len().min(count);
        Ok(Some(self.consume(available)))
    }

    /// Everything from here on.
    pub fn read_all(&mut self) -> io::Result<Vec<u8>> {
        self.fill(usize::MAX / 2)?;
        let all = self.waiting().len();
        Ok(self.consume(all))
    }

    /// The next line, with its end if asked for; none at the end of the file. One that is longer than `longest` is an error.
    pub fn read_line(&mut self, with_end: bool, longest: usize) -> io::Result<Option<Vec<u8>>> {
        let mut searched = 0;
        loop {
            if let Some(found) = self.waiting()[searched..].iter().position(|&byte| byte == b'\n') {
                let mut line = self.consume(searched + found + 1);
                self.spare();
                if !with_end {
                    line.pop();
                    if line.last() == Some(&b'\r') {
                        line.pop();
                    }
                }
                return Ok(Some(line));
            }
            searched = self.waiting().len();
            if searched > longest {
                self.forget();
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            // More and more at a time: a long line is copied a few times only.
            if !self.fill(searched.max(BUFFER))? {
                let rest = self.waiting().len();
                return Ok((rest > 0).then(|| self.consume(rest)));
            }
        }
    }

    pub fn write(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        self.forget();
        self.position += bytes.len() as u64;
        // A long text is not copied.
        if self.pending.is_empty() && bytes.len() >= BUFFER {
            self.pending = bytes;
        } else {
            self.pending.extend_from_slice(&bytes);
        }
        if self.pending.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Hands what was written to the host.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        if let Source::File(file) = &mut self.source {
            self.cursor = self.position - pending.len() as u64;
            // What found no room was not written: the file goes on where it ends.
            self.position = self.cursor;
            file.seek(SeekFrom::Start(self.cursor))?;
            let mut rest = &pending[..];
            while !rest.is_empty() {
                let count = match file.write(rest) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    written => written?,
                };
                rest = &rest[count..];
                self.cursor += count as u64;
                self.position = self.cursor;
            }
            self.stamp();
        }
        Ok(())
    }

    /// How many bytes were written and not handed to the host.
    pub fn held(&self) -> u64 {
        self.pending.len() as u64
    }

    /// Forgets what was written and not handed to the host.
    pub fn discard(&mut self) {
        self.pending = Vec::new();
    }

    fn length(&self) -> io::Result<u64> {
        Ok(match &self.source {
            Source::Memory(content) => content.len() as u64,
            Source::Shared(content) => content.len() as u64,
            Source::Owned(content, _) => content.len() as u64,
            Source::File(file) => file.metadata()?.len(),
        })
    }

    /// How much lies between the position and the end.
    pub fn rest(&self) -> io::Result<u64> {
        Ok(self.length()?.saturating_sub(self.position))
    }

    /// Moves to another position and returns it; none for one before the start.
    pub fn seek(&mut self, whence: Whence, offset: i64) -> io::Result<Option<u64>> {
        self.flush()?;
        let length = self.length()?;
        let base = match whence {
            Whence::Set => 0,
            Whence::Current => self.position,
            Whence::End => length,
        };
        let Some(position) = base.checked_add_signed(offset) else {
            return Ok(None);
        };
        if position != self.position {
            self.forget();
            self.position = position;
        }
        Ok(Some(position))
    }
}

impl Drop for FileHandle {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure: a program that cares closes its files.
        let _ = self.flush();
    }
}

fn extend(target: &mut Vec<u8>, content: &[u8], start: u64, wanted: usize) {
    let start = usize::try_from(start).unwrap_or(usize::MAX).min(content.len());
    let end = start.saturating_add(wanted).min(content.len());
    target.extend_from_slice(&content[start..end]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_read_strictly() {
        assert_eq!(Mode::parse(b"r"), Some(Mode::READ));
        assert!(Mode::parse(b"w+b").is_some_and(|mode| mode.binary && mode.reads() && mode.truncates()));
        for wrong in [&b""[..], b"rw", b"rbb", b"br", b"x", b"r+bx"] {
            assert_eq!(Mode::parse(wrong), None);
        }
    }

    #[test]
    fn lines_and_the_end_of_the_file_are_told_apart() {
        let mut handle = FileHandle::memory(b"a\r\nb\n\nlast", Mode::READ);
        let lines: Vec<_> =
            (0..5).map(|_| handle.read_line(false, 100).expect("memory can be read")).collect();
        let expected =
            [Some(b"a".to_vec()), Some(b"b".to_vec()), Some(Vec::new()), Some(b"last".to_vec()), None];
        assert_eq!(lines, expected);
    }

    #[test]
    fn reading_and_writing_may_alternate() {
        let file = tempfile::tempfile().expect("a file can be made");
        let mode = Mode::parse(b"w+").expect("a known mode");
        let mut handle = FileHandle::file(file, mode, 0).expect("a new file");
        handle.write(b"hello world".to_vec()).expect("it is open");
        handle.seek(Whence::Set, 0).expect("it is open");
        assert_eq!(handle.read(5).expect("it is open"), Some(b"hello".to_vec()));
        handle.write(b"_".to_vec()).expect("it is open");
        assert_eq!(handle.read_all().expect("it is open"), b"world");
        assert_eq!(handle.seek(Whence::Set, -1).expect("it is open"), None);
        handle.seek(Whence::Set, 0).expect("it is open");
        assert_eq!(handle.read_all().expect("it is open"), b"hello_world");
    }
}
