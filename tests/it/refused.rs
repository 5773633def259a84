//! What a scenario gives and nothing could take is refused before anything boots, with its line.

use rstest::rstest;

use crate::context::Fixtures;

const COMPUTER: &str = "[[computers]]\nid = 3\nprogram = \"none\"\nstart = \"shell\"\nboot = \"booted\"\n";
const LINKED: &str = "[[computers]]\nid = 12\n";

/// What the program says of a scenario that it does not play.
fn refused(scenario: &str) -> String {
    let fixtures = Fixtures::with("wrong", scenario);
    let output = fixtures.harness(&["run", "--accept"]).assert().code(2).get_output().clone();
    assert!(!fixtures.scenario("wrong").join("transcript.snap").exists());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[rstest]
#[case::nothing_in_it("about = \"x\"\n", 1, "neither a computer nor a step")]
#[case::nothing_to_say("about = \" \"\n[[steps]]\nsay = \"x\"\n", 1, "`about` is empty")]
#[case::never_run(
    "about = \"x\"\nskip.embedded = \"a\"\nskip.craftos-pc = \"b\"\n[[steps]]\nsay = \"x\"\n",
    1,
    "skipped on every emulator"
)]
#[case::a_skip_without_a_reason(
    "about = \"x\"\nskip.craftos-pc = \"\"\n[[steps]]\nsay = \"x\"\n",
    1,
    "`skip.craftos-pc` is empty"
)]
#[case::a_difference_without_a_reason(
    "about = \"x\"\ndiffers.embedded = \"\"\n[[steps]]\nsay = \"x\"\n",
    1,
    "`differs.embedded` is empty"
)]
fn a_scenario_that_shows_nothing_is_refused(#[case] scenario: &str, #[case] line: usize, #[case] why: &str) {
    let error = refused(scenario);
    assert!(error.contains(&format!("line {line}: ")) && error.contains(why), "{error}");
}

#[rstest]
#[case::a_bridge_that_is_not_started(
    "about = \"x\"\n[bridge]\nlink_token = \"x\"\n",
    "`[bridge]` has no effect"
)]
#[case::a_version_that_nobody_speaks("about = \"x\"\nmcp = \"2026-07-28\"\n", "line 2: `mcp` has no effect")]
fn what_only_a_bridge_would_take_is_refused_without_one(#[case] before: &str, #[case] why: &str) {
    let error = refused(&format!("{before}{COMPUTER}"));
    assert!(error.contains(why), "{error}");
}

#[test]
fn a_server_that_no_step_calls_is_refused() {
    let error = refused(&format!("about = \"x\"\n[servers.other]\ncommand = [\"true\"]\n{LINKED}"));
    assert!(error.contains("line 2: no step calls server `other`"), "{error}");
}

#[rstest]
#[case::a_number_that_lua_would_round("values = [9007199254740993]", "`9007199254740993` is too large")]
#[case::no_number("values = [nan]", "`nan` and `inf` cannot be given")]
#[case::a_date("values = [{ at = 2020-01-01 }]", "a date cannot be given")]
fn a_value_that_would_arrive_as_another_is_refused(#[case] values: &str, #[case] why: &str) {
    let step = format!("[[steps]]\nevent = {{ computer = \"3\", name = \"x\", {values} }}\n");
    let error = refused(&format!("about = \"x\"\n{COMPUTER}{step}"));
    assert!(error.contains("line 7: ") && error.contains(why), "{error}");
}

#[test]
fn an_argument_that_json_does_not_hold_is_refused() {
    let step = "[[steps]]\ncall = { tool = \"x\", arguments = { a = inf } }\n";
    let error = refused(&format!("about = \"x\"\n{step}"));
    assert!(error.contains("line 2: ") && error.contains("`nan` and `inf`"), "{error}");
}

