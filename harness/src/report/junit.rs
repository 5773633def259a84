//! The results as `JUnit` XML: a suite for each emulator, a case for each scenario.

use std::fmt::Write as _;

use super::results::{Entry, Results, Tally, Verdict};
use super::text::markup;

/// Writes the whole document.
pub fn write(results: &Results) -> String {
    let count = |of: fn(&Tally) -> usize| results.summary.iter().map(of).sum::<usize>();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"craftos-harness\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\">\n",
        results.results.len(),
        count(|tally| tally.failed),
        count(|tally| tally.broken),
        count(|tally| tally.skipped),
        seconds(results.runs.iter().map(|run| run.duration_ms).max().unwrap_or(0)),
    );
    for tally in &results.summary {
        text.push_str(&suite(results, tally));
    }
    for (kind, reason) in results.missing() {
        let _ = writeln!(
            text,
            "  <testsuite name=\"{kind}\" tests=\"0\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"0.000\">\n    <properties><property name=\"did-not-run\" value=\"{}\"/></properties>\n  </testsuite>",
            markup(&reason)
        );
    }
    text + "</testsuites>\n"
}

fn suite(results: &Results, tally: &Tally) -> String {
    let (kind, name) = (tally.emulator, tally.name());
    let entries: Vec<&Entry> = results.results.iter().filter(|entry| tally.counts(entry)).collect();
    let started = results.runs.iter().map(|run| run.started.as_str()).min().unwrap_or_default();
    let mut text = format!(
        "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\" timestamp=\"{}\">\n    <properties>\n",
        entries.len(),
        tally.failed,
        tally.broken,
        tally.skipped,
        seconds(tally.duration_ms),
        markup(started.trim_end_matches('Z')),
    );
    let mut property = |name: &str, value: &str| {
        let _ = writeln!(text, "      <property name=\"{name}\" value=\"{}\"/>", markup(value));
    };
    property("emulator-version", &results.versions(kind).join(", "));
    for run in &results.runs {
        let machine = &run.machine;
        property(
            "machine",
            &format!("{} {}, {} processors", machine.os, machine.architecture, machine.processors),
        );
        if let Some(seed) = run.seed {
            property("seed", &seed.to_string());
        }
    }
    text.push_str("    </properties>\n");
    for entry in &entries {
        text.push_str(&case(entry, report_of(results)));
    }
    text + "  </testsuite>\n"
}

/// The folder that the files are in, where there is one for all.
fn report_of(results: &Results) -> Option<String> {
    let mut folders = results.runs.iter().map(|run| run.report.as_deref());
    let first = folders.next()??;
    folders.all(|folder| folder == Some(first)).then(|| first.display().to_string())
}

fn case(entry: &Entry, report: Option<String>) -> String {
    let round = if entry.round > 1 { format!(" (round {})", entry.round) } else { String::new() };
    let mut text = format!(
        "    <testcase classname=\"{}\" name=\"{}{round}\" time=\"{}\">\n",
        entry.emulator_name(),
        markup(&entry.scenario),
        seconds(entry.duration_ms)
    );
    let reason = entry.reason.as_deref().unwrap_or_default();
    let first = markup(reason.lines().next().unwrap_or_default());
    let _ = match entry.outcome {
        Verdict::Passed | Verdict::Accepted => Ok(()),
        Verdict::Failed => {
            writeln!(text, "      <failure message=\"{first}\">{}</failure>", markup(reason))
        }
        Verdict::Broken => writeln!(text, "      <error message=\"{first}\">{}</error>", markup(reason)),
        Verdict::Skipped => writeln!(text, "      <skipped message=\"{}\"/>", markup(reason)),
    };
    if !entry.files.is_empty() {
        let folder = report.map(|report| format!("{report}/")).unwrap_or_default();
        let lines: String =
            entry.files.iter().map(|(what, file)| [what, ": ", &folder, file, "\n"].concat()).collect();
        let _ = writeln!(text, "      <system-out>{}</system-out>", markup(&lines));
    }
    text + "    </testcase>\n"
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}
