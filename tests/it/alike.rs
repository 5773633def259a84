//! Two runs that differ never look alike, and a wait is not satisfied by what only looks like what it waits for.

use rstest::rstest;

use crate::context::Fixtures;

fn printed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A computer that runs this and then waits. What it runs is not in the transcript.
fn shows(code: &str) -> String {
    let computer =
        "about = \"x\"\n[[computers]]\nid = 3\nprogram = \"none\"\nstart = \"/a.lua\"\nboot = \"booted\"\n";
    let step =
        "[[steps]]\nwait = { computer = \"3\", shows = \"end\" }\n[[steps]]\nscreen = { computer = \"3\" }\n";
    format!("{computer}[computers.files]\n\"a.lua\" = '''{code} os.pullEvent(\"go\")'''\n{step}")
}

/// The same, but that the computer clears its screen afterwards: the step alone has seen it.
fn clears(code: &str) -> String {
    let clear = "os.pullEvent('clear') term.clear() term.setCursorPos(1, 1) print('cleared')";
    let steps = "[[steps]]\nevent = { computer = \"3\", name = \"clear\" }\n[[steps]]\nwait = { computer = \"3\", shows = \"cleared\" }\n";
    shows(&format!("{code} {clear}")) + steps
}

/// A linked computer that returns what a file says.
fn returns(value: &str) -> String {
    let code = "return load(fs.open('value', 'r').readAll())()";
    format!(
        "about = \"x\"\n[[computers]]\nid = 12\nfiles = {{ \"value\" = '''return {value}''' }}\n[[steps]]\nexec = {{ computer = \"12\", code = \"{code}\" }}\n"
    )
}

#[rstest]
#[case::a_return_at_the_end_of_a_line(
    shows,
    "term.write('a') print() print('end')",
    "term.write('a\\r') print() print('end')"
)]
#[case::a_tab_at_the_end_of_a_line(
    shows,
    "term.write('a') print() print('end')",
    "term.write('a\\t') print() print('end')"
)]
#[case::bytes_that_are_no_text(
    clears,
    "term.write('\\xc3\\xbc') print() print('end')",
    "term.write('\\xfc') print() print('end')"
)]
#[case::a_word_like_an_address(returns, "{ 'table: face' }", "{ 'table: beef' }")]
fn what_differs_is_seen(#[case] scenario: fn(&str) -> String, #[case] one: &str, #[case] other: &str) {
    let fixtures = Fixtures::with("pair", &scenario(one));
    fixtures.harness(&["run", "--accept"]).assert().success();
    fixtures.harness(&["run"]).assert().success();
    let fixtures = fixtures.and("pair", &scenario(other));
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("the transcript differs from the snapshot"), "{error}");
}

#[test]
fn an_answer_in_parts_is_not_taken_for_one_that_failed() {
    let steps = "[[steps]]\nexec = { computer = \"12\", code = \"return ('x'):rep(200000)\" }\n[[steps]]\nwait = { computer = \"12\", response = 1, ok = false }\n";
    let fixtures = Fixtures::with("parts", &format!("about = \"x\"\n[[computers]]\nid = 12\n{steps}"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("the answer has `ok` = true, not false"), "{error}");
}

#[test]
fn a_request_in_parts_is_seen_by_what_it_contains() {
    let steps = "[[steps]]\ntogether = [[{ exec = { computer = \"12\", code_file = \"big.lua\" } }], [{ wait = { computer = \"12\", request = \"exec-lua\", contains = \"the needle\" } }]]\n";
    let fixtures = Fixtures::with("parts", &format!("about = \"x\"\n[[computers]]\nid = 12\n{steps}"));
    let code = format!("-- {} the needle\nreturn 1\n", "x".repeat(200_000));
    std::fs::write(fixtures.scenario("parts").join("big.lua"), code).expect("the folder is ours");
    fixtures.harness(&["run", "--accept"]).assert().success();
}

#[test]
fn a_change_that_stays_green_is_no_proof_while_the_snapshot_is_accepted() {
    let scenario = "about = \"x\"\n[[computers]]\nid = 12\n[[steps]]\nexec = { computer = \"12\", code = \"return 1\" }\n[[must_fail]]\nabout = \"another setting\"\nset = { \"computers.12.settings\" = { \"a.b\" = \"1\" } }\n";
    let fixtures = Fixtures::with("proof", scenario);
    let error = printed(&fixtures.harness(&["run", "--accept"]).assert().code(1).get_output().stderr);
    assert!(error.contains("`must_fail` 1 (`another setting`) has to fail and passes"), "{error}");
    assert!(!fixtures.scenario("proof").join("transcript.snap").exists());
}

#[rstest]
#[case::a_folder_that_is_read("read = { computer = \"3\", path = \"d\" }", "`d` of computer 3 is a folder")]
#[case::a_folder_that_is_written(
    "put = { computer = \"3\", path = \"d\", text = \"x\" }",
    "`d` of computer 3 is a folder"
)]
#[case::a_file_as_a_folder(
    "put = { computer = \"3\", path = \"a.lua/x\", text = \"x\" }",
    "`a.lua/x` of computer 3 is inside a file"
)]
fn a_path_of_another_kind_is_the_scenarios_failure(#[case] step: &str, #[case] why: &str) {
    let scenario = format!("{}[[steps]]\n{step}\n", shows("fs.makeDir('d') print('end')"));
    let fixtures = Fixtures::with("paths", &scenario);
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("step 3 (`") && error.contains(why) && !error.contains("BROKEN"), "{error}");
}
