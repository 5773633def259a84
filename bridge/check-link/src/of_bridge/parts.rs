//! Output while a chunk runs, and frames that are too large for one message.

use serde_json::{Value, json};

use super::subject::{ALL, Step, Subject, ended, nothing};
use crate::report::{Check, ensure, wrong};
use crate::wire::join_part;

/// More than one message holds, and less than a chunk may have.
const LARGE: usize = 300_000;

/// Bytes of a response in one part.
const SLICE: usize = 100_000;

impl Subject {
    pub fn parts(&self) -> Vec<Step<'_>> {
        vec![
            ("B-OUTPUT-1", Box::pin(self.output())),
            ("B-PART-1", Box::pin(self.response_in_parts())),
            ("B-PART-2", Box::pin(self.parts_out_of_order())),
            ("B-PART-3", Box::pin(self.request_in_parts())),
            ("B-PART-4", Box::pin(self.no_parts())),
        ]
    }

    async fn output(&self) -> Check {
        let mut linked = self.link_with("output").await?;
        let (calling, request) = self.exec(&mut linked, "print('a') print('b')", None).await?;
        for data in ["a\n", "b\n"] {
            linked.wire.send(&json!({ "type": "output", "id": request["id"], "data": data })).await;
        }
        linked.wire.answer(&request, json!({ "returns": [], "output": "a\nb\n" })).await;
        let called = ended(calling).await?;
        ensure(called.structured["output"] == "a\nb\n", "the output of the response", || called.text.clone())
    }

    async fn response_in_parts(&self) -> Check {
        let mut linked = self.link_with("parts").await?;
        let (calling, request) = self.exec(&mut linked, "return ('x'):rep(300000)", None).await?;
        let response = response(&request, &"x".repeat(LARGE));
        linked.wire.send_parts(&request["id"], &response, SLICE).await;
        let called = ended(calling).await?;
        let bytes = called.structured["output"].as_str().map(str::len);
        ensure(bytes == Some(LARGE), "an output of 300000 bytes", || {
            format!("{bytes:?} bytes; {}", called.is_error)
        })
    }

    async fn parts_out_of_order(&self) -> Check {
        let mut linked = self.link_with("parts").await?;
        for seqs in [&[1][..], &[0, 0], &[0, 2]] {
            let (other, waits) = self.exec(&mut linked, "return 'other'", None).await?;
            let (calling, request) = self.exec(&mut linked, "return 1", None).await?;
            for seq in seqs {
                let part =
                    json!({ "type": "part", "id": request["id"], "seq": seq, "last": false, "data": "{" });
                linked.wire.send(&part).await;
            }
            let called = ended(calling).await?;
            ensure(called.is_error, "an error for the request whose parts do not fit", || {
                called.text.clone()
            })?;
            linked.wire.answer(&waits, nothing()).await;
            let called = ended(other).await?;
            ensure(!called.is_error, "a result for the other request", || called.text.clone())?;
        }
        self.round(&mut linked).await
    }

    async fn request_in_parts(&self) -> Check {
        let mut linked = self.link_with("parts").await?;
        let code = format!("return [[{}]]", "\"grüße\\🐢\n".repeat(LARGE / 10));
        let arguments = json!({ "computerId": linked.id, "code": code });
        let calling = self.call("exec-lua", arguments)?;
        let (mut so_far, mut id) = ((0, String::new()), Value::Null);
        let request = loop {
            let part = linked.wire.frame("a part of the request").await?;
            ensure(part["type"] == "part", "a part of the request", || part.to_string())?;
            ensure(id.is_null() || id == part["id"], "parts of one request", || part["id"].to_string())?;
            id = part["id"].clone();
            if let Some(request) = join_part(&mut so_far, &part)? {
                break request;
            }
        };
        ensure(request["id"] == id, "the same id in the parts and in the request", || {
            request["id"].to_string()
        })?;
        ensure(request["params"]["code"] == code, "the code as the client gave it", || {
            "another one".to_owned()
        })?;
        linked.wire.answer(&request, nothing()).await;
        ended(calling).await.map(drop)
    }

    async fn no_parts(&self) -> Check {
        let few: Vec<&str> = ALL.iter().copied().filter(|name| *name != "parts").collect();
        let mut linked = self.link(&few).await?;
        let code = format!("return [[{}]]", "x".repeat(LARGE));
        let calling = self.call("exec-lua", json!({ "computerId": linked.id, "code": code }))?;
        let called = ended(calling).await?;
        if !called.is_error {
            return Err(wrong("an error to the client", called.text));
        }
        linked.is_alive().await
    }
}

fn response(request: &Value, output: &str) -> String {
    let result = json!({ "returns": [], "output": output });
    json!({ "type": "response", "id": request["id"], "ok": true, "result": result }).to_string()
}
