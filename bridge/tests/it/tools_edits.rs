//! Edits of declared tools while the bridge runs: they are served, clients hear of them, and no call is lost.

use std::collections::HashSet;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::client::Messages;
use crate::support::tools::{ToolFolder, entry, index};
use crate::support::{Client, Era, FakeComputer, within};

const ANY: &[&str] = &["mcp.computer: any"];
const CHANGED: &str = "notifications/tools/list_changed";

async fn names(client: &Client) -> Vec<String> {
    let tools = client.request("tools/list", json!({})).await["result"]["tools"].take();
    let all = tools.as_array().expect("a list")[mcp_bridge::mcp::built_in::NAMES.len()..].iter();
    all.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

/// Opens the stream on which a client hears of changes.
async fn listen(client: &Client, era: Era) -> Messages {
    match era {
        Era::Handshake(_) => client.listen(None).await,
        Era::Stateless => {
            let mut stream = client.subscribe_to(json!({ "toolsListChanged": true })).await;
            let first = stream.next().await.expect("an acknowledgement");
            assert_eq!(first["params"]["notifications"], json!({ "toolsListChanged": true }), "{first}");
            stream
        }
    }
}

#[rstest]
#[case(Era::Handshake("2025-03-26"))]
#[case(Era::Handshake("2025-11-25"))]
#[case(Era::Stateless)]
#[tokio::test]
async fn an_edit_is_served_and_clients_hear_of_it(#[case] era: Era) {
    let folder = ToolFolder::with(&[("greet", ANY)]);
    let bridge = folder.bridge().await;
    let client = Client::connect(&bridge.mcp_url(), era).await;
    let mut stream = listen(&client, era).await;
    folder.write("wave.lua", "return { call = function() end }");
    folder.write("_index.yaml", &index(&[entry("greet", ANY), entry("wave", ANY)]));
    let news = stream.next().await.expect("news");
    assert_eq!(news["method"], CHANGED);
    assert_eq!(names(&client).await, ["greet", "wave"]);
}

#[tokio::test]
async fn an_edited_handler_is_sent_under_a_new_hash() {
    let folder = ToolFolder::with(&[("greet", ANY)]);
    let bridge = folder.bridge().await;
    FakeComputer::with_tools(&bridge, 12, "base").await.serve_tools();
    let client = bridge.client().await;
    let mut stream = client.listen(None).await;
    let before = client.call("greet", json!({})).await.text;
    folder.write("greet.lua", "return { call = function() return 'new' end }");
    assert_eq!(stream.next().await.expect("news")["method"], CHANGED);
    let after = client.call("greet", json!({})).await.text;
    assert_ne!(before, after, "the computer answers with the hash that it was called with");
    assert_eq!(client.call("greet", json!({})).await.text, after);
}

#[tokio::test]
async fn a_broken_edit_costs_only_what_it_broke_and_mending_it_brings_that_back() {
    let folder = ToolFolder::with(&[("greet", ANY), ("wave", ANY)]);
    folder.write("other/_index.yaml", &index(&[entry("nod", ANY)]));
    folder.write("other/nod.lua", "return { call = function() end }");
    let bridge = folder.bridge().await;
    let client = bridge.client().await;
    let mut stream = client.listen(None).await;
    let mut next = async || assert_eq!(stream.next().await.expect("news")["method"], CHANGED);
    assert_eq!(names(&client).await, ["greet", "wave", "nod"]);
    folder.write("wave.lua", "return { call = function( }");
    next().await;
    assert_eq!(names(&client).await, ["greet", "nod"]);
    folder.write("_index.yaml", "entries: [");
    next().await;
    assert_eq!(names(&client).await, ["nod"]);
    folder.write("_index.yaml", &index(&[entry("greet", ANY), entry("wave", ANY)]));
    next().await;
    assert_eq!(names(&client).await, ["greet", "nod"]);
    folder.write("wave.lua", "return { call = function() end }");
    next().await;
    assert_eq!(names(&client).await, ["greet", "wave", "nod"]);
    folder.remove("other/_index.yaml");
    next().await;
    assert_eq!(names(&client).await, ["greet", "wave"]);
}

#[tokio::test]
async fn no_call_is_lost_while_handlers_are_edited() {
    const EDITS: usize = 5;
    let folder = ToolFolder::with(&[("greet", ANY)]);
    let bridge = folder.bridge().await;
    FakeComputer::with_tools(&bridge, 12, "base").await.serve_tools();
    let client = bridge.client().await;
    let mut stream = client.listen(None).await;
    let stop = tokio_util::sync::CancellationToken::new();
    let calling = async {
        let mut seen = HashSet::new();
        let mut calls = 0;
        while !stop.is_cancelled() {
            let called = client.call("greet", json!({})).await;
            assert!(!called.is_error, "{}", called.text);
            seen.insert(called.text);
            calls += 1;
        }
        (seen, calls)
    };
    let editing = async {
        for edit in 0..EDITS {
            folder.write("greet.lua", &format!("return {{ call = function() return {edit} end }}"));
            within("the edit to be served", async {
                let news: Value = stream.next().await.expect("news");
                assert_eq!(news["method"], CHANGED);
            })
            .await;
        }
        client.call("greet", json!({})).await;
        stop.cancel();
    };
    let ((seen, calls), ()) = tokio::join!(calling, editing);
    assert!(seen.len() > EDITS / 2 && calls > EDITS, "{} handlers in {calls} calls", seen.len());
}
