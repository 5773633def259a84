//! What a tool says while it runs: progress, the log, and what it asks the client.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::client::Messages;
use crate::support::tools::ToolFolder;
use crate::support::{Client, Era, FakeComputer, TestBridge};

const HANDSHAKE: Era = Era::Handshake("2025-11-25");

struct Talk {
    _folder: ToolFolder,
    bridge: TestBridge,
    computer: FakeComputer,
}

async fn talk() -> Talk {
    let folder = ToolFolder::with(&[("greet", &["mcp.computer: any"])]);
    let bridge = folder.bridge().await;
    let computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    Talk { _folder: folder, bridge, computer }
}

impl Talk {
    async fn client(&self, era: Era, capabilities: Value) -> Client {
        Client::connect_with(&self.bridge.mcp_url(), era, capabilities).await
    }

    async fn note(&mut self, call: &Value, kind: &str, data: Value) {
        self.computer.send(&json!({ "type": kind, "id": call["id"], "data": data })).await;
    }
}

#[rstest]
#[case(HANDSHAKE)]
#[case(Era::Stateless)]
#[tokio::test]
async fn progress_reaches_the_client_that_asked_for_it_and_grows(#[case] era: Era) {
    let mut talk = talk().await;
    let client = talk.client(era, json!({})).await;
    let speaking = async {
        let call = talk.computer.request("call-tool").await;
        for data in [
            json!({ "progress": 0, "total": 4 }),
            json!({ "progress": 1, "total": 4, "message": "digging" }),
            json!({ "progress": 1 }),
            json!({ "progress": 0.5 }),
            json!({ "progress": 4, "total": 4 }),
        ] {
            talk.note(&call, "progress", data).await;
        }
        talk.computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "done" }] })).await;
    };
    let ((_, mut messages), ()) = tokio::join!(client.start("greet", json!({}), Some("t")), speaking);
    let called = messages.result().await;
    let params: Vec<Value> = called.notifications.iter().map(|note| note["params"].clone()).collect();
    let expected = [
        json!({ "progressToken": "t", "progress": 0.0, "total": 4.0 }),
        json!({ "progressToken": "t", "progress": 1.0, "total": 4.0, "message": "digging" }),
        json!({ "progressToken": "t", "progress": 4.0, "total": 4.0 }),
    ];
    assert_eq!(params, expected, "what does not grow is left out");
}

#[tokio::test]
async fn a_log_goes_to_the_call_of_a_client_that_has_set_a_level() {
    let mut talk = talk().await;
    let client = talk.client(HANDSHAKE, json!({})).await;
    let quiet = talk.client(HANDSHAKE, json!({})).await;
    client.request("logging/setLevel", json!({ "level": "info" })).await;
    for (client, expected) in [(client, 2), (quiet, 0)] {
        let speaking = async {
            let call = talk.computer.request("call-tool").await;
            talk.note(&call, "log", json!({ "level": "debug", "data": "too quiet" })).await;
            talk.note(&call, "output", json!("printed\n")).await;
            talk.note(&call, "log", json!({ "level": "info", "data": "started" })).await;
            talk.note(&call, "log", json!({ "level": "error", "data": { "fuel": 0 } })).await;
            talk.computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "done" }] })).await;
        };
        let ((_, mut messages), ()) = tokio::join!(client.start("greet", json!({}), None), speaking);
        let called = messages.result().await;
        assert_eq!(called.notifications.len(), expected, "{:?}", called.notifications);
        if let [first, second] = &called.notifications[..] {
            assert_eq!(first["method"], "notifications/message");
            assert_eq!(first["params"], json!({ "level": "info", "logger": "greet", "data": "started" }));
            assert_eq!(
                second["params"],
                json!({ "level": "error", "logger": "greet", "data": { "fuel": 0 } })
            );
        }
    }
}

