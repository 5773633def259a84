//! Emulators that misbehave: they crash, hang, flood, ignore signals, leave children; each at its start or at its end.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use craftos_computers::computer::{Computer, ComputerError, Exit, Spec, Status};
use craftos_computers::emulators::{Emulator, Kind, find, use_program};
use rstest::rstest;

use crate::context::{PATIENCE, PROGRAM, emulator, running};

/// A little program in the place of an emulator.
fn pretender(folder: &Path, script: &str) -> Emulator {
    use_program(PROGRAM);
    let path = folder.join("pretender");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("the folder is writable");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("the file is ours");
    Emulator { kind: Kind::CraftosPc, path, version: "2.8.3".to_owned(), keeper: None, simulation: None }
}

/// A real emulator that does something else at its end.
fn spoilt(folder: &Path, emulator: &Emulator, script: &str) -> Emulator {
    let program = if emulator.kind == Kind::Embedded { Path::new(PROGRAM) } else { &emulator.path };
    let run = format!("'{}' \"$@\"\n{script}", program.display());
    Emulator { kind: emulator.kind, ..pretender(folder, &run) }
}

#[cfg(target_os = "linux")]
fn is_alive(process: u32) -> bool {
    // A zombie has been killed; it only waits to be reaped.
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

#[cfg(not(target_os = "linux"))]
fn is_alive(process: u32) -> bool {
    let id = i32::try_from(process)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .expect("it is the id of a process");
    rustix::process::test_kill_process(id).is_ok()
}

async fn gone(process: u32) {
    let deadline = Instant::now() + PATIENCE;
    while is_alive(process) {
        assert!(Instant::now() < deadline, "process {process} is still there");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn one_that_crashes_is_reported_with_its_code_and_its_last_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let emulator = pretender(folder.path(), "echo 'the end is near' >&2; exit 7");
    let computer = Computer::boot(&emulator, Spec::new(12)).expect("it starts");
    let error = computer.shows("anything", 1, PATIENCE).await.expect_err("it shows nothing");
    assert!(matches!(error, ComputerError::Ended { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("computer 12 ended before it was showing `anything`: crashed: exit 7")
            && text.contains("the end is near"),
        "{text}"
    );
}

#[tokio::test]
async fn one_that_dies_during_a_wait_ends_the_wait_with_its_signal() {
    let folder = tempfile::tempdir().expect("a folder");
    let go = folder.path().join("go");
    let script =
        format!("while [ ! -e {} ]; do sleep 0.01; done; echo 'last words'; kill -SEGV $$", go.display());
    let emulator = pretender(folder.path(), &script);
    let computer = Computer::boot(&emulator, Spec::new(12)).expect("it starts");
    let (shown, dead, ()) = tokio::join!(computer.shows("anything", 1, PATIENCE), computer.death(), async {
        std::fs::write(&go, "").expect("the folder is ours");
    },);
    let error = shown.expect_err("it shows nothing");
    assert!(error.is_broken() && matches!(error, ComputerError::Ended { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("crashed: ended by signal SIGSEGV") && text.contains("last words"), "{text}");
    assert_eq!(dead.exit.to_string(), "crashed: ended by signal SIGSEGV");
    assert!(dead.last_words.contains("last words"), "{}", dead.last_words);
}

#[rstest]
#[case::a_signal("kill -SEGV $$", "crashed at its end: ended by signal SIGSEGV")]
#[case::a_code("exit 9", "crashed at its end: exit 9")]
#[case::a_hang("sleep 600", "did not end by itself within 10 s: killed")]
#[case::nothing("exit 0", "stopped")]
#[tokio::test]
async fn one_that_crashes_or_hangs_at_its_end_was_not_stopped(
    #[case] script: &str,
    #[case] told: &str,
    #[values(Kind::Embedded, Kind::CraftosPc)] kind: Kind,
) {
    let Some(real) = emulator(kind).await else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let emulator = spoilt(folder.path(), &real, script);
    let computer =
        Computer::boot(&emulator, running(12, "print('up') os.pullEvent('never')")).expect("it starts");
    computer.shows("up", 1, PATIENCE).await.expect("it runs");
    let exit = computer.end().await;
    assert_eq!(exit.to_string(), told);
    assert_eq!(exit.is_orderly(), told == "stopped");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn one_whose_code_is_not_what_its_computer_said_has_crashed(#[case] kind: Kind) {
    let Some(real) = emulator(kind).await else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let emulator = spoilt(folder.path(), &real, "code=$?; [ $code = 3 ] && exit 0; exit $code");
    let exit = async |code: i32| {
        let computer =
            Computer::boot(&emulator, running(12, &format!("os.shutdown({code})"))).expect("it starts");
        computer.exited(PATIENCE).await.expect("it ends")
    };
    assert_eq!(exit(3).await, Exit::CrashedAtEnd(Status::Code(0)));
    assert_eq!(exit(4).await, Exit::Code(4));
    assert_eq!(exit(-1).await, Exit::Code(-1));
}

#[tokio::test]
async fn a_child_that_it_left_is_killed_when_it_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let note = folder.path().join("child");
    let emulator = pretender(folder.path(), &format!("sleep 600 & echo $! > {}", note.display()));
    let computer = Computer::boot(&emulator, Spec::new(12)).expect("it starts");
    assert_eq!(computer.exited(PATIENCE).await.expect("it ends"), Exit::Crashed(Status::Code(0)));
    let child = std::fs::read_to_string(note).expect("it was noted");
    gone(child.trim().parse().expect("a process id")).await;
}

#[tokio::test]
async fn one_that_hangs_passes_its_deadline_and_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let emulator = pretender(folder.path(), "echo hanging; sleep 600");
    let computer = Computer::boot(&emulator, Spec::new(12)).expect("it starts");
    let process = computer.process_id().expect("it runs");
    let error = computer.exited(Duration::from_secs(1)).await.expect_err("it does not end").to_string();
    assert!(error.contains("computer 12: not ended within 1 s") && error.contains("hanging"), "{error}");
    drop(computer);
    gone(process).await;
}

#[tokio::test]
async fn one_that_floods_its_output_neither_blocks_nor_fills_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let emulator =
        pretender(folder.path(), "head -c 20000000 /dev/zero | tr '\\0' 'x'; echo; echo last line");
    let computer = Computer::boot(&emulator, Spec::new(12)).expect("it starts");
    assert_eq!(computer.exited(PATIENCE).await.expect("it ends"), Exit::Crashed(Status::Code(0)));
    let deadline = Instant::now() + PATIENCE;
    while !computer.last().contains("last line") {
        assert!(Instant::now() < deadline, "its last line never came");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(computer.last().len() < 100_000);
}

#[tokio::test]
async fn one_that_ignores_signals_is_killed_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let emulator = pretender(folder.path(), "trap '' TERM INT HUP; while true; do sleep 0.1; done");
    let computer = Computer::boot(&emulator, Spec::new(12)).expect("it starts");
    let process = computer.process_id().expect("it runs");
    assert!(matches!(computer.end().await, Exit::NotStopped(_)));
    gone(process).await;
}

#[tokio::test]
async fn a_child_that_it_left_is_killed_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let note = folder.path().join("child");
    let emulator = pretender(
        folder.path(),
        &format!("sleep 600 & echo $! > {0}.new; mv {0}.new {0}; wait", note.display()),
    );
    let computer = Computer::boot(&emulator, Spec::new(12)).expect("it starts");
    let deadline = Instant::now() + PATIENCE;
    let child: u32 = loop {
        if let Ok(text) = std::fs::read_to_string(&note) {
            break text.trim().parse().expect("a process id");
        }
        assert!(Instant::now() < deadline, "the child was never started");
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    computer.kill().await.expect("it runs");
    gone(child).await;
}

#[tokio::test]
async fn the_folder_of_a_computer_goes_away_with_it() {
    use_program(PROGRAM);
    let emulator = find(&["embedded".to_owned()], None).await.expect("it is built").emulators.remove(0);
    let mut spec = Spec::new(3);
    "/chunk.lua".clone_into(&mut spec.program);
    spec.files.insert("chunk.lua".to_owned(), "print('hello') sleep(600)".to_owned());
    let computer = Computer::boot(&emulator, spec).expect("it starts");
    computer.shows("hello", 1, PATIENCE).await.expect("it runs");
    let (process, data) =
        (computer.process_id().expect("it runs"), computer.folder().data().path().to_owned());
    assert!(data.is_dir());
    drop(computer);
    gone(process).await;
    assert!(!data.exists());
}

#[tokio::test]
async fn an_old_emulator_and_a_stranger_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = pretender(folder.path(), "echo CraftOS-PC v2.7.1");
    let error = find(&[old.path.display().to_string()], None).await.expect_err("too old").to_string();
    assert!(error.contains("CraftOS-PC 2.7.1, which is older than 2.8.3"), "{error}");
    let stranger = pretender(folder.path(), "echo cat 9.1");
    let error =
        find(&[stranger.path.display().to_string()], None).await.expect_err("no emulator").to_string();
    assert!(error.contains("does not say which version it is: `cat 9.1`"), "{error}");
}
