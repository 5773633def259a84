//! `fs`: paths, folders, opening files. What an open file can do is in [`super::file_methods`].

use super::{Arguments, Host, file_methods};
use crate::fs::{self, FsError, Mode};
use crate::lua::{Call, Native, NativeResult, Raise, Table, Value};

/// A path of the computer as it was understood, for messages.
fn shown(path: &[String]) -> String {
    format!("/{}", path.join("/"))
}

fn failed(host: &Host, path: &[String], error: FsError) -> Raise {
    Raise::new(host.world.options().profile.bytes_of(&format!("{}: {error}", shown(path))))
}

/// An argument that is a path, as it is on the host.
fn given(host: &Host, call: &Call<'_>, index: usize) -> Result<Vec<u8>, Raise> {
    call.text(index).map(|path| host.host_bytes(path))
}

/// The parts of a path that mean something.
fn steps(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|&byte| byte == b'/' || byte == b'\\').filter(|part| !matches!(*part, b"" | b"."))
}

/// Whether a path leaves the root with its first step.
fn begins_outside(path: &[u8]) -> bool {
    steps(path).next() == Some(b"..")
}

/// A path that leaves the root, as the reference shows it: two steps up take each other back.
fn escaped(path: &[u8], error: FsError) -> Raise {
    let mut shown: Vec<&[u8]> = Vec::new();
    for part in steps(path) {
        match part {
            b".." if shown.pop().is_some() => {}
            part => shown.push(part),
        }
    }
    Raise::new([b"/", &shown.join(&b'/')[..], b": ", error.to_string().as_bytes()].concat())
}

fn path_at(host: &Host, call: &Call<'_>, index: usize, error: FsError) -> Result<Vec<String>, Raise> {
    let path = given(host, call, index)?;
    // What a program wrote comes back to it as it wrote it.
    fs::sanitize(&path).or_else(|_| Err(escaped(&call.text(index)?, error)))
}

fn combine(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let mut room = call.room();
    let mut paths = Vec::new();
    for index in 1..=call.len().max(1) {
        let path = call.text(index)?;
        // One text may be there many times.
        room = room.checked_sub(path.len()).ok_or_else(|| Raise::new("not enough memory"))?;
        paths.push(path);
    }
    call.push(Value::String(fs::combine(&paths)));
    Ok(())
}

fn get_name(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = call.text(1)?;
    call.push(Value::String(fs::name(&path)));
    Ok(())
}

fn get_dir(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = call.text(1)?;
    call.push(Value::String(fs::directory(&path)));
    Ok(())
}

fn exists(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = given(host, call, 1)?;
    call.push(fs::sanitize(&path).is_ok_and(|path| host.fs.exists(&path)));
    Ok(())
}

fn is_dir(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = given(host, call, 1)?;
    call.push(fs::sanitize(&path).is_ok_and(|path| host.fs.is_dir(&path)));
    Ok(())
}

fn is_read_only(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = given(host, call, 1)?;
    match fs::sanitize(&path) {
        Ok(path) => call.push(host.fs.is_read_only(&path)),
        Err(error) if begins_outside(&path) && steps(&path).count() > 1 => {
            return Err(escaped(&call.text(1)?, error));
        }
        // What is outside is on no mount that could not be written to.
        Err(_) => call.push(false),
    }
    Ok(())
}

fn is_drive_root(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = given(host, call, 1)?;
    let root = fs::sanitize(&path).is_ok_and(|path| path.is_empty() || host.fs.resolve(&path).1.is_empty());
    call.push(root);
    Ok(())
}

fn get_drive(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = given(host, call, 1)?;
    let drive = match fs::sanitize(&path) {
        Ok(path) => host.fs.resolve(&path).0.drive.clone(),
        Err(_) if begins_outside(&path) => String::new(),
        // One that goes outside later counts as where the computer's own files are.
        Err(_) => host.fs.resolve(&[]).0.drive.clone(),
    };
    call.push(host.lua_text(&drive));
    Ok(())
}

fn get_size(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = path_at(host, call, 1, FsError::NotFound)?;
    let attributes = host.fs.attributes(&path).map_err(|error| failed(host, &path, error))?;
    call.push(float(attributes.size));
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "Lua has no other numbers")]
fn float(number: u64) -> f64 {
    number as f64
}

fn attributes(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = path_at(host, call, 1, FsError::NotFound)?;
    let found = host.fs.attributes(&path).map_err(|error| failed(host, &path, error))?;
    let mut table = Table::default();
    table.set("size", float(found.size));
    table.set("isDir", found.is_dir);
    table.set("isReadOnly", found.read_only);
    table.set("created", found.created);
    table.set("modified", found.modified);
    table.set("modification", found.modified);
    call.push(Value::Table(table));
    Ok(())
}