#[rstest]
#[case::a_file("files = { \"rom/x.txt\" = \"x\" }\n", 7)]
#[case::a_file_that_is_put("[[steps]]\nput = { computer = \"3\", path = \"rom/x\", text = \"x\" }\n", 7)]
#[case::a_file_that_is_read("[[steps]]\nread = { computer = \"3\", path = \"/rom/startup.lua\" }\n", 7)]
fn a_file_where_the_emulator_shows_its_own_is_refused(#[case] given: &str, #[case] line: usize) {
    let error = refused(&format!("about = \"x\"\n{COMPUTER}{given}"));
    assert!(error.contains(&format!("line {line}: ")), "{error}");
    assert!(error.contains("is in `rom`, which is the emulator's"), "{error}");
}

#[test]
fn addresses_without_http_are_refused() {
    let error = refused(&format!("about = \"x\"\n{COMPUTER}http = false\nallow = [\"a.example\"]\n"));
    assert!(error.contains("line 8: no address is reached where `http = false`"), "{error}");
}

#[test]
fn a_proof_that_every_failure_gives_is_refused() {
    let change = "[[must_fail]]\nabout = \"y\"\nbecause = \"\"\nremove = [\"steps.1\"]\n";
    let error = refused(&format!("about = \"x\"\n{LINKED}[[steps]]\nsay = \"x\"\n{change}"));
    assert!(error.contains("line 6: ") && error.contains("`because` is empty"), "{error}");
}

#[rstest]
#[case::a_fault(
    "[[faults.faults]]\nkind = \"freeze\"\nat_ms = 1\ncomputer = \"99\"\n",
    7,
    "the fault names computer `99`"
)]
#[case::a_fault_of_nobody(
    "[[faults.faults]]\nkind = \"freeze\"\nat_ms = 1\n",
    5,
    "`freeze` happens to a computer"
)]
#[case::a_call(
    "[[faults.calls]]\nat_ms = 1\nclient = 0\ncomputer = \"99\"\ntimeout_ms = 1\n",
    7,
    "the call names computer `99`"
)]
#[case::an_invariant(
    "[[faults.invariants]]\nabout = \"x\"\ncomputer = \"99\"\nlua = \"return false\"\n",
    6,
    "the invariant names computer `99`"
)]
#[case::an_invariant_of_one_that_does_not_link(
    "[[faults.invariants]]\nabout = \"x\"\ncomputer = \"3\"\nlua = \"return false\"\n[[computers]]\nid = 3\nprogram = \"none\"\nstart = \"shell\"\nboot = \"booted\"\n",
    6,
    "the invariant names computer `3`"
)]
#[case::two_plans(
    "[faults]\nprofile = \"calm\"\nfaults = [{ kind = \"reboot\", at_ms = 1, computer = \"12\" }]\n",
    5,
    "`profile` draws faults"
)]
#[case::steps_that_are_not_played(
    "[faults]\nprofile = \"calm\"\n[[steps]]\nsay = \"x\"\n",
    4,
    "`steps` has no effect"
)]
#[case::a_proof_that_is_not_played(
    "[faults]\nprofile = \"calm\"\n[[must_fail]]\nabout = \"y\"\nset = { mcp = \"2026-07-28\" }\n",
    4,
    "`must_fail` has no effect"
)]
#[case::a_delay_of_nothing(
    "[[faults.faults]]\nkind = \"delay\"\nat_ms = 1\ncomputer = \"12\"\n",
    5,
    "`delay` of 0 ms is none"
)]
fn a_fault_that_would_never_happen_is_refused(#[case] faults: &str, #[case] line: usize, #[case] why: &str) {
    let error = refused(&format!("about = \"x\"\n{LINKED}{faults}"));
    assert!(error.contains(&format!("line {line}: ")) && error.contains(why), "{error}");
}

#[test]
fn a_profile_without_a_computer_to_disturb_is_refused() {
    let error = refused(&format!("about = \"x\"\n{COMPUTER}[faults]\nprofile = \"all\"\n"));
    assert!(error.contains("line 8: no computer is linked from the beginning"), "{error}");
}

