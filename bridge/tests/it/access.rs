//! Who gets in: hosts, origins and tokens.

use reqwest::StatusCode;
use rstest::rstest;
use serde_json::json;

use crate::support::bridge::hello;
use crate::support::client::{header, raw_http};
use crate::support::{FakeComputer, TestBridge};

async fn initialize(bridge: &TestBridge, headers: &[(&str, &str)]) -> reqwest::Response {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" } } });
    let mut request = reqwest::Client::builder().no_proxy().build().expect("a client").post(bridge.mcp_url());
    request = request.header("accept", "application/json, text/event-stream").json(&body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.expect("the bridge answers")
}

#[rstest]
#[case::loopback(&[], StatusCode::OK)]
#[case::by_name(&[("host", "localhost:3000")], StatusCode::OK)]
#[case::rebound(&[("host", "evil.example")], StatusCode::FORBIDDEN)]
#[case::own_origin(&[("origin", "http://localhost:8080")], StatusCode::OK)]
#[case::foreign_origin(&[("origin", "https://evil.example")], StatusCode::FORBIDDEN)]
#[case::null_origin(&[("origin", "null")], StatusCode::FORBIDDEN)]
#[tokio::test]
async fn host_and_origin_are_checked(#[case] headers: &[(&str, &str)], #[case] status: StatusCode) {
    let bridge = TestBridge::start().await;
    assert_eq!(initialize(&bridge, headers).await.status(), status);
}

#[rstest]
#[case::none(&[], StatusCode::UNAUTHORIZED)]
#[case::wrong(&[("authorization", "Bearer nope")], StatusCode::UNAUTHORIZED)]
#[case::other_scheme(&[("authorization", "Basic s3cret")], StatusCode::UNAUTHORIZED)]
#[case::right(&[("authorization", "Bearer s3cret")], StatusCode::OK)]
#[tokio::test]
async fn the_mcp_token_is_demanded(#[case] headers: &[(&str, &str)], #[case] status: StatusCode) {
    let bridge = TestBridge::with_tokens(None, Some("s3cret")).await;
    let response = initialize(&bridge, headers).await;
    assert_eq!(response.status(), status);
    assert_eq!(header(&response, "www-authenticate").is_some(), status == StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn health_needs_no_token() {
    let bridge = TestBridge::with_tokens(None, Some("s3cret")).await;
    let response = reqwest::get(format!("{}/health", bridge.base_url())).await.expect("the bridge answers");
    assert_eq!(response.text().await.expect("a body"), r#"{"ok":true,"computers":0}"#);
}

#[tokio::test]
async fn the_link_token_may_come_in_the_hello() {
    let bridge = TestBridge::with_tokens(Some("s3cret"), None).await;
    let mut wrong =
        FakeComputer::link(bridge.link_address(), r#"{"type":"hello","computerId":12,"token":"nope"}"#).await;
    assert_eq!(wrong.greeting, json!({ "type": "hello-error", "error": "the token is wrong" }));
    assert_eq!(u16::from(wrong.closed().await.expect("a close frame").code), 1008);
    let none = FakeComputer::link(bridge.link_address(), &hello(12, "a")).await;
    let error = "this bridge wants a token: start `mcp-computer` with `--token`";
    assert_eq!(none.greeting, json!({ "type": "hello-error", "error": error }));
    let right =
        FakeComputer::link(bridge.link_address(), r#"{"type":"hello","computerId":12,"token":"s3cret"}"#)
            .await;
    assert_eq!(right.greeting["type"], "hello-ok");
}

#[tokio::test]
async fn the_link_token_may_come_with_the_upgrade() {
    let bridge = TestBridge::with_tokens(Some("s3cret"), None).await;
    let socket = FakeComputer::connect_to(bridge.link_address(), "/?token=s3cret").await.expect("upgraded");
    let computer = FakeComputer::greet(socket, &hello(12, "a")).await;
    assert_eq!(computer.greeting, json!({ "type": "hello-ok" }));
    let refused = FakeComputer::connect_to(bridge.link_address(), "/?token=nope").await.expect_err("refused");
    let tokio_tungstenite::tungstenite::Error::Http(response) = refused else {
        panic!("HTTP 403, not {refused}")
    };
    assert_eq!(response.status(), 403);
}

#[tokio::test]
async fn a_body_over_4_mib_is_refused() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let large =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "x": "x".repeat(4 << 20) } });
    assert_eq!(client.send(&large).await.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(client.probe().await, ["No computers connected."]);
}

#[tokio::test]
async fn a_token_never_stands_in_an_answer() {
    let bridge = TestBridge::with_tokens(Some("s3cret"), Some("s3cret")).await;
    let address = bridge.link_address();
    let answers = [
        raw_http(address, b"GET /?token=s3cret HTTP/1.1\r\nHost: x\r\n\r\n").await,
        initialize(&bridge, &[]).await.text().await.expect("a body"),
    ];
    for answer in answers {
        assert!(!answer.contains("s3cret"), "{answer}");
    }
}
