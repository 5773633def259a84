//! Tools that are declared in Lua, from the MCP client to the emulated computer and back, on both emulators.

use std::path::PathBuf;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use craftos_harness::bridge::BridgeSpec;
use craftos_harness::emulators::Kind;
use craftos_harness::{Lab, RunningLab};
use rstest::rstest;
use serde_json::{Value, json};

use crate::context::{emulator, places};

/// Longer than anything here takes on a busy machine. Reaching it is a failure, never a pause.
const PATIENCE: Duration = Duration::from_secs(60);

/// Computer 12, linked to a bridge that serves the tools of these folders; nothing where the emulator is not there.
async fn lab(kind: Kind, tools: Vec<PathBuf>) -> Option<RunningLab> {
    let emulator = emulator(kind).await?;
    let spec = BridgeSpec { tools, ..BridgeSpec::default() };
    let lab =
        Lab::new().on(emulator).program(places().program).bridge(spec).computer(12).label("base-turtle");
    Some(lab.boot().await.expect("it boots"))
}

/// A folder with one tool for each method of a handler, `any` computer.
struct Tools(tempfile::TempDir);

impl Tools {
    fn new(handler: &str, methods: &[(&str, &str)]) -> Self {
        let tools = Self(tempfile::tempdir().expect("a folder"));
        let entry = |(name, meta): &(&str, &str)| {
            format!(
                "  - name: {name}\n    kind: function.lua\n    source: file://handler.lua\n    method: {name}\n    meta:\n      mcp.tool: true\n      mcp.description: about {name}\n      mcp.computer: any\n      {meta}\n"
            )
        };
        let entries = methods.iter().map(entry).collect::<Vec<_>>().concat();
        tools.write("handler.lua", handler);
        tools.write("_index.yaml", &format!("version: \"1.0\"\nnamespace: test\nentries:\n{entries}"));
        tools
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.0.path().join(path), text).expect("the folder is ours");
    }

    async fn lab(&self, kind: Kind) -> Option<RunningLab> {
        lab(kind, vec![self.0.path().to_owned()]).await
    }
}

/// Calls a tool, and gives its whole result.
async fn call(lab: &RunningLab, tool: &str, arguments: Value) -> Value {
    send(lab, json!({ "name": tool, "arguments": arguments })).await
}

/// Sends a call with these parameters, as a client of the stateless era that can be asked things.
async fn send(lab: &RunningLab, params: Value) -> Value {
    let name = params["name"].as_str().expect("a name").to_owned();
    request(lab, "tools/call", &name, params, json!({ "elicitation": {} })).await
}

/// Sends a request about something with this name, as a client of the stateless era that can do this.
async fn request(
    lab: &RunningLab,
    method: &str,
    name: &str,
    mut params: Value,
    capabilities: Value,
) -> Value {
    let url = lab.stage().mcp_url().await.expect("a bridge");
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let client = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().expect("a client");
    let answer = client
        .post(url)
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method)
        .header("mcp-name", name)
        .json(&request);
    let text = answer.send().await.expect("an answer").text().await.expect("a text");
    // A call that takes longer than a moment is answered by an event.
    let text = text.lines().filter_map(|line| line.strip_prefix("data:")).next_back().unwrap_or(&text);
    let mut answer: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    assert!(answer.get("result").is_some(), "{answer}");
    answer["result"].take()
}

/// The text of an error.
async fn error(lab: &RunningLab, tool: &str, arguments: Value) -> String {
    let result = call(lab, tool, arguments).await;
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().expect("a text").to_owned()
}

