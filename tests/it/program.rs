//! The program: help, wrong flags, missing scenarios, broken files, exit codes, and what it leaves behind.

use rstest::rstest;

use crate::context::{BRIDGE, Fixtures, PROGRAM, harness};

fn printed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn help_names_every_command_on_stdout() {
    let output = harness().arg("--help").assert().success().get_output().clone();
    let help = printed(&output.stdout);
    let commands = [
        "run", "simulate", "merge", "list", "up", "probe", "exec", "call", "mcp", "lua", "test", "init",
        "doctor", "bench",
    ];
    for command in commands {
        assert!(help.contains(&format!("\n  {command} ")), "{command} is missing in\n{help}");
    }
    assert!(output.stderr.is_empty());
}

/// The program has four options for most of its commands: the help of the others says nothing of them.
#[rstest]
#[case::all(&["run"], &["--emulator", "--craftos-pc", "--program", "--fixtures"], &[])]
#[case::none(&["init"], &[], &["--emulator", "--craftos-pc", "--program", "--fixtures"])]
#[case::below_another(&["mcp", "call"], &["--save"], &["--emulator", "--craftos-pc", "--program", "--fixtures"])]
#[case::some(&["list"], &["--fixtures"], &["--emulator", "--craftos-pc", "--program"])]
fn the_help_of_a_command_shows_what_it_takes(
    #[case] command: &[&str],
    #[case] takes: &[&str],
    #[case] takes_not: &[&str],
) {
    let output = harness().args(command).arg("--help").assert().success().get_output().clone();
    let help = printed(&output.stdout);
    for (options, expected) in [(takes, true), (takes_not, false)] {
        for option in options {
            assert_eq!(help.contains(&format!(" {option} <")), expected, "{option} in\n{help}");
        }
    }
}

#[rstest]
#[case::an_unknown_flag(&["run", "--no-such-flag"], "unexpected argument")]
#[case::an_unknown_command(&["runn"], "unrecognized subcommand")]
#[case::no_jobs(&["run", "--jobs", "0"], "`--jobs 0` runs nothing")]
#[case::no_rounds(&["run", "--repeat", "0"], "`--repeat 0` runs nothing")]
#[case::a_seed_that_is_no_number(&["run", "--shuffle", "probe"], "invalid value 'probe' for '--shuffle")]
#[case::results_into_nowhere(&["run", "--json", "/no/such/folder/x.json"], "in a folder that does not exist")]
#[case::junit_into_nowhere(&["run", "--junit", "/no/such/folder/x.xml"], "in a folder that does not exist")]
#[case::a_report_into_a_file(&["run", "probe/none", "--report", "Cargo.toml/x"], "failed to write the report")]
#[case::nothing_to_merge(&["merge"], "required arguments")]
#[case::a_wrong_shard(&["run", "--shard", "4/3"], "is not `K/N`")]
#[case::a_missing_scenario(&["run", "no-such-scenario"], "no scenario matches `no-such-scenario`")]
#[case::a_missing_emulator(&["run", "--emulator", "/no/such/emulator"], "failed to start the emulator")]
#[case::a_program_that_is_not_there(&["run", "--program", "no/such/folder"], "`--program no/such/folder`: there is no such folder")]
#[case::a_program_without_programs(&["up", "--program", "../docs"], "`programs/` and `apis/` are missing: nothing would be installed\nhint: ")]
#[case::an_emulator_for_nothing(&["init", "--emulator", "embedded"], "`init` takes no `--emulator`")]
#[case::an_emulator_before_the_command(&["--emulator", "embedded", "merge", "x"], "`merge` takes no `--emulator`")]
#[case::a_binary_for_nothing(&["probe", "--craftos-pc", "x"], "`probe` takes no `--craftos-pc`")]
#[case::a_program_for_nothing(&["test", "--program", "lua"], "`test` takes no `--program`")]
#[case::fixtures_for_nothing(&["mcp", "tools", "--fixtures", "x"], "`mcp` takes no `--fixtures`")]
#[case::an_emulator_without_virtual_time(&["simulate", "--emulator", "craftos-pc"], "on `embedded` only, not on `craftos-pc`")]
#[case::fixtures_for_one_program(&["simulate", "--kill-everywhere", "x.lua", "--fixtures", "x"], "it takes no `--program` and no `--fixtures`")]
#[case::two_emulators_for_one_chunk(&["lua", "return 1", "--emulator", "embedded", "--emulator", "embedded"], "`lua` boots one emulator")]
#[case::two_emulators_at_the_desk(&["up", "--emulator", "embedded", "--emulator", "craftos-pc"], "`up` boots one emulator")]
#[case::arguments_that_are_no_object(&["call", "exec-lua", "[]"], "a JSON object")]
#[case::more_than_are_booted_at_once(&["up", "101"], "at most 100 are booted here\nhint: ")]
#[case::no_bridge(&["probe", "--url", "http://127.0.0.1:9/mcp"], "failed to reach the MCP server")]
fn what_cannot_run_exits_with_2_and_says_why(#[case] arguments: &[&str], #[case] why: &str) {
    let output = harness().args(arguments).assert().code(2).get_output().clone();
    assert!(printed(&output.stderr).contains(why), "{}", printed(&output.stderr));
    assert!(output.stdout.is_empty());
}

