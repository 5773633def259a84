//! Bridges, emulators and programs that are wrong in one way each: a scenario turns red, or broken, and the message names it.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use craftos_harness::computer::copy_whole;
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

/// Far less than the chunk that is waited for takes, and more than a run does on a busy machine.
const LONGEST: Duration = Duration::from_secs(180);

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
#[case::metadata_that_was_not_there("adds-metadata", PROBE, 1, "+   meta: {\"late\":true}")]
#[case::an_era_that_fell_back(
    "falls-back",
    STATELESS,
    1,
    "the client asked for MCP 2026-07-28, and the server at `"
)]
#[case::an_era_that_is_not_known("knows-no-discovery", STATELESS, 1, "speaks versions with a handshake")]
#[case::a_version_that_fell_back("agrees-on-less", PROBE, 1, "` speaks 2025-03-26")]
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

#[test]
fn a_bridge_with_words_of_its_own_is_judged_by_the_protocol() {
    let unknown = "about = \"x\"\n[[steps]]\ncall = { tool = \"no-such-tool\" }\n";
    let fixtures = Fixtures::with("judged", unknown);
    fixtures.harness(&["run", "--accept"]).assert().success();
    run(&fixtures, "has-words-of-its-own", 0);
    let error = run(&fixtures, "has-another-code", 1);
    assert!(error.contains("+   protocol error -32000"), "{error}");
}

#[test]
fn the_scenario_of_the_stateless_era_sees_a_bridge_that_falls_back() {
    let report = tempfile::tempdir().expect("a folder");
    let mut command = crate::context::harness();
    command.args(["run", "mcp/stateless", "--emulator", "embedded", "--bridge", MUTANT, "--report"]);
    command.arg(report.path()).arg("--fixtures").arg(crate::context::places().fixtures);
    let error = printed(&command.env("MUTANT", "falls-back").assert().code(1).get_output().stderr);
    assert!(error.contains("speaks 2025-11-25, 2025-06-18"), "{error}");
}

/// Runs the real program, and changes what it sends or hears in the way that `WAY` names.
const WRONG_PROGRAM: &str = include_str!("../mutant/program.lua");

/// A folder with the program in it, wrong in one way.
fn wrong_program(fixtures: &Fixtures, way: &str) -> std::path::PathBuf {
    let (from, to) = (crate::context::places().program, fixtures.path("program"));
    for folder in ["apis", "programs"] {
        copy_whole(&from.join(folder), &to.join(folder)).expect("the folder is ours");
    }
    let program = to.join("programs/mcp-computer.lua");
    std::fs::rename(&program, to.join("programs/right.lua")).expect("the folder is ours");
    std::fs::write(&program, format!("local WAY = \"{way}\"\n{WRONG_PROGRAM}")).expect("the folder is ours");
    to
}

const PRINTS: &str = r#"
about = "What is printed comes back."
[[computers]]
id = 12
[[steps]]
exec = { computer = "12", code = "print('hello')" }
"#;

const FAILS: &str = r#"
about = "An error is told."
[[computers]]
id = 12
[[steps]]
exec = { computer = "12", code = "error('no door', 0)" }
"#;

#[rstest]
#[case::a_last_newline_that_is_missing("drops-the-last-newline", PRINTS, r#""output":"hello""#)]
#[case::a_swapped_byte_in_the_middle("swaps-a-byte", LARGE, "204800 characters, sha256 ")]
#[case::an_answer_that_is_sent_twice(
    "answers-twice",
    PROBE,
    "+   computer: {\"type\":\"response\",\"id\":\"req-1\""
)]
#[case::a_wrong_error_text("says-another-error", FAILS, "no floor")]
fn a_wrong_program_is_named(#[case] way: &str, #[case] scenario: &str, #[case] why: &str) {
    let fixtures = Fixtures::with("judged", scenario);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let run = |way: &str, code: i32| {
        let mut command = crate::context::harness();
        command.args(["run", "--emulator", "embedded", "--fixtures"]).arg(fixtures.path(""));
        command.arg("--program").arg(wrong_program(&fixtures, way)).arg("--report").arg(fixtures.report());
        let output = command.assert().code(code).get_output().clone();
        std::fs::remove_dir_all(fixtures.path("program")).expect("the folder is ours");
        printed(&output.stderr)
    };
    run("right", 0);
    let error = run(way, 1);
    assert!(error.contains(why), "`{why}` is missing in\n{error}");
}

