//! Tools that are declared in Lua, with a computer in Rust: what is sent to it, and what becomes of its answers.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::bridge::{full_hello, hello};
use crate::support::client::together;
use crate::support::tools::{ToolFolder, entry, index};
use crate::support::{Client, Era, FakeComputer, TestBridge};

const NAME: &str =
    "mcp.inputSchema: { type: object, properties: { name: { type: string } }, required: [name] }";
const ANY: &str = "mcp.computer: any";

#[tokio::test]
async fn declared_tools_are_listed_after_the_bridges_own() {
    let folder = ToolFolder::with(&[
        ("greet", &["mcp.title: Greet", NAME, "mcp.annotations: { readOnlyHint: true }"]),
        ("dig", &["mcp.computer: 12", "mcp.outputSchema: { type: object }"]),
    ]);
    let bridge = folder.bridge().await;
    let client = bridge.client().await;
    assert_eq!(client.server["capabilities"]["tools"]["listChanged"], true);
    let tools = client.request("tools/list", json!({})).await["result"]["tools"].take();
    let declared = tools.as_array().expect("a list")[mcp_bridge::mcp::built_in::NAMES.len()..].to_vec();
    insta::assert_json_snapshot!(declared, @r#"
    [
      {
        "name": "greet",
        "title": "Greet",
        "description": "about greet",
        "inputSchema": {
          "type": "object",
          "required": [
            "computerId",
            "name"
          ],
          "properties": {
            "computerId": {
              "type": "integer",
              "minimum": 0,
              "description": "Id of the computer that runs the tool"
            },
            "name": {
              "type": "string"
            }
          }
        },
        "annotations": {
          "readOnlyHint": true
        }
      },
      {
        "name": "dig",
        "description": "about dig",
        "inputSchema": {
          "type": "object",
          "properties": {},
          "additionalProperties": false
        },
        "outputSchema": {
          "type": "object"
        }
      }
    ]
    "#);
}

#[tokio::test]
async fn a_bridge_without_tools_promises_no_change_of_them() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    assert_eq!(client.server["capabilities"]["tools"], json!({}));
    let answer = client.request("tools/call", json!({ "name": "greet", "arguments": {} })).await;
    let known = mcp_bridge::mcp::built_in::NAMES.join(", ");
    let message = format!("unknown tool `greet`; there are {known}");
    assert_eq!(answer["error"]["message"], message);
}

#[rstest]
#[case(Era::Handshake("2025-11-25"))]
#[case(Era::Stateless)]
#[tokio::test]
async fn the_handler_is_sent_once_and_then_named_by_its_hash(#[case] era: Era) {
    let folder = ToolFolder::with(&[("greet", &[NAME])]);
    folder.write("greet.lua", "local words = require('words')\nreturn { call = words.greet }");
    folder.write("words.lua", "return { greet = print }");
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let client = Client::connect(&bridge.mcp_url(), era).await;
    let arguments = json!({ "computerId": 12, "name": "Ada" });
    let (called, hash) = tokio::join!(client.call("greet", arguments.clone()), async {
        let call = computer.request("call-tool").await;
        assert_eq!(call["params"]["arguments"], json!({ "name": "Ada" }), "without the id");
        assert_eq!((&call["params"]["tool"], &call["params"]["method"]), (&json!("greet"), &json!("call")));
        assert_eq!(call["params"]["timeoutMs"], 15_000);
        let hash = call["params"]["handler"].clone();
        computer.refuse(&call, "unknown handler").await;
        let keep = computer.request("keep-handler").await;
        let expected = json!({
            "handler": hash,
            "name": "greet.lua",
            "code": "local words = require('words')\nreturn { call = words.greet }",
            "modules": { "words": { "name": "words.lua", "code": "return { greet = print }" } },
        });
        assert_eq!(keep["params"], expected);
        computer.answer(&keep, &json!({})).await;
        let again = computer.return_text("Hello, Ada").await;
        assert_ne!(again["id"], call["id"], "an id is never used twice");
        assert_eq!(again["params"], call["params"]);
        hash
    });
    assert_eq!((called.text.as_str(), called.is_error), ("Hello, Ada", false));
    let (called, call) = tokio::join!(client.call("greet", arguments), computer.return_text("again"));
    assert_eq!(called.text, "again");
    assert_eq!(call["params"]["handler"], hash);
}

