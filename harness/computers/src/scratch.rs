//! Temporary folders that go away with the harness, also when it is killed.
//!
//! A folder is removed when it is dropped. For a harness that has no time for that there is a janitor: the same
//! program in another role, which reads on a pipe what is there, and removes what is left when the pipe ends. It kills
//! the process groups that are left as well: where the kernel cannot tie a process to its parent, nothing else would.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, ExitCode, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::emulators::{ROLE_VARIABLE, self_as_program};

/// Keeps the folders of a run, and prints where they are.
pub const KEEP_VARIABLE: &str = "KEEP_TEMP_DIR";

/// The role of the janitor, as [`ROLE_VARIABLE`] names it.
pub const JANITOR: &str = "janitor";

/// How long the janitor tries to remove a folder: processes that were killed a moment ago may still write to it.
const REMOVING: Duration = Duration::from_secs(10);

/// How long it waits between two tries.
const AGAIN: Duration = Duration::from_millis(20);

/// `CREATE_NEW_PROCESS_GROUP` and `CREATE_NO_WINDOW`: a process that has neither our keys nor our console.
#[cfg(windows)]
const APART: u32 = 0x0000_0200 | 0x0800_0000;

/// Where Linux has a file system in memory.
#[cfg(target_os = "linux")]
const MEMORY: &str = "/dev/shm";

/// How much of it has to be free: the folders of a thousand simulated computers take a tenth of that. Containers often have
/// only 64 MiB there.
#[cfg(target_os = "linux")]
const MEMORY_ROOM: u64 = 1024 * 1024 * 1024;

/// Where folders are made, once somebody has chosen.
static PLACE: OnceLock<PathBuf> = OnceLock::new();

/// Where folders are made: the system's place for temporary files, unless they are [`keep_in_memory`].
pub fn place() -> PathBuf {
    PLACE.get().cloned().unwrap_or_else(std::env::temp_dir)
}

/// Lets folders be made in memory from now on, where the host has room for that and nobody has said where they should be.
/// On a disk a simulation takes longer by a third: it makes and removes thousands of small files.
pub fn keep_in_memory() {
    #[cfg(target_os = "linux")]
    if std::env::var_os("TMPDIR").is_none() && memory_has_room() {
        let _ = PLACE.set(MEMORY.into());
    }
}

#[cfg(target_os = "linux")]
fn memory_has_room() -> bool {
    use rustix::fs::{Access, access, statvfs};
    access(MEMORY, Access::WRITE_OK).is_ok()
        && statvfs(MEMORY).is_ok_and(|stat| stat.f_bavail.saturating_mul(stat.f_frsize) >= MEMORY_ROOM)
}

/// A temporary folder.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    is_kept: bool,
}

impl Scratch {
    /// Makes a folder; `what` says whose it is where it is kept.
    pub fn new(what: &str) -> io::Result<Self> {
        let is_kept = std::env::var_os(KEEP_VARIABLE).is_some_and(|value| !value.is_empty() && value != "0");
        loop {
            let path = place().join(format!("craftos-harness-{:016x}", chance()));
            // Before it is there: a harness may be killed at any moment.
            if !is_kept {
                tell(&Line::Folder(path.clone()), true);
            }
            match make(&path) {
                Ok(()) if is_kept => eprintln!("{what}: `{}` is kept", path.display()),
                Ok(()) => {}
                Err(error) => {
                    tell(&Line::Folder(path), false);
                    if error.kind() == io::ErrorKind::AlreadyExists {
                        continue;
                    }
                    return Err(error);
                }
            }
            return Ok(Self { path, is_kept });
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // One that cannot be removed now is the janitor's.
        if !self.is_kept && std::fs::remove_dir_all(&self.path).is_ok() {
            tell(&Line::Folder(self.path.clone()), false);
        }
    }
}

/// Makes a folder that nobody else may look into.
fn make(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::DirBuilderExt::mode(&mut std::fs::DirBuilder::new(), 0o700).create(path);
    #[cfg(not(unix))]
    std::fs::create_dir(path)
}

/// A number that nobody can guess, other than all before it.
fn chance() -> u64 {
    RandomState::new().hash_one(Instant::now())
}

/// Tells the janitor of a process group that is there, or no longer.
pub fn process_group(id: u32, there: bool) {
    tell(&Line::Group(id), there);
}

/// What the janitor is told of.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Line {
    Group(u32),
    Folder(PathBuf),
}

impl Line {
    /// A line is `+folder PATH`, `-folder PATH`, `+group ID` or `-group ID`; nothing for a path that is no line.
    fn write(&self, there: bool) -> Option<String> {
        let sign = if there { '+' } else { '-' };
        match self {
            Self::Group(id) => Some(format!("{sign}group {id}\n")),
            Self::Folder(path) => {
                path.to_str().filter(|path| !path.contains('\n')).map(|path| format!("{sign}folder {path}\n"))
            }
        }
    }

    fn read(line: &str) -> Option<(Self, bool)> {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "+folder" | "-folder" => Some((Self::Folder(rest.into()), word.starts_with('+'))),
            "+group" | "-group" => Some((Self::Group(rest.parse().ok()?), word.starts_with('+'))),
            _ => None,
        }
    }
}

/// The pipe to the janitor; nothing where it could not be started.
static PIPE: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

fn tell(line: &Line, there: bool) {
    let Some(pipe) = PIPE.get_or_init(start) else { return };
    if let Some(text) = line.write(there) {
        let _ = pipe.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes());
    }
}

fn start() -> Option<Mutex<ChildStdin>> {
    let mut command = Command::new(self_as_program()?);
    command.env(ROLE_VARIABLE, JANITOR).current_dir(std::env::temp_dir());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C in a terminal goes to the group in front, and a console ends all that are in it: the janitor has to outlive
    // both.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, APART);
    let mut janitor = command.spawn().ok()?;
    janitor.stdin.take().map(Mutex::new)
}

/// The janitor: reads until the pipe ends, then kills and removes what is left.
pub fn clean_up() -> ExitCode {
    let mut left = BTreeSet::new();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match Line::read(&line) {
            Some((line, true)) => left.insert(line),
            Some((line, false)) => left.remove(&line),
            None => false,
        };
    }
    // In the order of `Line`: who writes to a folder is ended before it is removed.
    for line in left {
        match line {
            Line::Group(id) => kill_group(id),
            Line::Folder(path) => remove(&path),
        }
    }
    ExitCode::SUCCESS
}

#[cfg(unix)]
fn kill_group(id: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// A job object ends with whoever holds it.
#[cfg(not(unix))]
fn kill_group(_: u32) {}

fn remove(path: &Path) {
    let deadline = Instant::now() + REMOVING;
    while std::fs::remove_dir_all(path).is_err() && path.exists() && Instant::now() < deadline {
        std::thread::sleep(AGAIN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_janitor_reads_what_it_is_told() {
        for line in [Line::Group(7), Line::Folder("/tmp/a b".into())] {
            for there in [true, false] {
                let text = line.write(there).expect("it can be said");
                let (read, sign) = Line::read(text.trim_end()).expect("it can be read");
                assert_eq!((&read, sign), (&line, there));
            }
        }
        assert_eq!(Line::Folder("/tmp/a\n+folder /".into()).write(true), None);
        assert_eq!(Line::read("+folder"), None);
    }
}