#[test]
fn a_required_emulator_that_is_not_there_is_an_error() {
    let mut command = harness();
    command.env("PATH", "").args(["run", "--require", "craftos-pc", "probe/none"]);
    let output = command.assert().code(2).get_output().clone();
    assert!(
        printed(&output.stderr).contains("craftos-pc is required and not there"),
        "{}",
        printed(&output.stderr)
    );
}

#[test]
fn without_craftos_pc_the_summary_says_what_did_not_run_and_why() {
    let report = tempfile::tempdir().expect("a folder");
    let mut command = harness();
    command.env("PATH", "").args(["run", "probe/none", "--report"]).arg(report.path());
    let output = command.assert().success().get_output().clone();
    let summary = printed(&output.stdout);
    assert!(summary.contains("embedded: 1 passed, 0 failed, 0 skipped"), "{summary}");
    assert!(summary.contains("craftos-pc: did not run: CraftOS-PC was not found"), "{summary}");
}

#[rstest]
#[case::an_unknown_key("about = \"x\"\ncolour = \"red\"\n", &["2 |", "unknown field `colour`"])]
#[case::an_unknown_step("about = \"x\"\n[[steps]]\ndance = \"12\"\n", &["3 |", "unknown variant `dance`"])]
#[case::no_toml("about = \"x\n", &["1 |"])]
#[case::a_computer_that_is_not_there("about = \"x\"\n[[steps]]\nboot = \"12\"\n", &["computer `12`, which is not there"])]
#[case::a_cancelled_server("about = \"x\"\n[servers.s]\nurl = \"{mcp}\"\n[[steps]]\ncall = { tool = \"t\", server = \"s\", cancel_after = { computer = \"1\", request = \"x\" } }\n", &["`cancel_after` is for calls of the bridge"])]
#[case::two_of_one_name("about = \"x\"\n[[computers]]\nid = 1\n[[computers]]\nid = 1\n", &["line 4: two computers are called `1`", "hint: "])]
#[case::no_version_of_mcp("about = \"x\"\nmcp = \"2020-01-01\"\n", &["line 2: ", "`mcp = \"2020-01-01\"` is not one of "])]
#[case::no_time("about = \"x\"\ndeadline_s = 0\n", &["line 2: nothing is done within 0 s"])]
#[case::no_tools("about = \"x\"\n[bridge]\ntools = [\"no-tools\"]\n", &["line 3: there is no folder `", "no-tools"])]
#[case::no_command("about = \"x\"\n[servers.s]\ncommand = []\n", &["line 2: `command` names no program"])]
#[case::no_address("about = \"x\"\n[servers.s]\nurl = \"example.org\"\n", &["line 2: `url = \"example.org\"` is not an address"])]
#[case::no_ids("about = \"x\"\n[[computers]]\nboot = \"later\"\nids = \"7-3\"\n", &["line 4: "])]
#[case::a_wrong_name("about = \"x\"\n[[computers]]\nid = 1\nname = \"a b\"\n", &["line 4: a computer's name has letters"])]
#[case::an_old_client_that_is_not_there("about = \"x\"\n[[computers]]\nid = 1\nprogram = \"0.0.1\"\n", &["line 4: ", "has neither `programs/` nor `apis/`"])]
#[case::a_file_outside("about = \"x\"\n[[computers]]\nid = 1\n\n[computers.files]\n\"a\" = \"\"\n\"../x\" = \"\"\n", &["line 7: `../x` is not a path inside a computer"])]
#[case::a_file_of_the_harness("about = \"x\"\n[[computers]]\nid = 1\nfiles = { \".harness/x\" = \"\" }\n", &["line 4: `.harness/x` is in `.harness`"])]
#[case::a_setting_without_a_name("about = \"x\"\n[[computers]]\nid = 1\nsettings = { \"\" = \"1\" }\n", &["line 4: ", "is not the name of a setting"])]
#[case::no_program("about = \"x\"\n[[computers]]\nid = 1\nstart = \"\"\n", &["line 4: `` is not the name of a program"])]
#[case::the_game_on_craftos_pc("about = \"x\"\n[[computers]]\nid = 1\nprofile = \"game\"\n", &["line 4: only the embedded emulator has `profile"])]
#[case::a_process_of_two_kinds("about = \"x\"\n[[computers]]\nid = 1\nprocess = \"p\"\n[[computers]]\nid = 2\nprocess = \"p\"\nhttp = false\n", &["line 8: the computers of process `p` must have the same `http`"])]
#[case::a_path_outside("about = \"x\"\n[[computers]]\nid = 1\n[[steps]]\nput = { computer = \"1\", path = \"../x\", text = \"\" }\n", &["line 4: `../x` is not a path inside a computer"])]
#[case::no_timer("about = \"x\"\n[[computers]]\nid = 1\n[[steps]]\ntimer = { computer = \"1\", seconds = -1 }\n", &["line 4: no timer is started for -1 s"])]
#[case::arguments_that_are_a_list("about = \"x\"\n[[steps]]\ncall = { tool = \"t\", arguments = [1] }\n", &["line 2: the arguments of a tool are a table"])]
#[case::a_change_of_nothing("about = \"x\"\n[[steps]]\nsay = \"x\"\n[[must_fail]]\nabout = \"y\"\nremove = [\"steps.7\"]\n", &["line 4: `must_fail` 1 (`y`): there is nothing at `steps.7`"])]
#[case::a_change_into_nonsense("about = \"x\"\n[[steps]]\nsay = \"x\"\n[[must_fail]]\nabout = \"y\"\nset = { \"steps.1\" = { boot = \"9\" } }\n", &["line 4: `must_fail` 1 (`y`): the changed scenario: the step names computer `9`"])]
fn a_broken_scenario_is_shown_with_its_line(#[case] scenario: &str, #[case] shown: &[&str]) {
    let fixtures = Fixtures::with("broken", scenario);
    let output = fixtures.harness(&["run"]).assert().code(2).get_output().clone();
    let error = printed(&output.stderr);
    assert!(error.contains("broken/scenario.toml"), "{error}");
    for part in shown {
        assert!(error.contains(part), "`{part}` is missing in\n{error}");
    }
}

