//! The line of a run of specs while it runs, on stderr: how many files have ended, below the results. Where stderr is no
//! terminal there is none.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Often enough to look alive, and nothing against what an emulator costs.
const TICK: Duration = Duration::from_millis(100);

/// The line.
#[derive(Debug)]
pub struct Live {
    bar: ProgressBar,
    failed: AtomicUsize,
}

impl Live {
    /// A line for so many files, each counted once for each emulator and round.
    pub fn new(files: usize) -> Self {
        let moving =
            console::user_attended_stderr() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let target = if moving { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(files as u64), target);
        let style = ProgressStyle::with_template("{bar:28} {pos} of {len} files {msg}  {elapsed}");
        bar.set_style(style.expect("the template has known parts only").progress_chars("━━╌"));
        if moving {
            bar.enable_steady_tick(TICK);
        }
        Self { bar, failed: AtomicUsize::new(0) }
    }

    /// Prints a result above the line.
    pub fn result(&self, is_failed: bool, print: impl FnOnce()) {
        if is_failed {
            let failed = self.failed.fetch_add(1, Ordering::Relaxed) + 1;
            self.bar.set_message(format!("· {failed} failed"));
        }
        self.bar.suspend(print);
    }

    pub fn file_ended(&self) {
        self.bar.inc(1);
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
