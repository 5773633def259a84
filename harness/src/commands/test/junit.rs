//! Results of specs as JUnit XML: a suite for each emulator, a case for each `it`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use craftos_specs::results::Outcome;
use craftos_specs::show;
use craftos_specs::suite::Ran;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::suite::chain;

/// Writes the file. A spec file that could not be run is a case as well: nobody takes its silence for success.
pub fn write(path: &Path, ran: &Ran) -> anyhow::Result<()> {
    let mut suites: BTreeMap<String, TestSuite> = BTreeMap::new();
    let mut add = |emulator: &str, case: TestCase| {
        let suite = suites.entry(emulator.to_owned()).or_insert_with(|| TestSuite::new(emulator));
        suite.add_test_case(case);
    };
    for result in &ran.results {
        let mut status = match &result.outcome {
            Outcome::Passed => TestCaseStatus::success(),
            Outcome::Pending => TestCaseStatus::skipped(),
            Outcome::Failed(_) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        };
        if let Outcome::Failed(failure) = &result.outcome {
            status.set_message(failure.message.lines().next().unwrap_or_default());
            status.set_description(show::failure(failure));
        }
        let mut case = TestCase::new(result.full_name(), status);
        case.set_classname(result.file.display().to_string());
        case.set_time(Duration::from_secs_f64(result.ms.max(0.0) / 1000.0));
        add(&result.emulator, case);
    }
    for broken in &ran.broken {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(broken.error.to_string());
        status.set_description(chain(&broken.error));
        let mut case = TestCase::new("(the file)", status);
        case.set_classname(broken.file.display().to_string());
        add(&broken.emulator, case);
    }
    let mut report = Report::new("craftos-harness test");
    report.add_test_suites(suites.into_values());
    let text = report.to_string().context("failed to write the results as XML")?;
    std::fs::write(path, text).with_context(|| format!("failed to write `{}`", path.display()))
}
