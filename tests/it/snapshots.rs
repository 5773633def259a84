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
    let ping = lines.iter().position(|line| line.contains("\"ping\"")).expect("there is a ping");
    lines.swap(ping, ping + 1);
    std::fs::write(&path, lines.join("\n")).expect("the folder is ours");
    let output = fixtures.harness(&["run"]).assert().code(1).get_output().clone();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(printed.lines().any(|line| line.starts_with("+ ") && line.contains("\"ping\"")), "{printed}");
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
    assert!(
        printed.contains("the scenario says that it differs on embedded, but it no longer does"),
        "{printed}"
    );
}

/// Sends a frame that is no text on its link.
const BINARY: &str = r#"
about = "A frame that is no text."

[[computers]]
id = 12
start = "/send.lua"
boot = "booted"

[computers.files]
"send.lua" = """
local socket = assert(http.websocket(...))
socket.send("a\\0B\\255", true)
print("sent")
os.pullEvent("nothing")
"""

[[steps]]
wait = { computer = "12", shows = "sent" }
"#;

#[test]
fn a_binary_frame_is_told_by_its_size_and_its_hash() {
    let fixtures = Fixtures::with("binary", BINARY);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let snapshot = fixtures.scenario("binary").join("transcript.snap");
    let text = std::fs::read_to_string(snapshot).expect("it was accepted");
    assert!(text.contains("computer: binary, 4 bytes, sha256 "), "{text}");
    fixtures.harness(&["run"]).assert().success();
    // One byte is another, and as many.
    let fixtures = fixtures.and("binary", &BINARY.replace("a\\\\0B", "a\\\\0C"));
    let error = String::from_utf8_lossy(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr)
        .into_owned();
    let told: Vec<&str> = error.lines().filter(|line| line.contains("binary, 4 bytes, sha256 ")).collect();
    assert!(told.iter().any(|line| line.starts_with('-')), "{error}");
    assert!(told.iter().any(|line| line.starts_with('+')), "{error}");
}
