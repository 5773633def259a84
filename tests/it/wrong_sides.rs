//! Wrong bridges and wrong computers: each is found within a thousand seeds, and shrunk to a few events.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use craftos_harness::computer::copy_whole;
use craftos_harness::faults::{Profile, Wrong};
use craftos_harness::proxy::{Direction, Meddler, Passing};
use mcp_host::client::{Meddler as McpMeddler, Way};
use rstest::rstest;
use serde_json::{Value, json};

use crate::context::places;
use crate::faults::Pair;

/// The frames that a wrong side makes of one.
type Meddle = fn(&mut State, Passing<'_>, &Value) -> Vec<(Direction, String)>;

/// What a wrong side remembers of each computer.
#[derive(Default)]
struct State {
    last_request: BTreeMap<String, String>,
    open: BTreeMap<String, Vec<Value>>,
}

fn frames(meddle: Meddle) -> Meddler {
    let state = Mutex::new(State::default());
    Meddler::new(move |passing| {
        let frame: Value = serde_json::from_str(passing.text).unwrap_or_default();
        meddle(&mut state.lock().expect("nobody panics"), passing, &frame)
    })
}

fn same(passing: Passing<'_>) -> Vec<(Direction, String)> {
    vec![(passing.direction, passing.text.to_owned())]
}

fn is_chunk(frame: &Value) -> bool {
    frame["type"] == "request" && frame["method"] == "exec-lua"
}

fn is_answer(frame: &Value) -> bool {
    frame["type"] == "response" && frame["result"]["returns"].is_array()
}

/// What a chunk returns.
fn returned(code: &str) -> String {
    code.rsplit("return ").next().unwrap_or_default().trim_matches('"').to_owned()
}

fn replays_after_a_reconnect(
    state: &mut State,
    passing: Passing<'_>,
    frame: &Value,
) -> Vec<(Direction, String)> {
    let mut sent = same(passing);
    if is_chunk(frame) {
        state.last_request.insert(passing.computer.to_owned(), passing.text.to_owned());
    } else if frame["type"] == "hello-ok"
        && let Some(request) = state.last_request.get(passing.computer)
    {
        sent.push((Direction::ToComputer, request.clone()));
    }
    sent
}

fn sends_twice(_: &mut State, passing: Passing<'_>, frame: &Value) -> Vec<(Direction, String)> {
    let mut sent = same(passing);
    if is_chunk(frame) {
        let mut again = frame.clone();
        again["id"] = "req-999999".into();
        sent.push((Direction::ToComputer, again.to_string()));
    }
    sent
}

fn answers_the_wrong_id(state: &mut State, passing: Passing<'_>, frame: &Value) -> Vec<(Direction, String)> {
    let open = state.open.entry(passing.computer.to_owned()).or_default();
    if is_chunk(frame) {
        open.push(frame["id"].clone());
    } else if is_answer(frame) {
        open.retain(|id| *id != frame["id"]);
        if let Some(other) = open.pop() {
            let mut answer = frame.clone();
            answer["id"] = other;
            return vec![(Direction::ToBridge, answer.to_string())];
        }
    }
    same(passing)
}

fn acknowledges_before_it_has_run(
    _: &mut State,
    passing: Passing<'_>,
    frame: &Value,
) -> Vec<(Direction, String)> {
    if !is_chunk(frame) {
        return same(passing);
    }
    let code = frame["params"]["code"].as_str().unwrap_or_default();
    let result = json!({ "returns": [{ "type": "string", "value": returned(code) }], "output": "" });
    let answer = json!({ "type": "response", "id": frame["id"], "ok": true, "result": result });
    vec![(Direction::ToBridge, answer.to_string())]
}

fn answers_with_something_else(
    _: &mut State,
    passing: Passing<'_>,
    frame: &Value,
) -> Vec<(Direction, String)> {
    let mut answer = frame.clone();
    if is_answer(frame) {
        answer["result"]["returns"] = json!([{ "type": "string", "value": "something else" }]);
    }
    vec![(passing.direction, answer.to_string())]
}

fn fails_without_a_name(_: &mut State, passing: Passing<'_>, frame: &Value) -> Vec<(Direction, String)> {
    if !is_answer(frame) {
        return same(passing);
    }
    let answer = json!({ "type": "response", "id": frame["id"], "ok": false, "error": "oops" });
    vec![(Direction::ToBridge, answer.to_string())]
}

fn does_not_answer_pings(_: &mut State, passing: Passing<'_>, frame: &Value) -> Vec<(Direction, String)> {
    if frame["type"] == "request" && frame["method"] == "ping" { Vec::new() } else { same(passing) }
}

fn never_cancels(_: &mut State, passing: Passing<'_>, frame: &Value) -> Vec<(Direction, String)> {
    if frame["type"] == "cancel" { Vec::new() } else { same(passing) }
}

#[rstest]
#[case::replays_after_a_reconnect(Profile::FlakyLink, replays_after_a_reconnect, "a chunk runs at most once")]
#[case::sends_twice(Profile::Calm, sends_twice, "a chunk runs at most once")]
#[case::answers_the_wrong_id(
    Profile::Calm,
    answers_the_wrong_id,
    "an answer reaches its own request and no other"
)]
#[case::acknowledges_before_it_has_run(
    Profile::Calm,
    acknowledges_before_it_has_run,
    "what is answered has run"
)]
#[case::answers_with_something_else(
    Profile::Calm,
    answers_with_something_else,
    "an answer reaches its own request and no other"
)]
#[case::fails_without_a_name(Profile::Calm, fails_without_a_name, "an answer is right or a named failure")]
#[case::never_cancels(Profile::Calm, never_cancels, "a call that is given up is cancelled")]
#[case::does_not_answer_pings(Profile::Calm, does_not_answer_pings, "a linked computer answers")]
fn a_wrong_side_of_links_is_found_and_shrunk(
    #[case] profile: Profile,
    #[case] meddle: Meddle,
    #[case] invariant: &str,
) {
    let wrong = move || Wrong { frames: Some(frames(meddle)), messages: None };
    Pair::new(profile, None, wrong).found(invariant);
}

