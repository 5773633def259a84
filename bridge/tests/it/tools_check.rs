//! `mcp-bridge tools check`, and what the bridge itself says about tools that are wrong.

use std::process::{Output, Stdio};

use assert_cmd::cargo::cargo_bin;
use rstest::rstest;
use serde_json::json;

use crate::support::tools::{ToolFolder, entry, index};

const ANY: &[&str] = &["mcp.computer: any"];

fn check(arguments: &[&std::path::Path]) -> Output {
    let mut command = std::process::Command::new(cargo_bin("mcp-bridge"));
    command.args(["tools", "check"]).args(arguments).env_remove("CC_TOOLS").stdin(Stdio::null());
    command.output().expect("it runs")
}

/// The exit code and what was printed, with the folder's path as `DIR`.
fn checked(folder: &ToolFolder) -> (i32, String) {
    let output = check(&[folder.path()]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (output.status.code().expect("a code"), text.replace(&folder.path().display().to_string(), "DIR"))
}

#[test]
fn sound_tools_are_fine() {
    let folder = ToolFolder::with(&[("greet", ANY), ("wave", &[])]);
    assert_eq!(checked(&folder), (0, "2 tools in 1 index, 0 findings\n".to_owned()));
}

#[test]
fn the_standard_set_and_the_fixtures_are_fine() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = check(&[&root.join("lua/tools"), &root.join("craftos-fixtures/conformance")]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success() && text.contains(" in 2 indexes, 0 findings"), "{text}");
}

#[test]
fn a_folder_that_is_not_there_is_code_2() {
    let output = check(&["/nowhere/at/all".as_ref()]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(text.starts_with("error: there is no folder `/nowhere/at/all` for tools\nhint: "), "{text}");
    assert!(output.stdout.is_empty());
}

#[rstest]
#[case::yaml("entries: [", "_index.yaml", "DIR/_index.yaml:2: this is not YAML")]
#[case::syntax("return { call = function( }", "greet.lua", "DIR/greet.lua:1: this is not Lua: ")]
#[case::nothing_returned("local a = 1\n", "greet.lua", "DIR/greet.lua:1: a handler ends with `return")]
fn a_broken_file_is_named_with_its_line(#[case] text: &str, #[case] path: &str, #[case] says: &str) {
    let folder = ToolFolder::with(&[("greet", ANY)]);
    folder.write(path, text);
    let (code, printed) = checked(&folder);
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains(says) && printed.ends_with(", 1 finding\n"), "{printed}");
}

#[rstest]
#[case::schema(
    "mcp.inputSchema: { type: object, properties: { a: { type: strnig } } }",
    12,
    "this is not a JSON Schema: "
)]
#[case::no_object("mcp.inputSchema: { type: string }", 12, "a tool's schema must have `type: object`")]
#[case::output("mcp.outputSchema: { type: object, required: 5 }", 12, "this is not a JSON Schema: ")]
#[case::key("mcp.titel: x", 12, "unknown key `mcp.titel`")]
#[case::built_in("mcp.name: exec-lua", 12, "the bridge has a tool `exec-lua` of its own")]
fn a_wrong_entry_is_named_and_the_others_are_served(
    #[case] line: &str,
    #[case] at: usize,
    #[case] says: &str,
) {
    let folder = ToolFolder::with(&[("greet", &["mcp.computer: any", line]), ("wave", ANY)]);
    let (code, printed) = checked(&folder);
    assert_eq!(code, 1);
    let first = printed.lines().next().expect("a finding");
    assert!(first.starts_with(&format!("DIR/_index.yaml:{at}: {says}")), "{printed}");
    assert!(printed.ends_with("1 tool in 1 index, 1 finding\n"), "{printed}");
}

#[test]
fn an_argument_of_the_bridges_own_name_is_refused() {
    let schema = "mcp.inputSchema: { type: object, properties: { computerId: { type: string } } }";
    let (code, printed) = checked(&ToolFolder::with(&[("greet", &[schema])]));
    let says = "DIR/_index.yaml:11: `computerId` is added to the tool by the bridge";
    assert!(code == 1 && printed.starts_with(says), "{printed}");
}

#[test]
fn two_tools_of_one_name_are_said_with_both_places() {
    let folder = ToolFolder::with(&[("greet", ANY)]);
    folder.write("other/_index.yaml", &index(&[entry("greet", ANY)]));
    folder.write("other/greet.lua", "return { call = function() end }");
    let (code, printed) = checked(&folder);
    let says = "DIR/other/_index.yaml:4: there is a tool `greet` already, at DIR/_index.yaml:4\n";
    assert_eq!((code, printed.as_str()), (1, format!("{says}1 tool in 2 indexes, 1 finding\n").as_str()));
}

#[test]
fn a_source_outside_of_the_folder_is_refused() {
    let folder = ToolFolder::with(&[("greet", ANY)]);
    let text = index(&[entry("greet", ANY)]).replace("file://greet.lua", "file://../../etc/passwd");
    folder.write("_index.yaml", &text);
    let (code, printed) = checked(&folder);
    assert!(
        code == 1 && printed.starts_with("DIR/_index.yaml:6: `../../etc/passwd` lies outside of `DIR`"),
        "{printed}"
    );
}

/// Runs the bridge until its stdin has ended, which is at once.
fn serve(change: impl FnOnce(&mut std::process::Command)) -> (i32, String) {
    let mut command = std::process::Command::new(cargo_bin("mcp-bridge"));
    command.args(["--stdio", "--cc-link-host", "127.0.0.1", "--cc-link-port", "0"]).stdin(Stdio::null());
    command.env_remove("CC_TOOLS").env_remove("RUST_LOG");
    change(&mut command);
    let output = command.output().expect("it runs");
    (output.status.code().expect("a code"), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn the_bridge_logs_what_is_wrong_and_runs() {
    let broken = ToolFolder::with(&[("greet", ANY)]);
    broken.write("greet.lua", "local a\nlocal = 1\nreturn {}");
    let sound = ToolFolder::with(&[("wave", ANY)]);
    let both = format!("{},{}", broken.path().display(), sound.path().display());
    let (code, log) = serve(|command| {
        command.env("CC_TOOLS", both);
    });
    assert_eq!(code, 0, "{log}");
    let says = format!("{}:2: this is not Lua: ", broken.path().join("greet.lua").display());
    assert!(log.contains(&says) && log.contains("tools=1 findings=1"), "{log}");
}

#[test]
fn a_bridge_for_a_folder_that_is_not_there_does_not_run() {
    let (code, log) = serve(|command| {
        command.args(["--tools", "/nowhere/at/all"]);
    });
    assert!(code == 2 && log.contains("error: there is no folder `/nowhere/at/all` for tools"), "{log}");
}

#[tokio::test]
async fn a_bridge_starts_with_broken_tools_and_serves_the_rest() {
    let folder = ToolFolder::with(&[("greet", ANY), ("wave", ANY)]);
    folder.write("wave.lua", "return {");
    folder.write("broken/_index.yaml", "version: 1");
    let bridge = folder.bridge().await;
    let tools = bridge.client().await.request("tools/list", json!({})).await["result"]["tools"].take();
    let names: Vec<&str> =
        tools.as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names[mcp_bridge::mcp::built_in::NAMES.len()..], ["greet"]);
}
