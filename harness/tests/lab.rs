//! What a Rust program that depends on the harness sees, without a word about where its program is.
//!
//! This test is also why Cargo builds `craftos-harness` for `cargo test`: the example in the documentation of
//! [`craftos_harness::Lab`] runs it, and Cargo builds a package's programs for its integration tests only.

use craftos_harness::Lab;
use craftos_harness::emulators::{Kind, find};
#[cfg(unix)]
use craftos_harness::stage::StageError;

#[tokio::test]
async fn a_lab_runs_on_the_program_that_cargo_built() {
    let found = find(&["embedded".to_owned()], None).await.expect("Cargo built it").emulators.remove(0);
    assert_eq!(found.kind, Kind::Embedded);
    let built = std::path::Path::new(env!("CARGO_BIN_EXE_craftos-harness"));
    assert_eq!(found.path.canonicalize().unwrap(), built.canonicalize().unwrap());

    let lab = Lab::new().file("word", "hello").setting("test.number", "7").boot().await.expect("it boots");
    let code = r#"local file = fs.open("word", "r") local word = file.readAll() file.close()
        return word, settings.get("test.number")"#;
    let called = lab.exec(0, code).await.expect("it is called");
    let returns = &called.structured.expect("exec-lua has structured content")["returns"];
    assert_eq!((&returns[0]["value"], &returns[1]["value"]), (&"hello".into(), &7.into()));
    lab.end().await;
}

/// The emulator dies, and at the same moment, before anybody has looked, a step fails for a reason of its own.
#[cfg(unix)]
#[tokio::test]
async fn a_step_that_fails_while_an_emulator_dies_is_told_as_its_death() {
    let lab = Lab::new().computer(12).boot().await.expect("it boots");
    let computer = lab.stage().computer("12").expect("it was booted");
    let process = computer.process_id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
    rustix::process::kill_process(process.expect("it runs"), rustix::process::Signal::KILL)
        .expect("it is ours");
    let step = async {
        // On one thread nobody else looks between its end and this failure.
        while computer.exit().is_none() {
            tokio::task::yield_now().await;
        }
        Err::<(), _>(StageError::NoEffect("nothing changed".to_owned()))
    };
    let error = lab.stage().unless_broken(step).await.expect_err("the step fails");
    assert!(matches!(&error, StageError::Crashed { computer, .. } if computer == "12"), "{error}");
    lab.end().await;
}
