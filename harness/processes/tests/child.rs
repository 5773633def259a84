//! Processes that end, hang, ignore what they are asked, and leave children.
#![cfg(unix)]

use std::process::Stdio;
use std::time::Duration;

use child_processes::{Child, Drained, Status};
use tokio::process::Command;

/// Longer than anything here takes on a busy machine. Reaching it is a failure, never a pause.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time of a process that uses all of it.
const SHORT: Duration = Duration::from_millis(50);

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn start(script: &str) -> Child {
    Child::start(shell(script), None).expect("there is a shell").0
}

#[tokio::test]
async fn its_end_is_told_to_all_who_wait() {
    let child = start("kill -SEGV $$");
    let signal = rustix::process::Signal::SEGV.as_raw();
    let told = tokio::join!(child.ended(), child.ended());
    assert_eq!(told, (Status::Signal(signal), Status::Signal(signal)));
    assert_eq!(child.status(), Some(Status::Signal(signal)));
    assert!(!child.was_killed());
}

#[tokio::test]
async fn one_that_ignores_being_asked_is_killed() {
    let folder = std::env::temp_dir().join(format!("child-processes-{}", std::process::id()));
    let script = format!("trap '' TERM; : > {}; while true; do sleep 0.1; done", folder.display());
    let child = start(&script);
    while !folder.exists() {
        tokio::task::yield_now().await;
    }
    let _ = std::fs::remove_file(&folder);
    let status = child.end(SHORT).await;
    assert_eq!(status, Some(Status::Signal(rustix::process::Signal::KILL.as_raw())));
    assert!(child.was_killed());
}

#[tokio::test]
async fn one_that_ends_when_asked_was_not_killed() {
    let child = start("exec sleep 600");
    let status = child.terminate_within(PATIENCE).await;
    assert_eq!(status, Some(Status::Signal(rustix::process::Signal::TERM.as_raw())));
    assert!(!child.was_killed());
}

#[tokio::test]
async fn one_that_has_ended_is_neither_asked_nor_killed() {
    let child = start("exit 7");
    assert_eq!(child.ended().await, Status::Code(7));
    assert_eq!(child.kill().await, Some(Status::Code(7)));
    assert_eq!(child.end(PATIENCE).await, Some(Status::Code(7)));
    assert!(!child.was_killed());
}

#[tokio::test]
async fn its_last_words_are_read_though_a_child_that_it_left_holds_its_pipes() {
    let process = Drained::start(shell("sleep 600 & echo out; echo err >&2; exit 3"), None);
    let process = process.expect("there is a shell");
    assert_eq!(process.ended().await, Status::Code(3));
    process.drained().await;
    let output = process.output();
    assert!(output.contains("out\n") && output.contains("err\n"), "{output}");
}

#[test]
fn a_runtime_that_is_gone_leaves_nothing_behind() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let child = runtime.block_on(async { start("exec sleep 600") });
    let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    drop(runtime);
    drop(child);
    assert!(rustix::process::test_kill_process(id.expect("it ran")).is_err(), "it is still there");
}

/// The state of a process in one letter: `T` where it was stopped.
#[cfg(target_os = "linux")]
fn state(child: &Child) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id()?)).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn one_that_is_frozen_stands_still_until_it_is_thawed_and_can_be_killed() {
    // One process: a shell that begins another one waits for that in a state of its own.
    let child = start("exec sleep 600");
    let until = async |is_frozen: bool| {
        let changed = async {
            while (state(&child) == Some('T')) != is_frozen {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, changed).await.expect("it changes");
    };
    assert!(child.freeze(true));
    until(true).await;
    assert!(child.freeze(false));
    until(false).await;
    assert!(child.freeze(true));
    let killed = Status::Signal(rustix::process::Signal::KILL.as_raw());
    assert_eq!(child.kill().await, Some(killed));
    assert!(!child.freeze(false), "it is gone");
}
