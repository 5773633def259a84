//! Tools that are declared in Lua, and jobs.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::time::sleep;

use super::link::Link;
use crate::report::{Check, ensure, not_applicable, wrong};

/// The hash of a handler, as far as the computer can know.
const HANDLER: &str = "c0ffee";

/// A module, and a handler that needs it.
const MODULE: &str = "return { hello = 'Hello, ' }";
const CODE: &str = r"
local words = require('words')
return {
    greet = function(arguments) return words.hello .. arguments.name end,
    throw = function() error('boom') end,
    note = function(_, mcp) mcp.progress(1, 4, 'one') mcp.log('info', 'two') return 'noted' end,
    ask = function(_, mcp) return mcp.elicit({ message = 'Which way?' }).content.way end,
}";

/// A job that waits for somebody.
pub const WAITING_JOB: &str =
    "print('before') os.pullEvent('check_link_job') print('after') return 'went on'";

/// A file that a job writes to, and the kit removes.
const JOB_FILE: &str = "/.check-link-job";

/// Between two questions about a job.
const AGAIN: Duration = Duration::from_millis(50);

impl Link {
    async fn call_tool(&mut self, handler: &str, method: &str, arguments: Value) -> String {
        let params = json!({
            "tool": "check-link", "handler": handler, "method": method, "arguments": arguments, "timeoutMs": 20_000,
            "client": ["elicitation"],
        });
        self.request("call-tool", params).await
    }

