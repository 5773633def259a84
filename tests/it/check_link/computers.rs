//! Computers that the kit checks: `mcp-computer` on both emulators, and through a proxy that makes it wrong in one way.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use craftos_harness::computer::{Computer, PROGRAM, Spec};
use craftos_harness::emulators::Kind;
use mcp_bridge::check_link::of_computer::{Subject, check};
use mcp_bridge::check_link::report::Report;
use rstest::rstest;
use serde_json::Value;
use tokio::net::TcpListener;

use super::proxy::{self, Change, Frame, From};
use crate::context::{emulator, places};

/// How long the kit looks whether a right computer connects again after `replaced`. It has ended by then.
const SHORT: Duration = Duration::from_secs(1);

/// How long it looks where one is known to come: that ends the wait.
const LONG: Duration = Duration::from_secs(60);

/// Boots a computer that links through this proxy, if any, and gives what the kit says of it.
async fn report_on(kind: Kind, change: Option<Change>, set: impl FnOnce(&mut Subject)) -> Option<Report> {
    let emulator = emulator(kind).await?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("some port is free");
    let mut address = listener.local_addr().expect("it is bound");
    if let Some(change) = change {
        address = proxy::start(address.to_string(), "\0", change).await;
    }
    let mut subject = Subject::new(listener);
    subject.quiet = SHORT;
    set(&mut subject);
    let spec = Spec {
        install: Some(places().program),
        program: PROGRAM.to_owned(),
        arguments: vec![format!("ws://{address}")],
        label: Some("base-türtle".to_owned()),
        ..Spec::new(12)
    };
    let computer = Computer::boot(&emulator, spec).expect("it starts");
    let report = check(&subject).await.unwrap_or_else(|error| panic!("{error}\n{}", computer.last()));
    computer.end().await;
    Some(report)
}

fn lines(report: &Report) -> String {
    let mut lines = Vec::new();
    report.write_lines(&mut lines).expect("memory takes it");
    String::from_utf8(lines).expect("UTF-8")
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc, false, 37)]
#[case::embedded(Kind::Embedded, false, 37)]
#[case::craftos_pc_turned_off(Kind::CraftosPc, true, 37)]
#[case::embedded_turned_off(Kind::Embedded, true, 37)]
#[tokio::test]
async fn mcp_computer_passes(#[case] kind: Kind, #[case] turn_off: bool, #[case] passed: usize) {
    let Some(report) = report_on(kind, None, |subject| subject.turn_off = turn_off).await else { return };
    assert!(report.failed().is_empty(), "{}", lines(&report));
    assert_eq!(report.passed().len(), passed, "{}", lines(&report));
    assert_eq!(report.passed().contains(&"C-END-5"), turn_off);
}

/// Changes what a computer says.
fn says(change: impl Fn(Value) -> Vec<Value> + Send + Sync + 'static) -> Change {
    Arc::new(move |_, from, frame| match (from, frame) {
        (From::Computer, Frame::Text(text)) => {
            let said: Value = serde_json::from_str(&text).expect("`mcp-computer` sends JSON");
            let changed = change(said.clone());
            if changed == [said] {
                return vec![Frame::Text(text)];
            }
            changed.iter().map(|frame| Frame::Text(frame.to_string())).collect()
        }
        (_, frame) => vec![frame],
    })
}

fn answers_twice() -> Change {
    says(|said| if said["type"] == "response" { vec![said.clone(), said] } else { vec![said] })
}

fn has_words_of_its_own() -> Change {
    says(|mut said| {
        if said["error"] == "unknown method" {
            said["error"] = "huh?".into();
        }
        vec![said]
    })
}

fn counts_parts_from_one() -> Change {
    says(|mut said| {
        if let (Some(seq), true) = (said["seq"].as_u64(), said["type"] == "part") {
            said["seq"] = (seq + 1).into();
        }
        vec![said]
    })
}

/// It takes every bridge for one that knows all.
fn sends_what_was_not_agreed() -> Change {
    let all = r#"{"type":"hello-ok","capabilities":["exec-lua","cancel","output","parts","tools","bye"]}"#;
    Arc::new(move |_, from, frame| match frame {
        Frame::Text(text) if from == From::Bridge && text == r#"{"type":"hello-ok"}"# => {
            vec![Frame::Text(all.to_owned())]
        }
        other => vec![other],
    })
}

fn comes_back_after_replaced() -> Change {
    Arc::new(|_, _, frame| match frame {
        Frame::Close(4000, reason) => vec![Frame::Close(1001, reason)],
        other => vec![other],
    })
}

/// It starts a job that it knows under another name.
fn runs_jobs_again() -> Change {
    let known: Mutex<HashSet<String>> = Mutex::default();
    Arc::new(move |_, _, frame| {
        let Frame::Text(text) = &frame else { return vec![frame] };
        let mut said: Value = serde_json::from_str(text).unwrap_or_default();
        let job = said["params"]["job"].as_str().unwrap_or_default().to_owned();
        if said["method"] != "start-job" || known.lock().expect("not poisoned").insert(job.clone()) {
            return vec![frame];
        }
        said["params"]["job"] = format!("{job}-again").into();
        vec![Frame::Text(said.to_string())]
    })
}

#[rstest]
#[case::twice(answers_twice(), SHORT, &["C-REQUEST-4"])]
#[case::words(has_words_of_its_own(), SHORT, &["C-REQUEST-3"])]
#[case::parts(counts_parts_from_one(), SHORT, &["C-PART-2"])]
#[case::not_agreed(sends_what_was_not_agreed(), SHORT, &["C-FRAME-3", "C-PART-5"])]
#[case::replaced(comes_back_after_replaced(), LONG, &["C-END-4"])]
#[case::jobs(runs_jobs_again(), SHORT, &["C-JOB-2"])]
#[tokio::test]
async fn a_wrong_computer_is_told_what_is_wrong(
    #[case] change: Change,
    #[case] quiet: Duration,
    #[case] failed: &[&str],
) {
    let report =
        report_on(Kind::Embedded, Some(change), |subject| subject.quiet = quiet).await.expect("it is there");
    assert_eq!(report.failed(), failed, "{}", lines(&report));
}
