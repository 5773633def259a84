//! Exit codes and outcomes: what did not run, could not run or is left over is never taken for a pass.

use std::path::Path;

use craftos_harness::emulators::Kind;
use rstest::rstest;
use serde_json::{Value, json};

use crate::context::{Fixtures, PROGRAM, emulator, harness};

const NONE: &str = "about = \"x\"\n[[steps]]\ncall = { tool = \"probe-computers\" }\n";
const SKIPPED: &str = "about = \"x\"\n[skip]\nembedded = \"not today\"\n[[steps]]\nsay = \"x\"\n";

/// Prints another number each time.
const FLAKY: &str = r#"
about = "x"
[[computers]]
id = 12
[[steps]]
exec = { computer = "12", code = "return math.floor(os.epoch('utc'))" }
"#;

fn printed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs and gives what is on stderr.
fn could_not_run(fixtures: &Fixtures, arguments: &[&str]) -> String {
    printed(&fixtures.harness(arguments).assert().code(2).get_output().stderr)
}

#[test]
fn no_scenario_at_all_is_an_error() {
    let fixtures = Fixtures::with("a", NONE);
    std::fs::remove_dir_all(fixtures.scenario("a")).expect("the folder is ours");
    let error = could_not_run(&fixtures, &["run"]);
    assert!(error.contains("there is no scenario below `") && error.contains("hint: "), "{error}");
}

#[test]
fn outside_a_project_it_says_so_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = harness().current_dir(folder.path()).arg("run").assert().code(2).get_output().clone();
    let error = printed(&output.stderr);
    assert!(error.contains("no project with scenarios around the current folder"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 0);
}

#[test]
fn the_report_of_a_project_is_left_in_it_wherever_the_program_was_built() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = folder.path().join("craftos-fixtures/scenarios/a");
    std::fs::create_dir_all(&scenario).expect("the folder is ours");
    std::fs::write(scenario.join("scenario.toml"), NONE).expect("the folder is ours");
    let mut command = harness();
    command.args(["run", "--emulator", "embedded", "--accept"]).current_dir(&scenario).assert().success();
    assert!(folder.path().join("target/e2e/index.html").is_file());
}

#[test]
fn a_project_that_cannot_be_written_has_a_verdict_and_no_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = folder.path().join("craftos-fixtures/scenarios/a");
    std::fs::create_dir_all(&scenario).expect("the folder is ours");
    std::fs::write(scenario.join("scenario.toml"), NONE).expect("the folder is ours");
    // Nobody, root included, can make a folder in the place of a file.
    std::fs::write(folder.path().join("target"), "").expect("the folder is ours");
    let run = |code: i32, arguments: &[&str]| {
        let mut command = harness();
        command.args(["run", "--emulator", "embedded"]).args(arguments).current_dir(folder.path());
        printed(&command.assert().code(code).get_output().stderr)
    };
    let error = run(1, &[]);
    assert!(
        error.contains("there is no snapshot yet") && error.contains("No computers connected."),
        "{error}"
    );
    assert!(error.contains("warning: there will be no report: failed to write the report to `"), "{error}");
    assert!(error.contains("hint: `--report DIR` names another place"), "{error}");
    run(0, &["--accept"]);
    run(0, &[]);
    // What was asked for and cannot be is an error.
    run(2, &["--report", "target"]);
}

#[test]
fn a_shard_without_a_scenario_is_an_error() {
    let fixtures = Fixtures::with("a", NONE);
    let error = could_not_run(&fixtures, &["run", "--shard", "2/2"]);
    assert!(error.contains("shard 2/2 has no scenario: there are 1 in all"), "{error}");
}

#[test]
fn a_run_in_which_all_is_skipped_says_that_nothing_ran() {
    let fixtures = Fixtures::with("a", SKIPPED);
    let output = fixtures.harness(&["run"]).assert().code(2).get_output().clone();
    let summary = printed(&output.stdout);
    assert!(summary.contains("nothing ran: every scenario was skipped"), "{summary}");
    let page = std::fs::read_to_string(fixtures.report().join("index.html")).expect("it is written");
    assert!(page.contains("nothing ran"), "{page}");
}

