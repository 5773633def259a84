//! Says in a few words what a message or a frame is, for the arrow that stands for it.

use serde_json::Value;

use super::text::cut;

/// What fits on an arrow.
const WORDS_BYTES: usize = 90;

/// What a link frame is.
pub fn frame(text: &str) -> (String, String) {
    let Ok(frame) = serde_json::from_str::<Value>(text) else { return ("nonsense".to_owned(), short(text)) };
    let Some(kind) = frame["type"].as_str() else { return ("nonsense".to_owned(), short(text)) };
    let id = frame["id"].as_str().unwrap_or_default();
    let words = match kind {
        "hello" => {
            let label = frame["computerLabel"].as_str().map(|label| format!(" {label}")).unwrap_or_default();
            format!("hello {}{label}", frame["computerId"])
        }
        "hello-error" => format!("hello-error {}", value(&frame["error"])),
        "request" => {
            let method = frame["method"].as_str().unwrap_or("?");
            let code = &frame["params"]["code"];
            let code = if code.is_null() { String::new() } else { format!(": {}", value(code)) };
            format!("{id} {method}{code}")
        }
        "response" if frame["ok"] == true => format!("{id} → {}", result(&frame["result"])),
        "response" => format!("{id} ✗ {}", value(&frame["error"])),
        "part" => format!("{id} part {}", frame["seq"]),
        "output" => format!("{id} output {}", value(&frame["data"])),
        other => format!("{other} {id}"),
    };
    (kind.to_owned(), short(&words))
}

/// What an MCP message is.
pub fn message(message: &Value) -> String {
    let id = match &message["id"] {
        Value::Null => String::new(),
        id => format!(" #{}", value(id)),
    };
    if let Some(method) = message["method"].as_str() {
        let params = &message["params"];
        let about = match method {
            "tools/call" => {
                format!(" {} {}", value(&params["name"]), arguments(&params["arguments"]))
            }
            "notifications/progress" => format!(" {}", value(&params["message"])),
            _ => String::new(),
        };
        return short(&format!("{method}{id}{about}"));
    }
    if let Some(error) = message.get("error") {
        return short(&format!("error{id}: {} ({})", value(&error["message"]), error["code"]));
    }
    let result = &message["result"];
    let about = if let Some(text) = result["content"][0]["text"].as_str() {
        let lines = text.lines().count();
        let more = if lines > 1 { format!(" (+{} lines)", lines - 1) } else { String::new() };
        format!("{}{more}", text.lines().next().unwrap_or_default())
    } else if let Some(server) = result["serverInfo"]["name"].as_str() {
        format!("{server}, {}", value(&result["protocolVersion"]))
    } else {
        result.to_string()
    };
    let error = if result["isError"] == true { "✗ " } else { "" };
    short(&format!("result{id}: {error}{about}"))
}

fn arguments(arguments: &Value) -> String {
    match arguments {
        Value::Object(map) if !map.is_empty() => map.values().map(value).collect::<Vec<_>>().join(" · "),
        _ => String::new(),
    }
}

fn result(result: &Value) -> String {
    match result["returns"].as_array() {
        Some(returns) => {
            let one = |one: &Value| match (&one["value"], &one["repr"]) {
                (Value::Null, Value::Null) => value(&one["type"]),
                (Value::Null, repr) => value(repr),
                (value, _) => value.to_string(),
            };
            returns.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        None => value(result),
    }
}

fn value(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// One line that fits.
fn short(text: &str) -> String {
    // Whatever is long is cut before its spaces are looked at: twice as much is left, and then what fits.
    let line = cut(text, 2 * WORDS_BYTES).0.split_whitespace().collect::<Vec<_>>().join(" ");
    let (kept, left_out) = cut(&line, WORDS_BYTES);
    if left_out > 0 { format!("{kept}…") } else { kept.trim_end().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn frames_are_said_in_a_few_words() {
        let said = |value: Value| frame(&value.to_string()).1;
        assert_eq!(said(json!({"type":"hello","computerId":12,"computerLabel":"base"})), "hello 12 base");
        assert_eq!(said(json!({"type":"request","id":"req-1","method":"ping"})), "req-1 ping");
        let returned = json!({"type":"response","id":"req-2","ok":true,"result":{"returns":[{"type":"nil"},{"type":"number","value":2}]}});
        assert_eq!(said(returned), "req-2 → nil, 2");
        assert_eq!(frame("{nonsense"), ("nonsense".to_owned(), "{nonsense".to_owned()));
    }

    #[test]
    fn messages_are_said_in_a_few_words() {
        let call = json!({"id":3,"method":"tools/call","params":{"name":"exec-lua","arguments":{"computerId":12,"code":"return 1"}}});
        assert_eq!(message(&call), "tools/call #3 exec-lua 12 · return 1");
        let answer =
            json!({"id":3,"result":{"content":[{"type":"text","text":"pong\npong"}],"isError":true}});
        assert_eq!(message(&answer), "result #3: ✗ pong (+1 lines)");
    }
}