/// Waits until the computer shows this.
async fn shows(lab: &RunningLab, text: &str) {
    let shown = lab.stage().computer("12").expect("a computer").shows(text, 1, PATIENCE).await;
    shown.expect("it shows it");
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc)]
#[case::embedded(Kind::Embedded)]
#[tokio::test]
async fn every_kind_of_content_comes_through(#[case] kind: Kind) {
    let handler = r#"return {
        text = function() return "grüße 🐢" end,
        nothing = function() end,
        number = function() return 1.5 end,
        all = function()
            return { content = {
                { type = "text", text = "a", annotations = { audience = { "user" }, priority = 0.5 } },
                { type = "image", data = "AAAA", mimeType = "image/png" },
                { type = "audio", data = "AAAA", mimeType = "audio/wav" },
                { type = "resource", resource = { uri = "x://y", mimeType = "text/plain", text = "z" } },
                { type = "resource", resource = { uri = "x://y", mimeType = "a/b", blob = "AAAA" } },
                { type = "resource_link", uri = "x://y", name = "y" },
            } }
        end,
        structured = function(arguments)
            return { structuredContent = { got = arguments, list = textutils.empty_json_array } }
        end,
        own_error = function() return { content = { { type = "text", text = "no" } }, isError = true } end,
        large = function() return ("x"):rep(1000000) end,
    }"#;
    let any_object = "mcp.inputSchema: { type: object }";
    let methods = ["text", "nothing", "number", "all", "structured", "own_error", "large"]
        .map(|name| (name, any_object));
    let tools = Tools::new(handler, &methods);
    let Some(lab) = tools.lab(kind).await else { return };
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    assert_eq!(call(&lab, "text", json!({})).await["content"], text("grüße 🐢"));
    assert_eq!(call(&lab, "nothing", json!({})).await["content"], json!([]));
    assert_eq!(call(&lab, "number", json!({})).await["content"], text("1.5"));
    let all = json!([
        { "type": "text", "text": "a", "annotations": { "audience": ["user"], "priority": 0.5 } },
        { "type": "image", "data": "AAAA", "mimeType": "image/png" },
        { "type": "audio", "data": "AAAA", "mimeType": "audio/wav" },
        { "type": "resource", "resource": { "uri": "x://y", "mimeType": "text/plain", "text": "z" } },
        { "type": "resource", "resource": { "uri": "x://y", "mimeType": "a/b", "blob": "AAAA" } },
        { "type": "resource_link", "uri": "x://y", "name": "y" },
    ]);
    assert_eq!(call(&lab, "all", json!({})).await["content"], all);
    let given = json!({ "text": "ü", "number": 0.1, "deep": { "list": [1, [2], "3"], "yes": true } });
    let structured = call(&lab, "structured", given.clone()).await;
    assert_eq!(structured["structuredContent"], json!({ "got": given, "list": [] }));
    assert_eq!(error(&lab, "own_error", json!({})).await, "no");
    let large = call(&lab, "large", json!({})).await;
    assert_eq!(large["content"][0]["text"].as_str().map(str::len), Some(1_000_000));
    lab.end().await;
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc)]
#[case::embedded(Kind::Embedded)]
#[tokio::test]
async fn what_goes_wrong_in_a_handler_is_told(#[case] kind: Kind) {
    let handler = r#"return {
        throws = function() error("boom") end,
        throws_a_table = function() error({ code = 7 }) end,
        returns_a_function = function() return print end,
        returns_no_content = function() return { text = "x" } end,
        returns_a_cycle = function() local t = {} t.content = t return t end,
        returns_a_broken_image = function() return { content = { { type = "image", data = "?", mimeType = "x" } } } end,
        asks_wrongly = function(_, mcp) local answer = mcp.elicit({ massage = "?" }) return answer.action end,
        logs_wrongly = function(_, mcp) mcp.log("loud", "x") end,
        never_yields = function() while true do end end,
        no_function = 5,
    }"#;
    let methods = [
        ("throws", "x: 1"),
        ("throws_a_table", "x: 1"),
        ("returns_a_function", "x: 1"),
        ("returns_no_content", "x: 1"),
        ("returns_a_cycle", "x: 1"),
        ("returns_a_broken_image", "x: 1"),
        ("asks_wrongly", "x: 1"),
        ("logs_wrongly", "x: 1"),
        ("never_yields", "mcp.timeoutMs: 300"),
        ("no_function", "x: 1"),
    ];
    let tools = Tools::new(handler, &methods);
    let Some(lab) = tools.lab(kind).await else { return };
    for (tool, says) in [
        ("throws", "handler.lua:2: boom"),
        ("throws_a_table", "{"),
        (
            "returns_a_function",
            "the handler returned a function; it returns a text, or a table with `content`",
        ),
        (
            "returns_no_content",
            "the handler returned a table without `content` and without `structuredContent`",
        ),
        ("returns_a_cycle", "the handler's result cannot be sent: cannot write more than 64 levels as JSON"),
        (
            "returns_a_broken_image",
            "error from 12 (Label: base-turtle): the tool `returns_a_broken_image` returned a malformed result: `content[1]`: `data` is not base64",
        ),
        (
            "asks_wrongly",
            "handler.lua:8: cannot ask the client: these are no parameters of `elicitation/create`",
        ),
        ("logs_wrongly", "handler.lua:9: `loud` is no level"),
        ("never_yields", "timeout from 12 (Label: base-turtle) after 300 ms"),
        ("no_function", "`handler.lua` returns no table with a function `no_function`"),
    ] {
        let said = error(&lab, tool, json!({})).await;
        assert!(said.starts_with(says), "{tool}: {said}");
    }
    assert_eq!(lab.probe().await.expect("an answer"), "pong from 12 (Label: base-turtle)", "it lives on");
    lab.end().await;
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc)]
#[case::embedded(Kind::Embedded)]
#[tokio::test]
async fn a_handler_requires_what_lies_beside_it_and_nothing_outlives_a_call(#[case] kind: Kind) {
    let tools = Tools::new(
        "local words = require('words')\nlocal strings = require('cc.strings')\nreturn { greet = function(arguments)\n  calls = (calls or 0) + 1\n  return strings.wrap(words.hello .. arguments.name, 40)[1] .. ' ' .. calls\nend }",
        &[(
            "greet",
            "mcp.inputSchema: { type: object, properties: { name: { type: string } }, required: [name] }",
        )],
    );
    tools.write("words.lua", "return { hello = require('hello') }");
    tools.write("hello.lua", "return 'Hello, '");
    let Some(lab) = tools.lab(kind).await else { return };
    for _ in 0..2 {
        let called = lab.call("greet", json!({ "name": "Ada" })).await.expect("an answer");
        assert_eq!((called.text.as_str(), called.is_error), ("Hello, Ada 1", false));
    }
    lab.end().await;
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc)]
#[case::embedded(Kind::Embedded)]
#[tokio::test]
async fn a_tool_reports_progress_and_sees_that_it_was_cancelled(#[case] kind: Kind) {
    let handler = r#"return {
        dig = function(_, mcp)
            for layer = 1, 3 do
                mcp.progress(layer, 3, "layer " .. layer .. ";")
                sleep(0)
            end
            return "dug"
        end,
        wait = function(_, mcp)
            print("this is captured")
            term.write("waiting here")
            while not mcp.cancelled() do
                sleep(0.05)
            end
            term.write("tidied up")
            return "cancelled"
        end,
    }"#;
    let tools = Tools::new(handler, &[("dig", "x: 1"), ("wait", "x: 1")]);
    let Some(lab) = tools.lab(kind).await else { return };
    let called = lab.call("dig", json!({})).await.expect("an answer");
    assert_eq!((called.text.as_str(), called.progress.as_str()), ("dug", "layer 1;layer 2;layer 3;"));
    let cancel = shows(&lab, "waiting here");
    let answer = lab.stage().call_unless("wait", json!({}), Some(cancel)).await.expect("a bridge");
    assert!(answer.is_none(), "the client has cancelled: {answer:?}");
    shows(&lab, "tidied up").await;
    lab.end().await;
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc)]
#[case::embedded(Kind::Embedded)]
#[tokio::test]
async fn a_handler_that_asks_waits_and_goes_on_with_the_answers(#[case] kind: Kind) {
    let handler = r#"
        local function ask(mcp, message, key)
            local schema = { type = "object", properties = { answer = { type = "string" } } }
            return mcp.elicit({ message = message, requestedSchema = schema }, key).content.answer
        end
        return { ask = function(_, mcp)
            local name = ask(mcp, "Who?", "name")
            local colour, number
            parallel.waitForAll(
                function() colour = ask(mcp, "Which colour?", "colour") end,
                function() number = ask(mcp, "Which number?", "number") end
            )
            return table.concat({ name, colour, number, tostring(mcp.can("sampling")) }, " ")
        end }
    "#;
    let tools = Tools::new(handler, &[("ask", "x: 1")]);
    let Some(lab) = tools.lab(kind).await else { return };
    let accept = |answer: &str| json!({ "action": "accept", "content": { "answer": answer } });
    let keys = |result: &Value| -> Vec<String> {
        assert_eq!(result["resultType"], "input_required", "{result}");
        result["inputRequests"].as_object().expect("questions").keys().cloned().collect()
    };
    let first = call(&lab, "ask", json!({})).await;
    assert_eq!(keys(&first), ["name"]);
    let back = |result: &Value, responses: Value| json!({ "name": "ask", "requestState": result["requestState"], "inputResponses": responses });
    let second = send(&lab, back(&first, json!({ "name": accept("Ada") }))).await;
    assert_eq!(keys(&second), ["colour", "number"], "what is asked together comes together");
    let responses = json!({ "number": accept("7"), "colour": accept("blue") });
    let third = send(&lab, back(&second, responses)).await;
    assert_eq!(third["content"][0]["text"], "Ada blue 7 false", "{third}");
    lab.end().await;
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc)]
#[case::embedded(Kind::Embedded)]
#[tokio::test]
async fn a_computer_that_leaves_in_the_middle_is_reported(#[case] kind: Kind) {
    let handler = "return { wait = function() term.write('waiting here') sleep(600) end }";
    let tools = Tools::new(handler, &[("wait", "x: 1")]);
    let Some(lab) = tools.lab(kind).await else { return };
    let leaving = async {
        shows(&lab, "waiting here").await;
        lab.stage().computer("12").expect("a computer").kill().await.expect("it runs");
    };
    let (said, ()) = tokio::join!(error(&lab, "wait", json!({})), leaving);
    assert_eq!(said, "disconnected from 12 (Label: base-turtle)");
    assert_eq!(error(&lab, "wait", json!({})).await, "no computer is connected");
    lab.end().await;
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc)]
#[case::embedded(Kind::Embedded)]
#[tokio::test]
async fn edits_under_load_are_served_and_no_call_is_lost(#[case] kind: Kind) {
    const VERSIONS: usize = 4;
    let handler =
        |version: usize| format!("return {{ version = function() sleep(0) return '{version}' end }}");
    let tools = Tools::new(&handler(0), &[("version", "x: 1")]);
    let Some(lab) = tools.lab(kind).await else { return };
    let (sender, seen) = tokio::sync::watch::channel(String::new());
    let calling = async {
        let mut calls = 0;
        while *sender.borrow() != (VERSIONS - 1).to_string() {
            let called = Box::pin(four_calls(&lab)).await;
            calls += called.len();
            for called in called {
                assert!(!called.1, "{}", called.0);
                sender.send_replace(called.0);
            }
        }
        calls
    };
    let editing = async {
        for version in 1..VERSIONS {
            tools.write("handler.lua", &handler(version));
            let mut seen = seen.clone();
            let served = seen.wait_for(|seen| *seen == version.to_string());
            tokio::time::timeout(PATIENCE, served).await.expect("the edit is served").expect("calls go on");
        }
    };
    let (calls, ()) = tokio::join!(calling, editing);
    assert!(calls >= VERSIONS, "{calls} calls");
    lab.end().await;
}