#[tokio::test]
async fn calls_at_once_send_the_handler_once() {
    let folder = ToolFolder::with(&[("greet", &[ANY])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let client = bridge.client().await;
    let answered = async {
        let mut calls = Vec::new();
        for _ in 0..8 {
            calls.push(computer.request("call-tool").await);
        }
        for call in &calls {
            computer.refuse(call, "unknown handler").await;
        }
        let keep = computer.request("keep-handler").await;
        computer.answer(&keep, &json!({})).await;
        for _ in 0..8 {
            computer.return_text("hi").await;
        }
    };
    let (called, ()) = tokio::join!(together((0..8).map(|_| client.call("greet", json!({})))), answered);
    assert!(called.iter().all(|called| called.text == "hi" && !called.is_error));
}

#[tokio::test]
async fn a_large_handler_goes_in_parts() {
    let folder = ToolFolder::with(&[("greet", &[ANY])]);
    let code = format!("return {{ call = function() return '{}' end }}", "x".repeat(300_000));
    folder.write("greet.lua", &code);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.call("greet", json!({})), async {
        let call = computer.request("call-tool").await;
        computer.refuse(&call, "unknown handler").await;
        let mut whole = String::new();
        loop {
            let part = computer.frame().await;
            assert_eq!(part["type"], "part");
            whole.push_str(part["data"].as_str().expect("a slice"));
            if part["last"] == true {
                break;
            }
        }
        let keep: Value = serde_json::from_str(&whole).expect("a request");
        assert_eq!(keep["params"]["code"], code);
        computer.answer(&keep, &json!({})).await;
        computer.return_text("done").await;
    });
    assert_eq!(called.text, "done");
}

#[tokio::test]
async fn a_computer_that_never_keeps_a_handler_is_given_up() {
    let folder = ToolFolder::with(&[("greet", &[ANY])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.call("greet", json!({})), async {
        for _ in 0..2 {
            let call = computer.request("call-tool").await;
            computer.refuse(&call, "unknown handler").await;
            let keep = computer.request("keep-handler").await;
            computer.answer(&keep, &json!({})).await;
        }
        let call = computer.request("call-tool").await;
        computer.refuse(&call, "unknown handler").await;
    });
    let expected = "error from 12 (Label: base): it does not keep the tool's handler";
    assert_eq!((called.text.as_str(), called.is_error), (expected, true));
}

#[rstest]
#[case(json!({ "computerId": 12 }), "argument `name` is missing")]
#[case(json!({ "name": "Ada" }), "argument `computerId` is missing")]
#[case(json!({ "computerId": 12, "name": 5 }), "argument `name`: 5 is not of type \"string\"")]
#[case(json!({ "computerId": -1, "name": "Ada" }), "argument `computerId`: -1 is less than the minimum of 0")]
#[case(json!({ "computerId": 99, "name": "Ada" }), "computer 99 is not connected (connected: 12)")]
#[tokio::test]
async fn arguments_that_do_not_fit_are_named_and_lua_hears_nothing(
    #[case] arguments: Value,
    #[case] says: &str,
) {
    let folder = ToolFolder::with(&[("greet", &[NAME])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let client = bridge.client().await;
    let called = client.call("greet", arguments).await;
    assert_eq!((called.text.as_str(), called.is_error), (says, true));
    let pong = computer.pong();
    let (lines, ()) = tokio::join!(client.probe(), async {
        let ping = computer.request("ping").await;
        computer.answer(&ping, &json!(pong)).await;
    });
    assert_eq!(lines, ["pong from 12 (Label: base)"], "the ping was the first that it heard");
}

#[tokio::test]
async fn a_computer_that_takes_no_tools_is_said_to() {
    let folder = ToolFolder::with(&[("greet", &[]), ("anywhere", &[ANY])]);
    let bridge = folder.bridge().await;
    FakeComputer::link(bridge.link_address(), &hello(1, "old")).await.serve();
    FakeComputer::link(bridge.link_address(), &full_hello(2, "older")).await.serve();
    let client = bridge.client().await;
    let called = client.call("greet", json!({ "computerId": 1 })).await;
    let expected = "error from 1 (Label: old): its `mcp-computer` is too old for tools; update it";
    assert_eq!((called.text.as_str(), called.is_error), (expected, true));
    let called = client.call("anywhere", json!({})).await;
    let expected = "none of the computers that are connected takes tools (1 (Label: old), 2 (Label: older))";
    assert_eq!((called.text.as_str(), called.is_error), (expected, true));
}

#[tokio::test]
async fn each_kind_of_target_finds_its_computer_or_says_who_is_there() {
    let folder = ToolFolder::with(&[
        ("anywhere", &[ANY]),
        ("by-id", &["mcp.computer: 13"]),
        ("by-label", &["mcp.computer: base"]),
    ]);
    let bridge = folder.bridge().await;
    let client = bridge.client().await;
    let text = async |tool: &str| {
        let called = client.call(tool, json!({})).await;
        assert!(called.is_error, "{}", called.text);
        called.text
    };
    assert_eq!(text("anywhere").await, "no computer is connected");
    assert_eq!(text("by-id").await, "computer 13 is not connected (connected: none)");
    assert_eq!(text("by-label").await, "no computer labelled `base` is connected (connected: none)");

    bridge.computer(1, "old").await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "farm").await;
    assert_eq!(text("by-id").await, "computer 13 is not connected (connected: 1, 12)");
    let nobody = "no computer labelled `base` is connected (connected: 1 (Label: old), 12 (Label: farm))";
    assert_eq!(text("by-label").await, nobody);
    let (called, _) = tokio::join!(client.call("anywhere", json!({})), computer.return_text("from 12"));
    assert_eq!(called.text, "from 12", "the first that takes tools");

    let mut base = FakeComputer::with_tools(&bridge, 13, "base").await;
    for tool in ["by-id", "by-label"] {
        let (called, _) = tokio::join!(client.call(tool, json!({})), base.return_text("from 13"));
        assert_eq!(called.text, "from 13");
    }
    let _other = FakeComputer::with_tools(&bridge, 14, "base").await;
    assert_eq!(text("by-label").await, "2 computers are labelled `base`: 13, 14");
}

#[rstest]
#[case(json!("text"), "error from 12 (Label: base): unexpected answer \"\"text\"\"")]
#[case(
    json!({ "content": [{ "type": "image", "data": "?", "mimeType": "image/png" }] }),
    "error from 12 (Label: base): the tool `greet` returned a malformed result: `content[1]`: `data` is not base64: Invalid symbol 63, offset 0."
)]
#[case(
    json!({ "content": [] }),
    "error from 12 (Label: base): the tool `greet` returned what does not fit its `mcp.outputSchema`: there is no `structuredContent`"
)]
#[case(
    json!({ "structuredContent": { "depth": "deep" } }),
    "error from 12 (Label: base): the tool `greet` returned what does not fit its `mcp.outputSchema`: field `depth`: \"deep\" is not of type \"number\""
)]
#[tokio::test]
async fn a_result_that_is_none_is_an_error_that_says_why(#[case] result: Value, #[case] says: &str) {
    let schema = "mcp.outputSchema: { type: object, properties: { depth: { type: number } } }";
    let folder = ToolFolder::with(&[("greet", &[ANY, schema])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.call("greet", json!({})), async {
        let call = computer.request("call-tool").await;
        computer.answer(&call, &result).await;
    });
    assert_eq!((called.text.as_str(), called.is_error), (says, true));
}

#[tokio::test]
async fn a_computer_that_leaves_during_a_call_is_reported_and_nothing_is_sent_again() {
    let folder = ToolFolder::with(&[("greet", &[ANY])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.call("greet", json!({})), async {
        computer.request("call-tool").await;
        drop(computer);
    });
    let expected = "disconnected from 12 (Label: base)";
    assert_eq!((called.text.as_str(), called.is_error), (expected, true));
    let mut computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let (_, call) = tokio::join!(client.call("greet", json!({})), computer.return_text("new"));
    assert_eq!(call["method"], "call-tool", "the first that it hears is the new call");
}

#[tokio::test]
async fn a_tool_has_a_timeout_of_its_own_and_is_cancelled_at_it() {
    let folder = ToolFolder::with(&[("greet", &[ANY, "mcp.timeoutMs: 50"])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let client = bridge.client().await;
    let (called, ()) = tokio::join!(client.call("greet", json!({})), async {
        let call = computer.request("call-tool").await;
        assert_eq!(call["params"]["timeoutMs"], 50);
        let cancel = computer.frame().await;
        assert_eq!(cancel, json!({ "type": "cancel", "id": call["id"] }));
    });
    let expected = "timeout from 12 (Label: base) after 50 ms";
    assert_eq!((called.text.as_str(), called.is_error), (expected, true));
}

#[tokio::test]
async fn a_client_that_cancels_stops_the_tool() {
    let folder = ToolFolder::with(&[("greet", &[ANY])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let client = bridge.client().await;
    let cancelled = async {
        let call = computer.request("call-tool").await;
        // The client's third request, after `initialize` and none other: its ids count from 1.
        client.cancel(2).await;
        let cancel = computer.frame().await;
        assert_eq!(cancel, json!({ "type": "cancel", "id": call["id"] }));
    };
    let ((_, mut messages), ()) = tokio::join!(client.start("greet", json!({}), None), cancelled);
    messages.ended().await;
}

#[tokio::test]
async fn a_busy_computer_is_reported() {
    let folder = ToolFolder::with(&[("greet", &[ANY])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "base").await;
    let client = bridge.client().await;
    let waiting = together((0..64).map(|_| client.call("greet", json!({}))));
    let (called, ()) = tokio::join!(waiting, async {
        let mut calls = Vec::new();
        for _ in 0..64 {
            calls.push(computer.request("call-tool").await);
        }
        let called = client.call("greet", json!({})).await;
        assert_eq!(called.text, "error from 12 (Label: base): 64 requests are waiting already");
        for call in &calls {
            computer.answer(call, &json!({ "content": [{ "type": "text", "text": "hi" }] })).await;
        }
    });
    assert_eq!(called.len(), 64);
}

#[tokio::test]
async fn an_index_below_the_folder_counts_and_folders_are_read_in_order() {
    let folder = ToolFolder::with(&[("first", &[ANY])]);
    folder.write("deeper/down/_index.yaml", &index(&[entry("second", &[ANY])]));
    folder.write("deeper/down/second.lua", "return { call = function() end }");
    folder.write(".hidden/_index.yaml", &index(&[entry("third", &[ANY])]));
    let other = ToolFolder::with(&[("zero", &[ANY])]);
    let folders = vec![other.path().to_owned(), folder.path().to_owned()];
    let bridge = TestBridge::with(|config| config.tools = folders).await;
    let client = bridge.client().await;
    let tools = client.request("tools/list", json!({})).await["result"]["tools"].take();
    let names: Vec<&str> =
        tools.as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names[mcp_bridge::mcp::built_in::NAMES.len()..], ["zero", "first", "second"]);
}
