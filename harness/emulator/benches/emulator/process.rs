//! A process that ends with its value, and what the system says about its CPU time and memory.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

/// Longer than any of these runs takes on a slow machine: only a process that hangs reaches it.
const LONGEST: Duration = Duration::from_secs(120);
/// How often a condition is looked at: far below what is measured.
const POLL: Duration = Duration::from_micros(100);
/// Clock ticks in a second, in `/proc/PID/stat`: Linux has no other value on machines of today.
const TICKS: f64 = 100.0;

/// A child that is killed when it is dropped.
pub struct Process(Child);

impl Process {
    pub fn spawn(command: &mut Command) -> anyhow::Result<Self> {
        let name = command.get_program().to_owned();
        Ok(Self(command.spawn().with_context(|| format!("failed to start `{}`", name.display()))?))
    }

    /// Waits until the process has ended by itself, with code 0.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let status = until("the emulator to end", || Ok(self.0.try_wait()?))?;
        if !status.success() {
            bail!("the emulator ended with {status}");
        }
        Ok(())
    }

    /// Seconds of CPU, of all its threads, where the system tells.
    pub fn cpu_seconds(&self) -> Option<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).ok()?;
        // The name, in parentheses, may have blanks in it; user and system time are fields 14 and 15.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        Some((user + system) / TICKS)
    }

    /// KiB of memory, with what is shared counted by its share, where the system tells.
    pub fn proportional_kib(&self) -> Option<f64> {
        let rollup = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.0.id())).ok()?;
        let line = rollup.lines().find(|line| line.starts_with("Pss:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }

    /// Whether it has ended.
    pub fn ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for a condition.
pub fn until<T>(what: &str, mut look: impl FnMut() -> anyhow::Result<Option<T>>) -> anyhow::Result<T> {
    let start = Instant::now();
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if start.elapsed() > LONGEST {
            bail!("waited {} s for {what}", LONGEST.as_secs());
        }
        std::thread::sleep(POLL);
    }
}

/// Seconds of CPU of all children that have ended.
#[cfg(unix)]
pub fn cpu_of_children() -> Option<f64> {
    usage(libc::RUSAGE_CHILDREN)
}

/// Seconds of CPU of this process.
#[cfg(unix)]
pub fn own_cpu() -> Option<f64> {
    usage(libc::RUSAGE_SELF)
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "the standard library does not tell the CPU time")]
fn usage(who: libc::c_int) -> Option<f64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the pointer is valid for a whole record, which the system fills when it returns 0.
    let usage = unsafe {
        if libc::getrusage(who, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    #[expect(clippy::cast_precision_loss, reason = "seconds and microseconds of a run fit a double")]
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    Some(seconds(usage.ru_utime) + seconds(usage.ru_stime))
}

#[cfg(not(unix))]
pub fn cpu_of_children() -> Option<f64> {
    None
}

#[cfg(not(unix))]
pub fn own_cpu() -> Option<f64> {
    None
}
