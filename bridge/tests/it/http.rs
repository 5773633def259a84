//! What the MCP port says to those who do not ask for MCP.

use reqwest::StatusCode;
use rstest::rstest;

use crate::support::{Client, Era, TestBridge};

#[tokio::test]
async fn health_counts_the_computers() {
    let bridge = TestBridge::start().await;
    bridge.computer(12, "a").await;
    bridge.computer(13, "b").await;
    let response = reqwest::get(format!("{}/health", bridge.base_url())).await.expect("the bridge answers");
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(response.text().await.expect("a body"), r#"{"ok":true,"computers":2}"#);
}

#[rstest]
#[case("/")]
#[case("/mcp/more")]
#[case("/sse")]
#[tokio::test]
async fn anywhere_else_says_where_the_endpoint_is(#[case] path: &str) {
    let bridge = TestBridge::start().await;
    let response = reqwest::get(format!("{}{path}", bridge.base_url())).await.expect("the bridge answers");
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    assert!(response.text().await.expect("a body").contains("the MCP endpoint is `/mcp`"));
}

#[tokio::test]
async fn broken_json_is_refused_and_the_session_goes_on() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let post = reqwest::Client::builder().no_proxy().build().expect("a client").post(bridge.mcp_url());
    let broken = post
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-session-id", client.session().expect("a session"))
        .body("{\"jsonrpc\":")
        .send();
    assert!(broken.await.expect("the bridge answers").status().is_client_error());
    assert_eq!(client.probe().await, ["No computers connected."]);
}

#[tokio::test]
async fn an_ended_session_is_not_found() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    assert!(client.delete().await.is_success());
    let response =
        client.send(&serde_json::json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/list" })).await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    // Another session is not touched by it.
    let other = Client::connect(&bridge.mcp_url(), Era::Handshake("2025-06-18")).await;
    assert_eq!(other.probe().await, ["No computers connected."]);
}
