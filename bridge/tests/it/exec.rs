//! `exec-lua`: what is sent, what comes back, and every way in which it does not.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::bridge::{full_hello, hello};
use crate::support::client::together;
use crate::support::{FakeComputer, TestBridge};

#[tokio::test]
async fn the_result_is_structured_and_its_text_is_the_same() {
    let bridge = TestBridge::start().await;
    bridge.computer(12, "base-turtle").await;
    let called = bridge.client().await.exec(12, "return 2").await;
    let expected = r#"{"computerId":12,"label":"base-turtle","ok":true,"returns":[{"type":"number","value":2.0}],"output":""}"#;
    assert_eq!(called.text, expected);
    assert_eq!(called.structured.expect("structured").to_string(), expected);
    assert!(!called.is_error);
}

#[tokio::test]
async fn an_old_client_is_sent_the_code_and_nothing_more() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "base-turtle")).await;
    assert_eq!(computer.greeting, json!({ "type": "hello-ok" }));
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.exec(12, "return '\0🐢'"), async {
        let request = computer.frame().await;
        let id = request["id"].clone();
        assert!(id.as_str().is_some_and(|id| id.starts_with("req-")), "{request}");
        let expected = json!({ "type": "request", "id": id, "method": "exec-lua", "params": { "code": "return '\0🐢'" } });
        assert_eq!(request, expected);
        computer.send(&json!({ "type": "response", "id": id, "ok": false, "error": "unknown method" })).await;
    });
    assert!(called.is_error);
    let expected = json!({ "computerId": 12, "label": "base-turtle", "ok": false, "error": "unknown method", "output": "" });
    assert_eq!(called.structured, Some(expected));
}

#[tokio::test]
async fn a_new_client_is_told_the_timeout() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "base-turtle")).await;
    let capabilities = json!(["exec-lua", "cancel", "output", "parts"]);
    assert_eq!(computer.greeting["capabilities"], capabilities);
    let client = bridge.client().await;
    let arguments = json!({ "computerId": 12, "code": "return", "timeoutMs": 4321 });
    let (called, ()) = tokio::join!(client.call("exec-lua", arguments), async {
        let request = computer.frame().await;
        assert_eq!(request["params"], json!({ "code": "return", "timeoutMs": 4321 }));
        computer.answer(&request, &json!({ "returns": {}, "output": "" })).await;
    });
    assert_eq!(called.structured.expect("structured")["returns"], json!([]));
}

#[tokio::test]
async fn a_computer_that_is_not_linked_is_named_with_those_that_are() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let called = client.exec(99, "return 1").await;
    assert_eq!(
        (called.text.as_str(), called.is_error),
        ("computer 99 is not connected (connected: none)", true)
    );
    bridge.computer(13, "b").await;
    bridge.computer(12, "a").await;
    let called = client.exec(99, "return 1").await;
    assert_eq!(
        (called.text.as_str(), called.is_error),
        ("computer 99 is not connected (connected: 12, 13)", true)
    );
}

#[tokio::test]
async fn a_timeout_is_reported_and_the_chunk_cancelled() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "base-turtle")).await;
    let client = bridge.client().await;
    let called =
        client.call("exec-lua", json!({ "computerId": 12, "code": "sleep(60)", "timeoutMs": 80 })).await;
    assert_eq!(
        (called.text.as_str(), called.is_error),
        ("timeout from 12 (Label: base-turtle) after 80 ms", true)
    );
    let request = computer.frame().await;
    assert_eq!(computer.frame().await, json!({ "type": "cancel", "id": request["id"] }));
    // An answer that comes too late answers nobody.
    computer.answer(&request, &json!({ "returns": [], "output": "late" })).await;
    let (called, ()) = tokio::join!(client.exec(12, "return 1"), async {
        let request = computer.frame().await;
        computer.answer(&request, &json!({ "returns": [], "output": "in time" })).await;
    });
    assert_eq!(called.structured.expect("structured")["output"], "in time");
}

