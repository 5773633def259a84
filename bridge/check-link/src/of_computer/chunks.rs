//! Pings, chunks, and what must not disturb a computer.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::link::Link;
use crate::report::{Check, ensure};
use crate::wire::Came;

/// Levels of lists that no computer reads.
const DEEP: usize = 10_000;

impl Link {
    pub async fn ping(&mut self) -> Check {
        let answer = self.ask("ping", Value::Null).await?;
        let label = self.hello["computerLabel"].as_str().filter(|label| !label.is_empty()).unwrap_or("null");
        let pong = format!("pong from {} (Label: {label})", self.id());
        ensure(answer["ok"] == true && answer["result"] == pong, &pong, || answer.to_string())
    }

    pub async fn odd_id(&mut self) -> Check {
        let id = "check \"ü\" 🐢 / 7";
        self.wire.send(&json!({ "type": "request", "id": id, "method": "ping" })).await;
        let answer = self.answer(id).await?;
        ensure(answer["ok"] == true, "an answer with the id as it was given", || answer.to_string())
    }

    pub async fn unknown_method(&mut self) -> Check {
        let answer = self.ask("fly", json!({ "high": true })).await?;
        let told = answer["ok"] == false && answer["error"] == "unknown method";
        ensure(told, r#""ok":false with the error `unknown method`"#, || answer.to_string())
    }

    pub async fn unreadable(&mut self) -> Check {
        let id = self.new_id();
        let (open, close) = ("[".repeat(DEEP), "]".repeat(DEEP));
        let text = format!(
            r#"{{"type":"request","id":"{id}","method":"exec-lua","params":{{"code":"","deep":{open}{close}}}}}"#
        );
        self.send_text(&text).await;
        let answer = self.answer(&id).await?;
        // One that reads it all the same has nothing to complain about.
        ensure(answer["ok"].is_boolean(), "an answer", || answer.to_string())?;
        self.is_alive().await
    }

    pub async fn noise(&mut self) -> Check {
        for text in [
            "{",
            "[1,2,3]",
            "null",
            r#"{"type":"fly"}"#,
            r#"{"type":"request"}"#,
            r#"{"type":"part","id":7}"#,
        ] {
            self.send_text(text).await;
        }
        self.wire.send_message(Message::Binary(Bytes::from_static(b"\0\xff binary"))).await;
        let id = self.new_id();
        self.wire.send(&json!({ "type": "request", "id": id, "method": "ping", "colour": "red" })).await;
        let answer = self.answer(&id).await?;
        ensure(answer["ok"] == true, "an answer to `ping`", || answer.to_string())
    }

    pub async fn runs_lua(&mut self) -> Check {
        let result = self.exec("print('hi') write('there') return 1 + 1").await?;
        let expected = json!({ "returns": [{ "type": "number", "value": 2 }], "output": "hi\nthere" });
        let is_right = result["returns"][0]["type"] == "number"
            && result["returns"][0]["value"].as_f64() == Some(2.0)
            && result["output"] == expected["output"];
        ensure(is_right, &expected.to_string(), || result.to_string())?;
        let nothing = self.exec("local a = 1").await?;
        let empty = nothing["returns"] == json!([]) || nothing["returns"] == json!({});
        ensure(empty, "an empty `returns`", || nothing.to_string())
    }

    pub async fn describes_values(&mut self) -> Check {
        let code = r"return nil, 'x', 1.5, true, 0/0, 1/0, -1/0, '\255', { 1 }, nil, 'after'";
        let result = self.exec(code).await?;
        let expected = [
            json!({ "type": "nil" }),
            json!({ "type": "string", "value": "x" }),
            json!({ "type": "number", "value": 1.5 }),
            json!({ "type": "boolean", "value": true }),
            json!({ "type": "number", "repr": "nan" }),
            json!({ "type": "number", "repr": "inf" }),
            json!({ "type": "number", "repr": "-inf" }),
            json!({ "type": "string", "base64": "/w==" }),
            json!({ "type": "table" }),
            json!({ "type": "nil" }),
            json!({ "type": "string", "value": "after" }),
        ];
        for (at, expected) in expected.iter().enumerate() {
            let mut seen = result["returns"][at].clone();
            if seen["type"] == "table" && seen["repr"].is_string() {
                seen = json!({ "type": "table" });
            }
            ensure(seen == *expected, &format!("{expected} as value {}", at + 1), || {
                result["returns"].to_string()
            })?;
        }
        Ok(())
    }

    pub async fn fails(&mut self) -> Check {
        let answer = self.ask("exec-lua", json!({ "code": "print('before') error('boom')" })).await?;
        let told = answer["ok"] == false
            && answer["error"].as_str().is_some_and(|error| error.contains("boom"))
            && answer["output"] == "before\n";
        ensure(told, "`ok` false, an `error` with `boom`, and the `output`", || answer.to_string())?;
        let answer = self.ask("exec-lua", json!({ "code": "this is no Lua" })).await?;
        ensure(answer["ok"] == false, "`ok` false for what is no Lua", || answer.to_string())
    }

    pub async fn text(&mut self) -> Check {
        let result = self.exec("return 'grüße 🐢', #'ü'").await?;
        let is_right = result["returns"][0]["value"] == "grüße 🐢" && result["returns"][1]["value"] == 2;
        ensure(is_right, "`grüße 🐢`, and two bytes for `ü`", || result.to_string())
    }

    pub async fn deadline(&mut self) -> Check {
        self.needs("exec-lua")?;
        let answer = self.ask("exec-lua", json!({ "code": "while true do end", "timeoutMs": 100 })).await?;
        ensure(answer["ok"] == false, "`ok` false", || answer.to_string())?;
        self.is_alive().await
    }

    pub async fn cancel(&mut self) -> Check {
        self.needs("cancel")?;
        let id = self.request("exec-lua", json!({ "code": "os.pullEvent('check_link_never')" })).await;
        self.is_alive().await?;
        self.wire.send(&json!({ "type": "cancel", "id": id })).await;
        let answer = self.answer(&id).await?;
        ensure(answer["ok"] == false, "an answer with `ok` false", || answer.to_string())
    }

    pub async fn cancel_of_nothing(&mut self) -> Check {
        self.needs("cancel")?;
        for id in [json!("none"), json!("req-1"), json!(7)] {
            self.wire.send(&json!({ "type": "cancel", "id": id })).await;
        }
        self.is_alive().await
    }

    pub async fn output(&mut self) -> Check {
        self.needs("output")?;
        let code = "print('one') os.pullEvent('check_link_go') print('two')";
        let id = self.request("exec-lua", json!({ "code": code })).await;
        let first = self.note("output", &id).await?;
        ensure(first["data"] == "one\n", "`one` while the chunk waits", || first.to_string())?;
        self.exec("os.queueEvent('check_link_go')").await?;
        let answer = self.answer(&id).await?;
        ensure(answer["result"]["output"] == "one\ntwo\n", "all of the output in the response", || {
            answer.to_string()
        })?;
        let notes = self.notes.iter().filter(|note| note["id"] == id.as_str() && note["type"] == "output");
        let streamed: String = notes.filter_map(|note| note["data"].as_str()).collect();
        ensure("one\ntwo\n".starts_with(&streamed), "no output twice", || streamed.clone())
    }

    pub async fn websocket_ping(&mut self) -> Check {
        self.wire.ping().await;
        loop {
            match self.wire.next().await {
                Came::Pong => return Ok(()),
                Came::Frame(_) | Came::Ping => {}
                other => return ensure(false, "a WebSocket pong", || other.to_string()),
            }
        }
    }
}