    pub async fn unknown_handler(&mut self) -> Check {
        self.needs("tools")?;
        let id = self.call_tool("none", "greet", json!({})).await;
        let answer = self.answer(&id).await?;
        let told = answer["ok"] == false && answer["error"] == "unknown handler";
        ensure(told, r#""ok":false with the error `unknown handler`"#, || answer.to_string())
    }

    pub async fn keeps_a_handler(&mut self) -> Check {
        self.needs("tools")?;
        let modules = json!({ "words": { "name": "words.lua", "code": MODULE } });
        let params = json!({ "handler": HANDLER, "name": "tool.lua", "code": CODE, "modules": modules });
        let kept = self.ask("keep-handler", params).await?;
        ensure(kept["ok"] == true, "a handler that is kept", || kept.to_string())?;
        let id = self.call_tool(HANDLER, "greet", json!({ "name": "Ada" })).await;
        let answer = self.answer(&id).await?;
        let text = &answer["result"]["content"][0]["text"];
        ensure(*text == "Hello, Ada" && answer["result"]["isError"] != true, "`Hello, Ada`", || {
            answer.to_string()
        })
    }

    pub async fn handler_throws(&mut self) -> Check {
        self.needs("tools")?;
        let id = self.call_tool(HANDLER, "throw", json!({})).await;
        let answer = self.answer(&id).await?;
        let told = answer["ok"] == true && answer["result"]["isError"] == true;
        ensure(told, r#""ok":true with `isError`"#, || answer.to_string())
    }

    pub async fn notes_of_a_tool(&mut self) -> Check {
        self.needs("tools")?;
        let id = self.call_tool(HANDLER, "note", json!({})).await;
        let progress = self.note("progress", &id).await?;
        let is_right = progress["data"]["progress"] == 1 && progress["data"]["total"] == 4;
        ensure(is_right, "`progress` 1 of 4", || progress.to_string())?;
        let log = self.note("log", &id).await?;
        ensure(log["data"]["level"] == "info" && log["data"]["data"] == "two", "`log` with `two`", || {
            log.to_string()
        })?;
        self.answer(&id).await.map(drop)
    }

    pub async fn asks(&mut self) -> Check {
        self.needs("tools")?;
        let id = self.call_tool(HANDLER, "ask", json!({})).await;
        let ask = self.note("ask", &id).await?;
        let is_right = ask["data"]["ask"] == 1 && ask["data"]["method"] == "elicitation/create";
        ensure(is_right, "question 1, `elicitation/create`", || ask.to_string())?;
        let result = json!({ "action": "accept", "content": { "way": "north" } });
        self.wire.send(&json!({ "type": "answer", "id": id, "ask": 1, "ok": true, "result": result })).await;
        let answer = self.answer(&id).await?;
        let text = &answer["result"]["content"][0]["text"];
        ensure(*text == "north", "the tool goes on with `north`", || answer.to_string())
    }

    /// Starts a job, and gives its id.
    pub async fn start_job(&mut self, code: &str) -> Check<String> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let job = format!("check-link-{}", since.as_nanos());
        self.start_named_job(&job, code).await?;
        Ok(job)
    }

    async fn start_named_job(&mut self, job: &str, code: &str) -> Check {
        let answer = self.ask("start-job", json!({ "job": job, "code": code })).await?;
        if answer["error"] == "unknown method" {
            return Err(not_applicable("the computer knows no jobs"));
        }
        ensure(answer["ok"] == true, "a job that is started", || answer.to_string())
    }

    /// Reads a job until it has ended: its output, and the frame that it answers with.
    async fn read_job(&mut self, job: &str) -> Check<(String, Value)> {
        let (mut from, mut output) = (0, String::new());
        loop {
            let answer = self.ask("read-job", json!({ "job": job, "from": from })).await?;
            let told = &answer["result"];
            let next = told["next"].as_u64();
            let fits = answer["ok"] == true && told["from"] == from && next.is_some_and(|next| next >= from);
            ensure(fits, &format!("the state of the job from byte {from} on"), || answer.to_string())?;
            output.push_str(told["output"].as_str().unwrap_or_default());
            from = next.unwrap_or(from);
            if told["state"] == "ended" && told["more"] == false {
                let answer = told["answer"].as_str().and_then(|text| serde_json::from_str(text).ok());
                return answer
                    .map(|answer| (output, answer))
                    .ok_or_else(|| wrong("an `answer`", told.to_string()));
            }
            ensure(told["state"] == "running" || told["more"] == true, "`running` or `ended`", || {
                told.to_string()
            })?;
            sleep(AGAIN).await;
        }
    }

    async fn forget_job(&mut self, job: &str) -> Check {
        let forgot = self.ask("forget-job", json!({ "job": job })).await?;
        ensure(forgot["ok"] == true, "a job that is forgotten", || forgot.to_string())
    }

    pub async fn job(&mut self) -> Check {
        let job = self.start_job("print('digging') return 7").await?;
        let (output, answer) = self.read_job(&job).await?;
        ensure(output == "digging\n", "`digging` as its output", || output.clone())?;
        let returned = &answer["result"]["returns"][0]["value"];
        ensure(answer["ok"] == true && *returned == 7, "an `answer` that returns 7", || answer.to_string())?;
        self.forget_job(&job).await
    }

    pub async fn job_once(&mut self) -> Check {
        let code = format!("local f = fs.open('{JOB_FILE}', 'a') f.write('x') f.close()");
        let job = self.start_job(&code).await?;
        self.start_named_job(&job, &code).await?;
        self.read_job(&job).await?;
        self.start_named_job(&job, &code).await?;
        self.read_job(&job).await?;
        self.forget_job(&job).await?;
        let count = format!("local n = fs.getSize('{JOB_FILE}') fs.delete('{JOB_FILE}') return n");
        let result = self.exec(&count).await?;
        ensure(result["returns"][0]["value"] == 1, "a job that ran once", || result["returns"].to_string())
    }

    pub async fn unknown_job(&mut self) -> Check {
        let job = self.start_job("return 1").await?;
        self.read_job(&job).await?;
        self.forget_job(&job).await?;
        for job in ["check-link-none", &job] {
            let answer = self.ask("read-job", json!({ "job": job, "from": 0 })).await?;
            let told = answer["ok"] == false && answer["error"] == "unknown job";
            ensure(told, r#""ok":false with the error `unknown job`"#, || answer.to_string())?;
        }
        Ok(())
    }

    pub async fn cancel_job(&mut self) -> Check {
        let job = self.start_job("print('waits') os.pullEvent('check_link_never')").await?;
        let cancelled = self.ask("cancel-job", json!({ "job": job })).await?;
        ensure(cancelled["ok"] == true, "a job that is cancelled", || cancelled.to_string())?;
        let (_, answer) = self.read_job(&job).await?;
        ensure(answer["ok"] == false, "an `answer` with `ok` false", || answer.to_string())?;
        self.forget_job(&job).await
    }

    /// Sees whether a job that was started on an earlier link still waits, and goes on.
    pub async fn finish_waiting_job(&mut self, job: &str) -> Check {
        let answer = self.ask("read-job", json!({ "job": job, "from": 0 })).await?;
        ensure(answer["result"]["state"] == "running", "a job that is `running`", || answer.to_string())?;
        self.exec("os.queueEvent('check_link_job')").await?;
        let (output, answer) = self.read_job(job).await?;
        let went_on = output == "before\nafter\n" && answer["result"]["returns"][0]["value"] == "went on";
        ensure(went_on, "a job that goes on to its end", || format!("{output:?} {answer}"))?;
        self.forget_job(job).await
    }
}