/// A copy of the program with one text in one of its files replaced.
fn changed_program(folder: &Path, file: &str, from: &str, to: &str) -> PathBuf {
    let program = folder.join("lua");
    for part in ["programs", "apis"] {
        copy_whole(&places().program.join(part), &program.join(part)).expect("the folder is ours");
    }
    let path = program.join(file);
    let text = std::fs::read_to_string(&path).expect("it is there");
    assert_eq!(text.matches(from).count(), 1, "`{from}` is once in {file}");
    std::fs::write(path, text.replace(from, to)).expect("the folder is ours");
    program
}

#[rstest]
#[case::gives_up_after_one_lost_link(
    Profile::FlakyLink,
    "apis/mcpcomputer/client.lua",
    "    if hopeless or self.options.once then",
    "    if true then",
    "after the last fault every computer is linked"
)]
#[case::goes_on_without_a_link(
    Profile::FlakyLink,
    "apis/mcpcomputer/client.lua",
    "    self.link, self.closing = nil, link\n    self.scheduler:drop_all()\n",
    "    self.link, self.closing = nil, link\n",
    "a call that is given up is cancelled"
)]
#[case::never_greets_again(
    Profile::FlakyLink,
    "apis/mcpcomputer/client.lua",
    "    self.linked, self.greeted, self.agreed = false, false, {}\n",
    "    self.linked, self.agreed = false, {}\n",
    "after the last fault every computer is linked"
)]
#[case::keeps_every_message(
    Profile::Calm,
    "apis/mcpcomputer/client.lua",
    "    local frame, problem = json.decode(json.from_wire(message))\n",
    "    self.kept = { self.kept, message:rep(10000) }\n    local frame, problem = json.decode(json.from_wire(message))\n",
    "memory stays within its limits"
)]
fn a_wrong_program_is_found_and_shrunk(
    #[case] profile: Profile,
    #[case] file: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] invariant: &str,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = changed_program(folder.path(), file, from, to);
    Pair::new(profile, Some(program), Wrong::default).found(invariant);
}

/// The messages that a wrong bridge makes of one, for any client.
type MeddleMessage = fn(&mut Messages, Way, &Value) -> Vec<Value>;

/// What a wrong bridge remembers of all its clients.
#[derive(Default)]
struct Messages {
    last_call: Option<Value>,
    last_result: Option<Value>,
}

fn messages(meddle: MeddleMessage) -> McpMeddler {
    let state = Mutex::new(Messages::default());
    McpMeddler::new(move |way, message| meddle(&mut state.lock().expect("nobody panics"), way, &message))
}

fn is_call(message: &Value) -> bool {
    message["method"] == "tools/call"
}

/// Whether it is the answer to a call, with what a chunk returned.
fn is_result(way: Way, message: &Value) -> bool {
    way == Way::ToClient && message["result"]["structuredContent"]["returns"].is_array()
}

fn answers_twice(_: &mut Messages, way: Way, message: &Value) -> Vec<Value> {
    let times = if is_result(way, message) { 2 } else { 1 };
    vec![message.clone(); times]
}

