//! `probe-computers`: a line for each computer, whatever it does.

use std::time::Duration;

use serde_json::json;

use crate::support::bridge::{full_hello, hello};
use crate::support::client::together;
use crate::support::{FakeComputer, TestBridge};

#[tokio::test]
async fn nobody_linked_is_said() {
    let bridge = TestBridge::start().await;
    assert_eq!(bridge.client().await.probe().await, ["No computers connected."]);
}

#[tokio::test]
async fn many_computers_answer_in_the_order_of_their_ids() {
    let bridge = TestBridge::start().await;
    together([30, 4, 200, 1].map(|id| bridge.computer(id, "bench"))).await;
    FakeComputer::link(bridge.link_address(), r#"{"type":"hello","computerId":12}"#).await.serve();
    FakeComputer::link(bridge.link_address(), &hello(13, "türtle 🐢")).await.serve();
    let lines = bridge.client().await.probe().await;
    assert_eq!(
        lines,
        [
            "pong from 1 (Label: bench)",
            "pong from 4 (Label: bench)",
            "pong from 12 (Label: null)",
            "pong from 13 (Label: türtle 🐢)",
            "pong from 30 (Label: bench)",
            "pong from 200 (Label: bench)",
        ]
    );
}

#[tokio::test]
async fn a_silent_computer_times_out_between_those_that_answer() {
    let bridge = TestBridge::with(|config| config.probe_timeout = Duration::from_secs(1)).await;
    bridge.computer(12, "base-turtle").await;
    let _silent = FakeComputer::link(bridge.link_address(), &hello(14, "farm-turtle")).await;
    bridge.computer(15, "miner").await;
    let lines = bridge.client().await.probe().await;
    assert_eq!(
        lines,
        [
            "pong from 12 (Label: base-turtle)",
            "timeout from 14 (Label: farm-turtle)",
            "pong from 15 (Label: miner)"
        ]
    );
}

#[tokio::test]
async fn a_computer_that_errs_is_shown_with_its_error() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), r#"{"type":"hello","computerId":15}"#).await;
    let client = bridge.client().await;
    let (lines, ()) = tokio::join!(client.probe(), async {
        let request = computer.frame().await;
        assert_eq!(request["method"], "ping");
        let error =
            json!({ "type": "response", "id": request["id"], "ok": false, "error": "unknown method" });
        computer.send(&error).await;
    });
    assert_eq!(lines, ["error from 15 (Label: null): unknown method"]);
}

#[tokio::test]
async fn a_computer_that_leaves_in_the_middle_is_shown_at_once() {
    let bridge = TestBridge::with(|config| config.probe_timeout = Duration::from_secs(600)).await;
    let mut computer = FakeComputer::link(bridge.link_address(), r#"{"type":"hello","computerId":16}"#).await;
    let client = bridge.client().await;
    let (lines, ()) = tokio::join!(client.probe(), async {
        computer.frame().await;
        drop(computer);
    });
    assert_eq!(lines, ["disconnected from 16 (Label: null)"]);
}

#[tokio::test]
async fn no_computer_can_forge_the_line_of_another() {
    let bridge = TestBridge::start().await;
    let label = "x)\npong from 99 (Label: forged";
    bridge.computer(12, label).await;
    let mut liar = FakeComputer::link(bridge.link_address(), &hello(13, "\u{202e}liar")).await;
    let client = bridge.client().await;
    let (lines, ()) = tokio::join!(client.probe(), async {
        let request = liar.frame().await;
        liar.answer(&request, &json!("pong from 12 (Label: stolen)\u{1b}[2J")).await;
    });
    assert_eq!(
        lines,
        [
            r"pong from 12 (Label: x)\npong from 99 (Label: forged)",
            r#"error from 13 (Label: \u{202e}liar): unexpected answer "pong from 12 (Label: stolen)\u{1b}[2J""#,
        ]
    );
}

#[tokio::test]
async fn a_new_hello_on_the_same_link_changes_the_label() {
    let bridge = TestBridge::with(|config| config.probe_timeout = Duration::from_millis(100)).await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "old")).await;
    computer.send_text(&full_hello(12, "new")).await;
    assert_eq!(computer.frame().await["type"], "hello-ok");
    let client = bridge.client().await;
    assert_eq!(client.probe().await, ["timeout from 12 (Label: new)"]);
}

#[tokio::test]
async fn an_argument_that_is_none_of_its_own_is_an_error() {
    let bridge = TestBridge::start().await;
    let called = bridge.client().await.call("probe-computers", json!({ "computerId": 1 })).await;
    assert!(called.is_error);
    assert_eq!(called.text, "unknown argument `computerId`; there are none");
}
