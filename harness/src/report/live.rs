//! The lines of a run while it runs, on stderr: on a terminal one that moves for each scenario that runs, below those
//! that have ended; anywhere else only the latter.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use console::{Term, truncate_str};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::files::shown;
use super::results::{Entry, Verdict, milliseconds};
use super::summary::Colours;
use super::text::plain;
use crate::emulators::Kind;
use crate::record::Record;
use crate::suite::{Outcome, Report, Told};

/// Often enough to look alive, and nothing against what an emulator costs.
const TICK: Duration = Duration::from_millis(100);

/// The width of what stands around a scenario's name: the spinner, the time, the spaces.
const AROUND: usize = 12;

/// Of a failure; a transcript of a thousand computers would hide the other failures.
const LINES: usize = 300;

/// Tells of a run.
#[derive(Debug)]
pub struct Live {
    bars: MultiProgress,
    all: ProgressBar,
    running: Mutex<BTreeMap<usize, ProgressBar>>,
    failed: Mutex<usize>,
    moving: bool,
    colours: Colours,
    report: Option<PathBuf>,
}

impl Live {
    /// Lines for so many scenarios, whose pages are in a folder.
    pub fn new(count: usize, report: Option<PathBuf>) -> Self {
        let moving =
            console::user_attended_stderr() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let target = if moving { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bars = MultiProgress::with_draw_target(target);
        let all = bars.add(ProgressBar::new(count as u64));
        all.set_style(style("{bar:28} {pos} of {len} {msg}  {elapsed}").progress_chars("━━╌"));
        if moving {
            all.enable_steady_tick(TICK);
        }
        let colours = Colours::of_stderr();
        Self { bars, all, running: Mutex::default(), failed: Mutex::default(), moving, colours, report }
    }

    pub fn hear(&self, told: &Told<'_>) {
        match told {
            Told::Begun { order, scenario, emulator, record } => {
                self.begin(*order, scenario, *emulator, record);
            }
            Told::Ended(report) => self.end(report),
        }
    }

    fn begin(&self, order: usize, scenario: &str, emulator: Kind, record: &Arc<Record>) {
        if !self.moving {
            return;
        }
        let bar = self.bars.insert_before(&self.all, ProgressBar::new_spinner());
        let prefix = format!("{emulator:<10} {scenario:<26}");
        let (record, before) = (record.clone(), prefix.chars().count() + AROUND);
        let step = move |_: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
            let (step, width) = (record.present(), usize::from(Term::stderr().size().1));
            let line = plain(step.lines().next().unwrap_or_default());
            let _ = text.write_str(&truncate_str(&line, width.saturating_sub(before), "…"));
        };
        bar.set_style(style("{spinner} {prefix} {elapsed:>4}  {step}").with_key("step", step));
        bar.set_prefix(prefix);
        bar.enable_steady_tick(TICK);
        locked(&self.running).insert(order, bar);
    }

    fn end(&self, report: &Report) {
        if let Some(bar) = locked(&self.running).remove(&report.order) {
            bar.finish_and_clear();
            self.bars.remove(&bar);
        }
        if matches!(report.outcome, Outcome::Failed(_) | Outcome::Broken(_)) {
            let mut failed = locked(&self.failed);
            *failed += 1;
            self.all.set_message(self.colours.paint(Verdict::Failed, &format!("{failed} failed")));
        }
        self.say(line(report, self.report.as_deref(), &self.colours).trim_end());
        self.all.inc(1);
    }

    /// Prints above what moves.
    pub fn say(&self, text: &str) {
        if self.moving {
            let _ = self.bars.println(text);
        } else {
            eprintln!("{text}");
        }
    }

    /// Removes what moves.
    pub fn finish(&self) {
        self.all.finish_and_clear();
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // A bar that still ticks would draw itself again.
        for bar in locked(&self.running).values() {
            bar.disable_steady_tick();
        }
        self.all.disable_steady_tick();
        let _ = self.bars.clear();
        self.bars.set_draw_target(ProgressDrawTarget::hidden());
    }
}

fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().expect("the lock is never poisoned: no code panics while holding it")
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates here are right")
}

/// What is said of a scenario that has ended.
fn line(report: &Report, folder: Option<&std::path::Path>, colours: &Colours) -> String {
    let entry = Entry::from_report(report);
    let (verdict, word) = match report.outcome {
        Outcome::Passed => (Verdict::Passed, "ok      "),
        Outcome::Accepted => (Verdict::Accepted, "accepted"),
        Outcome::Failed(_) => (Verdict::Failed, "FAILED  "),
        Outcome::Broken(_) => (Verdict::Broken, "BROKEN  "),
        Outcome::Skipped(_) => (Verdict::Skipped, "skipped "),
    };
    let round = if report.round > 1 { format!(" (round {})", report.round) } else { String::new() };
    let emulator = entry.emulator_name();
    let head = format!("{} {emulator:<10} {}{round}", colours.paint(verdict, word), report.scenario);
    let time = milliseconds(report.time);
    let time = colours.dim(&format!("{}.{:02} s", time / 1000, time % 1000 / 10));
    match &report.outcome {
        Outcome::Passed | Outcome::Accepted => format!("{head}  {time}"),
        Outcome::Skipped(reason) => format!("{head}: {}", plain(reason)),
        Outcome::Failed(why) | Outcome::Broken(why) => {
            let page = entry.files.get("page").zip(folder).map(|(page, folder)| shown(&folder.join(page)));
            let page = page.map(|page| format!("page: {page}\n")).unwrap_or_default();
            format!("{head}  {time}\n{}\n{page}", coloured(plain(why).trim_end(), colours))
        }
    }
}

/// A diff in its colours, as far as anybody scrolls back.
fn coloured(text: &str, colours: &Colours) -> String {
    let count = text.lines().count();
    let rest = if count > LINES {
        format!("\n… {} more lines, on the page", count - LINES)
    } else {
        String::new()
    };
    let one = |line: &str| {
        if line.starts_with("+ ") {
            colours.paint(Verdict::Passed, line)
        } else if line.starts_with("- ") {
            colours.paint(Verdict::Failed, line)
        } else {
            line.to_owned()
        }
    };
    text.lines().take(LINES).map(one).collect::<Vec<_>>().join("\n") + &rest
}
