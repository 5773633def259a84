//! Bridges that the kit checks: this one, and others that are wrong in one way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assert_cmd::Command;
use clap::Parser as _;
use mcp_bridge::check_link::mcp::Mcp;
use mcp_bridge::check_link::of_bridge::{Subject, Times, check};
use mcp_bridge::check_link::report::Report;
use mcp_bridge::cli::Cli;
use mcp_bridge::{Bridge, Config};
use rstest::rstest;
use serde_json::{Value, json};

use super::proxy::{self, Change, Frame, From};
use crate::context::{BRIDGE, places};

/// A bridge on free ports, with the standard tools.
fn config(more: &[&str]) -> Config {
    let tools = places().program.join("tools").to_string_lossy().into_owned();
    let ports = [
        "mcp-bridge",
        "--mcp-port",
        "0",
        "--cc-link-port",
        "0",
        "--cc-link-host",
        "127.0.0.1",
        "--tools",
        &tools,
    ];
    Config::try_from(Cli::parse_from(ports.iter().chain(more))).expect("it is right")
}

/// Everything that the kit checks without being asked for what is slow.
async fn subject(bridge: &Bridge) -> Subject {
    let mut subject = Subject::new(bridge.link.to_string(), "/".to_owned());
    subject.mcp = Some(Mcp::open(&bridge.mcp_url(), None).await.expect("it speaks MCP"));
    subject.tool = Some(("echo".to_owned(), json!({ "text": "x" })));
    subject
}

fn lines(report: &Report) -> String {
    let mut lines = Vec::new();
    report.write_lines(&mut lines).expect("memory takes it");
    String::from_utf8(lines).expect("UTF-8")
}

#[tokio::test]
async fn this_bridge_passes() {
    let bridge = Bridge::start(config(&[])).await.expect("it starts");
    let report = check(&subject(&bridge).await).await;
    assert!(report.failed().is_empty(), "{}", lines(&report));
    assert_eq!(report.passed().len(), 39, "{}", lines(&report));
    bridge.shutdown().await;
}

#[tokio::test]
async fn this_bridge_passes_with_a_token_and_by_its_clock() {
    let times = Times {
        hello: Duration::from_secs(3),
        ping: Duration::from_millis(500),
        silent: Duration::from_secs(6),
        ..Times::default()
    };
    let mut config = config(&["--cc-link-token", "s&3cret"]);
    (config.timings.hello, config.timings.ping, config.timings.silent) =
        (times.hello, times.ping, times.silent);
    let bridge = Bridge::start(config).await.expect("it starts");
    let mut subject = Subject::new(bridge.link.to_string(), "/".to_owned());
    (subject.token, subject.slow, subject.times) = (Some("s&3cret".to_owned()), true, times);
    let report = check(&subject).await;
    assert!(report.failed().is_empty(), "{}", lines(&report));
    for id in ["B-UPGRADE-3", "B-UPGRADE-4", "B-HELLO-9", "B-END-6", "B-END-7"] {
        assert!(report.passed().contains(&id), "{}", lines(&report));
    }
    bridge.shutdown().await;
}

