//! The results as `JUnit` XML, one suite for each emulator.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::suite::{Outcome, Report};

/// Writes the whole document.
pub fn write(reports: &[Report]) -> String {
    let mut suites: BTreeMap<String, Vec<&Report>> = BTreeMap::new();
    for report in reports {
        suites.entry(report.emulator.to_string()).or_default().push(report);
    }
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    for (emulator, reports) in suites {
        let count = |is: fn(&Outcome) -> bool| reports.iter().filter(|report| is(&report.outcome)).count();
        let _ = writeln!(
            text,
            "  <testsuite name=\"{emulator}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">",
            reports.len(),
            count(|outcome| matches!(outcome, Outcome::Failed(_))),
            count(|outcome| matches!(outcome, Outcome::Skipped(_))),
        );
        for report in reports {
            text.push_str(&case(report));
        }
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

fn case(report: &Report) -> String {
    let (name, time) = (escape(&report.scenario), report.time.as_secs_f64());
    let head = format!("    <testcase classname=\"{}\" name=\"{name}\" time=\"{time:.3}\"", report.emulator);
    match &report.outcome {
        Outcome::Passed | Outcome::Accepted => format!("{head}/>\n"),
        Outcome::Failed(why) => format!("{head}><failure>{}</failure></testcase>\n", escape(why)),
        Outcome::Skipped(reason) => format!("{head}><skipped message=\"{}\"/></testcase>\n", escape(reason)),
    }
}

/// Escapes what XML cannot hold; control characters, which it cannot hold at all, become `?`.
fn escape(text: &str) -> String {
    let one = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\n' | '\t' => c.to_string(),
        c if c.is_control() => "?".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulators::Kind;

    #[test]
    fn a_failure_is_escaped() {
        let report = Report {
            scenario: "probe/one".to_owned(),
            emulator: Kind::Embedded,
            outcome: Outcome::Failed("<a> & \u{1b}".to_owned()),
            time: std::time::Duration::ZERO,
        };
        let text = write(&[report]);
        assert!(text.contains("<failure>&lt;a&gt; &amp; ?</failure>"), "{text}");
        assert!(text.contains("tests=\"1\" failures=\"1\" skipped=\"0\""), "{text}");
    }
}