#[tokio::test]
async fn an_old_client_is_not_sent_a_cancel() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "old")).await;
    let client = bridge.client().await;
    let called =
        client.call("exec-lua", json!({ "computerId": 12, "code": "sleep(60)", "timeoutMs": 30 })).await;
    assert!(called.text.starts_with("timeout from 12"), "{}", called.text);
    assert_eq!(computer.frame().await["method"], "exec-lua");
    let (lines, ()) = tokio::join!(client.probe(), async {
        let request = computer.frame().await;
        assert_eq!(request["method"], "ping", "nothing may stand between the two requests");
        computer.answer(&request, &json!("pong from 12 (Label: old)")).await;
    });
    assert_eq!(lines, ["pong from 12 (Label: old)"]);
}

#[tokio::test]
async fn a_link_that_is_lost_during_the_call_ends_it_at_once() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "base-turtle")).await;
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.exec(12, "return 1"), async {
        computer.frame().await;
        drop(computer);
    });
    assert_eq!((called.text.as_str(), called.is_error), ("disconnected from 12 (Label: base-turtle)", true));
}

#[tokio::test]
async fn nothing_is_sent_again_after_a_reconnect() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "a")).await;
    let client = bridge.client().await;
    let (called, mut again) = tokio::join!(client.exec(12, "turtle.forward()"), async {
        let request = computer.frame().await;
        let mut again = FakeComputer::link(bridge.link_address(), &hello(12, "a")).await;
        // The new link cannot answer what the old one was asked.
        again.answer(&request, &json!({ "returns": [], "output": "stolen" })).await;
        again
    });
    assert_eq!(called.text, "disconnected from 12 (Label: a)");
    let (lines, ()) = tokio::join!(client.probe(), async {
        let request = again.frame().await;
        assert_eq!(request["method"], "ping", "{request}");
        again.answer(&request, &json!("pong from 12 (Label: a)")).await;
    });
    assert_eq!(lines, ["pong from 12 (Label: a)"]);
}

#[tokio::test]
async fn a_response_counts_only_on_its_own_link() {
    let bridge = TestBridge::start().await;
    let mut asked = FakeComputer::link(bridge.link_address(), &hello(12, "asked")).await;
    let mut other = FakeComputer::link(bridge.link_address(), &hello(13, "other")).await;
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.exec(12, "return 1"), async {
        let request = asked.frame().await;
        other.answer(&request, &json!({ "returns": [], "output": "forged" })).await;
        // A round trip on the other link: its forged answer has been read by now.
        other.send_text(&full_hello(13, "other")).await;
        other.frame().await;
        asked.answer(&request, &json!({ "returns": [], "output": "own" })).await;
    });
    assert_eq!(called.structured.expect("structured")["output"], "own");
}

#[tokio::test]
async fn answers_out_of_order_reach_their_callers() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "a")).await;
    let client = bridge.client().await;
    let codes: Vec<String> = (0..20).map(|n| format!("chunk {n}")).collect();
    let (called, ()) = tokio::join!(together(codes.iter().map(|code| client.exec(12, code))), async {
        let mut requests = Vec::new();
        for _ in 0..20 {
            requests.push(computer.frame().await);
        }
        for request in requests.iter().rev() {
            let echo = json!({ "returns": [], "output": request["params"]["code"] });
            computer.answer(request, &echo).await;
        }
    });
    for (code, called) in codes.iter().zip(called) {
        assert_eq!(called.structured.expect("structured")["output"], **code);
    }
}

#[tokio::test]
async fn the_65th_request_at_one_computer_is_refused_at_once() {
    let bridge = TestBridge::start().await;
    let mut busy = FakeComputer::link(bridge.link_address(), &hello(12, "busy")).await;
    bridge.computer(13, "free").await;
    let client = bridge.client().await;
    let waiting: Vec<_> = (0..64).map(|_| client.exec(12, "wait")).collect();
    let ((), called) = tokio::join!(
        async {
            let called = together(waiting).await;
            assert!(called.iter().all(|called| called.text == "disconnected from 12 (Label: busy)"));
        },
        async {
            for _ in 0..64 {
                busy.frame().await;
            }
            let refused = client.exec(12, "one more").await;
            let lines = client.probe().await;
            assert_eq!(
                lines,
                [
                    "error from 12 (Label: busy): 64 requests are waiting already",
                    "pong from 13 (Label: free)"
                ]
            );
            drop(busy);
            refused
        }
    );
    assert_eq!(
        (called.text.as_str(), called.is_error),
        ("error from 12 (Label: busy): 64 requests are waiting already", true)
    );
}

