//! Bridges and emulators that are wrong in one way each: a scenario turns red, or broken, and the message names it.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;

use craftos_harness::emulators::{PARENT_VARIABLE, ROLE_VARIABLE};
use rstest::rstest;

use crate::context::{Fixtures, PROGRAM};

/// A bridge that is wrong in the way that `MUTANT` names.
const MUTANT: &str = env!("CARGO_BIN_EXE_mutant-bridge");

const PROBE: &str = r#"
about = "Two computers answer."
[[computers]]
id = 12
[[computers]]
id = 13
[[steps]]
call = { tool = "probe-computers" }
"#;

const LARGE: &str = r#"
about = "A large output comes back whole."
[[computers]]
id = 12
[[steps]]
exec = { computer = "12", code = "for i = 1, 200 do write(('x'):rep(1023) .. '\\n') end" }
"#;

const STATELESS: &str =
    "about = \"x\"\nmcp = \"2026-07-28\"\n[[steps]]\ncall = { tool = \"probe-computers\" }\n";

fn printed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn run(fixtures: &Fixtures, way: &str, code: i32) -> String {
    let mut command = fixtures.harness(&["run", "--bridge", MUTANT]);
    printed(&command.env("MUTANT", way).assert().code(code).get_output().stderr)
}

#[rstest]
#[case::a_swapped_byte("swaps-a-byte", LARGE, 1, "204800 characters, sha256 ")]
#[case::an_image_instead_of_a_text("answers-with-an-image", PROBE, 1, "+   image: image/png, 3 bytes")]
#[case::an_empty_result("answers-with-nothing", PROBE, 1, "+   no content")]
#[case::two_blocks_instead_of_two_lines("splits-a-text", PROBE, 1, "+   text: \"pong from 12")]
#[case::a_last_newline("adds-a-newline", PROBE, 1, "(Label: null)\\n\"")]
#[case::no_structured_content("has-no-structured-content", LARGE, 1, "-   structured: ")]
#[case::an_era_that_is_refused("falls-back", STATELESS, 1, "-32601: method not found")]
#[case::a_death_during_a_call("dies-during-a-call", PROBE, 2, "killed by a falling anvil")]
#[case::a_crash_at_the_end("crashes-at-its-end", PROBE, 2, "crashed at its end: exit 7")]
#[case::a_bridge_that_does_not_end("hangs-at-its-end", PROBE, 2, "did not end within")]
fn a_wrong_bridge_is_named(#[case] way: &str, #[case] scenario: &str, #[case] code: i32, #[case] why: &str) {
    let fixtures = Fixtures::with("judged", scenario);
    fixtures.harness(&["run", "--accept"]).assert().success();
    run(&fixtures, "right", 0);
    let error = run(&fixtures, way, code);
    assert!(error.contains(why), "`{why}` is missing in\n{error}");
    assert_eq!(error.contains("BROKEN"), code == 2, "{error}");
    if code == 2 {
        assert!(!error.contains("--accept"), "{error}");
    }
}

/// The embedded emulator, with a script around it.
fn emulator(fixtures: &Fixtures, script: &str) -> String {
    let path = fixtures.path("emulator");
    let real = format!("{PARENT_VARIABLE}=$$ {ROLE_VARIABLE}=embedded-craftos {PROGRAM} \"$@\"");
    let versions = format!("case \"$1\" in --version) {real}; exit;; esac");
    std::fs::write(&path, format!("#!/bin/sh\n{versions}\n{}\n", script.replace("REAL", &real)))
        .expect("the folder is ours");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("the file is ours");
    path.display().to_string()
}

#[rstest]
#[case::a_crash_at_the_end("REAL; echo 'the last straw' >&2; kill -SEGV $$", "SIGSEGV")]
#[case::a_code_that_no_program_gave("REAL; exit 9", "exit 9")]
#[case::an_emulator_that_does_not_end("REAL; while true; do sleep 0.1; done", "killed")]
#[case::a_crash_before_the_first_line("echo 'no such device' >&2; exit 4", "no such device")]
fn an_emulator_that_crashes_is_broken_and_never_offered_to_accept(#[case] script: &str, #[case] why: &str) {
    let fixtures = Fixtures::with("judged", PROBE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let emulator = emulator(&fixtures, script);
    let mut command = crate::context::harness();
    command.args(["run", "--emulator", &emulator, "--fixtures"]).arg(fixtures.path(""));
    command.arg("--program").arg(crate::context::places().program).arg("--report").arg(fixtures.report());
    let error = printed(&command.assert().code(2).get_output().stderr);
    assert!(error.contains("BROKEN") && error.contains(why) && !error.contains("--accept"), "{error}");
}
