//! Snapshots that must fail, and do: a changed text, a missing computer, a swapped frame.

use rstest::rstest;

use crate::context::Fixtures;

const SCENARIO: &str = r#"
about = "Two computers answer."

[[computers]]
id = 12
label = "base-turtle"

[[computers]]
id = 13

[[steps]]
call = { tool = "probe-computers" }
"#;

fn accepted() -> Fixtures {
    let fixtures = Fixtures::with("two", SCENARIO);
    fixtures.harness(&["run", "--accept"]).assert().success();
    fixtures.harness(&["run"]).assert().success();
    fixtures
}

/// What every failing scenario prints: the diff, the last screen of each computer, and the path of a page that is there.
fn promised(fixtures: &Fixtures, printed: &str) {
    assert!(printed.contains("the transcript differs from the snapshot"), "{printed}");
    assert!(printed.lines().any(|line| line.starts_with("- ") || line.starts_with("+ ")), "{printed}");
    assert!(printed.contains("computer 12:\n  its screen:\n    mcp-computer v"), "{printed}");
    let page =
        printed.lines().find_map(|line| line.strip_prefix("page: ")).expect("it says where the page is");
    let page = std::fs::read_to_string(page).expect("the page is there");
    assert!(page.contains("the transcript differs from the snapshot"), "{page}");
    assert!(fixtures.report().join("index.html").is_file());
}

#[rstest]
#[case::a_changed_text("pong from 12 (Label: base-turtle)\n  pong", "pong from 12 (Label: other)\n  pong")]
#[case::a_missing_line("  pong from 13 (Label: null)\n", "")]
#[case::another_screen("waiting for requests", "waiting for orders")]
#[case::another_end("\nstopped", "\nexit 1")]
fn a_snapshot_that_says_otherwise_fails(#[case] said: &str, #[case] otherwise: &str) {
    let fixtures = accepted();
    let path = fixtures.scenario("two").join("transcript.snap");
    let text = std::fs::read_to_string(&path).expect("it was accepted");
    assert!(text.contains(said), "{text}");
    std::fs::write(&path, text.replacen(said, otherwise, 1)).expect("the folder is ours");
    let output = fixtures.harness(&["run"]).assert().code(1).get_output().clone();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    promised(&fixtures, &printed);
}

#[test]
fn a_swapped_frame_fails() {
    let fixtures = accepted();
    let path = fixtures.scenario("two").join("transcript.snap");
    let text = std::fs::read_to_string(&path).expect("it was accepted");
    let mut lines: Vec<&str> = text.lines().collect();
    let hello = lines.iter().position(|line| line.contains("\"hello\"")).expect("there is a hello");
    lines.swap(hello, hello + 1);
    std::fs::write(&path, lines.join("\n")).expect("the folder is ours");
    let output = fixtures.harness(&["run"]).assert().code(1).get_output().clone();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(printed.lines().any(|line| line.starts_with("+ ") && line.contains("\"hello\"")), "{printed}");
    promised(&fixtures, &printed);
}

#[test]
fn a_missing_computer_fails() {
    let fixtures = accepted();
    let without = SCENARIO.replace("[[computers]]\nid = 13\n", "");
    std::fs::write(fixtures.scenario("two").join("scenario.toml"), without).expect("the folder is ours");
    let output = fixtures.harness(&["run"]).assert().code(1).get_output().clone();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        printed.lines().any(|line| line.starts_with("- ") && line.contains("== computer 13")),
        "{printed}"
    );
    promised(&fixtures, &printed);
}

#[test]
fn a_known_difference_that_is_gone_fails() {
    let fixtures = accepted();
    let differs = SCENARIO.replacen("\n\n", "\n\n[differs]\nembedded = \"it answers late\"\n\n", 1);
    std::fs::write(fixtures.scenario("two").join("scenario.toml"), differs).expect("the folder is ours");
    let output = fixtures.harness(&["run"]).assert().code(1).get_output().clone();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(printed.contains("it is said to differ on embedded and no longer does"), "{printed}");
}
