//! What a client hears while a chunk runs.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::bridge::{full_hello, hello};
use crate::support::{Client, Era, FakeComputer, TestBridge};

fn messages_of(notifications: &[Value]) -> Vec<(f64, String)> {
    notifications
        .iter()
        .map(|note| {
            assert_eq!(note["method"], "notifications/progress");
            assert_eq!(note["params"]["progressToken"], "token-1");
            let message = note["params"]["message"].as_str().expect("a message");
            (note["params"]["progress"].as_f64().expect("a number"), message.to_owned())
        })
        .collect()
}

#[rstest]
#[case(Era::Handshake("2025-11-25"))]
#[case(Era::Stateless)]
#[tokio::test]
async fn output_arrives_while_the_chunk_runs(#[case] era: Era) {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = Client::connect(&bridge.mcp_url(), era).await;
    let arguments = json!({ "computerId": 12, "code": "print('one') print('two')" });
    let (called, ()) = tokio::join!(
        async { client.start("exec-lua", arguments, Some("token-1")).await.1.result().await },
        async {
            let request = computer.frame().await;
            for data in ["one\n", "two\n"] {
                computer.send(&json!({ "type": "output", "id": request["id"], "data": data })).await;
            }
            computer.answer(&request, &json!({ "returns": [], "output": "one\ntwo\n" })).await;
        }
    );
    let expected = [(1.0, "one\n".to_owned()), (2.0, "two\n".to_owned())];
    assert_eq!(messages_of(&called.notifications), expected);
    assert_eq!(called.structured.expect("structured")["output"], "one\ntwo\n");
}

#[tokio::test]
async fn a_chunk_that_prints_nothing_gives_a_sign_of_life() {
    let bridge = TestBridge::with(|config| config.timings.heartbeat = Duration::from_millis(50)).await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "a")).await;
    let client = bridge.client().await;
    let (_, mut messages) =
        client.start("exec-lua", json!({ "computerId": 12, "code": "" }), Some("token-1")).await;
    let notes = [messages.next().await.expect("a sign"), messages.next().await.expect("another")];
    let seen = messages_of(&notes);
    for (at, (count, text)) in (1..).map(f64::from).zip(seen) {
        assert!((count - at).abs() < f64::EPSILON, "{count} at {at}");
        assert!(text.starts_with("still running on 12 (Label: a) after "), "{text}");
    }
    let request = computer.frame().await;
    computer.answer(&request, &json!({ "returns": [], "output": "" })).await;
    assert!(!messages.result().await.is_error);
}

#[tokio::test]
async fn without_a_token_there_is_no_progress() {
    let bridge = TestBridge::with(|config| config.timings.heartbeat = Duration::from_millis(5)).await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.exec(12, "print(1)"), async {
        let request = computer.frame().await;
        computer.send(&json!({ "type": "output", "id": request["id"], "data": "1\n" })).await;
        computer.answer(&request, &json!({ "returns": [], "output": "1\n" })).await;
    });
    assert!(called.notifications.is_empty(), "{:?}", called.notifications);
}

#[tokio::test]
async fn output_of_another_request_reaches_nobody() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = bridge.client().await;
    let arguments = json!({ "computerId": 12, "code": "" });
    let (called, ()) = tokio::join!(
        async { client.start("exec-lua", arguments, Some("token-1")).await.1.result().await },
        async {
            let request = computer.frame().await;
            computer.send(&json!({ "type": "output", "id": "req-424242", "data": "stray" })).await;
            computer.answer(&request, &json!({ "returns": [], "output": "" })).await;
        }
    );
    assert!(called.notifications.is_empty(), "{:?}", called.notifications);
}

#[tokio::test]
async fn a_chunk_that_goes_on_printing_does_not_put_off_its_own_cancel() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = bridge.client().await;
    let arguments = json!({ "computerId": 12, "code": "", "timeoutMs": 100 });
    let (called, printed) = tokio::join!(
        async { client.start("exec-lua", arguments, Some("token-1")).await.1.result().await },
        async {
            let request = computer.frame().await;
            let mut printed = 0;
            loop {
                computer.send(&json!({ "type": "output", "id": request["id"], "data": "x" })).await;
                printed += 1;
                let pause = tokio::time::timeout(Duration::from_millis(1), computer.frame()).await;
                if pause.is_ok_and(|frame| frame["type"] == "cancel") {
                    return printed;
                }
            }
        }
    );
    assert_eq!(called.text, "timeout from 12 (Label: a) after 100 ms");
    assert!(printed > 1);
}