#[test]
fn a_computer_that_nothing_boots_is_refused() {
    let never = format!("about = \"x\"\n{LINKED}[[computers]]\nid = 13\nboot = \"later\"\n");
    let error = refused(&format!("{never}[[steps]]\nsay = \"x\"\n"));
    assert!(error.contains("line 6: no step boots this computer"), "{error}");
}

#[test]
fn a_difference_where_it_is_skipped_is_refused() {
    let both = "skip.craftos-pc = \"a\"\ndiffers.craftos-pc = \"b\"\n";
    let error = refused(&format!("about = \"x\"\n{both}[[steps]]\nsay = \"x\"\n"));
    assert!(error.contains("skipped on craftos-pc: `differs.craftos-pc` has no effect"), "{error}");
}

#[rstest]
#[case::a_copy_and_a_text("\"a\" = \"x\", \"/a\" = { from = \"scenario.toml\" }", "are the same file")]
#[case::two_copies(
    "\"a\" = { from = \"scenario.toml\" }, \"./a\" = { from = \"scenario.toml\" }",
    "are the same file"
)]
#[case::a_text_inside_a_copy(
    "\"a\" = { from = \"scenario.toml\" }, \"a/b\" = \"x\"",
    "`a/b` is inside `a`, which is a file"
)]
fn files_of_which_one_would_be_lost_are_refused(#[case] files: &str, #[case] why: &str) {
    let error = refused(&format!("about = \"x\"\n{COMPUTER}files = {{ {files} }}\n"));
    assert!(error.contains("line 7: ") && error.contains(why), "{error}");
}

#[cfg(unix)]
#[test]
fn a_folder_with_a_link_that_would_not_be_copied_is_refused() {
    let scenario = format!("about = \"x\"\n{COMPUTER}files = {{ \"d\" = {{ from = \"disk\" }} }}\n");
    let fixtures = Fixtures::with("linked", &scenario);
    let disk = fixtures.scenario("linked").join("disk");
    std::fs::create_dir_all(disk.join("real")).expect("the folder is ours");
    std::os::unix::fs::symlink("real", disk.join("link")).expect("the folder is ours");
    let output = fixtures.harness(&["run", "--accept"]).assert().code(2).get_output().clone();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("line 7: ") && error.contains("link` is no file and no folder"), "{error}");
}

/// Folders of these names are left out where a project is copied.
#[test]
fn a_folder_that_a_scenario_names_is_copied_whole() {
    let step =
        "[[steps]]\nread = { computer = \"3\", path = \"d/target/x.txt\" }\nexpect = { file = \"here\" }\n";
    let scenario = format!("about = \"x\"\n{COMPUTER}files = {{ \"d\" = {{ from = \"disk\" }} }}\n{step}");
    let fixtures = Fixtures::with("whole", &scenario);
    let folder = fixtures.scenario("whole").join("disk/target");
    std::fs::create_dir_all(&folder).expect("the folder is ours");
    std::fs::write(folder.join("x.txt"), "here").expect("the folder is ours");
    fixtures.harness(&["run", "--accept"]).assert().success();
}

/// Nothing in an argument stands for something else.
#[test]
fn an_argument_arrives_as_it_is_written() {
    let alone = "[[computers]]\nid = 3\nprogram = \"none\"\nstart = \"/a.lua\"\nboot = \"booted\"\narguments = [\"{url}\", \"a{url}\", \"{mcp}\", \"\"]\nfiles = { \"a.lua\" = \"print(table.concat({ #arg, ... }, ' ')) os.pullEvent('go')\" }\n";
    let step = "[[steps]]\nwait = { computer = \"3\", shows = \"4 {url} a{url} {mcp}\" }\n";
    let fixtures = Fixtures::with("words", &format!("about = \"x\"\n{LINKED}{alone}{step}"));
    fixtures.harness(&["run", "--accept"]).assert().success();
}