fn answers_another_client(state: &mut Messages, way: Way, message: &Value) -> Vec<Value> {
    let mut answer = message.clone();
    if is_result(way, message) {
        let before = state.last_result.replace(message["result"].clone());
        answer["result"] = before.unwrap_or_else(|| message["result"].clone());
    }
    vec![answer]
}

fn replays_a_call_of_the_last_session(state: &mut Messages, _: Way, message: &Value) -> Vec<Value> {
    let mut sent = vec![message.clone()];
    if is_call(message) {
        state.last_call = Some(message.clone());
    } else if message["method"] == "notifications/initialized" {
        sent.extend(state.last_call.clone().map(|mut call| {
            call["id"] = 999_999.into();
            call
        }));
    }
    sent
}

fn loses_the_answer(_: &mut Messages, way: Way, message: &Value) -> Vec<Value> {
    if is_result(way, message) { Vec::new() } else { vec![message.clone()] }
}

/// The waiting requests of a link that was lost or replaced are forgotten.
fn loses_the_answer_with_the_link(_: &mut Messages, way: Way, message: &Value) -> Vec<Value> {
    let text = message["result"]["content"][0]["text"].as_str().unwrap_or_default();
    let is_lost = way == Way::ToClient && text.starts_with("disconnected from ");
    if is_lost { Vec::new() } else { vec![message.clone()] }
}

fn does_not_hear_of_cancelled_calls(_: &mut Messages, _: Way, message: &Value) -> Vec<Value> {
    if message["method"] == "notifications/cancelled" { Vec::new() } else { vec![message.clone()] }
}

fn has_no_time_limit(_: &mut Messages, _: Way, message: &Value) -> Vec<Value> {
    let mut call = message.clone();
    if is_call(message) {
        call["params"]["arguments"]["timeoutMs"] = (24 * 60 * 60 * 1000).into();
    }
    vec![call]
}

#[rstest]
#[case::answers_twice(Profile::Calm, answers_twice, "every call has exactly one answer")]
#[case::answers_another_client(
    Profile::Calm,
    answers_another_client,
    "an answer reaches its own request and no other"
)]
#[case::replays_a_call_of_the_last_session(
    Profile::Calm,
    replays_a_call_of_the_last_session,
    "a chunk runs at most once"
)]
#[case::loses_the_answer(Profile::Calm, loses_the_answer, "every call has an answer")]
#[case::loses_the_answer_with_the_link(
    Profile::FlakyLink,
    loses_the_answer_with_the_link,
    "every call has an answer"
)]
#[case::does_not_hear_of_cancelled_calls(
    Profile::Calm,
    does_not_hear_of_cancelled_calls,
    "a call that is given up is cancelled"
)]
#[case::has_no_time_limit(Profile::Calm, has_no_time_limit, "every call has an answer")]
fn a_wrong_side_of_clients_is_found_and_shrunk(
    #[case] profile: Profile,
    #[case] meddle: MeddleMessage,
    #[case] invariant: &str,
) {
    let wrong = move || Wrong { frames: None, messages: Some(messages(meddle)) };
    Pair::new(profile, None, wrong).found(invariant);
}

/// What a bridge that leaks remembers.
#[derive(Default)]
struct Leak {
    calls: BTreeMap<String, String>,
    cancelled: BTreeSet<String>,
}

/// A bridge that forgets neither calls that were cancelled nor those that are too late, and a computer that does not answer
/// what was cancelled.
fn leaks_waiting_requests() -> Wrong {
    let leak = Arc::new(Mutex::new(Leak::default()));
    let shared = leak.clone();
    let messages = McpMeddler::new(move |way, message| {
        let mut leak = shared.lock().expect("nobody panics");
        if is_call(&message) {
            let code = message["params"]["arguments"]["code"].as_str().unwrap_or_default();
            leak.calls.insert(message["id"].to_string(), returned(code));
        } else if message["method"] == "notifications/cancelled" {
            let token = leak.calls.get(&message["params"]["requestId"].to_string()).cloned();
            leak.cancelled.extend(token);
            return Vec::new();
        }
        has_no_time_limit(&mut Messages::default(), way, &message)
    });
    let frames = Meddler::new(move |passing| {
        let frame: Value = serde_json::from_str(passing.text).unwrap_or_default();
        let token = frame["result"]["returns"][0]["value"].as_str().unwrap_or_default();
        let is_lost = leak.lock().expect("nobody panics").cancelled.contains(token);
        if is_lost { Vec::new() } else { same(passing) }
    });
    Wrong { frames: Some(frames), messages: Some(messages) }
}

#[test]
fn a_leak_of_waiting_requests_is_found_and_shrunk() {
    Pair::new(Profile::Calm, None, leaks_waiting_requests).found("nothing waits for ever");
}
