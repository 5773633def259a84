//! Links: how they begin, are replaced, and end; and what strangers send.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use rstest::rstest;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::support::bridge::{full_hello, hello};
use crate::support::client::raw_http;
use crate::support::{FakeComputer, TestBridge, within};

#[tokio::test]
async fn a_newer_link_replaces_the_older_one() {
    let bridge = TestBridge::start().await;
    let mut old = FakeComputer::link(bridge.link_address(), &hello(12, "old")).await;
    FakeComputer::link(bridge.link_address(), &hello(12, "new")).await.serve();
    let close = old.closed().await.expect("a close frame");
    assert_eq!((u16::from(close.code), close.reason.as_str()), (4000, "replaced"));
    // The old link's end does not take the new one along.
    drop(old);
    assert_eq!(bridge.client().await.probe().await, ["pong from 12 (Label: new)"]);
    bridge.linked(1).await;
}

#[tokio::test]
async fn a_computer_that_leaves_is_forgotten() {
    let bridge = TestBridge::start().await;
    let mut polite = FakeComputer::link(bridge.link_address(), &hello(12, "polite")).await;
    let rude = FakeComputer::link(bridge.link_address(), &hello(13, "rude")).await;
    bridge.linked(2).await;
    polite.socket.close(None).await.expect("the bridge answers a close");
    bridge.linked(1).await;
    drop(rude);
    bridge.linked(0).await;
}

#[tokio::test]
async fn a_computer_that_says_bye_is_closed_after_all_that_it_sent() {
    let bridge = TestBridge::start().await;
    let hello = r#"{"type":"hello","computerId":12,"capabilities":["bye"]}"#;
    let mut computer = FakeComputer::link(bridge.link_address(), hello).await;
    assert_eq!(computer.greeting["capabilities"], json!(["bye"]));
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.exec(12, "os.reboot()"), async {
        let request = computer.frame().await;
        computer.answer(&request, &json!({ "returns": [], "output": "going" })).await;
        computer.send(&json!({ "type": "bye" })).await;
    });
    assert_eq!(called.structured.expect("structured")["output"], "going");
    let close = computer.closed().await.expect("a close frame");
    assert_eq!((u16::from(close.code), close.reason.as_str()), (1000, "bye"));
    bridge.linked(0).await;
}

#[tokio::test]
async fn a_bye_that_was_not_agreed_is_ignored() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "old")).await;
    computer.send(&json!({ "type": "bye" })).await;
    computer.serve();
    assert_eq!(bridge.client().await.probe().await, ["pong from 12 (Label: old)"]);
}

#[rstest]
#[case(r#"{"type":"hello"}"#)]
#[case(r#"{"type":"hello","computerId":-1}"#)]
#[case(r#"{"type":"hello","computerId":"12"}"#)]
#[tokio::test]
async fn a_hello_without_a_proper_id_is_refused(#[case] hello: &str) {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), hello).await;
    let error = "`computerId` must be a whole number from 0";
    assert_eq!(computer.greeting, json!({ "type": "hello-error", "error": error }));
    let close = computer.closed().await.expect("a close frame");
    assert_eq!((u16::from(close.code), close.reason.as_str()), (1008, error));
}

#[tokio::test]
async fn a_peer_that_says_no_hello_is_closed() {
    let bridge = TestBridge::with(|config| config.timings.hello = Duration::from_secs(1)).await;
    let mut socket = FakeComputer::connect(bridge.link_address()).await;
    let Some(Ok(Message::Close(Some(close)))) = within("the close", socket.next()).await else {
        panic!("a close frame was expected")
    };
    assert_eq!((u16::from(close.code), close.reason.as_str()), (1008, "no hello in time"));
    // Neither does one that never asks for an upgrade stay.
    assert_eq!(raw_http(bridge.link_address(), b"GET / HTTP/1.1\r\n").await, "");
}

#[tokio::test]
async fn what_comes_before_the_hello_is_ignored() {
    let bridge = TestBridge::start().await;
    let mut socket = FakeComputer::connect(bridge.link_address()).await;
    for text in ["", "nonsense", r#"{"type":"response","id":"req-1","ok":true}"#, "[]"] {
        socket.send(Message::text(text)).await.expect("the bridge reads");
    }
    socket.send(Message::binary(vec![0, 255])).await.expect("the bridge reads");
    let computer = FakeComputer::greet(socket, &hello(12, "patient")).await;
    assert_eq!(computer.greeting["type"], "hello-ok");
}

