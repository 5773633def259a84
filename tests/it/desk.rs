//! The commands at the desk: `up`, and `probe`, `exec` and `lua` as a person uses them.

use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use craftos_harness::emulators::Kind;
use rstest::rstest;
use serde_json::Value;

use crate::context::{self, Fixtures, PROGRAM, harness};

/// The last line before those of the computers.
const READY: &str = "Ctrl-C ends it";

fn printed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A running `up`, which is killed with the test.
struct Up {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
    /// What it printed until it was ready.
    said: Vec<String>,
}

impl Up {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.arg("up").args(arguments).arg("--program").arg(context::places().program);
        command.current_dir(folder).env_remove("CC_TOOLS").env_remove("CRAFTOS_PC");
        let mut process = command.stdout(Stdio::piped()).spawn().expect("it was built");
        let stdout = process.stdout.take().expect("it is piped");
        let mut up = Self { process, lines: BufReader::new(stdout).lines(), said: Vec::new() };
        up.until(READY);
        up
    }

    /// Waits for a line that begins with these words.
    fn until(&mut self, words: &str) {
        for line in self.lines.by_ref().map_while(Result::ok) {
            self.said.push(line);
            if self.said.last().is_some_and(|line| line.starts_with(words)) {
                return;
            }
        }
        panic!("no line `{words}` in {:#?}", self.said);
    }

    /// What stands after a word at the beginning of a line.
    fn after(&self, word: &str) -> &str {
        let found = self.said.iter().find_map(|line| line.strip_prefix(word));
        found.unwrap_or_else(|| panic!("no `{word}` in {:#?}", self.said)).trim()
    }

    /// The line below the one that begins with these words.
    fn below(&self, words: &str) -> &str {
        let at = self.said.iter().position(|line| line.starts_with(words));
        self.said[at.unwrap_or_else(|| panic!("no `{words}` in {:#?}", self.said)) + 1].trim()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs the program in a folder.
fn run(folder: &Path, arguments: &[&str], code: i32) -> Output {
    harness().current_dir(folder).args(arguments).assert().code(code).get_output().clone()
}

/// A folder that is a project of its own.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join(".git")).expect("the folder is ours");
    std::fs::create_dir_all(folder.path().join("deep/down")).expect("the folder is ours");
    folder
}

#[test]
fn a_taken_port_is_exchanged_for_another_and_up_says_what_to_type() {
    // Either this takes the port, or somebody else has it.
    let _taken = TcpListener::bind("127.0.0.1:3000");
    let folder = project();
    let up = Up::start(folder.path(), &["1"]);
    let url = up.after("MCP ").to_owned();
    assert!(!url.contains(":3000/"), "{url}");
    let said = up.said.join("\n");
    assert!(said.contains("port 3000 is taken by another program"), "{said}");
    assert!(said.contains(&format!("elsewhere type `craftos-harness probe --url {url}`")), "{said}");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let probe = run(elsewhere.path(), &["probe", "--url", &url], 0);
    assert_eq!(printed(&probe.stdout), "pong from 1 (Label: computer-1)\n");
}

#[test]
fn a_port_that_was_asked_for_is_not_exchanged() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("some port is free");
    let port = taken.local_addr().expect("it is bound").port().to_string();
    let output = run(project().path(), &["up", "1", "--mcp-port", &port], 2);
    let error = printed(&output.stderr);
    assert!(error.contains(&format!("port {port} on 127.0.0.1 is in use")), "{error}");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn probe_and_exec_find_the_up_of_their_project(#[case] kind: Kind) {
    if context::emulator(kind).await.is_none() {
        return;
    }
    let (folder, other) = (project(), project());
    let ports = ["--mcp-port", "0", "--link-port", "0", "--emulator"];
    let _up = Up::start(folder.path(), &[&["2"], &ports[..], &[&kind.to_string()]].concat());
    let _other = Up::start(other.path(), &[&["1"], &ports[..], &["embedded"]].concat());
    let below = folder.path().join("deep/down");
    let probe = run(&below, &["probe"], 0);
    assert_eq!(printed(&probe.stdout), "pong from 1 (Label: computer-1)\npong from 2 (Label: computer-2)\n");
    let exec = run(&below, &["exec", "2", "return os.getComputerID(), { 'a' }, nil, 'ü\\n'"], 0);
    assert_eq!(printed(&exec.stdout), "2\n{\n  \"a\",\n}\nnil\n\"ü\\n\"\n");
}

