//! A disk drive. Disks are folders `disk/<number>` beside the computers' folders; programs cannot insert
//! folders of the host.

use super::super::{Arguments, Host};
use crate::fs::{Backend, Disk, Mount};
use crate::lua::{Call, NativeResult, Raise, Value};

pub const METHODS: &[&str] = &[
    "ejectDisk",
    "getAudioTitle",
    "getDiskID",
    "getDiskLabel",
    "getMountPath",
    "hasAudio",
    "hasData",
    "insertDisk",
    "isDiskPresent",
    "playAudio",
    "setDiskLabel",
    "stopAudio",
];

/// Labels are kept outside of Lua's memory, which is counted; no disk's is longer.
const LONGEST_LABEL: usize = 256;

#[derive(Debug)]
struct Inserted {
    id: u32,
    label: Option<Vec<u8>>,
    mount: String,
}

/// A drive, with or without a disk.
#[derive(Debug, Default)]
pub struct Drive {
    inserted: Option<Inserted>,
}

impl Drive {
    pub fn call(&mut self, host: &mut Host, name: &str, method: &str, call: &mut Call<'_>) -> NativeResult {
        match method {
            "isDiskPresent" | "hasData" => call.push(self.inserted.is_some()),
            "hasAudio" => call.push(false),
            "getAudioTitle" => {
                call.push(if self.inserted.is_some() { Value::Nil } else { Value::Bool(false) });
            }
            "getDiskLabel" => {
                if let Some(label) = self.inserted.as_ref().and_then(|disk| disk.label.clone()) {
                    call.push(Value::String(label));
                }
            }
            "setDiskLabel" => {
                // What is no text takes the label away.
                let mut label = call.bytes(1);
                if let Some(label) = &mut label {
                    label.truncate(LONGEST_LABEL);
                }
                if let Some(disk) = &mut self.inserted {
                    disk.label = label;
                }
            }
            "getMountPath" => {
                if let Some(disk) = &self.inserted {
                    call.push(disk.mount.as_str());
                }
            }
            "getDiskID" => {
                if let Some(disk) = &self.inserted {
                    call.push(disk.id);
                }
            }
            "insertDisk" => self.insert(host, name, call)?,
            "ejectDisk" => self.eject(host, name),
            // There are no records.
            _ => {}
        }
        Ok(())
    }

    fn insert(&mut self, host: &mut Host, name: &str, call: &Call<'_>) -> NativeResult {
        let given = call.bytes(1).ok_or_else(|| call.unexpected(1, "string or number"))?;
        let id: u32 = str::from_utf8(&given)
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Raise::new("Could not mount: only disks with a number can be inserted"))?;
        self.eject(host, name);
        let folder = host.world.options().disk_folder(id);
        let disk = std::fs::create_dir_all(&folder).and_then(|()| Disk::new(&folder));
        let disk = disk.map_err(|error| Raise::new(format!("Could not mount: {error}")))?;
        let taken =
            |path: &String| host.fs.mounts().iter().any(|mount| mount.at.len() == 1 && mount.at[0] == *path);
        let mut mount = "disk".to_owned();
        let mut number = 1;
        while taken(&mount) {
            number += 1;
            mount = format!("disk{number}");
        }
        host.fs.mount(Mount {
            at: vec![mount.clone()],
            backend: Backend::Disk(disk),
            read_only: false,
            drive: mount.clone(),
        });
        self.inserted = Some(Inserted { id, label: None, mount });
        host.queue_event(vec!["disk".into(), name.into()]);
        Ok(())
    }

    /// Takes the disk out, if there is one.
    pub fn eject(&mut self, host: &mut Host, name: &str) {
        if let Some(disk) = self.inserted.take() {
            host.fs.unmount(&[disk.mount]);
            host.queue_event(vec!["disk_eject".into(), name.into()]);
        }
    }
}
