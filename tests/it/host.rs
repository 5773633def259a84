//! `mcp …`, and `probe`, `exec` and `call` on any server: the real bridge over stdio and over HTTP.

#[cfg(target_os = "linux")]
use std::path::Path;

use assert_cmd::Command;
use craftos_harness::Lab;
use craftos_harness::emulators::Kind;
use rstest::rstest;
use serde_json::{Value, json};

use crate::context::{self, BRIDGE, harness};

/// A folder whose agent has a bridge, a program that is not there, and one that is switched off.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().expect("a folder"));
        // Any port is as good as another.
        let environment = json!({ "CC_LINK_HOST": "127.0.0.1", "CC_LINK_PORT": "0", "RUST_LOG": "off" });
        let servers = json!({
            "bridge": { "command": BRIDGE, "args": ["--stdio"], "env": environment },
            "gone": { "command": "no-such-program-anywhere" },
            "off": { "command": "no-such-program-anywhere", "disabled": true },
        });
        project.write(".mcp.json", &json!({ "mcpServers": servers }));
        project
    }

    fn write(&self, name: &str, value: &Value) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder is ours");
        std::fs::write(path, value.to_string()).expect("the folder is ours");
    }

    fn harness(&self, arguments: &[&str]) -> Command {
        let mut command = harness();
        command.current_dir(self.0.path()).args(arguments);
        command
    }
}

fn printed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn servers_are_shown_in_a_table_and_a_broken_one_below_its_row() {
    let output = Project::new().harness(&["mcp", "servers"]).assert().code(1).get_output().clone();
    let table = printed(&output.stdout);
    let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["server", "state", "era", "tools", "start"], "{table}");
    assert_eq!(rows[1][..4], ["bridge", "ready", "handshake", "2025-11-25"], "{table}");
    assert!(rows[1][4].parse::<usize>().is_ok_and(|tools| tools >= 3), "{table}");
    assert_eq!(rows[2], ["gone", "broken", "-", "-", "-"], "{table}");
    assert!(
        table.contains("\n  failed to start `gone`: the program `no-such-program-anywhere` was not found\n")
    );
    assert_eq!(rows[5], ["off", "disabled", "-", "-", "-"], "{table}");
}

#[test]
fn servers_and_tools_are_there_as_json() {
    let project = Project::new();
    let read = |arguments: &[&str], code| -> Value {
        let output = project.harness(arguments).assert().code(code).get_output().clone();
        serde_json::from_slice(&output.stdout).expect("it is JSON")
    };
    let servers = read(&["mcp", "servers", "--json", "--protocol", "2026-07-28"], 1);
    assert_eq!(servers[0]["era"], "stateless 2026-07-28");
    assert_eq!(servers[1]["state"], "broken");
    let tools = read(&["mcp", "tools", "exec", "--json"], 0);
    assert_eq!(tools.as_array().map(Vec::len), Some(1));
    assert_eq!(tools[0]["name"], "bridge__exec-lua");
    assert!(tools[0]["tool"]["inputSchema"].is_object());
}

#[test]
fn tools_are_listed_and_what_is_broken_is_told_beside_them() {
    let project = Project::new();
    let output = project.harness(&["mcp", "tools"]).assert().success().get_output().clone();
    let names: Vec<String> = printed(&output.stdout)
        .lines()
        .filter_map(|line| line.split_whitespace().next().map(ToOwned::to_owned))
        .collect();
    for tool in ["bridge__exec-lua", "bridge__list-computers", "bridge__probe-computers"] {
        assert!(names.iter().any(|name| name == tool), "{tool} is missing in {names:?}");
    }
    assert!(printed(&output.stderr).contains("error: failed to start `gone`"), "{}", printed(&output.stderr));
}