#[tokio::test]
async fn nonsense_on_a_link_costs_nobody_anything() {
    let bridge = TestBridge::start().await;
    bridge.computer(13, "neighbour").await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "odd")).await;
    let nonsense = [
        "",
        "{",
        "null",
        "[]",
        "{}",
        r#"{"type":7}"#,
        r#"{"type":"fly"}"#,
        r#"{"type":"response"}"#,
        r#"{"type":"response","id":"req-1","ok":true}"#,
        r#"{"type":"part","id":"req-1"}"#,
        r#"{"type":"output","id":"req-999","data":"x"}"#,
        r#"{"type":"hello-ok"}"#,
    ];
    for text in nonsense {
        computer.send_text(text).await;
    }
    computer.socket.send(Message::binary(vec![1, 2, 3])).await.expect("the bridge reads");
    let client = bridge.client().await;
    let (lines, ()) = tokio::join!(client.probe(), async {
        let request = computer.frame().await;
        computer.answer(&request, &json!("pong from 12 (Label: odd)")).await;
    });
    assert_eq!(lines, ["pong from 12 (Label: odd)", "pong from 13 (Label: neighbour)"]);
}

#[tokio::test]
async fn another_computers_hello_on_a_link_is_refused_and_closes_it() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "a")).await;
    computer.send_text(&hello(13, "b")).await;
    let answer = computer.frame().await;
    assert_eq!(answer, json!({ "type": "hello-error", "error": "this link belongs to computer 12" }));
    assert_eq!(u16::from(computer.closed().await.expect("a close frame").code), 1008);
    bridge.linked(0).await;
}

#[tokio::test]
async fn a_frame_over_the_limit_ends_its_own_link_with_1009() {
    let bridge = TestBridge::start().await;
    bridge.computer(13, "neighbour").await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "big")).await;
    let _ = computer.socket.send(Message::text("x".repeat(131_073))).await;
    let close = computer.closed().await.expect("a close frame");
    assert_eq!((u16::from(close.code), close.reason.as_str()), (1009, "a frame has at most 131072 bytes"));
    bridge.linked(1).await;
    assert_eq!(bridge.client().await.probe().await, ["pong from 13 (Label: neighbour)"]);
}

#[tokio::test]
async fn a_frame_at_the_limit_is_taken() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "big")).await;
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.exec(12, "return"), async {
        let request = computer.frame().await;
        let frame = |output: &str| json!({ "type": "response", "id": request["id"], "ok": true, "result": { "returns": [], "output": output } });
        let room = 131_072 - frame("").to_string().len();
        computer.send(&frame(&"x".repeat(room))).await;
    });
    assert!(!called.is_error, "{:.100}", called.text);
}

#[tokio::test]
async fn text_that_is_not_utf8_ends_its_own_link_with_1007() {
    use tokio::io::AsyncWriteExt as _;
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "raw")).await;
    // FIN and text, masked with zeroes, one byte that no UTF-8 begins with.
    computer.socket.get_mut().write_all(&[0x81, 0x81, 0, 0, 0, 0, 0xff]).await.expect("the bridge reads");
    let close = computer.closed().await.expect("a close frame");
    assert_eq!(u16::from(close.code), 1007);
    bridge.linked(0).await;
}

#[tokio::test]
async fn a_silent_peer_is_dropped_and_one_that_answers_pings_is_not() {
    let bridge = TestBridge::with(|config| {
        config.timings.ping = Duration::from_millis(200);
        config.timings.silent = Duration::from_secs(2);
    })
    .await;
    bridge.computer(12, "answers pings").await;
    // Its socket is open, and nobody reads from it: no pong ever comes.
    let silent = FakeComputer::link(bridge.link_address(), &hello(13, "silent")).await;
    bridge.linked(2).await;
    bridge.linked(1).await;
    assert_eq!(bridge.client().await.probe().await, ["pong from 12 (Label: answers pings)"]);
    drop(silent);
}

#[tokio::test]
async fn a_plain_request_on_the_link_port_gets_426() {
    let bridge = TestBridge::start().await;
    let answer = raw_http(bridge.link_address(), b"GET /mcp HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 426 Upgrade Required\r\n"), "{answer}");
    assert!(answer.contains("mcp-computer ws://HOST:PORT"), "{answer}");
    // Also to one who is still sending.
    let body = "x".repeat(1_000_000);
    let request = format!("POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let answer = raw_http(bridge.link_address(), request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 426 Upgrade Required\r\n"), "{answer}");
}

#[tokio::test]
async fn the_end_of_the_bridge_closes_links_with_1001() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let (close, ()) = tokio::join!(computer.closed(), bridge.shutdown());
    assert_eq!(u16::from(close.expect("a close frame").code), 1001);
}
