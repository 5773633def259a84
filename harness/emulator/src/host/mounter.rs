//! `mounter`: what is mounted. Programs cannot mount folders of the host here: the command line does.

use super::{Arguments, Host};
use crate::fs;
use crate::lua::{Call, Native, NativeResult, Raise, Table, Value};

fn list(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let mut table = Table::default();
    for mount in host.fs.mounts().iter().filter(|mount| !mount.at.is_empty()) {
        let places = Value::list([Value::from(mount.drive.as_str())]);
        table.set(&mount.at.join("/"), places);
    }
    call.push(Value::Table(table));
    Ok(())
}

fn is_read_only(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let path = call.text(1)?;
    let parts = fs::sanitize(&path).unwrap_or_default();
    let mount = host
        .fs
        .mounts()
        .iter()
        .find(|mount| !mount.at.is_empty() && mount.at == parts);
    match mount {
        Some(mount) => call.push(mount.read_only),
        None => return Err(Raise::new([&path[..], b": Not mounted"].concat())),
    }
    Ok(())
}

fn mount(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    call.text(1)?;
    call.text(2)?;
    call.push(false);
    Ok(())
}

fn unmount(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    call.text(1)?;
    call.push(false);
    Ok(())
}

pub const NATIVES: &[Native] = &[
    Native {
        name: "isReadOnly",
        run: is_read_only,
    },
    Native {
        name: "list",
        run: list,
    },
    Native {
        name: "mount",
        run: mount,
    },
    Native {
        name: "unmount",
        run: unmount,
    },
];