#[rstest]
#[case(json!({ "code": "return 1" }), "`computerId` must be a whole number from 0")]
#[case(json!({ "computerId": "12", "code": "return 1" }), "`computerId` must be a whole number from 0")]
#[case(json!({ "computerId": 12 }), "`code` must be a string of Lua")]
#[case(json!({ "computerId": 12, "code": "", "timeoutMs": 0 }), "`timeoutMs` must be a whole number from 1 to 86400000")]
#[case(json!({ "computerId": 12, "code": "", "x": 0 }), "unknown argument `x`; there are `computerId`, `code` and `timeoutMs`")]
#[tokio::test]
async fn wrong_arguments_are_explained(#[case] arguments: Value, #[case] text: &str) {
    let bridge = TestBridge::start().await;
    bridge.computer(12, "a").await;
    let called = bridge.client().await.call("exec-lua", arguments).await;
    assert_eq!((called.text.as_str(), called.is_error), (text, true));
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error() {
    let bridge = TestBridge::start().await;
    let answer = bridge.client().await.request("tools/call", json!({ "name": "fly", "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().expect("a message");
    let known = mcp_bridge::mcp::built_in::NAMES.join(", ");
    assert_eq!(message, format!("unknown tool `fly`; there are {known}"));
}

#[tokio::test]
async fn a_slow_reader_delays_nobody_else() {
    let bridge = TestBridge::with(|config| {
        config.exec_timeout = Duration::from_secs(2);
        config.probe_timeout = Duration::from_secs(2);
    })
    .await;
    let slow = FakeComputer::link(bridge.link_address(), &full_hello(12, "slow")).await;
    bridge.computer(13, "quick").await;
    let client = bridge.client().await;
    // It never reads: some of this fills the sockets, some the queue, and the rest is refused.
    let code = "x".repeat(1024 * 1024);
    let calls = together((0..24).map(|_| client.exec(12, &code)));
    let (called, lines) = tokio::join!(calls, client.probe());
    assert!(lines.iter().any(|line| line == "pong from 13 (Label: quick)"), "{lines:?}");
    let refused = "error from 12 (Label: slow): it reads too slowly: 4194304 bytes are waiting to be sent";
    assert!(called.iter().any(|called| called.text == refused));
    assert!(called.iter().all(|called| called.text == refused || called.text.starts_with("timeout from 12")));
    drop(slow);
}

#[tokio::test]
async fn the_largest_chunk_is_taken_whatever_is_in_it() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "a")).await;
    let client = bridge.client().await;
    // Parts are escaped twice: each quote has four bytes on the wire.
    let code = "\"".repeat(1024 * 1024);
    let (called, ()) = tokio::join!(client.exec(12, &code), async {
        let mut last = computer.frame().await;
        while last["last"] != true {
            last = computer.frame().await;
        }
        computer.answer(&last, &json!({ "returns": [], "output": "got it" })).await;
    });
    assert_eq!(called.structured.expect("structured")["output"], "got it");
}

#[tokio::test]
async fn a_result_names_the_computer_as_it_was_when_it_was_called() {
    let bridge = TestBridge::start().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "before")).await;
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.exec(12, "os.setComputerLabel('after')"), async {
        let request = computer.frame().await;
        computer.send_text(&full_hello(12, "after")).await;
        assert_eq!(computer.frame().await["type"], "hello-ok");
        computer.answer(&request, &json!({ "returns": [], "output": "" })).await;
    });
    assert_eq!(called.structured.expect("structured")["label"], "before");
}
