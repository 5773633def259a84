//! No sequence of bytes or frames makes the bridge panic, lose a link that did nothing wrong, or answer the wrong
//! request.

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::bridge::{full_hello, hello};
use crate::support::client::together;
use crate::support::{FakeComputer, TestBridge, within};

fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(test)
}

/// What a computer may do with the requests that wait at it.
#[derive(Debug, Clone)]
enum Act {
    Answer(usize),
    AnswerTwice(usize),
    AnswerInParts(usize, usize),
    Output(usize),
    Garbage(String),
    /// A response with an id that was never given out, or belongs to the other computer.
    Forge(u64),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => any::<usize>().prop_map(Act::Answer),
        1 => any::<usize>().prop_map(Act::AnswerTwice),
        2 => (any::<usize>(), 1usize..40).prop_map(|(which, size)| Act::AnswerInParts(which, size)),
        1 => any::<usize>().prop_map(Act::Output),
        2 => ".{0,60}".prop_map(Act::Garbage),
        1 => r#"\{"type":"(hello|response|part|output|cancel)","id":"req-[0-9]{1,3}"(,"seq":[0-9])?\}"#.prop_map(Act::Garbage),
        2 => (0u64..60).prop_map(Act::Forge),
    ];
    proptest::collection::vec(act, 0..30)
}

fn response(id: &Value, code: &Value) -> Value {
    json!({ "type": "response", "id": id, "ok": true, "result": { "returns": [], "output": code } })
}

async fn perform(computer: &mut FakeComputer, waiting: &mut Vec<Value>, act: &Act) {
    let pick = |which: usize, waiting: &Vec<Value>| (!waiting.is_empty()).then(|| which % waiting.len());
    match act {
        Act::Answer(which) | Act::AnswerTwice(which) => {
            let Some(at) = pick(*which, waiting) else { return };
            let request = waiting.remove(at);
            let frame = response(&request["id"], &request["params"]["code"]);
            computer.send(&frame).await;
            if matches!(act, Act::AnswerTwice(_)) {
                computer.send(&response(&request["id"], &json!("a second answer"))).await;
            }
        }
        Act::AnswerInParts(which, size) => {
            let Some(at) = pick(*which, waiting) else { return };
            let request = waiting.remove(at);
            let whole: Vec<char> =
                response(&request["id"], &request["params"]["code"]).to_string().chars().collect();
            let slices: Vec<String> = whole.chunks(*size).map(|chunk| chunk.iter().collect()).collect();
            for (seq, data) in slices.iter().enumerate() {
                let last = seq + 1 == slices.len();
                let part =
                    json!({ "type": "part", "id": request["id"], "seq": seq, "last": last, "data": data });
                computer.send(&part).await;
            }
        }
        Act::Output(which) => {
            let Some(at) = pick(*which, waiting) else { return };
            computer.send(&json!({ "type": "output", "id": waiting[at]["id"], "data": "x" })).await;
        }
        // A hello that happens to be right would be one.
        Act::Garbage(text) if text.contains("\"hello\"") => {}
        Act::Garbage(text) if names_one_of(text, waiting) => {}
        Act::Garbage(text) => computer.send_text(text).await,
        Act::Forge(number) => {
            let id = json!(format!("req-{number}"));
            if waiting.iter().all(|request| request["id"] != id) {
                computer.send(&response(&id, &json!("forged"))).await;
            }
        }
    }
}

fn names_one_of(text: &str, waiting: &[Value]) -> bool {
    waiting.iter().any(|request| text.contains(&request["id"].to_string()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_caller_gets_its_own_answer_whatever_else_is_said(first in acts(), second in acts()) {
        run(async {
            let bridge = TestBridge::start().await;
            let address = bridge.link_address();
            let mut computers = [
                FakeComputer::link(address, &full_hello(1, "one")).await,
                FakeComputer::link(address, &full_hello(2, "two")).await,
            ];
            let client = bridge.client().await;
            let codes: Vec<(u64, String)> = (0..12).map(|n| (n % 2 + 1, format!("chunk {n}"))).collect();
            let calls = together(codes.iter().map(|(id, code)| client.exec(*id, code)));
            let (called, ()) = tokio::join!(calls, async {
                let mut waiting = [Vec::new(), Vec::new()];
                for (computer, waiting) in computers.iter_mut().zip(&mut waiting) {
                    for _ in 0..6 {
                        waiting.push(computer.frame().await);
                    }
                }
                let steps = first.len().max(second.len());
                for step in 0..steps {
                    for (side, acts) in [&first, &second].into_iter().enumerate() {
                        if let Some(act) = acts.get(step) {
                            perform(&mut computers[side], &mut waiting[side], act).await;
                        }
                    }
                }
                for (computer, waiting) in computers.iter_mut().zip(waiting) {
                    for request in waiting {
                        computer.send(&response(&request["id"], &request["params"]["code"])).await;
                    }
                }
            });
            for ((id, code), called) in codes.iter().zip(called) {
                let structured = called.structured.unwrap_or_else(|| panic!("{code}: {}", called.text));
                assert_eq!((&structured["computerId"], &structured["output"]), (&json!(id), &json!(code)));
            }
        });
    }

    #[test]
    fn raw_bytes_on_a_socket_hurt_nobody(before in proptest::collection::vec(any::<u8>(), 0..400),
                                         after in proptest::collection::vec(any::<u8>(), 0..400)) {
        run(async {
            let bridge = TestBridge::start().await;
            bridge.computer(12, "neighbour").await;
            let mut stranger = tokio::net::TcpStream::connect(bridge.link_address()).await.expect("it listens");
            let _ = stranger.write_all(&before).await;
            let mut linked = FakeComputer::link(bridge.link_address(), &hello(13, "odd")).await;
            let _ = linked.socket.get_mut().write_all(&after).await;
            let _ = linked.socket.get_mut().shutdown().await;
            let _ = stranger.shutdown().await;
            let mut rest = Vec::new();
            let _ = within("the bridge to close", stranger.read_to_end(&mut rest)).await;
            assert_eq!(bridge.client().await.probe().await[0], "pong from 12 (Label: neighbour)");
        });
    }
}
