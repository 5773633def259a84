//! A resource for each computer, and who hears that they changed.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::bridge::full_hello;
use crate::support::client::together;
use crate::support::{Client, Era, FakeComputer, TestBridge};

#[tokio::test]
async fn each_computer_is_a_resource_that_reads_as_its_entry() {
    let bridge = TestBridge::start().await;
    FakeComputer::link(bridge.link_address(), &full_hello(12, "base-turtle")).await.serve();
    let client = bridge.client().await;
    let listed = client.request("resources/list", json!({})).await;
    let resource = &listed["result"]["resources"][0];
    assert_eq!(resource["uri"], "computer://12");
    assert_eq!(resource["title"], "12 (Label: base-turtle)");
    let read = client.request("resources/read", json!({ "uri": "computer://12" })).await;
    let contents = &read["result"]["contents"][0];
    assert_eq!(contents["mimeType"], "application/json");
    let entry: Value = serde_json::from_str(contents["text"].as_str().expect("text")).expect("JSON");
    let computers = client.call("list-computers", json!({})).await.structured.expect("structured");
    for field in ["id", "label", "version", "capabilities"] {
        assert_eq!(entry[field], computers["computers"][0][field], "{field}");
    }
    assert_eq!(entry["version"], "0.2.0");
    assert!(entry["lastSeenAt"].as_str().is_some_and(|time| time.ends_with('Z')), "{entry}");
    assert!(entry["connectedForMs"].is_u64(), "{entry}");
}

#[rstest]
#[case(Era::Handshake("2025-11-25"), -32002)]
#[case(Era::Stateless, -32602)]
#[tokio::test]
async fn a_computer_that_is_not_linked_is_not_found(#[case] era: Era, #[case] code: i64) {
    let bridge = TestBridge::start().await;
    let client = Client::connect(&bridge.mcp_url(), era).await;
    for uri in ["computer://12", "computer://x", "file:///etc/passwd"] {
        let answer = client.request("resources/read", json!({ "uri": uri })).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
}

#[tokio::test]
async fn a_long_list_comes_in_pages() {
    let bridge = TestBridge::start().await;
    together((0..1200).map(|id| bridge.computer(id, "x"))).await;
    let client = bridge.client().await;
    let first = client.request("resources/list", json!({})).await["result"].take();
    assert_eq!(first["resources"].as_array().map(Vec::len), Some(1000));
    let cursor = first["nextCursor"].clone();
    let second = client.request("resources/list", json!({ "cursor": cursor })).await["result"].take();
    assert_eq!(second["resources"].as_array().map(Vec::len), Some(200));
    assert_eq!(second.get("nextCursor"), None);
    let wrong = client.request("resources/list", json!({ "cursor": "x" })).await;
    assert_eq!(wrong["error"]["code"], -32602);
}

#[tokio::test]
async fn a_client_of_the_handshake_era_hears_of_those_that_join_and_leave() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let mut stream = client.listen(None).await;
    let computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    assert_eq!(stream.next().await.expect("news")["method"], "notifications/resources/list_changed");
    drop(computer);
    assert_eq!(stream.next().await.expect("news")["method"], "notifications/resources/list_changed");
}

#[tokio::test]
async fn a_client_of_the_stateless_era_hears_of_them_on_its_subscription() {
    let bridge = TestBridge::start().await;
    let client = Client::connect(&bridge.mcp_url(), Era::Stateless).await;
    let mut stream = client.subscribe().await;
    let first = stream.next().await.expect("an acknowledgement");
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    let _computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    assert_eq!(stream.next().await.expect("news")["method"], "notifications/resources/list_changed");
}

#[tokio::test]
async fn a_client_that_sets_a_level_reads_of_them_in_its_log() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let answer = client.request("logging/setLevel", json!({ "level": "info" })).await;
    assert_eq!(answer["result"], json!({}));
    let mut stream = client.listen(None).await;
    let _computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let logged = loop {
        let message = stream.next().await.expect("news");
        if message["method"] == "notifications/message" {
            break message;
        }
    };
    assert_eq!(
        logged["params"],
        json!({ "level": "info", "logger": "link", "data": "12 (Label: a) linked" })
    );
}

#[tokio::test]
async fn a_prompt_names_the_computer_and_its_id_is_completed() {
    let bridge = TestBridge::start().await;
    for id in [12, 13, 200] {
        bridge.computer(id, "base-turtle").await;
    }
    let client = bridge.client().await;
    let listed = client.request("prompts/list", json!({})).await;
    assert_eq!(listed["result"]["prompts"][0]["name"], "inspect-computer");
    let params = json!({ "name": "inspect-computer", "arguments": { "computerId": "12" } });
    let prompt = client.request("prompts/get", params).await;
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().expect("text");
    assert!(text.contains("computer 12"), "{text}");
    assert!(!text.contains("base-turtle"), "a computer's words are not the user's: {text}");
    let params = json!({ "name": "inspect-computer", "arguments": { "computerId": "99" } });
    let error = client.request("prompts/get", params).await;
    assert_eq!(error["error"]["message"], "computer 99 is not connected");
    let argument = json!({ "name": "computerId", "value": "1" });
    let params = json!({ "ref": { "type": "ref/prompt", "name": "inspect-computer" }, "argument": argument });
    let completed = client.request("completion/complete", params).await;
    assert_eq!(completed["result"]["completion"]["values"], json!(["12", "13"]));
}
