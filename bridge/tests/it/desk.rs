//! At the desk: what a call says that had no end of its own, a second agent, the installer, broken tools, long lists.

use std::process::Stdio;

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::support::bridge::full_hello;
use crate::support::client::raw_http;
use crate::support::tools::ToolFolder;
use crate::support::{FakeComputer, TestBridge, within};

/// The texts of a result's blocks.
fn texts(answer: &Value) -> Vec<String> {
    let blocks = answer["result"]["content"].as_array().expect("content");
    blocks.iter().map(|block| block["text"].as_str().expect("text").to_owned()).collect()
}

#[tokio::test]
async fn a_timeout_has_what_was_printed_and_says_how_to_wait_longer() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = bridge.client().await;
    let arguments = json!({ "computerId": 12, "code": "", "timeoutMs": 300 });
    let params = json!({ "name": "exec-lua", "arguments": arguments });
    let (answer, ()) = tokio::join!(client.request("tools/call", params), async {
        let request = computer.frame().await;
        for data in ["one\n", "two\u{1b}\n"] {
            computer.send(&json!({ "type": "output", "id": request["id"], "data": data })).await;
        }
    });
    let said = texts(&answer);
    assert_eq!(said[0], "timeout from 12 (Label: a) after 300 ms");
    assert_eq!(
        said[1],
        "hint: a larger `timeoutMs` waits longer, up to 86400000 ms\nprinted until then:\none\ntwo\\u{1b}\n"
    );
    let structured = &answer["result"]["structuredContent"];
    assert_eq!((&structured["ok"], &structured["error"]), (&json!(false), &json!(said[0])));
    assert_eq!(structured["output"], "one\ntwo\u{1b}\n");
}

#[tokio::test]
async fn a_lost_link_has_what_was_printed() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = bridge.client().await;
    let params = json!({ "name": "exec-lua", "arguments": { "computerId": 12, "code": "" } });
    let (answer, ()) = tokio::join!(client.request("tools/call", params), async {
        let request = computer.frame().await;
        computer.send(&json!({ "type": "output", "id": request["id"], "data": "one\n" })).await;
        computer.socket.close(None).await.expect("the bridge answers a close");
    });
    assert_eq!(texts(&answer), ["disconnected from 12 (Label: a)", "printed until then:\none\n"]);
}

#[tokio::test]
async fn a_tools_timeout_says_where_its_time_is_set() {
    let folder = ToolFolder::with(&[("greet", &["mcp.computer: any", "mcp.timeoutMs: 100"])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "a").await;
    let client = bridge.client().await;
    let params = json!({ "name": "greet", "arguments": {} });
    let (answer, ()) = tokio::join!(client.request("tools/call", params), async {
        let call = computer.request("call-tool").await;
        computer.send(&json!({ "type": "output", "id": call["id"], "data": "digging" })).await;
    });
    let said = texts(&answer);
    assert_eq!(said[0], "timeout from 12 (Label: a) after 100 ms");
    assert!(
        said[1].contains("`mcp.timeoutMs`") && said[1].ends_with("printed until then:\ndigging"),
        "{said:?}"
    );
}

/// A bridge on stdin and stdout, with the desk in this folder.
struct Agent {
    child: Child,
    lines: tokio::io::Lines<BufReader<tokio::process::ChildStdout>>,
}

impl Agent {
    fn start(folder: &tempfile::TempDir, link_port: u16) -> Self {
        let mut child = Command::new(cargo_bin("mcp-bridge"))
            .args(["--stdio", "--cc-link-host", "127.0.0.1", "--cc-link-port", &link_port.to_string()])
            .arg("--ready-file")
            .arg(folder.path().join("ready.json"))
            .env("XDG_RUNTIME_DIR", folder.path())
            .kill_on_drop(true)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Self { child, lines }
    }

    async fn ask(&mut self, message: Value) -> Value {
        let stdin = self.child.stdin.as_mut().expect("piped");
        stdin.write_all(format!("{message}\n").as_bytes()).await.expect("it reads");
        loop {
            let line = within("an answer", self.lines.next_line()).await.expect("UTF-8").expect("an answer");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == message["id"] {
                return answer;
            }
        }
    }

    async fn initialize(&mut self) {
        let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } } });
        assert!(self.ask(initialize).await["result"].is_object());
        let stdin = self.child.stdin.as_mut().expect("piped");
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        stdin.write_all(format!("{initialized}\n").as_bytes()).await.expect("it reads");
    }

    async fn probe(&mut self) -> String {
        let params = json!({ "name": "probe-computers", "arguments": {} });
        let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
        texts(&self.ask(call).await).remove(0)
    }
}