/// Four calls at once: what each returned, and whether it was an error.
async fn four_calls(lab: &RunningLab) -> Vec<(String, bool)> {
    let one = || async {
        let called = lab.call("version", json!({})).await.expect("an answer");
        (called.text, called.is_error)
    };
    let (first, second, third, fourth) = tokio::join!(one(), one(), one(), one());
    // The newest last: calls may overtake each other.
    let mut all = vec![first, second, third, fourth];
    all.sort();
    all
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc)]
#[case::embedded(Kind::Embedded)]
#[tokio::test]
async fn the_standard_set_works(#[case] kind: Kind) {
    let Some(lab) = lab(kind, vec![places().program.join("tools")]).await else { return };
    let on = |more: Value| {
        let mut arguments = more;
        arguments["computerId"] = 12.into();
        arguments
    };
    let structured = async |tool: &str, arguments: Value| {
        let mut result = call(&lab, tool, on(arguments)).await;
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["structuredContent"].take()
    };
    assert_eq!(call(&lab, "echo", json!({ "text": "hällo" })).await["content"][0]["text"], "hällo");
    let weather = call(&lab, "get-weather", json!({ "location": "Oslo", "unit": "fahrenheit" })).await;
    assert_eq!(weather["structuredContent"]["unit"], "fahrenheit");

    let info = structured("computer-info", json!({})).await;
    assert_eq!(
        (&info["id"], &info["label"], &info["kind"]),
        (&json!(12), &json!("base-turtle"), &json!("computer"))
    );
    assert_eq!(info["screen"], json!({ "width": 51, "height": 19 }));

    // The hash of `hello wörld`, by `printf 'hello wörld' | sha256sum`.
    let hash = "821cd58a9fb899141dd98c29b6cabb6ccdded70ad0197b8cc7657b76f70e64ff";
    let written = structured("write-file", json!({ "path": "a/b.txt", "data": "hello wörld" })).await;
    assert_eq!(written, json!({ "path": "/a/b.txt", "bytes": 12, "sha256": hash, "created": true }));
    let read = structured("read-file", json!({ "path": "/a/b.txt" })).await;
    let expected = json!({
        "path": "/a/b.txt", "bytes": 12, "sha256": hash, "encoding": "utf-8", "data": "hello wörld",
    });
    assert_eq!(read, expected);
    let wrong = json!({ "path": "a/b.txt", "data": "new", "sha256": "0".repeat(64) });
    let refused = error(&lab, "write-file", on(wrong)).await;
    assert!(
        refused.starts_with("`/a/b.txt` has changed") && refused.ends_with("nothing was written"),
        "{refused}"
    );
    structured("write-file", json!({ "path": "a/b.txt", "data": "new", "sha256": hash })).await;
    assert_eq!(structured("read-file", json!({ "path": "a/b.txt" })).await["data"], "new");
    let bytes: Vec<u8> = (0..=255).collect();
    let encoded = STANDARD.encode(&bytes);
    structured("write-file", json!({ "path": "bytes", "data": encoded, "encoding": "base64" })).await;
    let read = structured("read-file", json!({ "path": "bytes" })).await;
    assert_eq!((&read["encoding"], &read["data"]), (&json!("base64"), &json!(encoded)));
    assert_eq!(error(&lab, "read-file", on(json!({ "path": "none" }))).await, "there is no file `/none`");

    let listed = structured("list-files", json!({ "path": "a" })).await;
    let file = json!({ "path": "/a/b.txt", "type": "file", "bytes": 3, "readOnly": false });
    assert_eq!(listed, json!({ "path": "/a", "entries": [file], "more": 0 }));
    let recursive = structured("list-files", json!({ "recursive": true })).await;
    let paths: Vec<&str> = recursive["entries"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry["path"].as_str())
        .collect();
    assert!(paths.contains(&"/a/b.txt") && paths.contains(&"/rom"), "{paths:?}");

    assert_eq!(structured("list-peripherals", json!({})).await, json!({ "peripherals": [] }));
    lab.exec(12, "periphemu.create('left', 'chest')").await.expect("an answer");
    let there = structured("list-peripherals", json!({})).await;
    assert_eq!(there["peripherals"][0]["name"], "left");
    let call_left =
        |method: &str, arguments: Value| json!({ "name": "left", "method": method, "arguments": arguments });
    structured(
        "call-peripheral",
        call_left("setItem", json!([1, { "name": "minecraft:stone", "count": 3 }])),
    )
    .await;
    let items = structured("call-peripheral", call_left("list", json!([]))).await;
    assert_eq!(items["returns"][0][0]["name"], "minecraft:stone");
    let none = error(&lab, "call-peripheral", on(json!({ "name": "top", "method": "list" }))).await;
    assert_eq!(none, "there is no peripheral `top`; there are `left`");

    let settings = structured("get-settings", json!({ "names": ["motd.enable"] })).await;
    assert_eq!(
        (&settings["settings"][0]["name"], &settings["settings"][0]["value"]),
        (&json!("motd.enable"), &json!(false))
    );
    let said = call(&lab, "set-label", on(json!({ "label": "new" }))).await;
    assert_eq!(said["content"][0]["text"], "the label of computer 12 was `base-turtle` and is `new`");
    lab.end().await;
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc)]
#[case::embedded(Kind::Embedded)]
#[tokio::test]
async fn a_screenshot_shows_the_screen_as_text_and_as_a_picture(#[case] kind: Kind) {
    let Some(lab) = lab(kind, vec![places().program.join("tools")]).await else { return };
    let draw = "term.setCursorPos(1, 10) term.setBackgroundColor(colors.blue) term.clearLine() term.setTextColor(colors.red) term.write('red on blue') term.setBackgroundColor(colors.black)";
    lab.exec(12, draw).await.expect("an answer");
    let shot = call(&lab, "screenshot", json!({ "computerId": 12 })).await;
    let text = shot["content"][0]["text"].as_str().expect("a text");
    assert!(text.contains("linked as 12 (Label: base-turtle)") && text.contains("\nred on blue"), "{text}");
    assert_eq!(shot["content"][1]["mimeType"], "image/png");
    let picture = STANDARD.decode(shot["content"][1]["data"].as_str().expect("data")).expect("base64");
    let decoder = png::Decoder::new(std::io::Cursor::new(picture));
    let mut reader = decoder.read_info().expect("a picture");
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    assert_eq!((width, height), (51 * 12, 19 * 18));
    let palette = reader.info().palette.clone().expect("a palette").into_owned();
    let mut pixels = vec![0; reader.output_buffer_size().expect("it is small")];
    reader.next_frame(&mut pixels).expect("it is whole: every checksum is right");
    // Two pixels in a byte. The last column of line 10 is blue, and so is nothing of line 9.
    let colour = |x: usize, y: usize| {
        let byte = pixels[y * (width / 2) + x / 2];
        let index = usize::from(if x.is_multiple_of(2) { byte >> 4 } else { byte & 15 });
        (index, palette[index * 3..index * 3 + 3].to_vec())
    };
    let (blue, black) = (11, 15);
    assert_eq!(colour(width - 1, 9 * 18 + 9).0, blue);
    assert_eq!(colour(width - 1, 8 * 18 + 9).0, black);
    let blue = colour(width - 1, 9 * 18 + 9).1;
    assert!(blue[2] > blue[0], "it looks blue: {blue:?}");
    lab.end().await;
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc)]
#[case::embedded(Kind::Embedded)]
#[tokio::test]
async fn a_tool_becomes_a_task_that_goes_on_by_itself(#[case] kind: Kind) {
    let handler = r#"return {
        mine = function(_, mcp)
            mcp.progress(1, 2)
            print("began")
            os.pullEvent("found")
            return "64 coal"
        end,
        ask = function(_, mcp)
            local schema = { type = "object", properties = { way = { type = "string" } } }
            local function ask(message)
                local answer = mcp.elicit({ message = message, requestedSchema = schema }, "way")
                return answer.content.way
            end
            local first, second
            parallel.waitForAll(function() first = ask("Which way?") end, function() second = ask("And then?") end)
            return first .. ", " .. second .. ", " .. ask("And at last?")
        end,
        fail = function() error("lava", 0) end,
    }"#;
    let always = "mcp.task: always";
    let tools = Tools::new(handler, &[("mine", always), ("ask", always), ("fail", always)]);
    let Some(lab) = tools.lab(kind).await else { return };
    let knows = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} }, "elicitation": {} });
    let start = async |tool: &str| {
        let params = json!({ "name": tool, "arguments": {} });
        let task = request(&lab, "tools/call", tool, params, knows.clone()).await;
        assert_eq!(task["resultType"], "task", "{task}");
        task["taskId"].as_str().expect("an id").to_owned()
    };
    let get = async |id: &str| request(&lab, "tasks/get", id, json!({ "taskId": id }), knows.clone()).await;
    let ended = async |id: &str| loop {
        let task = get(id).await;
        if task["status"] != "working" {
            return task;
        }
    };
    let mine = start("mine").await;
    assert_eq!(get(&mine).await["status"], "working");
    call(&lab, "exec-lua", json!({ "computerId": 12, "code": "os.queueEvent('found')" })).await;
    let task = ended(&mine).await;
    assert_eq!(
        (&task["status"], &task["result"]["content"][0]["text"]),
        (&json!("completed"), &json!("64 coal"))
    );
    // What it asks is answered in any order, and no key stands for two questions.
    let asks = start("ask").await;
    let answer = async |key: &str, way: &str| {
        let said = json!({ key: { "action": "accept", "content": { "way": way } } });
        let params = json!({ "taskId": asks, "inputResponses": said });
        let taken = request(&lab, "tasks/update", &asks, params, knows.clone()).await;
        assert_eq!(taken["resultType"], "complete", "{taken}");
    };
    let asked = ended(&asks).await;
    assert_eq!(asked["inputRequests"]["way"]["params"]["message"], "Which way?", "{asked}");
    assert_eq!(asked["inputRequests"]["way-2"]["params"]["message"], "And then?", "{asked}");
    answer("way-2", "west").await;
    answer("way", "north").await;
    let asked = ended(&asks).await;
    assert_eq!(asked["inputRequests"]["way-3"]["params"]["message"], "And at last?", "{asked}");
    answer("way-3", "down").await;
    let asked = ended(&asks).await;
    assert_eq!(asked["result"]["content"][0]["text"], "north, west, down", "{asked}");
    let params = json!({ "name": "ask", "arguments": {} });
    let mute = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let refused = request(&lab, "tools/call", "ask", params, mute).await;
    let refused = ended(refused["taskId"].as_str().expect("an id")).await;
    let said = refused["result"]["content"][0]["text"].as_str().unwrap_or_default();
    assert!(said.contains("cannot ask the client: this client has no `elicitation`"), "{refused}");
    let failed = ended(&start("fail").await).await;
    assert_eq!(
        (&failed["status"], &failed["result"]["isError"]),
        (&json!("completed"), &json!(true)),
        "{failed}"
    );
    lab.end().await;
}
