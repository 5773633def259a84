//! Frames that are too large for one message.

use serde_json::{Value, json};

use super::link::Link;
use crate::report::{Check, ensure};
use crate::wire::FRAME_BYTES;

/// More than one message holds.
const LARGE: usize = 300_000;

/// Bytes of a request in one part.
const SLICE: usize = 100_000;

/// Requests that are cut short: more than a computer may have waiting.
const CUT_SHORT: usize = 70;

impl Link {
    /// Sends a chunk that is too large for one message, and gives its answer.
    async fn large_request(&mut self) -> Check<Value> {
        let id = self.new_id();
        let code = format!("--{}\nreturn 7", "x".repeat(LARGE));
        let frame = json!({ "type": "request", "id": id, "method": "exec-lua", "params": { "code": code } });
        self.wire.send_parts(&json!(id), &frame.to_string(), SLICE).await;
        self.answer(&id).await
    }

    pub async fn request_in_parts(&mut self) -> Check {
        self.needs("parts")?;
        let answer = self.large_request().await?;
        let ran = answer["ok"] == true && answer["result"]["returns"][0]["value"] == 7;
        ensure(ran, "the chunk that came in parts returns 7", || answer.to_string())
    }

    pub async fn response_in_parts(&mut self) -> Check {
        self.needs("parts")?;
        let code = format!("return ('\"x'):rep({})", LARGE / 2);
        let id = self.request("exec-lua", json!({ "code": code })).await;
        let answer = self.answer(&id).await?;
        let bytes = answer["result"]["returns"][0]["value"].as_str().map(str::len);
        ensure(bytes == Some(LARGE), "a text of 300000 bytes", || format!("{bytes:?}"))?;
        let parts = self.parts.get(&id).copied().unwrap_or_default();
        ensure(parts > 1, "an answer in parts", || "an answer in one message".to_owned())
    }

    pub async fn parts_out_of_order(&mut self) -> Check {
        self.needs("parts")?;
        let other =
            self.request("exec-lua", json!({ "code": "os.pullEvent('check_link_go') return 'other'" })).await;
        for seqs in [&[1][..], &[0, 0], &[0, 2]] {
            let id = self.new_id();
            for seq in seqs {
                let part = json!({ "type": "part", "id": id, "seq": seq, "last": false, "data": "{" });
                self.wire.send(&part).await;
            }
            let answer = self.answer(&id).await?;
            ensure(answer["ok"] == false, "an error for the request whose parts do not fit", || {
                answer.to_string()
            })?;
        }
        self.exec("os.queueEvent('check_link_go')").await?;
        let answer = self.answer(&other).await?;
        ensure(answer["ok"] == true, "a result for the other request", || answer.to_string())
    }

    pub async fn parts_cut_short(&mut self) -> Check {
        self.needs("parts")?;
        for round in 0..CUT_SHORT * 2 {
            let id = self.new_id();
            let part = json!({ "type": "part", "id": id, "seq": 0, "last": false, "data": "{\"type\":" });
            self.wire.send(&part).await;
            let end = if round % 2 == 0 && self.agreed("cancel") {
                json!({ "type": "cancel", "id": id })
            } else {
                json!({ "type": "part", "id": id, "seq": 1, "last": true, "data": "" })
            };
            self.wire.send(&end).await;
        }
        let answer = self.large_request().await?;
        let ran = answer["ok"] == true;
        ensure(ran, "a large request that runs after others were cut short", || answer.to_string())
    }

    pub async fn no_parts(&mut self) -> Check {
        let answer = self.ask("exec-lua", json!({ "code": format!("return ('x'):rep({LARGE})") })).await?;
        let bytes = answer.to_string().len();
        ensure(bytes <= FRAME_BYTES, "a response within 131072 bytes", || format!("{bytes} bytes"))
    }
}