#[test]
fn a_computer_that_never_links_fails_its_scenario_with_its_screen() {
    let scenario = "about = \"x\"\n[[computers]]\nid = 12\nstart = \"/quit.lua\"\nfiles = { \"quit.lua\" = \"print('not today')\" }\n";
    let fixtures = Fixtures::with("quits", scenario);
    let output = fixtures.harness(&["run"]).assert().code(1).get_output().clone();
    let error = printed(&output.stderr);
    assert!(error.contains("computer 12 ended before it was linked: exit 0"), "{error}");
    assert!(error.contains("not today"), "{error}");
}

#[test]
fn a_bridge_that_ends_at_once_is_reported_as_that_with_its_last_words() {
    let output = harness()
        .args(["run", "probe/none", "--emulator", "embedded", "--bridge"])
        .arg(format!("'{BRIDGE}' --no-such-flag"))
        .args(["--report"])
        .arg(tempfile::tempdir().expect("a folder").path())
        .assert()
        .code(2)
        .get_output()
        .clone();
    let error = printed(&output.stderr);
    assert!(error.contains("ended before it was ready: exit 2"), "{error}");
    assert!(error.contains("unexpected argument '--no-such-flag'"), "{error}");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = std::process::Command::new(PROGRAM).arg("list").stdout(writer).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", printed(&output.stderr));
}

#[test]
fn lua_prints_what_it_printed_and_fails_when_it_fails() {
    let code = "print('hello') for i = 1, 30 do print(i) end print(os.getComputerID())";
    let output = harness().args(["lua", code]).assert().success().get_output().clone();
    let lines = printed(&output.stdout);
    assert!(lines.starts_with("hello\n1\n2\n") && lines.ends_with("30\n0\n"), "{lines}");
    let output = harness().args(["lua", "error('no', 0)"]).assert().code(1).get_output().clone();
    assert_eq!(printed(&output.stdout), "no\n");
}
