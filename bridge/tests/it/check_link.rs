//! The conformance kit's list and its report. What it finds on real sides is in the project's end-to-end tests.

use std::collections::BTreeSet;

use mcp_bridge::check_link::report::{Report, not_applicable, wrong};
use mcp_bridge::check_link::requirement::Side;

#[test]
fn the_specification_names_every_requirement_and_no_other() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/LINK-PROTOCOL.md");
    let specification = std::fs::read_to_string(path).expect("the specification");
    let is_id = |word: &&str| {
        let parts: Vec<&str> = word.split('-').collect();
        matches!(parts[..], ["B" | "C", topic, number]
            if topic.chars().all(|c| c.is_ascii_uppercase()) && number.chars().all(|c| c.is_ascii_digit()))
    };
    let words = specification.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let written: BTreeSet<&str> = words.filter(is_id).collect();
    let both = [Side::Bridge, Side::Computer].into_iter().flat_map(Side::requirements).map(|one| one.id);
    let known: BTreeSet<&str> = both.clone().collect();
    assert_eq!(known.len(), both.count(), "each id is used once");
    assert_eq!(written, known);
}

#[test]
fn each_requirement_has_its_line_and_what_failed_says_why() {
    let mut report = Report::new(Side::Bridge);
    report.add("B-HELLO-1", Ok(()));
    report.add("B-HELLO-4", Err(wrong("code 1008", "code 1000\u{1b}[2J")));
    report.add("B-UPGRADE-3", Err(not_applicable("no token was given")));
    let mut lines = Vec::new();
    report.write_lines(&mut lines).expect("memory takes it");
    let lines = String::from_utf8(lines).expect("UTF-8");
    assert!(lines.contains("passed          B-HELLO-1     answers a hello"), "{lines}");
    assert!(lines.contains("expected: code 1008\n"), "{lines}");
    assert!(lines.contains("seen:     code 1000\\u{1b}[2J\n"), "{lines}");
    assert!(lines.contains("HTTP 403: no token was given\n"), "{lines}");
    assert!(lines.contains("the bridge: 1 passed, 1 failed, 42 not applicable"), "{lines}");
    assert_eq!((report.passed(), report.failed()), (vec!["B-HELLO-1"], vec!["B-HELLO-4"]));
    let listed = report.to_json()["requirements"].as_array().map(Vec::len);
    assert_eq!(listed, Some(Side::Bridge.requirements().len()));
}