#[test]
fn a_computer_that_hears_what_it_should_not_is_named() {
    let fixtures = Fixtures::with("unused", PRINTS);
    let mut command = crate::context::harness();
    command.args(["run", "exec/modem", "--emulator", "embedded", "--program"]);
    command.arg(wrong_program(&fixtures, "hears-everything")).arg("--report").arg(fixtures.report());
    command.arg("--fixtures").arg(crate::context::places().fixtures);
    let error = printed(&command.assert().code(1).get_output().stderr);
    assert!(error.contains("heard häy") && !error.contains("BROKEN"), "{error}");
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

/// What a run on such an emulator says, which is broken.
fn run_on(fixtures: &Fixtures, script: &str) -> String {
    let mut command = fixtures.harness_on(&emulator(fixtures, script), &["run"]);
    printed(&command.timeout(LONGEST).assert().code(2).get_output().stderr)
}

#[rstest]
#[case::a_crash_at_the_end("REAL; echo 'the last straw' >&2; kill -SEGV $$", "SIGSEGV")]
#[case::a_code_that_no_program_gave("REAL; exit 9", "exit 9")]
#[case::an_emulator_that_does_not_end("REAL; while true; do sleep 0.1; done", "killed")]
#[case::a_crash_before_the_first_line("echo 'no such device' >&2; exit 4", "no such device")]
fn an_emulator_that_crashes_is_broken_and_never_offered_to_accept(#[case] script: &str, #[case] why: &str) {
    let fixtures = Fixtures::with("judged", PROBE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let error = run_on(&fixtures, script);
    assert!(error.contains("BROKEN") && error.contains(why) && !error.contains("--accept"), "{error}");
}

#[test]
fn lua_on_an_emulator_that_crashes_at_its_end_is_broken() {
    let fixtures = Fixtures::with("judged", PROBE);
    let path = emulator(&fixtures, "REAL; echo 'the last straw' >&2; kill -SEGV $$");
    let mut command = crate::context::harness();
    command.args(["lua", "--emulator", &path, "return 1"]);
    let error = printed(&command.timeout(LONGEST).assert().code(2).get_output().stderr);
    assert!(
        error.contains("died: crashed at its end: ended by signal SIGSEGV")
            && error.contains("the last straw"),
        "{error}"
    );
}

#[test]
fn another_emulator_is_not_taken_for_craftos_pc() {
    let fixtures = Fixtures::with("judged", "about = \"x\"\n[[steps]]\nsay = \"x\"\n");
    fixtures.harness(&["run", "--accept"]).assert().success();
    let path = emulator(&fixtures, "REAL");
    for arguments in
        [&["run", "--craftos-pc", &path][..], &["run", "--craftos-pc", &path, "--emulator", "craftos-pc"]]
    {
        let mut command = crate::context::harness();
        command
            .args(arguments)
            .arg("--fixtures")
            .arg(fixtures.path(""))
            .arg("--report")
            .arg(fixtures.report());
        let error = printed(&command.assert().code(2).get_output().stderr);
        assert!(error.contains("is `embedded-craftos ") && error.contains("and not CraftOS-PC"), "{error}");
    }
}

/// Computer 13 crashes as soon as the file `crash` is on its disk; the others are as they should be.
const CRASHES_WHEN_TOLD: &str = r#"
folder=; last=
for argument in "$@"; do
  case "$last" in -d) folder=$argument;; esac
  last=$argument
done
case " $* " in *" -i 13 "*) ;; *) REAL; exit $?;; esac
REAL &
while [ ! -e "$folder/computer/13/crash" ] && kill -0 $! 2>/dev/null; do sleep 0.05; done
[ -e "$folder/computer/13/crash" ] && kill -SEGV $$
wait $!
"#;

/// While the step waits for computer 12, which has nothing to do with it.
const WAITS: &str = r#"
[[steps]]
exec = { computer = "13", code = "fs.open('/crash', 'w').close()" }
[[steps]]
exec = { computer = "12", code = "sleep(600)", timeout_ms = 600000 }
"#;

#[test]
fn an_emulator_that_crashes_while_another_computer_is_waited_for_ends_that_wait() {
    let scenario = PROBE.replace("[[steps]]\ncall = { tool = \"probe-computers\" }", WAITS);
    let fixtures = Fixtures::with("judged", &scenario);
    let error = run_on(&fixtures, CRASHES_WHEN_TOLD);
    assert!(
        error.contains("step 2 (`") && error.contains("SIGSEGV") && error.contains("computer 13"),
        "{error}"
    );
}

#[test]
fn a_change_that_breaks_the_emulator_proves_nothing() {
    let change = "[[must_fail]]\nabout = \"a crash\"\nset = { \"steps.1.exec.code\" = \"fs.open('/crash', 'w').close() sleep(600)\" }\n";
    let scenario = "about = \"x\"\n[[computers]]\nid = 13\n[[steps]]\nexec = { computer = \"13\", code = \"return 1\" }\n";
    let fixtures = Fixtures::with("judged", scenario);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let fixtures = fixtures.and("judged", &format!("{scenario}{change}"));
    let error = run_on(&fixtures, CRASHES_WHEN_TOLD);
    assert!(error.contains("`must_fail` 1 (`a crash`) broke, which proves nothing"), "{error}");
}
