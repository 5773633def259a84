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