/// Changes what a bridge says in each text.
fn says(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Change {
    Arc::new(move |_, from, frame| match (from, frame) {
        (From::Bridge, Frame::Text(text)) => {
            let mut said: Value = serde_json::from_str(&text).expect("this bridge sends JSON");
            let before = said.clone();
            change(&mut said);
            vec![Frame::Text(if said == before { text } else { said.to_string() })]
        }
        (_, frame) => vec![frame],
    })
}

fn tells_all_to_the_first_version() -> Change {
    says(|said| {
        if *said == json!({ "type": "hello-ok" }) {
            *said = json!({ "type": "hello-ok", "bridge": "wrong/1", "capabilities": [] });
        }
    })
}

fn agrees_on_what_nobody_knows() -> Change {
    says(|said| {
        if let Some(agreed) = said.get_mut("capabilities").and_then(Value::as_array_mut) {
            agreed.push("fly".into());
        }
    })
}

fn closes_replaced_links_as_if_it_went_away() -> Change {
    Arc::new(|_, _, frame| match frame {
        Frame::Close(4000, reason) => vec![Frame::Close(1001, reason)],
        other => vec![other],
    })
}

fn ends_links_for_a_malformed_frame() -> Change {
    Arc::new(|_, from, frame| match frame {
        Frame::Text(text) if from == From::Computer && serde_json::from_str::<Value>(&text).is_err() => {
            vec![Frame::Close(1000, String::new())]
        }
        other => vec![other],
    })
}

fn sends_timeouts_to_everyone() -> Change {
    says(|said| {
        if said["method"] == "exec-lua" && said["params"].get("timeoutMs").is_none() {
            said["params"]["timeoutMs"] = 30_000.into();
        }
    })
}

/// Sends the requests that a computer has not answered once more when it links again.
fn sends_again_after_a_reconnect() -> Change {
    /// What is known of a computer: its connection, and what waits there.
    type Known = HashMap<String, (u64, HashMap<String, String>)>;
    let known: Mutex<(Known, HashMap<u64, String>)> = Mutex::default();
    Arc::new(move |connection, from, frame| {
        let Frame::Text(text) = &frame else { return vec![frame] };
        let said: Value = serde_json::from_str(text).unwrap_or_default();
        let mut known = known.lock().expect("not poisoned");
        let (computers, names) = &mut *known;
        if from == From::Computer && said["type"] == "hello" {
            names.insert(connection, said["computerId"].to_string());
        }
        let Some(name) = names.get(&connection) else { return vec![frame] };
        let (linked, waiting) = computers.entry(name.clone()).or_insert_with(|| (connection, HashMap::new()));
        match (from, said["type"].as_str()) {
            (From::Bridge, Some("request")) => {
                waiting.insert(said["id"].to_string(), text.clone());
            }
            (From::Computer, Some("response")) => {
                waiting.remove(&said["id"].to_string());
            }
            (From::Bridge, Some("hello-ok")) if *linked != connection => {
                *linked = connection;
                let again = waiting.drain().map(|(_, request)| Frame::Text(request));
                return std::iter::once(frame.clone()).chain(again).collect();
            }
            _ => {}
        }
        vec![frame]
    })
}

#[rstest]
#[case::first_version(tells_all_to_the_first_version(), "\0", &["B-HELLO-1"])]
#[case::unknown_capability(agrees_on_what_nobody_knows(), "\0", &["B-HELLO-3"])]
#[case::web_pages(says(|_| {}), "origin:", &["B-UPGRADE-2"])]
#[case::replaced(closes_replaced_links_as_if_it_went_away(), "\0", &["B-HELLO-10"])]
#[case::malformed(ends_links_for_a_malformed_frame(), "\0", &["B-HELLO-6", "B-FRAME-1"])]
#[case::timeouts(sends_timeouts_to_everyone(), "\0", &["B-REQUEST-3"])]
#[case::again(sends_again_after_a_reconnect(), "\0", &["B-REQUEST-9"])]
#[tokio::test]
async fn a_wrong_bridge_is_told_what_is_wrong(
    #[case] change: Change,
    #[case] without: &'static str,
    #[case] failed: &[&str],
) {
    let bridge = Bridge::start(config(&[])).await.expect("it starts");
    let mut subject = subject(&bridge).await;
    subject.address = proxy::start(bridge.link.to_string(), without, change).await.to_string();
    let report = check(&subject).await;
    assert_eq!(report.failed(), failed, "{}", lines(&report));
    bridge.shutdown().await;
}

#[tokio::test]
async fn the_program_reports_and_exits_by_what_it_found() {
    let bridge = Bridge::start(config(&[])).await.expect("it starts");
    let wrong = proxy::start(bridge.link.to_string(), "origin:", says(|_| {})).await;
    let run = async |url: String, more: &'static [&'static str]| {
        let mut command = Command::new(BRIDGE);
        command.env_remove("CC_LINK_TOKEN").env_remove("MCP_TOKEN").arg("check-link").arg(url).args(more);
        let output =
            tokio::task::spawn_blocking(move || command.output().expect("it runs")).await.expect("it ends");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    };
    let (code, lines) = run(format!("ws://{}", bridge.link), &[]).await;
    assert_eq!(code, Some(0), "{lines}");
    assert!(lines.contains("\nthe bridge: ") && lines.contains(", 0 failed, "), "{lines}");
    let (code, json) = run(format!("ws://{wrong}"), &["--json"]).await;
    assert_eq!(code, Some(1), "{json}");
    let report: Value = serde_json::from_str(&json).expect("JSON");
    let all = report["requirements"].as_array().expect("a list");
    let failed: Vec<&Value> = all.iter().filter(|one| one["verdict"] == "failed").collect();
    assert_eq!(failed.len(), 1, "{json}");
    assert_eq!((&failed[0]["id"], &failed[0]["expected"]), (&json!("B-UPGRADE-2"), &json!("HTTP 403")));
    bridge.shutdown().await;
    assert_eq!(run(format!("ws://{}", wrong.ip()), &[]).await.0, Some(2));
}