#[test]
fn a_tool_is_called_and_its_error_is_exit_code_1() {
    let project = Project::new();
    let probe =
        project.harness(&["mcp", "call", "bridge__probe-computers"]).assert().success().get_output().clone();
    assert_eq!(printed(&probe.stdout), "No computers connected.\n");
    let exec = ["mcp", "call", "bridge__exec-lua", r#"{"computerId":99,"code":"return 1"}"#];
    let output = project.harness(&exec).assert().code(1).get_output().clone();
    assert!(printed(&output.stdout).contains("computer 99 is not connected"), "{}", printed(&output.stdout));
    let whole = project.harness(&[&exec[..], &["--json"]].concat()).assert().code(1).get_output().clone();
    let whole: Value = serde_json::from_slice(&whole.stdout).expect("it is JSON");
    assert_eq!(whole["isError"], true);
}

#[rstest]
#[case::no_such_tool(&["mcp", "call", "bridge__probe"], "`bridge` has no tool `probe`")]
#[case::no_such_server(&["mcp", "call", "brigde__x"], "does not begin with the name of a server")]
#[case::a_disabled_server(&["mcp", "call", "off__x"], "`off` is disabled in its configuration")]
#[case::a_broken_server(&["mcp", "call", "gone__x"], "failed to start `gone`")]
#[case::no_object(&["mcp", "call", "bridge__exec-lua", "[]"], "a JSON object")]
#[case::no_such_file(&["mcp", "tools", "--config", "none.json"], "failed to read")]
#[case::an_unknown_version(&["mcp", "tools", "--protocol", "2027-01-01"], "is not a version of MCP")]
#[case::a_quote(&["mcp", "tools", "--stdio", "a 'b"], "a quote that is not closed")]
#[case::two_at_once(&["mcp", "tools", "--stdio", "a", "--url", "http://127.0.0.1:9/"], "cannot be used with")]
#[case::no_such_server_by_name(&["probe", "--server", "brige"], "did you mean `bridge`?")]
fn what_cannot_be_done_exits_with_2_and_says_why(#[case] arguments: &[&str], #[case] why: &str) {
    let output = Project::new().harness(arguments).assert().code(2).get_output().clone();
    assert!(printed(&output.stderr).contains(why), "{}", printed(&output.stderr));
    assert!(output.stdout.is_empty());
}

#[test]
fn pings_are_told_apart() {
    let output = Project::new().harness(&["mcp", "ping"]).assert().code(1).get_output().clone();
    let lines = printed(&output.stdout);
    assert!(lines.starts_with("pong from bridge in "), "{lines}");
    assert!(lines.contains("\nerror from gone: failed to start `gone`"), "{lines}");
    Project::new().harness(&["mcp", "ping", "bridge"]).assert().success();
}

#[test]
fn the_file_that_counts_and_those_it_shadows_are_named() {
    let project = Project::new();
    project.write(
        "opencode.json",
        &json!({ "mcp": { "other": { "type": "local", "command": ["no-such-program"] } } }),
    );
    let output = project.harness(&["mcp", "ping", "other"]).assert().code(1).get_output().clone();
    let told = printed(&output.stderr);
    assert!(told.contains("opencode.json`\nshadowed: `") && told.contains(".mcp.json`"), "{told}");
}

#[test]
fn a_folder_without_a_configuration_is_told_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let output =
        harness().current_dir(folder.path()).args(["mcp", "servers"]).assert().code(2).get_output().clone();
    let told = printed(&output.stderr);
    assert!(told.contains("no configuration of MCP servers for") && told.contains("hint: "), "{told}");
}

#[test]
fn probe_and_call_speak_to_a_bridge_over_stdio() {
    let project = Project::new();
    let command = format!("'{BRIDGE}' --stdio --cc-link-host 127.0.0.1 --cc-link-port 0");
    for arguments in [&["probe", "--stdio", &command][..], &["probe", "--server", "bridge"]] {
        let output =
            project.harness(arguments).env("RUST_LOG", "off").assert().success().get_output().clone();
        assert_eq!(printed(&output.stdout), "No computers connected.\n");
    }
    let call = ["call", "exec-lua", r#"{"computerId":1,"code":""}"#, "--stdio", &command];
    project.harness(&call).env("RUST_LOG", "off").assert().code(1);
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test(flavor = "multi_thread")]
async fn lua_runs_on_a_computer_through_the_host(#[case] kind: Kind) {
    let Some(emulator) = context::emulator(kind).await else { return };
    let lab = Lab::new().on(emulator).program(context::places().program).computer(12).label("base-turtle");
    let lab = lab.boot().await.expect("it boots");
    let url = lab.stage().mcp_url().await.expect("it is up");
    let run = |arguments: Vec<String>, code: i32| {
        tokio::task::spawn_blocking(move || {
            let output = harness().args(arguments).assert().code(code).get_output().clone();
            printed(&output.stdout)
        })
    };
    let words = |text: &[&str]| text.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let probe = run(words(&["probe", "--url", &url]), 0).await.expect("it runs");
    assert_eq!(probe, "pong from 12 (Label: base-turtle)\n");
    let exec = run(words(&["exec", "12", "return 1 + 1", "--url", &url, "--protocol", "2026-07-28"]), 0);
    assert_eq!(exec.await.expect("it runs"), "2\n");
    let failing = r#"{"computerId":12,"code":"error('no', 0)"}"#;
    let failed = run(words(&["mcp", "call", "server__exec-lua", failing, "--url", &url]), 1);
    assert!(failed.await.expect("it runs").contains(r#""error":"no""#));
    lab.end().await;
}

/// A host that is interrupted ends what it has started.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_leaves_no_server() {
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("process");
    let script = format!("echo $$ > '{}'; exec sleep 1000", file.display());
    let config = json!({ "mcpServers": { "slow": { "command": "sh", "args": ["-c", script] } } });
    std::fs::write(folder.path().join(".mcp.json"), config.to_string()).expect("the folder is ours");
    let mut command = Command::new(context::PROGRAM);
    command.current_dir(folder.path()).args(["mcp", "ping"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut harness = command.spawn().expect("it was built");
    let process = read_when_written(&file);
    let sent =
        Command::new("kill").args(["-INT", &harness.id().to_string()]).status().expect("there is a `kill`");
    assert!(sent.success());
    assert_eq!(harness.wait().expect("it ends").code(), Some(2));
    let gone = || !Path::new("/proc").join(&process).join("cwd").exists();
    wait("the server is gone", gone);
}

#[cfg(target_os = "linux")]
fn read_when_written(file: &Path) -> String {
    let read = || std::fs::read_to_string(file).unwrap_or_default();
    wait("the server has started", || read().ends_with('\n'));
    read().trim().to_owned()
}

#[cfg(target_os = "linux")]
fn wait(what: &str, condition: impl Fn() -> bool) {
    // Longer than anything here takes on a busy machine. Reaching it is a failure, never a pause.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !condition() {
        assert!(std::time::Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