#[cfg(unix)]
#[rstest]
#[case::one_whose_process_is_gone(0o700, i32::MAX.unsigned_abs())]
#[case::one_whose_bridge_is_gone(0o700, std::process::id())]
#[case::one_that_others_can_write(0o777, std::process::id())]
fn a_note_that_cannot_be_trusted_is_not_followed(#[case] mode: u32, #[case] process: u32) {
    use std::os::unix::fs::DirBuilderExt as _;
    let (folder, temporary) = (project(), tempfile::tempdir().expect("a folder"));
    let closed = TcpListener::bind("127.0.0.1:0").expect("some port is free");
    let url = format!("http://{}/mcp", closed.local_addr().expect("it is bound"));
    drop(closed);
    let note = temporary.path().join("craftos-harness-0");
    std::fs::DirBuilder::new().mode(mode).create(&note).expect("the folder is ours");
    let about = serde_json::json!({
        "process": process, "project": folder.path().canonicalize().expect("it is there"),
        "mcp_url": url, "mcp_token": null,
    });
    std::fs::write(note.join("up.json"), about.to_string()).expect("the folder is ours");
    let mut probe = harness();
    let output = probe.current_dir(folder.path()).env("TMPDIR", temporary.path()).arg("probe").output();
    let output = output.expect("it was built");
    assert!(!printed(&output.stderr).contains(&url), "{}", printed(&output.stderr));
}

#[test]
fn what_up_prints_works_as_pasted_token_included() {
    let scenario =
        "about = \"x\"\n[bridge]\nmcp_token = \"it's s3cret\"\n[[computers]]\nid = 12\nlabel = \"base\"\n";
    let fixtures = Fixtures::with("guarded", scenario);
    let folder = project();
    let path = fixtures.path("");
    let fixtures_flag = ["--fixtures", path.to_str().expect("temporary folders have plain names")];
    let up = Up::start(
        folder.path(),
        &[&["guarded", "--mcp-port", "0", "--link-port", "0"], &fixtures_flag[..]].concat(),
    );
    for (client, file) in [("opencode: ", "opencode.json"), ("Cursor: ", ".cursor/mcp.json")] {
        let pasted = project();
        std::fs::create_dir_all(pasted.path().join(".cursor")).expect("the folder is ours");
        std::fs::write(pasted.path().join(file), up.below(client)).expect("the folder is ours");
        let output = run(pasted.path(), &["mcp", "call", "computercraft__probe-computers"], 0);
        assert_eq!(printed(&output.stdout), "pong from 12 (Label: base)\n", "{client}");
    }
    // A `claude` that writes down its arguments: what the shell makes of the line is what counts.
    let line = up.below("Claude Code: ");
    let script = format!("claude() {{ printf '%s\\n' \"$@\"; }}; {line}");
    let words = Command::new("sh").args(["-c", &script]).output().expect("there is a shell");
    let url = up.after("MCP ");
    let expected = format!(
        "mcp\nadd\n--transport\nhttp\ncomputercraft\n{url}\n--header\nAuthorization: Bearer it's s3cret\n"
    );
    assert_eq!(printed(&words.stdout), expected);
    // Without a token nobody gets in; `probe` in this folder has it from `up`.
    let probe = run(folder.path(), &["probe"], 0);
    assert_eq!(printed(&probe.stdout), "pong from 12 (Label: base)\n");
    run(folder.path(), &["probe", "--url", url], 2);
}

#[test]
fn up_boots_the_computers_of_a_scenario_that_need_not_link_too() {
    let own = "start = \"/own.lua\"\nboot = \"booted\"\nfiles = { \"own.lua\" = \"shell.run('/programs/mcp-computer.lua', ...)\" }\n";
    let fixtures = Fixtures::with("own", &format!("about = \"x\"\n[[computers]]\nid = 12\n{own}"));
    let folder = fixtures.path("").display().to_string();
    let ports = ["--mcp-port", "0", "--link-port", "0", "--fixtures", &folder];
    let mut up = Up::start(&fixtures.path(""), &[&["own"], &ports[..]].concat());
    up.until("linked   12");
}