#[tokio::test]
async fn in_the_stateless_era_the_call_says_what_it_wants_to_have_logged() {
    let mut talk = talk().await;
    let client = talk.client(Era::Stateless, json!({})).await;
    for (meta, expected) in [(json!({ "io.modelcontextprotocol/logLevel": "warning" }), 1), (json!({}), 0)] {
        let speaking = async {
            let call = talk.computer.request("call-tool").await;
            talk.note(&call, "log", json!({ "level": "info", "data": "started" })).await;
            talk.note(&call, "log", json!({ "level": "warning", "data": "fuel is low" })).await;
            talk.computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "done" }] })).await;
        };
        let params = json!({ "name": "greet", "arguments": {}, "_meta": meta });
        let (mut messages, ()) = tokio::join!(client.stream("tools/call", params), speaking);
        let called = messages.result().await;
        assert_eq!(called.notifications.len(), expected, "{:?}", called.notifications);
    }
}

/// Waits for what the server asks on the stream of a call.
async fn asked(messages: &mut Messages) -> Value {
    let request = messages.next().await.expect("a request");
    assert!(request.get("id").is_some() && request.get("method").is_some(), "{request}");
    request
}

#[rstest]
#[case("elicitation/create", json!({ "message": "Which way?", "requestedSchema": { "x-odd": 1 } }), json!({ "action": "accept", "content": { "way": "north" } }))]
#[case("sampling/createMessage", json!({ "messages": [], "maxTokens": 100 }), json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "hi" } }))]
#[tokio::test]
async fn what_a_tool_asks_goes_to_the_client_of_its_call_and_comes_back(
    #[case] method: &str,
    #[case] params: Value,
    #[case] answer: Value,
) {
    let mut talk = talk().await;
    let client = talk.client(HANDSHAKE, json!({ "elicitation": {}, "sampling": {} })).await;
    let speaking = async {
        let call = talk.computer.request("call-tool").await;
        talk.note(&call, "ask", json!({ "ask": 1, "method": method, "params": params })).await;
        let said = talk.computer.frame().await;
        assert_eq!(
            said,
            json!({ "type": "answer", "id": call["id"], "ask": 1, "ok": true, "result": answer })
        );
        talk.computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "done" }] })).await;
    };
    let calling = async {
        let (_, mut messages) = client.start("greet", json!({}), None).await;
        let mut request = asked(&mut messages).await;
        request["params"].as_object_mut().expect("params").remove("_meta");
        assert_eq!((&request["method"], &request["params"]), (&json!(method), &params), "as it is");
        let response = json!({ "jsonrpc": "2.0", "id": request["id"], "result": answer });
        assert_eq!(client.send(&response).await.status(), 202);
        messages.result().await
    };
    let (called, ()) = tokio::join!(calling, speaking);
    assert_eq!(called.text, "done");
}

#[rstest]
#[case(json!({}), "elicitation/create", "this client has no `elicitation`")]
#[case(json!({ "elicitation": {} }), "sampling/createMessage", "this client has no `sampling`")]
#[case(json!({ "sampling": {} }), "roots/list", "this client has no `roots`")]
#[case(json!({ "roots": {} }), "ping", "a client cannot be asked for `ping`")]
#[tokio::test]
async fn a_client_that_cannot_be_asked_is_not(
    #[case] capabilities: Value,
    #[case] method: &str,
    #[case] says: &str,
) {
    let mut talk = talk().await;
    let client = talk.client(HANDSHAKE, capabilities).await;
    let speaking = async {
        let call = talk.computer.request("call-tool").await;
        talk.note(&call, "ask", json!({ "ask": 7, "method": method, "params": {} })).await;
        let said = talk.computer.frame().await;
        assert_eq!(said, json!({ "type": "answer", "id": call["id"], "ask": 7, "ok": false, "error": says }));
        talk.computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "done" }] })).await;
    };
    let (called, ()) = tokio::join!(client.call("greet", json!({})), speaking);
    assert_eq!(called.text, "done");
}

#[tokio::test]
async fn a_client_that_refuses_is_heard() {
    let mut talk = talk().await;
    let client = talk.client(HANDSHAKE, json!({ "elicitation": {} })).await;
    let speaking = async {
        let call = talk.computer.request("call-tool").await;
        talk.note(&call, "ask", json!({ "ask": 1, "method": "elicitation/create", "params": {} })).await;
        let said = talk.computer.frame().await;
        assert_eq!((&said["ok"], &said["error"]), (&json!(false), &json!("the client refused: not now")));
        talk.computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "done" }] })).await;
    };
    let calling = async {
        let (_, mut messages) = client.start("greet", json!({}), None).await;
        let request = asked(&mut messages).await;
        let error = json!({ "code": -1, "message": "not now" });
        client.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })).await;
        messages.result().await
    };
    tokio::join!(calling, speaking);
}

