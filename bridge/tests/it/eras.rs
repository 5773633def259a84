//! Both eras of MCP, all at once: with a handshake, and without one.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Client, Era, TestBridge};

#[rstest]
#[case(Era::Handshake("2025-03-26"))]
#[case(Era::Handshake("2025-06-18"))]
#[case(Era::Handshake("2025-11-25"))]
#[case(Era::Stateless)]
#[tokio::test]
async fn every_version_calls_every_tool(#[case] era: Era) {
    let bridge = TestBridge::start().await;
    bridge.computer(12, "base-turtle").await;
    let client = Client::connect(&bridge.mcp_url(), era).await;
    if let Era::Handshake(version) = era {
        assert_eq!(client.server["protocolVersion"], version);
        assert_eq!(client.server["serverInfo"]["name"], "mcp-bridge");
        assert!(client.server["instructions"].as_str().is_some_and(|text| text.contains("exec-lua")));
    }
    assert_eq!(client.probe().await, ["pong from 12 (Label: base-turtle)"]);
    let called = client.exec(12, "return 7").await;
    assert_eq!(
        called.structured.expect("structured")["returns"],
        json!([{ "type": "number", "value": 7.0 }])
    );
    let listed = client.call("list-computers", json!({})).await.structured.expect("structured");
    assert_eq!(listed["computers"][0]["id"], 12);
}

#[tokio::test]
async fn the_eras_are_served_at_the_same_time() {
    let bridge = TestBridge::start().await;
    bridge.computer(12, "a").await;
    let old = Client::connect(&bridge.mcp_url(), Era::Handshake("2025-03-26")).await;
    let new = Client::connect(&bridge.mcp_url(), Era::Stateless).await;
    let (one, other) = tokio::join!(old.probe(), new.probe());
    assert_eq!(one, other);
}

#[tokio::test]
async fn the_stateless_era_discovers_instead_of_initializing() {
    let bridge = TestBridge::start().await;
    let client = Client::connect(&bridge.mcp_url(), Era::Stateless).await;
    let found = client.request("server/discover", json!({})).await;
    let versions = found["result"]["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")), "{found}");
}

#[tokio::test]
async fn an_unknown_version_is_offered_a_known_one() {
    let bridge = TestBridge::start().await;
    let answer = Client::initialize(&bridge.mcp_url(), "1999-01-01").await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn the_tools_are_described_as_promised() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let answer = client.request("tools/list", json!({})).await;
    insta::assert_json_snapshot!(answer["result"]);
}

#[tokio::test]
async fn what_the_tools_return_fits_their_own_schemas() {
    let bridge = TestBridge::start().await;
    bridge.computer(12, "base-turtle").await;
    let client = bridge.client().await;
    let tools = client.request("tools/list", json!({})).await["result"]["tools"].take();
    let schema = |name: &str| -> Value {
        let all = tools.as_array().expect("a list");
        all.iter().find(|tool| tool["name"] == name).expect("there")["outputSchema"].clone()
    };
    let results = [
        ("exec-lua", client.exec(12, "return 1").await),
        ("list-computers", client.call("list-computers", json!({})).await),
    ];
    for (name, called) in results {
        let validator = jsonschema::validator_for(&schema(name)).expect("a schema");
        let content = called.structured.expect("structured");
        assert!(validator.is_valid(&content), "{name}: {content}");
        assert_eq!(called.text, content.to_string());
    }
}