fn list(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = path_at(host, call, 1, FsError::NotFound)?;
    let names = host.fs.list(&path).map_err(|error| failed(host, &path, error))?;
    call.push(Value::list(names.iter().map(|name| host.lua_text(name))));
    Ok(())
}

fn find(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let pattern = fs::combine(&[given(host, call, 1)?]);
    if pattern.split(|&byte| byte == b'/').any(|part| part == b"..") {
        return Err(Raise::new("Not a directory"));
    }
    let parts: Vec<String> = pattern
        .split(|&byte| byte == b'/')
        .filter(|part| !part.is_empty())
        .map(|part| String::from_utf8_lossy(part).into_owned())
        .collect();
    let found = host.fs.find(&parts);
    call.push(Value::list(found.iter().map(|path| host.lua_text(path))));
    Ok(())
}

fn make_dir(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = path_at(host, call, 1, FsError::NotCreated)?;
    host.fs.make_dir(&path).map_err(|error| failed(host, &path, error))
}

fn delete(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = given(host, call, 1)?;
    let Ok(path) = fs::sanitize(&path) else {
        return Ok(());
    };
    if path.is_empty() {
        return Err(Raise::new("Cannot delete mount, use mounter.unmount instead"));
    }
    host.fs.delete(&path).map_err(|error| failed(host, &path, error))
}

fn rename(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let (from, to) = (given(host, call, 1)?, given(host, call, 2)?);
    let from = fs::sanitize(&from).map_err(|_| Raise::new(FsError::NotFound.to_string()))?;
    let to = fs::sanitize(&to).map_err(|error| escaped(&to, error))?;
    host.fs.rename(&from, &to, &|| call.time_is_up()).map_err(|error| match error {
        FsError::Escapes => failed(host, &to, error),
        _ => Raise::new(error.to_string()),
    })
}

fn copy(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    call.text(1)?;
    let to = given(host, call, 2)?;
    let from = path_at(host, call, 1, FsError::NotFound)?;
    let to = fs::sanitize(&to).map_err(|error| escaped(&to, error))?;
    if host.refuses_write() {
        return Err(failed(host, &from, FsError::Full));
    }
    host.fs.copy(&from, &to, &|| call.time_is_up()).map_err(|error| match error {
        FsError::Stopped => Raise::new(error.to_string()),
        FsError::Denied | FsError::Escapes => failed(host, &to, error),
        _ => failed(host, &from, error),
    })
}

fn get_capacity(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = given(host, call, 1)?;
    let parts = fs::sanitize(&path).or_else(|error| {
        Err(Raise::new([&call.text(1)?[..], b": ", error.to_string().as_bytes()].concat()))
    })?;
    let all = host.fs.space(&parts).map(|(all, _)| float(all));
    call.push(all);
    Ok(())
}

fn get_free_space(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let parts = path_at(host, call, 1, FsError::NoPath)?;
    let is_full = host.world.faults().is_some_and(|faults| faults.is_full(host.id, host.now()));
    let free = host.fs.space(&parts).filter(|_| !is_full).map_or(0.0, |(_, free)| float(free));
    call.push(free);
    Ok(())
}

fn open(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let mode_text = call.text(2)?;
    let mode = Mode::parse(&mode_text)
        .ok_or_else(|| Raise::new([&mode_text[..], b": Unsupported mode"].concat()))?;
    let path = given(host, call, 1)?;
    let opened = match fs::sanitize(&path) {
        Err(_) => Err(escaped(&path, FsError::NotFound)),
        Ok(path) => host.open_file(&path, mode).map_err(|error| failed(host, &path, error)),
    };
    match opened {
        Ok(id) => call.push(file_methods::handle(id, mode)),
        Err(raise) => {
            call.push(Value::Nil);
            call.push(Value::String(raise.message));
        }
    }
    Ok(())
}

pub const NATIVES: &[Native] = &[
    Native { name: "attributes", run: attributes },
    Native { name: "combine", run: combine },
    Native { name: "copy", run: copy },
    Native { name: "delete", run: delete },
    Native { name: "exists", run: exists },
    Native { name: "find", run: find },
    Native { name: "getCapacity", run: get_capacity },
    Native { name: "getDir", run: get_dir },
    Native { name: "getDrive", run: get_drive },
    Native { name: "getFreeSpace", run: get_free_space },
    Native { name: "getName", run: get_name },
    Native { name: "getSize", run: get_size },
    Native { name: "isDir", run: is_dir },
    Native { name: "isDriveRoot", run: is_drive_root },
    Native { name: "isReadOnly", run: is_read_only },
    Native { name: "list", run: list },
    Native { name: "makeDir", run: make_dir },
    Native { name: "move", run: rename },
    Native { name: "open", run: open },
];
