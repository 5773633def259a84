//! Requests and responses too large for one frame.

use mcp_bridge::Held;
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::bridge::{full_hello, hello};
use crate::support::client::Called;
use crate::support::{Client, FakeComputer, TestBridge, within};

fn parts(id: &Value, whole: &str, sizes: usize) -> Vec<Value> {
    let slices: Vec<&str> =
        (0..whole.len()).step_by(sizes).map(|at| &whole[at..(at + sizes).min(whole.len())]).collect();
    let count = slices.len();
    let part = |(seq, data): (usize, &str)| json!({ "type": "part", "id": id, "seq": seq, "last": seq + 1 == count, "data": data });
    slices.into_iter().enumerate().map(part).collect()
}

fn response(id: &Value, output: &str) -> String {
    json!({ "type": "response", "id": id, "ok": true, "result": { "returns": [], "output": output } })
        .to_string()
}

async fn exec_with(
    bridge: &TestBridge,
    client: &Client,
    answers: impl FnOnce(&Value) -> Vec<Value>,
) -> Called {
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "parts")).await;
    let (called, ()) = tokio::join!(client.exec(12, "return"), async {
        let request = computer.frame().await;
        for frame in answers(&request["id"]) {
            computer.send(&frame).await;
        }
        computer.serve();
    });
    called
}

#[tokio::test]
async fn a_large_response_is_put_together() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let output = "0123456789".repeat(60_000);
    let called = exec_with(&bridge, &client, |id| parts(id, &response(id, &output), 100_000)).await;
    assert_eq!(called.structured.expect("structured")["output"], output);
}

#[tokio::test]
async fn what_is_held_for_a_call_is_given_back_with_it() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "half")).await;
    let view = &bridge;
    let held = |what: &'static str, is_so: fn(Held) -> bool| {
        within(what, async move {
            while !is_so(view.held()) {
                tokio::task::yield_now().await;
            }
        })
    };
    let (called, ()) = tokio::join!(client.exec(12, "return"), async {
        let request = computer.frame().await;
        let whole = response(&request["id"], &"x".repeat(200_000));
        computer.send(&parts(&request["id"], &whole, 100_000)[0]).await;
        let half =
            Held { waiting: 1, most_waiting: 1, parts_bytes: 100_000, busy_sessions: 1, queued_bytes: 0 };
        held("a part to come", |held| held.parts_bytes > 0).await;
        assert_eq!(bridge.held(), half);
        drop(computer);
    });
    assert!(called.text.starts_with("disconnected from 12"), "{}", called.text);
    held("all of it to be given back", Held::is_nothing).await;
}

#[tokio::test]
async fn large_code_goes_out_in_parts_that_fit() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &full_hello(12, "parts")).await;
    let code = "\"\\🐢\n".repeat(100_000);
    let (called, ()) = tokio::join!(client.exec(12, &code), async {
        let mut whole = String::new();
        for seq in 0.. {
            let text = computer.text().await;
            assert!(text.len() <= 131_072);
            let part: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!((&part["type"], &part["seq"]), (&json!("part"), &json!(seq)));
            whole.push_str(part["data"].as_str().expect("text"));
            if part["last"] == true {
                break;
            }
        }
        let request: Value = serde_json::from_str(&whole).expect("the parts are the whole frame");
        assert_eq!(request["params"]["code"], code);
        computer.answer(&request, &json!({ "returns": [], "output": "got it" })).await;
    });
    assert_eq!(called.structured.expect("structured")["output"], "got it");
}

#[tokio::test]
async fn large_code_for_an_old_client_is_refused_before_it_is_sent() {
    let bridge = TestBridge::start().await;
    bridge.computer(12, "old").await;
    let called = bridge.client().await.exec(12, &"x".repeat(140_000)).await;
    assert!(called.is_error);
    let (before, after) = called.text.split_once("14007").expect("its size");
    assert_eq!(before, "error from 12 (Label: old): the request has ");
    assert_eq!(&after[1..], " bytes, and its program takes 131072 at most");
}

#[tokio::test]
async fn code_over_1_mib_is_refused() {
    let bridge = TestBridge::start().await;
    bridge.computer(12, "a").await;
    let called = bridge.client().await.exec(12, &"x".repeat(1_048_577)).await;
    assert_eq!(called.text, "`code` has 1048577 bytes; 1048576 is the most");
}

fn swapped(mut parts: Vec<Value>) -> Vec<Value> {
    parts.swap(0, 1);
    parts
}

fn repeated(mut parts: Vec<Value>) -> Vec<Value> {
    parts.insert(1, parts[0].clone());
    parts
}

fn without_data(mut parts: Vec<Value>) -> Vec<Value> {
    parts[0]["data"] = json!(5);
    parts
}

#[rstest]
#[case::out_of_order(swapped, "part 0 is missing: part 1 came instead")]
#[case::twice(repeated, "part 0 came twice")]
#[case::malformed(without_data, "a part has no `seq`, `last` or `data`")]
#[tokio::test]
async fn parts_that_do_not_fit_end_that_request_and_nothing_else(
    #[case] spoil: fn(Vec<Value>) -> Vec<Value>,
    #[case] why: &str,
) {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let called = exec_with(&bridge, &client, |id| spoil(parts(id, &response(id, "0123456789"), 20))).await;
    assert_eq!((called.text, called.is_error), (format!("error from 12 (Label: parts): {why}"), true));
    assert_eq!(client.probe().await, ["pong from 12 (Label: parts)"]);
}

#[tokio::test]
async fn parts_of_another_answer_end_the_request() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let called = exec_with(&bridge, &client, |id| parts(id, &response(&json!("req-999999"), "x"), 20)).await;
    assert_eq!(
        called.text,
        "error from 12 (Label: parts): the parts together are not the response to this request"
    );
}

#[tokio::test]
async fn more_than_8_mib_ends_the_request() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let called =
        exec_with(&bridge, &client, |id| parts(id, &response(id, &"x".repeat(8 * 1024 * 1024)), 130_000))
            .await;
    assert_eq!(called.text, "error from 12 (Label: parts): the answer has more than 8388608 bytes");
    assert_eq!(client.probe().await, ["pong from 12 (Label: parts)"]);
}

#[tokio::test]
async fn nearly_8_mib_come_through() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let output = "y".repeat(8 * 1024 * 1024 - 200);
    let called = exec_with(&bridge, &client, |id| parts(id, &response(id, &output), 130_000)).await;
    assert_eq!(called.structured.expect("structured")["output"].as_str().map(str::len), Some(output.len()));
}

#[tokio::test]
async fn a_late_part_after_a_timeout_is_ignored() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let mut computer = FakeComputer::link(bridge.link_address(), &hello(12, "late")).await;
    let called = client.call("exec-lua", json!({ "computerId": 12, "code": "", "timeoutMs": 30 })).await;
    assert!(called.text.starts_with("timeout"), "{}", called.text);
    let request = computer.frame().await;
    for part in parts(&request["id"], &response(&request["id"], "late"), 20) {
        computer.send(&part).await;
    }
    computer.serve();
    assert_eq!(client.probe().await, ["pong from 12 (Label: late)"]);
}
