//! The program: flags, files, signals and stdio.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::support::bridge::full_hello;
use crate::support::{Client, Era, FakeComputer, within};

pub fn command() -> Command {
    let mut command = Command::new(cargo_bin("mcp-bridge"));
    for (name, _) in std::env::vars() {
        if name.starts_with("MCP_") || name.starts_with("CC_") || name == "RUST_LOG" {
            command.env_remove(name);
        }
    }
    command.kill_on_drop(true).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("CC_LINK_HOST", "127.0.0.1").env("CC_LINK_PORT", "0").env("MCP_PORT", "0");
    command
}

struct Ended {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

async fn run(command: &mut Command) -> Ended {
    let output = within("the program's end", command.output()).await.expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Ended { status: output.status, stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A running program with its addresses from the ready file.
pub struct Running {
    pub child: Child,
    pub ready: Value,
    _directory: tempfile::TempDir,
}

pub async fn start(command: &mut Command) -> Running {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("ready.json");
    let mut child = command.arg("--ready-file").arg(&path).spawn().expect("it starts");
    let text = within("the ready file", async {
        loop {
            if let Ok(text) = tokio::fs::read_to_string(&path).await {
                return text;
            }
            assert!(child.try_wait().expect("a child").is_none(), "it ended before it was ready");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    Running { child, ready: serde_json::from_str(&text).expect("JSON"), _directory: directory }
}

impl Running {
    pub fn link(&self) -> std::net::SocketAddr {
        let url = self.ready["link"].as_str().expect("an address");
        url.trim_start_matches("ws://").parse().expect("an address")
    }

    #[cfg(unix)]
    pub async fn signal(mut self, name: &str) -> (ExitStatus, String) {
        use tokio::io::AsyncReadExt as _;
        let pid = self.child.id().expect("running").to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status().await.expect("kill is there");
        assert!(sent.success());
        let status = within("the program's end", self.child.wait()).await.expect("a status");
        let mut stderr = String::new();
        self.child.stderr.take().expect("piped").read_to_string(&mut stderr).await.expect("UTF-8");
        (status, stderr)
    }
}

#[tokio::test]
async fn help_and_version_are_on_stdout() {
    let help = run(command().arg("--help")).await;
    assert!(help.status.success());
    insta::assert_snapshot!(help.stdout);
    let version = run(command().arg("--version")).await;
    assert_eq!(version.stdout, concat!("mcp-bridge ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[tokio::test]
async fn a_wrong_flag_or_value_ends_with_code_2() {
    for (arguments, says) in [
        (&["--fly"][..], "unexpected argument '--fly'"),
        (&["--mcp-port", "x"][..], "invalid value 'x' for '--mcp-port <PORT>'"),
        (
            &["--cc-exec-timeout-ms", "0"][..],
            "error: `CC_EXEC_TIMEOUT_MS` must be from 1 to 86400000 milliseconds, not 0",
        ),
        (
            &["--mcp-allowed-origins", "example.com"][..],
            "error: `example.com` is not an origin for `MCP_ALLOWED_ORIGINS`",
        ),
        (&["--mcp-host", "host.invalid"][..], "error: failed to listen on host.invalid:0 (`MCP_PORT`)"),
        (&["--ready-file", "/nowhere/at/all"][..], "error: failed to write the ready file `/nowhere/at/all`"),
    ] {
        let ended = run(command().args(arguments)).await;
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}");
        assert!(ended.stderr.contains(says), "{arguments:?}: {}", ended.stderr);
        assert_eq!(ended.stdout, "");
    }
}

#[tokio::test]
async fn a_port_in_use_is_named_with_its_variable() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("bound").port().to_string();
    for variable in ["MCP_PORT", "CC_LINK_PORT"] {
        let ended = run(command().env(variable, &port)).await;
        assert_eq!(ended.status.code(), Some(2));
        let expected = format!(
            "error: port {port} on 127.0.0.1 is in use\nhint: set `{variable}` to another port (0 for any that is free), or end the program that has it\n"
        );
        assert!(ended.stderr.ends_with(&expected), "{}", ended.stderr);
    }
}

#[tokio::test]
async fn the_ready_file_says_where_it_listens() {
    let running = start(&mut command()).await;
    assert_eq!(running.ready["pid"], running.child.id().expect("running"));
    let computer = FakeComputer::link(running.link(), &full_hello(12, "a")).await;
    computer.serve();
    let client = Client::connect(running.ready["mcp"].as_str().expect("a URL"), Era::Stateless).await;
    assert_eq!(client.probe().await, ["pong from 12 (Label: a)"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_signal_closes_links_with_1001_and_ends_with_code_0() {
    for name in ["TERM", "INT"] {
        let running = start(&mut command()).await;
        let mut computer = FakeComputer::link(running.link(), &full_hello(12, "a")).await;
        // A client in the middle of a call does not hold it up.
        let client = Client::connect(running.ready["mcp"].as_str().expect("a URL"), Era::Stateless).await;
        let (called, ((status, stderr), close)) = tokio::join!(client.exec(12, "sleep(60)"), async {
            computer.frame().await;
            tokio::join!(running.signal(name), computer.closed())
        });
        assert_eq!(called.text, "disconnected from 12 (Label: a)");
        assert_eq!(u16::from(close.expect("a close frame").code), 1001);
        assert_eq!(status.code(), Some(0), "{stderr}");
        assert!(stderr.contains(&format!("SIG{name}: closing links")), "{stderr}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn open_ports_without_a_token_are_warned_of_and_no_secret_is_logged() {
    let open = start(command().env("CC_LINK_HOST", "0.0.0.0").env("RUST_LOG", "trace")).await;
    let (_, stderr) = open.signal("TERM").await;
    assert!(stderr.contains("open to the network without a token"), "{stderr}");
    assert!(stderr.contains("set `CC_LINK_TOKEN`"), "{stderr}");

    let mut closed = command();
    closed.env("CC_LINK_HOST", "0.0.0.0").env("CC_LINK_TOKEN", "s3cret").env("MCP_TOKEN", "t0psecret");
    closed.env("RUST_LOG", "trace");
    let closed = start(&mut closed).await;
    let socket = FakeComputer::connect_to(closed.link(), "/?token=s3cret").await.expect("upgraded");
    FakeComputer::greet(socket, &full_hello(12, "a")).await;
    // In a hello, in one that is broken, and as a header.
    let hello = r#"{"type":"hello","computerId":13,"token":"s3cret"}"#;
    let mut computer = FakeComputer::link(closed.link(), hello).await;
    computer.send_text(&hello[..hello.len() - 1]).await;
    computer.send_text(&full_hello(13, "b")).await;
    computer.frame().await;
    let url = closed.ready["mcp"].as_str().expect("a URL");
    let post = reqwest::Client::builder().no_proxy().build().expect("a client").post(url);
    let post = post
        .header("authorization", "Bearer t0psecret")
        .header("accept", "application/json, text/event-stream");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } } });
    assert!(post.json(&body).send().await.expect("an answer").status().is_success());
    let (_, stderr) = closed.signal("TERM").await;
    assert!(!stderr.contains("without a token"), "{stderr}");
    assert!(!stderr.contains("s3cret") && !stderr.contains("t0psecret"), "{stderr}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_log_that_nobody_reads_holds_up_nothing() {
    let running = start(command().env("RUST_LOG", "trace")).await;
    // Far more lines than a pipe holds.
    for _ in 0..600 {
        drop(FakeComputer::link(running.link(), &full_hello(12, "a")).await);
    }
    FakeComputer::link(running.link(), &full_hello(13, "b")).await.serve();
    let (status, _) = running.signal("TERM").await;
    assert_eq!(status.code(), Some(0));
}

#[cfg(unix)]
#[tokio::test]
async fn the_log_can_be_json() {
    let running = start(command().args(["--log-format", "json"])).await;
    let (_, stderr) = running.signal("TERM").await;
    for line in stderr.lines() {
        let entry: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(entry["level"].is_string() && entry["message"].is_string(), "{line}");
    }
    assert!(stderr.lines().count() >= 3, "{stderr}");
}

/// An MCP client on the program's stdin and stdout.
struct OverStdio {
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl OverStdio {
    fn new(running: &mut Running) -> Self {
        let stdout = running.child.stdout.take().expect("piped");
        Self { stdin: running.child.stdin.take().expect("piped"), lines: BufReader::new(stdout).lines() }
    }

    async fn send(&mut self, message: Value) {
        self.stdin.write_all(format!("{message}\n").as_bytes()).await.expect("it reads");
    }

    async fn read(&mut self) -> Value {
        let line = within("a line", self.lines.next_line()).await.expect("readable").expect("not the end");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("stdout is MCP's alone: {error}: {line}"))
    }

    async fn request(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let message = self.read().await;
            if message["id"] == id {
                return message;
            }
        }
    }
}

#[tokio::test]
async fn stdio_serves_the_same_tools_with_a_handshake() {
    let mut running = start(command().arg("--stdio").stdin(Stdio::piped()).env("RUST_LOG", "trace")).await;
    assert_eq!(running.ready["mcp"], "stdio");
    FakeComputer::link(running.link(), &full_hello(12, "a")).await.serve();
    let mut client = OverStdio::new(&mut running);
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } });
    let hello = client.request(1, "initialize", params).await;
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    let tools = client.request(2, "tools/list", json!({})).await;
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|t| t["name"].as_str())
        .collect();
    assert_eq!(names, mcp_bridge::mcp::built_in::NAMES);
    assert_eq!(names[..4], ["probe-computers", "exec-lua", "list-computers", "start-lua"]);
    let probed = client.request(3, "tools/call", json!({ "name": "probe-computers", "arguments": {} })).await;
    assert_eq!(probed["result"]["content"][0]["text"], "pong from 12 (Label: a)");
    // The end of stdin is the end of the program.
    drop(client);
    let status = within("the program's end", running.child.wait()).await.expect("a status");
    assert_eq!(status.code(), Some(0));
}

#[tokio::test]
async fn stdio_serves_the_stateless_era_too() {
    let mut running = start(command().arg("--stdio").stdin(Stdio::piped())).await;
    FakeComputer::link(running.link(), &full_hello(12, "a")).await.serve();
    let mut client = OverStdio::new(&mut running);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": "probe-computers", "arguments": {}, "_meta": meta });
    let probed = client.request(1, "tools/call", params).await;
    assert_eq!(probed["result"]["content"][0]["text"], "pong from 12 (Label: a)");
    drop(client);
    within("the program's end", running.child.wait()).await.expect("a status");
}