/// Where the bridge with this folder has its link port.
async fn link_address(folder: &tempfile::TempDir) -> std::net::SocketAddr {
    let ready = folder.path().join("ready.json");
    within("the ready file", async {
        loop {
            if let Ok(text) = tokio::fs::read(&ready).await {
                let ready: Value = serde_json::from_slice(&text).expect("JSON");
                let url = ready["link"].as_str().expect("a URL");
                return url.trim_start_matches("ws://").parse().expect("an address");
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    })
    .await
}

#[tokio::test]
async fn a_second_agent_at_one_desk_has_the_same_computers() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut first = Agent::start(&folder, 0);
    let link = link_address(&folder).await;
    FakeComputer::link(link, &full_hello(12, "shared")).await.serve();
    let mut second = Agent::start(&folder, link.port());
    let mut third = Agent::start(&folder, link.port());
    for agent in [&mut first, &mut second, &mut third] {
        agent.initialize().await;
        assert_eq!(agent.probe().await, "pong from 12 (Label: shared)");
    }
    // One that leaves takes nobody along.
    drop(second.child.stdin.take());
    assert!(within("its end", second.child.wait()).await.expect("a status").success());
    let again = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list" });
    assert!(third.ask(again).await["result"]["tools"].is_array());
    drop(first.child.stdin.take());
    assert!(within("its end", first.child.wait()).await.expect("a status").success());
    drop(third.child.stdin.take());
    assert!(within("its end", third.child.wait()).await.expect("a status").success());
    let left = std::fs::read_dir(folder.path().join("mcp-bridge")).expect("the folder").count();
    assert_eq!(left, 0, "nothing of the desk is left");
}

#[tokio::test]
async fn a_second_agent_takes_over_the_link_port_when_the_first_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut first = Agent::start(&folder, 0);
    let link = link_address(&folder).await;
    let mut computer = FakeComputer::link(link, &full_hello(12, "shared")).await;
    let mut others = [Agent::start(&folder, link.port()), Agent::start(&folder, link.port())];
    for agent in &mut others {
        agent.initialize().await;
    }
    // A call that is under way is answered, and not sent again.
    let params = json!({ "name": "exec-lua", "arguments": { "computerId": 12, "code": "mine()" } });
    let call = json!({ "jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": params });
    let (answer, ()) = tokio::join!(others[0].ask(call), async {
        assert_eq!(computer.frame().await["method"], "exec-lua");
        first.child.kill().await.expect("it runs");
    });
    let said = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(said.contains("whether it ran is not known"), "{answer}");
    // Computers come back to the same port, and every agent that is left has them.
    let again = within("a bridge at the port", async {
        loop {
            if tokio::net::TcpStream::connect(link).await.is_ok() {
                return FakeComputer::link(link, &full_hello(12, "back")).await;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    })
    .await;
    again.serve();
    for agent in &mut others {
        assert_eq!(agent.probe().await, "pong from 12 (Label: back)");
    }
    for mut agent in others {
        drop(agent.child.stdin.take());
        assert!(within("its end", agent.child.wait()).await.expect("a status").success());
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_who_has_the_key_is_let_in() {
    use std::os::unix::fs::PermissionsExt as _;
    use tokio::io::AsyncReadExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = Agent::start(&folder, 0);
    agent.initialize().await;
    assert_eq!(agent.probe().await, "No computers connected.");
    let desk = folder.path().join("mcp-bridge");
    let file = std::fs::read_dir(&desk).expect("the folder").next().expect("a file").expect("a file").path();
    for (path, mode) in [(&desk, 0o700), (&file, 0o600)] {
        assert_eq!(std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777, mode);
    }
    let entry: Value = serde_json::from_slice(&std::fs::read(&file).expect("ours")).expect("JSON");
    let address = entry["address"].as_str().expect("an address");
    let mut stranger = tokio::net::TcpStream::connect(address).await.expect("it listens");
    stranger.write_all(b"no key\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.expect("sent");
    let mut said = String::new();
    let _ = within("the end", stranger.read_to_string(&mut said)).await;
    assert_eq!((said.len(), said.lines().count()), (65, 1), "only the answer to its question: {said}");
    assert!(!said.contains(entry["key"].as_str().expect("a key")));
}

#[tokio::test]
async fn a_stranger_at_the_port_that_a_killed_bridge_had_is_not_joined() {
    use tokio::io::AsyncReadExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let listen = || std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let (taken, stranger) = (listen(), listen());
    stranger.set_nonblocking(true).expect("a socket");
    let stranger = tokio::net::TcpListener::from_std(stranger).expect("a socket");
    let link_port = taken.local_addr().expect("bound").port();
    let desk = folder.path().join("mcp-bridge");
    std::fs::create_dir(&desk).expect("a folder");
    let entry = json!({ "address": stranger.local_addr().expect("bound"), "key": "left behind", "pid": 1 });
    std::fs::write(desk.join(format!("link-{link_port}.json")), entry.to_string()).expect("written");
    let mut agent = Agent::start(&folder, link_port);
    let (mut socket, _) = within("the agent", stranger.accept()).await.expect("accepted");
    socket.write_all(format!("{}\n", "0".repeat(64)).as_bytes()).await.expect("sent");
    let mut said = String::new();
    let _ = within("the end", socket.read_to_string(&mut said)).await;
    assert!(!said.contains("left behind"), "{said}");
    let status = within("its end", agent.child.wait()).await.expect("a status");
    assert_eq!(status.code(), Some(2), "the port is in use, and by no bridge that it can speak for");
}

#[tokio::test]
async fn the_link_port_serves_an_installer() {
    let bridge = TestBridge::with_tokens(Some("s3cret"), None).await;
    let address = bridge.link_address();
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let installer = raw_http(address, get("/install.lua").as_bytes()).await;
    assert!(installer.starts_with("HTTP/1.1 200 OK\r\n"), "{installer:.200}");
    assert!(
        installer.contains(&format!("local BASE = \"http://{address}\"")) && !installer.contains("s3cret")
    );
    let program = raw_http(address, get("/files/programs/mcp-computer.lua").as_bytes()).await;
    assert!(program.ends_with(include_str!("../../../lua/programs/mcp-computer.lua")));
    let nowhere = raw_http(address, get("/files/startup.lua").as_bytes()).await;
    assert!(nowhere.starts_with("HTTP/1.1 426 "), "{nowhere:.200}");
}

#[tokio::test]
async fn a_tool_whose_handler_is_broken_answers_with_why() {
    let folder = ToolFolder::with(&[("greet", &["mcp.computer: any"]), ("other", &["mcp.computer: any"])]);
    folder.write("greet.lua", "return {\n  call = = 1 }");
    let bridge = folder.bridge().await;
    let called = bridge.client().await.call("greet", json!({})).await;
    assert!(called.is_error, "{}", called.text);
    assert!(called.text.starts_with("the tool `greet` is broken, and was not called:\n"), "{}", called.text);
    assert!(called.text.contains("greet.lua:2: this is not Lua"), "{}", called.text);
}

#[tokio::test]
async fn computers_are_listed_by_label_by_capability_and_in_pages() {
    let bridge = TestBridge::start().await;
    for (id, label) in [(1, "Miner one"), (2, "farm"), (3, "miner two"), (4, "MINER three")] {
        bridge.computer(id, label).await;
    }
    FakeComputer::link(bridge.link_address(), &full_hello(5, "new")).await.serve();
    let client = bridge.client().await;
    let list = async |arguments: Value| {
        let structured = client.call("list-computers", arguments).await.structured.expect("structured");
        let ids = structured["computers"].as_array().expect("a list").iter().map(|entry| entry["id"].clone());
        (Value::from(ids.collect::<Vec<_>>()), structured["nextCursor"].clone())
    };
    assert_eq!(list(json!({})).await, (json!([1, 2, 3, 4, 5]), Value::Null));
    assert_eq!(list(json!({ "label": "miner" })).await.0, json!([1, 3, 4]));
    assert_eq!(list(json!({ "capability": "cancel" })).await.0, json!([5]));
    let (page, next) = list(json!({ "label": "miner", "limit": 2 })).await;
    assert_eq!((page, &next), (json!([1, 3]), &json!("4")));
    assert_eq!(
        list(json!({ "label": "miner", "limit": 2, "cursor": next })).await,
        (json!([4]), Value::Null)
    );
    let wrong = client.call("list-computers", json!({ "cursor": "x" })).await;
    assert_eq!(wrong.text, "`cursor` must be a `nextCursor` that this tool gave");
}