#[test]
fn craftos_pc_that_was_named_and_is_not_there_is_an_error() {
    let fixtures = Fixtures::with("a", NONE);
    let mut command = harness();
    command.args(["run", "--craftos-pc", "/nope", "--fixtures"]).arg(fixtures.path(""));
    let error = printed(&command.assert().code(2).get_output().stderr);
    assert!(error.contains("`--craftos-pc /nope` cannot be used: failed to start the emulator"), "{error}");
}

/// Workflows set variables to nothing where they have no value.
#[test]
fn variables_that_are_set_to_nothing_are_as_good_as_not_set() {
    let fixtures = Fixtures::with("a", NONE);
    let mut command = fixtures.harness(&["run", "--accept"]);
    command.env("CRAFTOS_PC", "").env("HARNESS_REQUIRE", "").assert().success();
    // What was typed is taken as it was.
    fixtures.harness(&["run", "--craftos-pc", ""]).assert().code(2);
}

#[rstest]
#[case::a_misnamed_scenario(
    "b/scenario.tml",
    "belongs to no scenario: there is no `scenario.toml` next to it"
)]
#[case::a_stray_file("b/c/notes.txt", "belongs to no scenario")]
#[case::a_scenario_in_another("a/inner/scenario.toml", "is inside the folder of another scenario")]
#[case::a_snapshot_of_an_emulator_without_a_difference(
    "a/transcript.embedded.snap",
    "nothing is compared with snapshot"
)]
#[case::a_snapshot_that_was_moved("a/old/transcript.snap", "nothing is compared with snapshot")]
#[case::a_snapshot_under_a_wrong_name("a/transcript.old.snap", "nothing is compared with snapshot")]
fn a_file_that_nothing_reads_is_an_error(#[case] file: &str, #[case] why: &str) {
    let fixtures = Fixtures::with("a", NONE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let path = fixtures.scenario(file);
    std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder is ours");
    std::fs::write(&path, NONE).expect("the folder is ours");
    let error = could_not_run(&fixtures, &["run"]);
    assert!(error.contains(why) && error.contains(file), "{error}");
    std::fs::remove_file(&path).expect("the folder is ours");
    fixtures.harness(&["run"]).assert().success();
}

#[test]
fn a_flaky_scenario_is_not_accepted() {
    let fixtures = Fixtures::with("flaky", FLAKY);
    let output =
        fixtures.harness(&["run", "--accept", "--repeat", "2"]).assert().code(1).get_output().clone();
    let error = printed(&output.stderr);
    assert!(error.contains("round 2 differs from round 1, so nothing was accepted"), "{error}");
    assert!(!fixtures.scenario("flaky").join("transcript.snap").exists());
}

#[test]
fn what_has_no_transcript_is_not_accepted() {
    let fixtures = Fixtures::with("a", "about = \"x\"\n[[computers]]\nid = 12\n[faults]\n");
    let output = fixtures.harness(&["run", "--accept"]).assert().success().get_output().clone();
    assert!(printed(&output.stdout).contains("1 passed"), "{}", printed(&output.stdout));
    assert!(!fixtures.scenario("a").join("transcript.snap").exists());
    let error = could_not_run(&fixtures, &["run", "--accept", "--faults", "calm"]);
    assert!(error.contains("cannot be used with"), "{error}");
}

#[test]
fn rounds_that_agree_are_accepted() {
    let fixtures = Fixtures::with("steady", NONE);
    fixtures.harness(&["run", "--accept", "--repeat", "2"]).assert().success();
    fixtures.harness(&["run"]).assert().success();
}

#[test]
fn what_is_broken_exits_with_2_and_a_failure_beside_it_with_1() {
    let fixtures = Fixtures::with("a", NONE);
    let bridge = ["run", "--bridge", "false"];
    let output = fixtures.harness(&bridge).assert().code(2).get_output().clone();
    let (summary, error) = (printed(&output.stdout), printed(&output.stderr));
    assert!(summary.contains("embedded: 0 passed, 0 failed, 1 broken, 0 skipped"), "{summary}");
    assert!(error.contains("BROKEN") && !error.contains("--accept"), "{error}");
    let unlinked =
        "about = \"x\"\n[[computers]]\nid = 1\nstart = \"/quit.lua\"\nfiles = { \"quit.lua\" = \"\" }\n";
    let fixtures = Fixtures::with("b", unlinked);
    let output = fixtures.harness(&["run"]).assert().code(1).get_output().clone();
    assert!(printed(&output.stdout).contains("1 failed"), "{}", printed(&output.stdout));
}

#[test]
fn two_emulators_of_one_kind_have_folders_of_their_own_and_merge() {
    let fixtures = Fixtures::with("a", NONE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    fixtures.harness(&["run", "--emulator", "embedded"]).assert().success();
    let report = fixtures.report();
    for folder in ["embedded", "embedded-2"] {
        assert!(report.join(folder).join("a/index.html").is_file(), "{folder}");
    }
    let output =
        harness().arg("merge").arg(report.join("results.json")).assert().success().get_output().clone();
    let summary = printed(&output.stdout);
    assert!(summary.contains("embedded: 1 passed") && summary.contains("embedded-2: 1 passed"), "{summary}");
}

/// Changes the results in a file.
fn change(path: &Path, change: impl FnOnce(&mut Value)) {
    let text = std::fs::read_to_string(path).expect("it is written");
    let mut results = serde_json::from_str(&text).expect("it is JSON");
    change(&mut results);
    std::fs::write(path, results.to_string()).expect("the folder is ours");
}

#[test]
fn a_merge_in_which_a_shard_lacked_an_emulator_is_red() {
    let fixtures = Fixtures::with("a", NONE).and("b", NONE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let files: Vec<_> = ["1/2", "2/2"]
        .iter()
        .map(|shard| {
            fixtures.harness(&["run", "--shard", shard]).assert().success();
            let file = fixtures.path(&format!("{}.json", &shard[..1]));
            std::fs::copy(fixtures.report().join("results.json"), &file).expect("it is written");
            file
        })
        .collect();
    harness().arg("merge").args(&files).assert().success();
    change(&files[0], |results| {
        results["results"][0]["emulator"] = json!("craftos-pc");
        results["runs"][0]["emulators"][0]["emulator"] = json!("craftos-pc");
    });
    let whole = fixtures.path("whole.json");
    let output =
        harness().arg("merge").args(&files).arg("--json").arg(&whole).assert().code(2).get_output().clone();
    let summary = printed(&output.stdout);
    assert!(summary.contains("craftos-pc: 1 passed, 0 failed, 1 broken"), "{summary}");
    // What `merge` wrote can be merged again, and says the same.
    harness().arg("merge").arg(&whole).assert().code(2);
}

#[rstest]
#[case::a_result_that_is_missing(|results: &mut Value| results["results"] = json!([]), "was planned on embedded (round 1) and has no result")]
#[case::a_result_that_was_not_planned(|results: &mut Value| results["runs"][0]["planned"] = json!(["b"]), "`b` was planned on embedded")]
#[case::a_round_that_was_not_planned(|results: &mut Value| {
    let mut more = results["results"][0].clone();
    more["round"] = json!(2);
    results["results"].as_array_mut().expect("a list").push(more);
}, "`a` (round 2) has a result and was not planned")]
fn results_that_are_not_what_was_planned_are_refused(#[case] edit: fn(&mut Value), #[case] why: &str) {
    let fixtures = Fixtures::with("a", NONE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let path = fixtures.report().join("results.json");
    change(&path, edit);
    let error = printed(&harness().arg("merge").arg(&path).assert().code(2).get_output().stderr);
    assert!(error.contains(why), "{error}");
}

#[tokio::test]
async fn what_craftos_pc_does_is_what_is_accepted() {
    if emulator(Kind::CraftosPc).await.is_none() {
        return;
    }
    // Without a window CraftOS-PC has no monitors, and the embedded emulator has.
    let step = "[[steps]]\nexec = { computer = \"12\", code = \"return (pcall(periphemu.create, 'left', 'monitor'))\" }\n";
    let fixtures = Fixtures::with("a", &format!("about = \"x\"\n[[computers]]\nid = 12\n{step}"));
    fixtures.harness(&["run", "--accept", "--emulator", "craftos-pc"]).assert().code(1);
    fixtures.harness_on("craftos-pc", &["run"]).assert().success();
}

#[test]
fn what_a_run_with_faults_leaves_out_was_not_planned() {
    // Nothing of the first can be disturbed. The deadline spares the minute that the plan of the other takes.
    let linked = "about = \"x\"\n[[computers]]\nid = 12\n";
    let fixtures = Fixtures::with("a", NONE).and("b", linked);
    let json = fixtures.path("out.json").display().to_string();
    let arguments = ["run", "--faults", "calm", "--seed", "1", "--deadline", "1", "--json", &json];
    fixtures.harness(&arguments).assert().code(1);
    let output = harness().arg("merge").arg(&json).assert().code(1).get_output().clone();
    assert!(printed(&output.stdout).contains("0 passed, 1 failed"), "{}", printed(&output.stderr));
}

#[cfg(unix)]
#[test]
fn a_checkout_that_cannot_be_written_still_shows_the_diff() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixtures = Fixtures::with("a", NONE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let (folder, path) = (fixtures.scenario("a"), fixtures.scenario("a").join("transcript.snap"));
    let text = std::fs::read_to_string(&path).expect("it was accepted");
    std::fs::write(&path, text.replace("No computers", "Some computers")).expect("the folder is ours");
    let mode = |mode| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).expect("ours");
    mode(0o555);
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    mode(0o755);
    assert!(error.contains("-   Some computers connected."), "{error}");
}

