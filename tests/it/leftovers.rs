//! Nothing is left behind: not after Ctrl-C, and not after a harness that was killed.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use craftos_harness::emulators::Kind;
use rstest::rstest;

use crate::context;

/// Longer than anything here takes on a busy machine. Reaching it is a failure, never a pause.
const PATIENCE: Duration = Duration::from_secs(20);

/// Two computers, and whoever cleans up behind a harness that was killed.
const EMULATORS_AND_JANITOR: usize = 3;

/// Starts `up` with two computers and waits until both are linked.
fn up(kind: Kind, temporary: &std::path::Path) -> Child {
    let mut command = Command::new(context::PROGRAM);
    command.args(["up", "2", "--emulator", &kind.to_string()]).env("TMPDIR", temporary);
    let mut harness = command.stdout(Stdio::piped()).spawn().expect("it was built");
    let lines = BufReader::new(harness.stdout.take().expect("it is piped")).lines();
    let linked = lines.map_while(Result::ok).filter(|line| line.starts_with("linked ")).take(2);
    assert_eq!(linked.count(), 2);
    harness
}

/// The processes that a process has started.
fn children(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("this is Linux").flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id| stat(*id).is_some_and(|(_, of)| of == parent)).collect()
}

/// The state and the parent of a process.
fn stat(process: u32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut words = text.rsplit(')').next()?.split_whitespace();
    Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status().expect("there is a `kill`");
    assert!(sent.success());
}

/// Waits until processes have ended; a zombie has, and waits for somebody to ask how.
fn ended(processes: &[u32]) {
    let deadline = Instant::now() + PATIENCE;
    for process in processes {
        while stat(*process).is_some_and(|(state, _)| state != "Z") {
            assert!(Instant::now() < deadline, "process {process} is still there");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Nothing is in a folder, now that all who could write to it have ended.
fn empty(folder: &std::path::Path) {
    let left: Vec<_> = std::fs::read_dir(folder).expect("it is there").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn ctrl_c_leaves_no_process_and_no_folder(#[case] kind: Kind) {
    if context::emulator(kind).await.is_none() {
        return;
    }
    let temporary = tempfile::tempdir().expect("a folder");
    let mut harness = up(kind, temporary.path());
    let started = children(harness.id());
    assert_eq!(started.len(), EMULATORS_AND_JANITOR);
    signal("-INT", harness.id());
    assert_eq!(harness.wait().expect("it ends").code(), Some(2));
    ended(&started);
    empty(temporary.path());
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_killed_harness_leaves_no_process_and_no_folder(#[case] kind: Kind) {
    if context::emulator(kind).await.is_none() {
        return;
    }
    let temporary = tempfile::tempdir().expect("a folder");
    let mut harness = up(kind, temporary.path());
    let started = children(harness.id());
    assert_eq!(started.len(), EMULATORS_AND_JANITOR);
    harness.kill().expect("it runs");
    harness.wait().expect("it was killed");
    ended(&started);
    empty(temporary.path());
}

/// Waits until a process has started so many others, and gives them.
fn started(parent: &Child, at_least: usize) -> Vec<u32> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let found = children(parent.id());
        if found.len() >= at_least {
            return found;
        }
        assert!(Instant::now() < deadline, "{} processes were started", found.len());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[rstest]
#[case::ctrl_c("-INT", Some(2))]
#[case::killed("-KILL", None)]
fn a_run_that_is_broken_off_leaves_no_process_and_no_folder(#[case] name: &str, #[case] code: Option<i32>) {
    let (temporary, report) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let mut command = Command::new(context::PROGRAM);
    command.args([
        "run",
        "probe/ten",
        "--emulator",
        "embedded",
        "--jobs",
        "4",
        "--repeat",
        "100",
        "--report",
    ]);
    command.arg(report.path()).env("TMPDIR", temporary.path()).stderr(Stdio::null()).stdout(Stdio::piped());
    let harness = command.spawn().expect("it was built");
    let started = started(&harness, 12);
    signal(name, harness.id());
    let output = harness.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), code);
    ended(&started);
    // Who cleans up behind a killed harness was among them.
    empty(temporary.path());
    if code.is_some() {
        // What was done by then is told, and that it is not all.
        let text = std::fs::read_to_string(report.path().join("results.json")).expect("it is written");
        let results: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let (all, left) = (results["results"].as_array().expect("an array"), &results["runs"][0]["left"]);
        assert_eq!(all.len(), 100, "everything that was planned has a result");
        let broken = all.iter().filter(|result| result["outcome"] == "broken").count();
        assert_eq!(left.as_u64().and_then(|left| usize::try_from(left).ok()), Some(broken), "{text}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(printed.contains(&format!("stopped: {left} not played to the end")), "{printed}");
        assert!(report.path().join("index.html").exists());
    }
}

#[test]
fn a_killed_harness_leaves_no_mcp_server() {
    let mut command = Command::new(context::PROGRAM);
    // It reads nothing and hears no end of its stdin. It may not even have become what it is to be yet.
    command.args(["mcp", "ping", "--stdio", "sleep 1000"]).stderr(Stdio::null()).stdout(Stdio::null());
    let mut harness = command.spawn().expect("it was built");
    let server_and_janitor = started(&harness, 2);
    harness.kill().expect("it runs");
    harness.wait().expect("it was killed");
    ended(&server_and_janitor);
}
