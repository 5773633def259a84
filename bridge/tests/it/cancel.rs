//! Clients that change their mind, close their stream or go away.

use std::time::Duration;

use serde_json::json;

use crate::support::bridge::full_hello;
use crate::support::{Client, Era, FakeComputer, TestBridge};

const ENDLESS: &str = "while true do sleep(1) end";

/// A bridge that cancels nothing because of the time: only what a test does is heard by the computer.
async fn patient_bridge() -> TestBridge {
    TestBridge::with(|config| config.exec_timeout = Duration::from_secs(3600)).await
}

async fn cancelled(computer: &mut FakeComputer, request: &serde_json::Value) {
    assert_eq!(computer.frame().await, json!({ "type": "cancel", "id": request["id"] }));
}

#[tokio::test]
async fn a_client_of_the_handshake_era_cancels_by_notification() {
    let bridge = patient_bridge().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = bridge.client().await;
    let arguments = json!({ "computerId": 12, "code": ENDLESS });
    let (mut messages, request) =
        tokio::join!(async { client.start("exec-lua", arguments, None).await.1 }, computer.frame());
    // The client's requests are counted from 1, which was `initialize`.
    client.cancel(2).await;
    cancelled(&mut computer, &request).await;
    messages.ended().await;
    computer.serve();
    assert_eq!(client.probe().await, ["pong from 12 (Label: a)"]);
}

#[tokio::test]
async fn a_client_of_the_stateless_era_cancels_by_closing_its_stream() {
    let bridge = patient_bridge().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = Client::connect(&bridge.mcp_url(), Era::Stateless).await;
    let arguments = json!({ "computerId": 12, "code": ENDLESS });
    let request = tokio::select! {
        _ = client.exec(12, ENDLESS) => panic!("nothing was answered"),
        request = computer.frame() => request,
    };
    cancelled(&mut computer, &request).await;
    // Also when the answer has begun already: progress makes it a stream.
    let ((), mut messages) = tokio::join!(
        async {
            let request = computer.frame().await;
            computer.send(&json!({ "type": "output", "id": request["id"], "data": "working" })).await;
        },
        async { client.start("exec-lua", arguments, Some("t")).await.1 }
    );
    assert_eq!(messages.next().await.expect("progress")["params"]["message"], "working");
    drop(messages);
    assert_eq!(computer.frame().await["type"], "cancel");
}

#[tokio::test]
async fn a_session_that_is_ended_cancels_what_it_started() {
    let bridge = patient_bridge().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = bridge.client().await;
    let arguments = json!({ "computerId": 12, "code": ENDLESS });
    // The stream stays open: a client that leaves it is cancelled too, after a while.
    let (_messages, request) =
        tokio::join!(async { client.start("exec-lua", arguments, None).await.1 }, computer.frame());
    assert!(client.delete().await.is_success());
    cancelled(&mut computer, &request).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_away_is_given_some_time_and_then_cancelled() {
    let bridge = patient_bridge().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = bridge.client().await;
    let request = tokio::select! {
        _ = client.exec(12, ENDLESS) => panic!("nothing was answered"),
        request = computer.frame() => request,
    };
    // Nothing says that it has gone but the connection; the paused clock runs on by itself.
    cancelled(&mut computer, &request).await;
}

#[tokio::test]
async fn a_client_whose_connection_broke_comes_back_for_its_answer() {
    let bridge = patient_bridge().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = bridge.client().await;
    let arguments = json!({ "computerId": 12, "code": ENDLESS });
    let (request, mut messages) = tokio::join!(
        async {
            let request = computer.frame().await;
            computer.send(&json!({ "type": "output", "id": request["id"], "data": "first" })).await;
            request
        },
        async { client.start("exec-lua", arguments, Some("t")).await.1 }
    );
    assert_eq!(messages.next().await.expect("progress")["params"]["message"], "first");
    let last = messages.last_event.clone().expect("an event id");
    drop(messages);
    let mut again = client.listen(Some(&last)).await;
    computer.answer(&request, &json!({ "returns": [], "output": "firstsecond" })).await;
    let called = again.result().await;
    assert_eq!(called.structured.expect("structured")["output"], "firstsecond");
}
