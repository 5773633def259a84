//! Tools that are declared in Lua, and jobs.

use serde_json::{Value, json};

use super::subject::{Calling, Linked, Step, Subject, ended};
use crate::report::{Check, ensure, not_applicable, wrong};

/// What a job prints here until it is read for the first time.
const PRINTED: &str = "digging\n";

impl Subject {
    pub fn talk(&self) -> Vec<Step<'_>> {
        vec![
            ("B-TOOL-1", Box::pin(self.handler_where_unknown())),
            ("B-TOOL-2", Box::pin(self.answers_a_tool())),
            ("B-JOB-1", Box::pin(self.starts_a_job())),
            ("B-JOB-2", Box::pin(self.reads_a_job())),
        ]
    }

    /// Calls the tool that the kit was told of.
    async fn call_tool(&self) -> Check<(Linked, Calling)> {
        let Some((name, arguments)) = &self.tool else {
            return Err(not_applicable(
                "needs `--mcp URL` and `--tool NAME`, a tool that is declared in Lua",
            ));
        };
        let linked = self.link_with("tools").await?;
        let mut arguments = arguments.clone();
        let takes_computer = self.mcp.as_ref().is_some_and(|mcp| mcp.takes(name, "computerId"));
        if takes_computer {
            arguments["computerId"] = linked.id.into();
        }
        let calling = self.call(name, arguments)?;
        Ok((linked, calling))
    }

    async fn handler_where_unknown(&self) -> Check {
        let (mut linked, calling) = self.call_tool().await?;
        let first = linked.wire.frame("a request `call-tool`").await?;
        let handler = first["params"]["handler"].clone();
        ensure(first["method"] == "call-tool" && handler.is_string(), "a request `call-tool`", || {
            first.to_string()
        })?;
        let unknown =
            json!({ "type": "response", "id": first["id"], "ok": false, "error": "unknown handler" });
        linked.wire.send(&unknown).await;
        let keep = linked.wire.frame("a request `keep-handler`").await?;
        let fits = keep["method"] == "keep-handler" && keep["params"]["handler"] == handler;
        ensure(fits && keep["params"]["code"].is_string(), "`keep-handler` with that handler", || {
            keep.to_string()
        })?;
        linked.wire.answer(&keep, json!({})).await;
        let again = linked.wire.frame("the request `call-tool` again").await?;
        let fits = again["method"] == "call-tool"
            && again["params"]["handler"] == handler
            && again["id"] != first["id"];
        ensure(fits, "`call-tool` again, with an id of its own", || again.to_string())?;
        linked.wire.answer(&again, json!({ "content": [{ "type": "text", "text": "from the kit" }] })).await;
        let called = ended(calling).await?;
        ensure(called.text.contains("from the kit"), "the result of the computer", || called.text.clone())
    }

    async fn answers_a_tool(&self) -> Check {
        let (mut linked, calling) = self.call_tool().await?;
        let request = loop {
            let request = linked.wire.frame("a request `call-tool`").await?;
            if request["method"] == "call-tool" {
                break request;
            }
            linked.wire.answer(&request, json!({})).await;
        };
        let id = &request["id"];
        for (kind, data) in [
            ("progress", json!({ "progress": 1, "total": 4 })),
            ("log", json!({ "level": "info", "data": "x" })),
            ("ask", json!({ "ask": 1, "method": "elicitation/create", "params": { "message": "?" } })),
        ] {
            linked.wire.send(&json!({ "type": kind, "id": id, "data": data })).await;
        }
        let answer = linked.wire.frame("an `answer`").await?;
        // The kit's client can be asked nothing.
        let refused =
            answer["type"] == "answer" && answer["id"] == *id && answer["ask"] == 1 && answer["ok"] == false;
        ensure(refused, "an `answer` to question 1 with `\"ok\":false`", || answer.to_string())?;
        linked.wire.answer(&request, json!({ "content": [] })).await;
        ended(calling).await.map(drop)
    }

    /// Starts a job, and gives the request for it.
    async fn start_job(&self) -> Check<(Linked, Calling, Value)> {
        let mut linked = self.link_with("tools").await?;
        let calling = self.call("start-lua", json!({ "computerId": linked.id, "code": "return 1" }))?;
        let start = linked.wire.frame("a request `start-job`").await?;
        ensure(start["method"] == "start-job", "a request `start-job`", || start.to_string())?;
        Ok((linked, calling, start))
    }

    async fn starts_a_job(&self) -> Check {
        let (mut linked, calling, start) = self.start_job().await?;
        let job = start["params"]["job"].as_str().unwrap_or_default();
        let is_name = (1..=64).contains(&job.len())
            && job.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        ensure(is_name, "an id of letters, digits and dashes", || start.to_string())?;
        ensure(start["params"]["code"] == "return 1", "the code of the job", || start.to_string())?;
        // A computer that knows nothing of jobs has run nothing.
        let unknown =
            json!({ "type": "response", "id": start["id"], "ok": false, "error": "unknown method" });
        linked.wire.send(&unknown).await;
        let called = ended(calling).await?;
        ensure(called.is_error, "an error: the computer knows no jobs", || called.text.clone())
    }

    async fn reads_a_job(&self) -> Check {
        let (mut linked, calling, start) = self.start_job().await?;
        linked.wire.answer(&start, json!({})).await;
        let job = start["params"]["job"].clone();
        let called = ended(calling).await?;
        // Bridges look after jobs by themselves; those that can be asked do so sooner.
        let _asked = self.call("job-status", json!({ "jobId": called.structured["jobId"] }));
        let mut read = 0;
        loop {
            let request = linked.wire.frame("`read-job`, then `forget-job`").await?;
            ensure(request["params"]["job"] == job, "a request about that job", || request.to_string())?;
            let from = request["params"]["from"].as_u64().unwrap_or_default();
            match request["method"].as_str() {
                Some("read-job") if read == 0 && from == 0 => {
                    read = PRINTED.len() as u64;
                    let told = json!({ "state": "running", "from": 0, "next": read, "more": false, "output": PRINTED });
                    linked.wire.answer(&request, told).await;
                }
                Some("read-job") if from == read => {
                    let result = json!({ "returns": [{ "type": "number", "value": 1 }], "output": PRINTED });
                    let answer = json!({ "type": "response", "id": "job", "ok": true, "result": result });
                    let told = json!({
                        "state": "ended", "from": read, "next": read, "more": false, "output": "",
                        "answer": answer.to_string(),
                    });
                    linked.wire.answer(&request, told).await;
                }
                Some("forget-job") => {
                    linked.wire.answer(&request, json!({})).await;
                    return Ok(());
                }
                _ => {
                    return Err(wrong(
                        format!("`read-job` from byte {read}, or `forget-job`"),
                        request.to_string(),
                    ));
                }
            }
        }
    }
}
