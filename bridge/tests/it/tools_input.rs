//! Tools that ask a client of the stateless era something: it gets the questions, and calls again with the answers.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::tools::ToolFolder;
use crate::support::{Client, Era, FakeComputer, TestBridge};

const EVERYTHING: fn() -> Value = || json!({ "elicitation": {}, "sampling": {}, "roots": {} });

struct Waiting {
    _folder: ToolFolder,
    bridge: TestBridge,
    computer: FakeComputer,
    client: Client,
}

async fn waiting(capabilities: Value, meta: &[&str]) -> Waiting {
    let meta: Vec<&str> = ["mcp.computer: any"].into_iter().chain(meta.iter().copied()).collect();
    let folder = ToolFolder::with(&[("greet", &meta), ("other", &meta)]);
    let bridge = folder.bridge().await;
    let computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let client = Client::connect_with(&bridge.mcp_url(), Era::Stateless, capabilities).await;
    Waiting { _folder: folder, bridge, computer, client }
}

fn elicit(message: &str) -> Value {
    json!({ "message": message, "requestedSchema": { "type": "object", "properties": {} } })
}

impl Waiting {
    /// Calls the tool, and lets it ask this; gives the call, and what the client was answered.
    async fn ask(&mut self, questions: &[Value]) -> (Value, Value) {
        let params = json!({ "name": "greet", "arguments": {} });
        let asking = async {
            let call = self.computer.request("call-tool").await;
            for data in questions {
                self.computer.send(&json!({ "type": "ask", "id": call["id"], "data": data })).await;
            }
            call
        };
        let (answer, call) = tokio::join!(self.client.request("tools/call", params), asking);
        (call, answer)
    }

    /// Calls the tool again, with what it asked for.
    async fn come_back(&self, tool: &str, state: &Value, responses: Value) -> Value {
        let params =
            json!({ "name": tool, "arguments": {}, "requestState": state, "inputResponses": responses });
        self.client.request("tools/call", params).await
    }
}

#[tokio::test]
async fn a_question_is_the_answer_to_the_call_and_the_tool_goes_on_with_what_comes_back() {
    let mut waiting = waiting(EVERYTHING(), &[]).await;
    let question =
        json!({ "ask": 1, "key": "way", "method": "elicitation/create", "params": elicit("Which way?") });
    let (call, first) = waiting.ask(&[question]).await;
    assert_eq!(call["params"]["client"], json!(["sampling", "elicitation", "roots"]));
    let result = &first["result"];
    assert_eq!(result["resultType"], "input_required", "{first}");
    let request = &result["inputRequests"]["way"];
    assert_eq!(
        (&request["method"], &request["params"]["message"]),
        (&json!("elicitation/create"), &json!("Which way?"))
    );
    let said = json!({ "action": "accept", "content": { "way": "north" } });
    let Waiting { client, computer, .. } = &mut waiting;
    let params = json!({
        "name": "greet", "arguments": {}, "requestState": result["requestState"], "inputResponses": { "way": said },
    });
    let (second, ()) = tokio::join!(client.request("tools/call", params), async {
        let answer = computer.frame().await;
        assert_eq!(
            answer,
            json!({ "type": "answer", "id": call["id"], "ask": 1, "ok": true, "result": said })
        );
        computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "going north" }] })).await;
    });
    assert_eq!(second["result"]["content"][0]["text"], "going north", "{second}");
    let again = waiting.come_back("greet", &result["requestState"], json!({})).await;
    assert_eq!(again["error"]["code"], -32602, "a state counts once: {again}");
}

#[tokio::test]
async fn what_is_asked_at_the_same_time_comes_together_and_what_is_left_out_is_asked_again() {
    let mut waiting = waiting(EVERYTHING(), &[]).await;
    let questions = [
        json!({ "ask": 1, "method": "elicitation/create", "params": elicit("One?") }),
        json!({ "ask": 2, "key": "roots", "method": "roots/list", "params": {} }),
    ];
    let (call, first) = waiting.ask(&questions).await;
    let asked = first["result"]["inputRequests"].as_object().expect("requests");
    assert_eq!(asked.keys().collect::<Vec<_>>(), ["ask-1", "roots"]);
    let said = json!({ "action": "decline" });
    let second = waiting.come_back("greet", &first["result"]["requestState"], json!({ "ask-1": said })).await;
    assert_eq!(waiting.computer.frame().await["ask"], 1);
    let asked = second["result"]["inputRequests"].as_object().expect("requests");
    assert_eq!(asked.keys().collect::<Vec<_>>(), ["roots"]);
    let Waiting { client, computer, .. } = &mut waiting;
    let params = json!({
        "name": "greet", "requestState": second["result"]["requestState"], "inputResponses": { "roots": { "roots": [] } },
    });
    let (third, ()) = tokio::join!(client.request("tools/call", params), async {
        assert_eq!(computer.frame().await["result"], json!({ "roots": [] }));
        computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "done" }] })).await;
    });
    assert_eq!(third["result"]["content"][0]["text"], "done");
}

#[rstest]
#[case::many(200, "?", 32)]
#[case::large(20, &"x".repeat(60_000), 2)]
#[tokio::test]
async fn a_tool_that_asks_without_end_is_given_so_many_questions_at_once(
    #[case] count: u64,
    #[case] message: &str,
    #[case] most: usize,
) {
    let mut waiting = waiting(EVERYTHING(), &[]).await;
    let question = |ask| json!({ "ask": ask, "method": "elicitation/create", "params": elicit(message) });
    let (_, first) = waiting.ask(&(1..=count).map(question).collect::<Vec<_>>()).await;
    let asked = first["result"]["inputRequests"].as_object().expect("requests");
    assert!((1..=most).contains(&asked.len()), "{}", asked.len());
}

