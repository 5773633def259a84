//! What a person reads at a glance: for each emulator how many passed, failed and did not run, and why; and the time.

use std::fmt::Write as _;
use std::path::Path;

use console::Style;

use super::files::{PAGE, shown};
use super::results::{End, Entry, Results, Tally, Verdict};
use super::text::plain;
use crate::suite::STOPPED;

/// The colours of a stream; none, where it is no terminal or `NO_COLOR` is set.
#[derive(Debug, Clone)]
pub struct Colours {
    on: bool,
}

impl Colours {
    pub fn of_stdout() -> Self {
        Self { on: console::colors_enabled() && wanted() }
    }

    pub fn of_stderr() -> Self {
        Self { on: console::colors_enabled_stderr() && wanted() }
    }

    /// A word for an outcome in its colour.
    pub fn paint(&self, verdict: Verdict, text: &str) -> String {
        let style = match verdict {
            Verdict::Passed => Style::new().green(),
            Verdict::Accepted => Style::new().cyan(),
            Verdict::Failed => Style::new().red().bold(),
            Verdict::Broken => Style::new().magenta().bold(),
            Verdict::Skipped => Style::new().yellow(),
        };
        style.force_styling(self.on).apply_to(text).to_string()
    }

    pub fn dim(&self, text: &str) -> String {
        Style::new().dim().force_styling(self.on).apply_to(text).to_string()
    }
}

fn wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The whole summary; `report` is the folder that has the pages.
pub fn summary(results: &Results, report: Option<&Path>, colours: &Colours) -> String {
    let mut text = String::new();
    for tally in &results.summary {
        let _ = writeln!(text, "{}", line(tally, colours));
        for entry in results.results.iter().filter(|entry| tally.counts(entry)) {
            text.push_str(&exception(entry, report, colours));
        }
    }
    for (kind, reason) in results.missing() {
        let _ = writeln!(text, "{kind}: did not run: {}", plain(&reason));
    }
    if results.left() > 0 {
        let words = format!("stopped: {} not played to the end", results.left());
        let _ = writeln!(text, "{}", colours.paint(Verdict::Failed, &words));
    }
    if results.end() == End::NothingRan {
        let words = "nothing ran: every scenario was skipped, so nothing is known";
        let _ = writeln!(text, "{}", colours.paint(Verdict::Broken, words));
    }
    let time = results.runs.iter().map(|run| run.duration_ms).max().unwrap_or(0);
    let (seconds, tenths) = (time / 1000, time % 1000 / 100);
    let mut last = format!("{seconds}.{tenths} s");
    let seeds: Vec<String> =
        results.runs.iter().filter_map(|run| run.seed).map(|seed| seed.to_string()).collect();
    if !seeds.is_empty() {
        let _ = write!(last, ", shuffled with seed {}", seeds.join(", "));
    }
    if let Some(report) = report {
        let _ = write!(last, "; report: {}", shown(&report.join(PAGE)));
    }
    let _ = writeln!(text, "{last}");
    text
}

fn line(tally: &Tally, colours: &Colours) -> String {
    let part = |count: usize, verdict: Verdict, name: &str| {
        let words = format!("{count} {name}");
        if count == 0 { colours.dim(&words) } else { colours.paint(verdict, &words) }
    };
    let broken = match tally.broken {
        0 => String::new(),
        count => part(count, Verdict::Broken, "broken") + ", ",
    };
    format!(
        "{}: {}, {}, {broken}{}",
        tally.name(),
        part(tally.passed + tally.accepted, Verdict::Passed, "passed"),
        part(tally.failed, Verdict::Failed, "failed"),
        part(tally.skipped, Verdict::Skipped, "skipped"),
    )
}

/// A line for what did not pass.
fn exception(entry: &Entry, report: Option<&Path>, colours: &Colours) -> String {
    let round = if entry.round > 1 { format!(" (round {})", entry.round) } else { String::new() };
    let name = format!("{}{round}", entry.scenario);
    match entry.outcome {
        Verdict::Passed | Verdict::Accepted => String::new(),
        // They are counted in one line.
        Verdict::Broken if entry.reason.as_deref() == Some(STOPPED) => String::new(),
        Verdict::Skipped => {
            let reason = entry.reason.as_deref().unwrap_or_default();
            format!("  {} {name}: {}\n", colours.paint(Verdict::Skipped, "skipped:"), plain(reason))
        }
        Verdict::Failed | Verdict::Broken => {
            let page = entry.files.get("page").zip(report).map(|(page, report)| shown(&report.join(page)));
            let page = page.map(|page| format!("  {}", colours.dim(&page))).unwrap_or_default();
            let word = format!("{}:", entry.outcome.name());
            format!("  {} {name}{page}\n", colours.paint(entry.outcome, &word))
        }
    }
}
