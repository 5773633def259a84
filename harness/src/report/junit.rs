//! The results as JUnit XML: a suite for each emulator, a case for each scenario.

use std::time::Duration;

use chrono::DateTime;
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use super::results::{Entry, Results, Tally, Verdict};
use super::text::plain;

/// Writes the whole document.
pub fn write(results: &Results) -> String {
    let mut report = Report::new("craftos-harness");
    report.set_time(milliseconds(results.runs.iter().map(|run| run.duration_ms).max().unwrap_or(0)));
    report.add_test_suites(results.summary.iter().map(|tally| suite(results, tally)));
    for (kind, reason) in results.missing() {
        let mut suite = TestSuite::new(kind.to_string());
        suite.add_property(Property::new("did-not-run", plain(&reason)));
        report.add_test_suite(suite);
    }
    report.to_string().expect("a document in memory can always be written")
}

fn suite(results: &Results, tally: &Tally) -> TestSuite {
    let kind = tally.emulator;
    let mut suite = TestSuite::new(tally.name());
    suite.set_time(milliseconds(tally.duration_ms));
    let started = results.runs.iter().map(|run| run.started.as_str()).min();
    if let Some(started) = started.and_then(|started| DateTime::parse_from_rfc3339(started).ok()) {
        suite.set_timestamp(started);
    }
    suite.add_property(Property::new("emulator-version", plain(&results.versions(kind).join(", "))));
    for run in &results.runs {
        let machine = &run.machine;
        let words = format!("{} {}, {} processors", machine.os, machine.architecture, machine.processors);
        suite.add_property(Property::new("machine", plain(&words)));
        if let Some(seed) = run.seed {
            suite.add_property(Property::new("seed", seed.to_string()));
        }
    }
    let report = report_of(results);
    let entries = results.results.iter().filter(|entry| tally.counts(entry));
    suite.add_test_cases(entries.map(|entry| case(entry, report.as_deref())));
    suite
}

/// The folder that the files are in, where there is one for all.
fn report_of(results: &Results) -> Option<String> {
    let mut folders = results.runs.iter().map(|run| run.report.as_deref());
    let first = folders.next()??;
    folders.all(|folder| folder == Some(first)).then(|| first.display().to_string())
}

fn case(entry: &Entry, report: Option<&str>) -> TestCase {
    let round = if entry.round > 1 { format!(" (round {})", entry.round) } else { String::new() };
    let mut case = TestCase::new(format!("{}{round}", plain(&entry.scenario)), status(entry));
    case.set_classname(entry.emulator_name());
    case.set_time(milliseconds(entry.duration_ms));
    if !entry.files.is_empty() {
        let folder = report.map(|report| format!("{report}/")).unwrap_or_default();
        let lines: String =
            entry.files.iter().map(|(what, file)| [what, ": ", &folder, file, "\n"].concat()).collect();
        case.set_system_out(plain(&lines));
    }
    case
}

fn status(entry: &Entry) -> TestCaseStatus {
    let reason = plain(entry.reason.as_deref().unwrap_or_default());
    match entry.outcome {
        Verdict::Passed | Verdict::Accepted => TestCaseStatus::success(),
        Verdict::Skipped => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reason);
            status
        }
        Verdict::Failed => red(NonSuccessKind::Failure, &reason),
        Verdict::Broken => red(NonSuccessKind::Error, &reason),
    }
}

fn red(kind: NonSuccessKind, reason: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(reason.lines().next().unwrap_or_default());
    status.set_description(reason);
    status
}

fn milliseconds(time: u64) -> Duration {
    Duration::from_millis(time)
}