#[tokio::test]
async fn questions_that_come_one_after_the_other_are_all_asked() {
    const CALLS: usize = 20;
    const QUESTIONS: u64 = 32;
    let mut waiting = waiting(EVERYTHING(), &["mcp.timeoutMs: 600000"]).await;
    let Waiting { client, computer, .. } = &mut waiting;
    for _ in 0..CALLS {
        let (answer, ()) = tokio::join!(answer_all(client), ask_slowly(computer, QUESTIONS));
        assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    }
}

/// Asks so many questions, so that one may come at every moment of what becomes of the others.
async fn ask_slowly(computer: &mut FakeComputer, questions: u64) {
    let call = computer.request("call-tool").await;
    for ask in 1..=questions {
        let data = json!({ "ask": ask, "method": "elicitation/create", "params": elicit("?") });
        computer.send(&json!({ "type": "ask", "id": call["id"], "data": data })).await;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    for _ in 0..questions {
        let said = computer.frame().await;
        assert_eq!((&said["type"], &said["ok"]), (&json!("answer"), &json!(true)), "{said}");
    }
    computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "done" }] })).await;
}

/// Calls the tool, and answers whatever it asks, until it asks nothing more.
async fn answer_all(client: &Client) -> Value {
    let mut params = json!({ "name": "greet", "arguments": {} });
    loop {
        let answer = client.request("tools/call", params.clone()).await;
        let Some(asked) = answer["result"]["inputRequests"].as_object() else { return answer };
        let said = |key: &String| (key.clone(), json!({ "action": "decline" }));
        params["inputResponses"] = asked.keys().map(said).collect();
        params["requestState"] = answer["result"]["requestState"].clone();
    }
}

#[tokio::test]
async fn a_state_that_is_none_is_refused() {
    let mut waiting = waiting(EVERYTHING(), &[]).await;
    let question = json!({ "ask": 1, "method": "elicitation/create", "params": elicit("?") });
    let (_, first) = waiting.ask(&[question]).await;
    let state = first["result"]["requestState"].as_str().expect("a state");
    for (tool, wrong) in
        [("greet", json!(format!("{state}x"))), ("greet", json!("")), ("other", json!(state))]
    {
        let answer = waiting.come_back(tool, &wrong, json!({})).await;
        assert_eq!(answer["error"]["code"], -32602, "{tool} {wrong}: {answer}");
    }
    let answer = waiting.come_back("greet", &json!(state), json!({})).await;
    assert_eq!(answer["result"]["resultType"], "input_required", "the call still waits: {answer}");
}

#[rstest]
#[case(json!({}), "sampling/createMessage", json!({ "messages": [], "maxTokens": 1 }), json!({ "sampling": {} }))]
#[case(json!({ "sampling": {} }), "elicitation/create", elicit("?"), json!({ "elicitation": {} }))]
#[case(json!({ "sampling": {} }), "roots/list", json!({}), json!({ "roots": {} }))]
#[tokio::test]
async fn a_client_that_lacks_what_is_needed_is_told_and_the_call_is_cancelled(
    #[case] capabilities: Value,
    #[case] method: &str,
    #[case] params: Value,
    #[case] required: Value,
) {
    let mut waiting = waiting(capabilities, &[]).await;
    let (call, answer) = waiting.ask(&[json!({ "ask": 1, "method": method, "params": params })]).await;
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
    assert_eq!(answer["error"]["data"]["requiredCapabilities"], required);
    assert_eq!(waiting.computer.frame().await, json!({ "type": "cancel", "id": call["id"] }));
}

#[tokio::test]
async fn parameters_that_are_none_are_the_tools_own_error() {
    let mut waiting = waiting(EVERYTHING(), &[]).await;
    let params = json!({ "name": "greet", "arguments": {} });
    let Waiting { client, computer, .. } = &mut waiting;
    let (answer, ()) = tokio::join!(client.request("tools/call", params), async {
        let call = computer.request("call-tool").await;
        let data = json!({ "ask": 1, "method": "elicitation/create", "params": { "massage": "?" } });
        computer.send(&json!({ "type": "ask", "id": call["id"], "data": data })).await;
        let said = computer.frame().await;
        assert_eq!(said["error"], "these are no parameters of `elicitation/create`");
        computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "done" }] })).await;
    });
    assert_eq!(answer["result"]["content"][0]["text"], "done");
}

#[tokio::test]
async fn a_call_that_nobody_comes_back_to_is_cancelled_at_its_deadline() {
    let mut waiting = waiting(EVERYTHING(), &["mcp.timeoutMs: 300"]).await;
    let question = json!({ "ask": 1, "method": "elicitation/create", "params": elicit("?") });
    let (call, first) = waiting.ask(&[question]).await;
    assert_eq!(waiting.computer.frame().await, json!({ "type": "cancel", "id": call["id"] }));
    let answer = waiting.come_back("greet", &first["result"]["requestState"], json!({})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[tokio::test]
async fn a_computer_that_leaves_while_a_call_waits_is_reported() {
    let mut waiting = waiting(EVERYTHING(), &[]).await;
    let question = json!({ "ask": 1, "method": "elicitation/create", "params": elicit("?") });
    let (_, first) = waiting.ask(&[question]).await;
    let Waiting { bridge, computer, client, .. } = waiting;
    drop(computer);
    bridge.linked(0).await;
    let params = json!({
        "name": "greet",
        "requestState": first["result"]["requestState"],
        "inputResponses": { "ask-1": { "action": "cancel" } },
    });
    let answer = client.request("tools/call", params).await;
    assert_eq!(answer["result"]["content"][0]["text"], "disconnected from 12 (Label: base)", "{answer}");
    assert_eq!(answer["result"]["isError"], true);
}
