//! What Windows is asked that the standard library does not ask: the parent process, and the space on a disk.
//!
//! Not for other systems, where `rustix` answers without unsafe code.
#![expect(unsafe_code, reason = "it calls the functions of the system")]

use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::path::Path;

use windows_sys::Win32::Foundation::{FILETIME, HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetProcessTimes, INFINITE, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION,
    PROCESS_SYNCHRONIZE, WaitForSingleObject,
};

/// All and free bytes of the disk that a folder lies on; free are those that this user may have.
pub fn disk_space(folder: &Path) -> Option<(u64, u64)> {
    let path: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
    let (mut free, mut all) = (0, 0);
    // SAFETY: the path ends in a zero, and the places for the answers outlive the call.
    let answered =
        unsafe { GetDiskFreeSpaceExW(path.as_ptr(), &raw mut free, &raw mut all, std::ptr::null_mut()) };
    (answered != 0).then_some((all, free))
}

/// The parent, to wait for; nothing where it has already ended.
pub fn parent() -> io::Result<Option<OwnedHandle>> {
    let Some(parent) = open(parent_id()?)? else { return Ok(None) };
    // SAFETY: it asks for no handle that would have to be closed.
    let this = started(unsafe { GetCurrentProcess() })?;
    // The id of a process that has ended is given to another one, which is younger than its supposed child.
    let is_older = started(parent.as_raw_handle())? <= this;
    Ok(is_older.then_some(parent))
}

/// Waits until a process has ended.
pub fn wait(process: &OwnedHandle) {
    // SAFETY: the handle is open until the end of the call.
    unsafe { WaitForSingleObject(process.as_raw_handle(), INFINITE) };
}

fn parent_id() -> io::Result<u32> {
    // SAFETY: it asks for a new list of processes, and the handle is checked.
    let list = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) };
    if list == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was opened above, and nobody else closes it.
    let list = unsafe { OwnedHandle::from_raw_handle(list) };
    let size = u32::try_from(size_of::<PROCESSENTRY32W>()).expect("an entry is some hundred bytes long");
    let mut entry = PROCESSENTRY32W { dwSize: size, ..PROCESSENTRY32W::default() };
    // SAFETY: the entry knows its size.
    let mut there = unsafe { Process32FirstW(list.as_raw_handle(), &raw mut entry) };
    while there != 0 {
        if entry.th32ProcessID == std::process::id() {
            return Ok(entry.th32ParentProcessID);
        }
        // SAFETY: as above.
        there = unsafe { Process32NextW(list.as_raw_handle(), &raw mut entry) };
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Opens a process for waiting; nothing where there is none with that id.
fn open(process: u32) -> io::Result<Option<OwnedHandle>> {
    let rights = PROCESS_SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION;
    // SAFETY: the handle is checked.
    let handle = unsafe { OpenProcess(rights, 0, process) };
    if !handle.is_null() {
        // SAFETY: it was opened above, and nobody else closes it.
        return Ok(Some(unsafe { OwnedHandle::from_raw_handle(handle) }));
    }
    let error = io::Error::last_os_error();
    if error.kind() == io::ErrorKind::InvalidInput { Ok(None) } else { Err(error) }
}

/// When a process was started, in the system's own count.
fn started(process: HANDLE) -> io::Result<u64> {
    let [mut created, mut exited, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the places for the answers outlive the call.
    let answered = unsafe {
        GetProcessTimes(process, &raw mut created, &raw mut exited, &raw mut kernel, &raw mut user)
    };
    if answered == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(u64::from(created.dwHighDateTime) << 32 | u64::from(created.dwLowDateTime))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_of_a_folder_has_space() {
        let (all, free) = disk_space(&std::env::temp_dir()).expect("there is such a folder");
        assert!(all >= free && all > 0, "{free} of {all}");
        assert_eq!(disk_space(Path::new(r"Q:\no such folder")), None);
    }

    #[test]
    fn the_parent_is_found_while_it_runs() {
        assert!(parent().expect("it may be looked at").is_some());
    }

    #[test]
    fn a_process_that_is_not_there_is_nothing() {
        // Ids are multiples of four.
        assert!(open(u32::MAX - 2).expect("that is no failure").is_none());
    }
}