/// No file may grow past so many blocks of 512 or 1024 bytes, which is a disk that is full. The emulators need more, so
/// that the scenario has no computer.
#[cfg(unix)]
const FULL_DISK: &str = r#"trap "" XFSZ && ulimit -f 100 && exec "$0" "$@""#;

/// The program on fixtures, on a disk that is full.
#[cfg(unix)]
fn on_a_full_disk(fixtures: &Fixtures, arguments: &[&str]) -> std::process::Output {
    let mut command = std::process::Command::new("/bin/sh");
    command.args(["-c", FULL_DISK, PROGRAM]).args(arguments).args(["--emulator", "embedded", "--fixtures"]);
    command.arg(fixtures.path("")).arg("--report").arg(fixtures.report()).env_remove("HARNESS_REQUIRE");
    command.output().expect("it runs")
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_snapshot_whole_and_shows_the_diff() {
    let fixtures = Fixtures::with("a", NONE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let folder = fixtures.scenario("a");
    let read = || std::fs::read(folder.join("transcript.snap")).expect("it was accepted");
    let before = read();
    // Too large to be written.
    let large = format!("{NONE}[[steps]]\nsay = \"{}\"\n", "so many words ".repeat(20_000));
    let fixtures = fixtures.and("a", &large);
    for (arguments, code, why) in
        [(&["run", "--accept"][..], 2, "failed to write snapshot `"), (&["run"][..], 1, "FAILED")]
    {
        let output = on_a_full_disk(&fixtures, arguments);
        let error = printed(&output.stderr);
        let shown = &error[error.floor_char_boundary(error.len().saturating_sub(2000))..];
        assert_eq!(output.status.code(), Some(code), "{shown}");
        assert!(error.contains(why) && error.contains("+ -- so many words so"), "{shown}");
        assert!(error.contains("failed to write the report"), "{shown}");
        assert_eq!(read(), before);
        assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 2, "nothing else is left");
    }
}

#[rstest]
#[case::junit("--junit")]
#[case::json("--json")]
fn a_report_that_cannot_be_written_hides_no_failure(#[case] flag: &str) {
    let fixtures = Fixtures::with("a", NONE);
    // A folder cannot be written as a file.
    let nowhere = fixtures.path("scenarios").display().to_string();
    let output = fixtures.harness(&["run", flag, &nowhere]).assert().code(1).get_output().clone();
    assert!(printed(&output.stdout).contains("0 passed, 1 failed"), "{}", printed(&output.stdout));
    assert!(printed(&output.stderr).contains("failed to write `"), "{}", printed(&output.stderr));
    // Where nothing failed, what was asked for and is not there is an error.
    fixtures.harness(&["run", "--accept"]).assert().success();
    let output = fixtures.harness(&["run", flag, &nowhere]).assert().code(2).get_output().clone();
    assert!(printed(&output.stdout).contains("1 passed, 0 failed"), "{}", printed(&output.stdout));
}

#[cfg(target_os = "linux")]
#[rstest]
#[case::passed("No computers", 0)]
#[case::failed("Some computers", 1)]
fn messages_that_cannot_be_written_change_no_verdict(#[case] words: &str, #[case] code: i32) {
    let fixtures = Fixtures::with("a", NONE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let path = fixtures.scenario("a").join("transcript.snap");
    let text = std::fs::read_to_string(&path).expect("it was accepted");
    std::fs::write(&path, text.replace("No computers", words)).expect("the folder is ours");
    let full = std::fs::File::create("/dev/full").expect("Linux has it");
    let mut command = std::process::Command::new(PROGRAM);
    command.args(["run", "--emulator", "embedded", "--fixtures"]).arg(fixtures.path(""));
    command.arg("--report").arg(fixtures.report()).env_remove("HARNESS_REQUIRE").stderr(full);
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(code), "{}", printed(&output.stdout));
    assert!(fixtures.report().join("results.json").is_file());
}

#[test]
fn what_is_merged_is_only_read() {
    let fixtures = Fixtures::with("a", NONE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let results = fixtures.report().join("results.json");
    let before = std::fs::read(&results).expect("it is written");
    for flag in ["--json", "--junit"] {
        let output = harness()
            .arg("merge")
            .arg(&results)
            .arg(flag)
            .arg(&results)
            .assert()
            .code(2)
            .get_output()
            .clone();
        assert!(
            printed(&output.stderr).contains("holds results that are only read"),
            "{}",
            printed(&output.stderr)
        );
        assert_eq!(std::fs::read(&results).expect("it is there"), before);
    }
}

/// The name of one scenario may be a part of another's.
#[test]
fn a_whole_name_is_that_of_one_scenario() {
    let fixtures = Fixtures::with("a", NONE).and("ab", NONE);
    fixtures.harness(&["run", "a", "--accept"]).assert().success();
    assert!(fixtures.scenario("a").join("transcript.snap").exists());
    assert!(!fixtures.scenario("ab").join("transcript.snap").exists());
    // A part of a name is that of all that have it.
    fixtures.harness(&["run", "b", "--accept"]).assert().success();
    assert!(fixtures.scenario("ab").join("transcript.snap").exists());
}

#[test]
fn hints_repeat_the_flags_that_were_given() {
    let fixtures = Fixtures::with("a", NONE);
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    let hint = error.lines().find(|line| line.starts_with("hint: `")).expect("there is a hint");
    for flag in ["--emulator embedded", "--program ", "--fixtures ", "--accept"] {
        assert!(hint.contains(flag), "`{flag}` is missing in {hint}");
    }
    // What the hint says works as it stands.
    let command = hint.split('`').nth(1).expect("a command").replacen("craftos-harness", PROGRAM, 1);
    let words: Vec<&str> = command.split(' ').collect();
    let status = std::process::Command::new(words[0])
        .args(&words[1..])
        .arg("--report")
        .arg(fixtures.report())
        .output();
    assert!(status.expect("it runs").status.success(), "{command}");
}
