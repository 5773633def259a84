//! The methods of an open file; the body of an HTTP response has the reading ones.

use std::io;

use super::{Arguments, Host};
use crate::fs::{FileHandle, FsError, Mode, Whence};
use crate::lua::{Call, Handle, Native, NativeResult, Raise, Value};

/// The table of methods for a file that was opened in that mode.
pub fn handle(id: u64, mode: Mode) -> Value {
    let mut methods = PLACING.to_vec();
    if mode.reads() {
        methods.extend_from_slice(READING);
    }
    if mode.writes() {
        methods.extend_from_slice(WRITING);
    }
    Value::Handle(Handle { methods, id })
}

fn file<'a>(host: &'a mut Host, call: &Call<'_>) -> Result<&'a mut FileHandle, Raise> {
    host.files.get_mut(&call.handle()).ok_or_else(|| Raise::new("attempt to use a closed file"))
}

fn io_failed(error: &io::Error) -> Raise {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            Raise::new(FsError::Full.to_string())
        }
        io::ErrorKind::OutOfMemory => Raise::new("not enough memory"),
        _ => Raise::new(error.to_string()),
    }
}

fn close(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let flushed = file(host, call)?.flush();
    host.files.remove(&call.handle());
    flushed.map_err(|error| io_failed(&error))
}

pub fn seek(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let file = file(host, call)?;
    let chosen = call.text_or_nil(1)?;
    #[expect(clippy::cast_possible_truncation, reason = "no file is larger")]
    let offset = match call.number_or_text(2).map_or_else(|| call.float_or(2, 0.0), Ok)? {
        // What is no number is before every file.
        number if number.is_nan() => i64::MIN,
        number => number as i64,
    };
    let whence = match chosen.as_deref() {
        None | Some(b"cur") => Whence::Current,
        Some(b"set") => Whence::Set,
        Some(b"end") => Whence::End,
        Some(other) => {
            let message = [&b"bad argument #1 to 'seek' (invalid option '"[..], other, b"')"].concat();
            return Err(Raise::new(message));
        }
    };
    if let Some(position) = file.seek(whence, offset).map_err(|error| io_failed(&error))? {
        #[expect(clippy::cast_precision_loss, reason = "no file is larger")]
        call.push(position as f64);
    } else {
        call.push(Value::Nil);
        call.push(if matches!(whence, Whence::Set) { "Position is negative" } else { "Invalid argument" });
    }
    Ok(())
}

fn push_some(call: &mut Call<'_>, bytes: Option<Vec<u8>>) {
    if let Some(bytes) = bytes {
        call.push(Value::String(bytes));
    }
}

/// Whether there is room for so many bytes, or else whether what nobody uses is to be looked for first: then it returns
/// nothing, and the native must do so at once.
fn has_room(call: &mut Call<'_>, bytes: u64) -> Result<bool, Raise> {
    if bytes <= call.room() as u64 {
        return Ok(true);
    }
    if call.has_collected() { Err(Raise::new("not enough memory")) } else { Ok(false) }
}

fn read(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let file = file(host, call)?;
    // Whatever is no number stands for one character.
    let Some(count) = call.number_or_text(1) else {
        let byte = file.read(1).map_err(|error| io_failed(&error))?;
        if file.mode.binary {
            if let Some(byte) = byte.and_then(|bytes| bytes.first().copied()) {
                call.push(f64::from(byte));
            }
        } else {
            push_some(call, byte);
        }
        return Ok(());
    };
    if !count.is_finite() || count <= -1.0 {
        // One that is read only knows that there is nothing left.
        if !file.mode.writes() && file.rest().map_err(|error| io_failed(&error))? == 0 {
            return Ok(());
        }
        let units = if file.mode.binary { "bytes" } else { "characters" };
        return Err(Raise::new(format!("Cannot read a negative number of {units}")));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a larger count reads all there is"
    )]
    let count_whole = count as usize;
    if count_whole > call.room() {
        let rest = file.rest().map_err(|error| io_failed(&error))?;
        if !has_room(call, rest.min(count_whole as u64))? {
            return Ok(());
        }
    }
    let mut bytes = file.read(count_whole).map_err(|error| io_failed(&error))?;
    if bytes.as_ref().is_some_and(Vec::is_empty) && file.read(1).map_err(|error| io_failed(&error))?.is_none()
    {
        bytes = None;
    } else if count < 1.0 {
        file.seek(Whence::Current, -1).map_err(|error| io_failed(&error))?;
    }
    push_some(call, bytes);
    Ok(())
}

fn read_line(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let with_end = call.truthy(1);
    // What is read ahead and the line are there at once.
    let longest = call.room() / 2;
    match file(host, call)?.read_line(with_end, longest) {
        // Nothing was taken of it.
        Err(error) if error.kind() == io::ErrorKind::OutOfMemory && !call.has_collected() => {}
        line => push_some(call, line.map_err(|error| io_failed(&error))?),
    }
    Ok(())
}

fn read_all(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let file = file(host, call)?;
    let rest = file.rest().map_err(|error| io_failed(&error))?;
    if !has_room(call, rest)? {
        return Ok(());
    }
    let content = file.read_all().map_err(|error| io_failed(&error))?;
    // An empty file reads as an empty string once, and then as nothing, like every file at its end.
    if content.is_empty() && !file.is_untouched() {
        return Ok(());
    }
    file.touch();
    call.push(Value::String(content));
    Ok(())
}

/// What is to be written: text, or in binary mode also a byte as a number.
fn content(call: &Call<'_>, binary: bool) -> Result<Option<Vec<u8>>, Raise> {
    let expected =
        |kind: &str| Raise::new(format!("bad argument #1 ({kind} expected, got {})", call.type_name(1)));
    if binary {
        if let Some(number) = call.number(1) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a byte is what remains of a number modulo 256"
            )]
            return Ok(Some(vec![number.rem_euclid(256.0) as u8]));
        }
        return call.bytes(1).map(Some).ok_or_else(|| expected("number or string"));
    }
    if call.is_nil(1) {
        return Ok(None);
    }
    call.bytes(1).map(Some).ok_or_else(|| expected("string"))
}

fn write_to(host: &mut Host, call: &Call<'_>, end: &[u8]) -> NativeResult {
    let handle = file(host, call)?;
    let (binary, spared) = (handle.mode.binary, handle.spared);
    let Some(mut bytes) = content(call, binary && end.is_empty())? else {
        return Ok(());
    };
    bytes.extend_from_slice(end);
    host.charge(bytes.len(), spared)?;
    file(host, call)?.write(bytes).map_err(|error| io_failed(&error))
}

fn write(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    write_to(host, call, b"")
}

fn write_line(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    write_to(host, call, b"\n")
}

fn flush(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    file(host, call)?.flush().map_err(|error| io_failed(&error))
}

pub const READING: &[Native] = &[
    Native { name: "read", run: read },
    Native { name: "readAll", run: read_all },
    Native { name: "readLine", run: read_line },
];

pub const WRITING: &[Native] = &[
    Native { name: "flush", run: flush },
    Native { name: "write", run: write },
    Native { name: "writeLine", run: write_line },
];

pub const PLACING: &[Native] = &[Native { name: "close", run: close }, Native { name: "seek", run: seek }];