const TOO_MUCH: &str = "too much is being asked at once";

fn question(ask: u64, message: &str) -> Value {
    json!({ "ask": ask, "method": "elicitation/create", "params": { "message": message } })
}

fn refusal(call: &Value, ask: u64, why: &str) -> Value {
    json!({ "type": "answer", "id": call["id"], "ask": ask, "ok": false, "error": why })
}

#[tokio::test]
async fn a_tool_asks_so_many_questions_at_once_and_another_when_one_was_answered() {
    const MOST: u64 = 32;
    let mut talk = talk().await;
    let client = talk.client(HANDSHAKE, json!({ "elicitation": {} })).await;
    let (refused, was_refused) = tokio::sync::oneshot::channel();
    let speaking = async {
        let call = talk.computer.request("call-tool").await;
        for ask in 1..=MOST + 1 {
            talk.note(&call, "ask", question(ask, "?")).await;
        }
        assert_eq!(talk.computer.frame().await, refusal(&call, MOST + 1, TOO_MUCH));
        refused.send(()).expect("the client waits for it");
        assert_eq!(talk.computer.frame().await["ok"], true, "one is answered");
        talk.note(&call, "ask", question(MOST + 2, "another")).await;
        let said = talk.computer.frame().await;
        assert_eq!((&said["ask"], &said["ok"]), (&json!(MOST + 2), &json!(true)), "{said}");
        talk.computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "done" }] })).await;
    };
    let calling = async {
        let (_, mut messages) = client.start("greet", json!({}), None).await;
        let mut last = Value::Null;
        for _ in 0..MOST {
            last = asked(&mut messages).await;
        }
        was_refused.await.expect("the tool is refused");
        let decline = |request: &Value| json!({ "jsonrpc": "2.0", "id": request["id"], "result": { "action": "decline" } });
        client.send(&decline(&last)).await;
        let another = asked(&mut messages).await;
        assert_eq!(another["params"]["message"], "another");
        client.send(&decline(&another)).await;
        messages.result().await
    };
    let (called, ()) = tokio::join!(calling, speaking);
    assert_eq!(called.text, "done");
}

#[tokio::test]
async fn the_questions_of_a_call_have_so_many_bytes_together() {
    let mut talk = talk().await;
    let client = talk.client(HANDSHAKE, json!({ "elicitation": {} })).await;
    let large = "x".repeat(60_000);
    let speaking = async {
        let call = talk.computer.request("call-tool").await;
        for ask in 1..=3 {
            talk.note(&call, "ask", question(ask, &large)).await;
        }
        assert_eq!(talk.computer.frame().await, refusal(&call, 3, TOO_MUCH));
        talk.computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "done" }] })).await;
    };
    let (called, ()) = tokio::join!(client.call("greet", json!({})), speaking);
    assert_eq!(called.text, "done");
}

#[rstest]
#[case(HANDSHAKE)]
#[case(Era::Stateless)]
#[tokio::test]
async fn a_chunk_asks_the_client_nothing(#[case] era: Era) {
    let mut talk = talk().await;
    let client = talk.client(era, json!({ "elicitation": {} })).await;
    let speaking = async {
        let request = talk.computer.request("exec-lua").await;
        talk.note(&request, "ask", question(1, "?")).await;
        assert_eq!(talk.computer.frame().await, refusal(&request, 1, "only a tool can ask the client"));
        talk.computer.answer(&request, &json!({ "returns": [], "output": "" })).await;
    };
    let arguments = json!({ "computerId": 12, "code": "" });
    let ((_, mut messages), ()) = tokio::join!(client.start("exec-lua", arguments, Some("t")), speaking);
    let called = messages.result().await;
    assert!(!called.is_error && called.notifications.is_empty(), "{called:?}");
}