#[test]
fn up_serves_tools_of_a_folder() {
    let folder = project();
    let tools = context::places().program.join("tools");
    let tools = tools.to_str().expect("the project has a plain path");
    let _up = Up::start(folder.path(), &["1", "--mcp-port", "0", "--link-port", "0", "--tools", tools]);
    let info = run(folder.path(), &["call", "echo", r#"{"text":"hello"}"#], 0);
    assert!(printed(&info.stdout).contains("hello"), "{}", printed(&info.stdout));
    let missing = run(folder.path(), &["up", "1", "--tools", "no-such-folder"], 2);
    assert!(printed(&missing.stderr).contains("no-such-folder"), "{}", printed(&missing.stderr));
}

#[test]
fn exec_prints_what_is_printed_as_it_comes() {
    let folder = project();
    let _up = Up::start(folder.path(), &["1", "--mcp-port", "0", "--link-port", "0"]);
    let code = "print('one') os.pullEvent('go') write('two') return 'three'";
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder.path()).args(["exec", "1", code]).stdout(Stdio::piped());
    let mut exec = command.spawn().expect("it was built");
    let mut stdout = exec.stdout.take().expect("it is piped");
    let mut first = [0; 4];
    stdout.read_exact(&mut first).expect("it is printed while the chunk waits");
    assert_eq!(&first, b"one\n");
    let go = run(folder.path(), &["exec", "1", "os.queueEvent('go')"], 0);
    assert!(go.stdout.is_empty(), "{}", printed(&go.stdout));
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("it is text");
    assert_eq!(rest, "two\n\"three\"\n");
    assert_eq!(exec.wait().expect("it ends").code(), Some(0));
}

#[test]
fn exec_fails_as_lua_does_and_has_json_and_a_timeout() {
    let folder = project();
    let _up = Up::start(folder.path(), &["1", "--mcp-port", "0", "--link-port", "0"]);
    let failed = run(folder.path(), &["exec", "1", "print('before') error('no', 0)"], 1);
    assert_eq!((printed(&failed.stdout), printed(&failed.stderr)), ("before\n".into(), "error: no\n".into()));
    let json = run(folder.path(), &["exec", "1", "print('x') return 1", "--json"], 0);
    let json: Value = serde_json::from_slice(&json.stdout).expect("stdout is JSON and nothing else");
    assert_eq!(json["structuredContent"]["returns"][0]["value"], 1);
    assert_eq!(json["structuredContent"]["output"], "x\n");
    let late = run(folder.path(), &["exec", "1", "os.pullEvent('never')", "--timeout", "200ms"], 1);
    let error = printed(&late.stderr);
    assert_eq!(
        error,
        "error: timeout from 1 (Label: computer-1) after 200 ms\nhint: `--timeout 2m` waits longer\n"
    );
    let nobody = run(folder.path(), &["exec", "99", "return 1"], 1);
    assert_eq!(printed(&nobody.stderr), "error: computer 99 is not connected (connected: 1)\n");
    let odd = run(folder.path(), &["exec", "1", "", "--timeout", "soon"], 2);
    assert!(printed(&odd.stderr).contains("--timeout"), "{}", printed(&odd.stderr));
}

/// `script` gives the program a terminal.
#[cfg(target_os = "linux")]
#[test]
fn an_error_is_red_on_a_terminal_only() {
    let folder = project();
    let _up = Up::start(folder.path(), &["1", "--mcp-port", "0", "--link-port", "0"]);
    let command = format!("'{PROGRAM}' exec 1 \"error('no', 0)\"");
    let mut script = assert_cmd::Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]).current_dir(folder.path());
    script.env("TERM", "xterm-256color").env_remove("NO_COLOR").env_remove("CLICOLOR").env_remove("MCP_URL");
    let shown = printed(&script.assert().code(1).get_output().stdout);
    assert!(shown.contains("\u{1b}[31m") && shown.contains("error: no"), "{shown:?}");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn lua_takes_code_files_and_standard_input_and_prints_what_is_returned(#[case] kind: Kind) {
    if context::emulator(kind).await.is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sum.lua");
    std::fs::write(&file, "print('from a file') return 1 + 1, 'ü\\n', nil, { 1 }")
        .expect("the folder is ours");
    let lua = |given: &str| {
        let mut command = harness();
        command.current_dir(folder.path()).args(["lua", given, "--emulator", &kind.to_string()]);
        command
    };
    let expected = "from a file\n2\n\"ü\\n\"\nnil\n{\n  1,\n}\n";
    assert_eq!(printed(&lua("sum.lua").assert().success().get_output().stdout), expected);
    let code = "return 'code'";
    assert_eq!(printed(&lua(code).assert().success().get_output().stdout), "\"code\"\n");
    let piped = lua("-").write_stdin("return 'piped', arg[0]").assert().success().get_output().clone();
    assert_eq!(printed(&piped.stdout), "\"piped\"\n\"/chunk.lua\"\n");
    std::fs::write(&file, "local x = 1\nerror('broken')").expect("the folder is ours");
    let failed = lua("sum.lua").assert().code(1).get_output().clone();
    assert!(printed(&failed.stdout).contains("sum.lua:2: broken"), "{}", printed(&failed.stdout));
    let missing = lua("no-such.lua").assert().code(2).get_output().clone();
    assert!(
        printed(&missing.stderr).contains("there is no file `no-such.lua`"),
        "{}",
        printed(&missing.stderr)
    );
}
