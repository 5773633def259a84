//! The requests that a bridge sends, and what it makes of the answers. A call of an MCP client makes it send them.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::subject::{ALL, Calling, Linked, Step, Subject, ended, nothing};
use crate::report::{Check, ensure, wrong};

/// What the specification lets wait at one computer.
const WAITING: usize = 64;

/// A code with everything that could be lost on its way.
const CODE: &str = "return 'grüße 🐢 \"quoted\" \\\\ \u{1}\u{7f}', [[\n\ttwo lines]]";

impl Subject {
    pub fn requests(&self) -> Vec<Step<'_>> {
        vec![
            ("B-REQUEST-1", Box::pin(self.ping())),
            ("B-REQUEST-2", Box::pin(self.code_unchanged())),
            ("B-REQUEST-3", Box::pin(self.timeout_where_agreed())),
            ("B-REQUEST-4", Box::pin(self.ids_are_new())),
            ("B-REQUEST-5", Box::pin(self.any_order())),
            ("B-REQUEST-6", Box::pin(self.strange_answers())),
            ("B-REQUEST-7", Box::pin(self.failure())),
            ("B-REQUEST-8", Box::pin(self.empty_returns())),
            ("B-REQUEST-9", Box::pin(self.never_again())),
            ("B-REQUEST-10", Box::pin(self.waiting())),
            ("B-CANCEL-1", Box::pin(self.cancel())),
        ]
    }

    async fn ping(&self) -> Check {
        let mut linked = self.link_first().await?;
        let calling = self.call("probe-computers", json!({}))?;
        let ping = linked.wire.frame("a request `ping`").await?;
        let mut fields: Vec<&str> =
            ping.as_object().into_iter().flat_map(|all| all.keys().map(String::as_str)).collect();
        fields.sort_unstable();
        let is_right = ping["type"] == "request" && ping["method"] == "ping" && ping["id"].is_string();
        ensure(
            is_right && fields == ["id", "method", "type"],
            "`type`, `id` and `method`, and no more",
            || ping.to_string(),
        )?;
        let answer = format!("pong from {} (Label: check-link)", linked.id);
        linked.wire.answer(&ping, answer.clone().into()).await;
        let called = ended(calling).await?;
        ensure(called.text.lines().any(|line| line == answer), &answer, || called.text.clone())
    }

    async fn code_unchanged(&self) -> Check {
        let mut linked = self.link_first().await?;
        let (calling, request) = self.exec(&mut linked, CODE, None).await?;
        linked.wire.answer(&request, nothing()).await;
        ensure(request["params"]["code"] == CODE, &json!(CODE).to_string(), || request.to_string())?;
        ended(calling).await.map(drop)
    }

    async fn timeout_where_agreed(&self) -> Check {
        let mut first = self.link_first().await?;
        let (calling, request) = self.exec(&mut first, "return 1", Some(20_000)).await?;
        first.wire.answer(&request, nothing()).await;
        ended(calling).await?;
        let only = request["params"].as_object().is_some_and(|params| params.len() == 1);
        ensure(only, "`code` alone, for a computer of the first version", || request.to_string())?;
        let mut linked = self.link_with("exec-lua").await?;
        let (calling, request) = self.exec(&mut linked, "return 1", Some(20_000)).await?;
        linked.wire.answer(&request, nothing()).await;
        ended(calling).await?;
        ensure(request["params"]["timeoutMs"] == 20_000, "`timeoutMs` 20000, where it was agreed", || {
            request.to_string()
        })
    }

    async fn ids_are_new(&self) -> Check {
        let mut seen = HashSet::new();
        for _ in 0..2 {
            let mut linked = self.link(ALL).await?;
            for _ in 0..3 {
                let (calling, request) = self.exec(&mut linked, "return 1", None).await?;
                linked.wire.answer(&request, nothing()).await;
                ended(calling).await?;
                let id = request["id"].to_string();
                ensure(request["id"].is_string(), "an id that is a string", || request.to_string())?;
                ensure(seen.insert(id.clone()), "an id that was never used before", || {
                    format!("{id} again")
                })?;
            }
        }
        Ok(())
    }

    async fn any_order(&self) -> Check {
        let mut linked = self.link(ALL).await?;
        let (first, one) = self.exec(&mut linked, "return 'one'", None).await?;
        let (second, two) = self.exec(&mut linked, "return 'two'", None).await?;
        for (request, output) in [(&two, "two"), (&one, "one")] {
            linked.wire.answer(request, json!({ "returns": [], "output": output })).await;
        }
        for (calling, output) in [(first, "one"), (second, "two")] {
            let called = ended(calling).await?;
            ensure(called.structured["output"] == output, &format!("the answer `{output}`"), || {
                called.text.clone()
            })?;
        }
        Ok(())
    }

    async fn strange_answers(&self) -> Check {
        let (mut linked, mut other) = (self.link(ALL).await?, self.link(ALL).await?);
        let (calling, request) = self.exec(&mut linked, "return 1", None).await?;
        let forged = json!({ "returns": [], "output": "forged" });
        other.wire.answer(&request, forged.clone()).await;
        // It has been read by the bridge when the hello after it is answered.
        other.is_alive().await?;
        for id in [json!("none"), json!(7), Value::Null] {
            linked.wire.answer(&json!({ "id": id }), forged.clone()).await;
        }
        linked.wire.answer(&request, json!({ "returns": [], "output": "right" })).await;
        // A second answer counts no more.
        linked.wire.answer(&request, forged).await;
        let called = ended(calling).await?;
        ensure(called.structured["output"] == "right", "the answer of the link that was asked", || {
            called.text
        })?;
        linked.is_alive().await
    }

    async fn failure(&self) -> Check {
        let mut linked = self.link(ALL).await?;
        let (calling, request) = self.exec(&mut linked, "error('boom')", None).await?;
        let failure = json!({
            "type": "response", "id": request["id"], "ok": false, "error": "chunk:1: boom", "output": "before",
        });
        linked.wire.send(&failure).await;
        let called = ended(calling).await?;
        let told = called.is_error && called.text.contains("chunk:1: boom") && called.text.contains("before");
        ensure(told, "an error with `chunk:1: boom` and what was printed", || called.text.clone())
    }

    async fn empty_returns(&self) -> Check {
        let mut linked = self.link(ALL).await?;
        let (calling, request) = self.exec(&mut linked, "return", None).await?;
        linked.wire.answer(&request, json!({ "returns": {}, "output": "" })).await;
        let called = ended(calling).await?;
        ensure(!called.is_error, "a result", || called.text.clone())
    }

    async fn never_again(&self) -> Check {
        let mut linked = self.link(ALL).await?;
        let (calling, _) = self.exec(&mut linked, "return 1", None).await?;
        let Linked { wire, hello, .. } = linked;
        drop(wire.into_raw());
        let called = ended(calling).await?;
        ensure(called.is_error, "an error: the link ended during the call", || called.text.clone())?;
        let mut again = self.greet(hello).await?;
        again.is_alive().await
    }

    async fn waiting(&self) -> Check {
        let mut linked = self.link(ALL).await?;
        let mut waiting: Vec<(Calling, Value)> = Vec::new();
        for _ in 0..WAITING {
            waiting.push(self.exec(&mut linked, "return 1", None).await?);
        }
        let one_more = self.call("exec-lua", json!({ "computerId": linked.id, "code": "return 65" }))?;
        let called = tokio::select! {
            called = ended(one_more) => called?,
            frame = linked.wire.frame("nothing") => return Err(wrong("an error for the 65th request", frame?.to_string())),
        };
        ensure(called.is_error, "an error for the 65th request", || called.text.clone())?;
        for (calling, request) in waiting {
            linked.wire.answer(&request, nothing()).await;
            let called = ended(calling).await?;
            ensure(!called.is_error, "a result for each of the 64", || called.text.clone())?;
        }
        Ok(())
    }

    async fn cancel(&self) -> Check {
        /// Short: nobody answers.
        const TIMEOUT_MS: u64 = 100;
        let mut first = self.link_first().await?;
        let (calling, _) = self.exec(&mut first, "sleep(9)", Some(TIMEOUT_MS)).await?;
        let called = ended(calling).await?;
        ensure(called.is_error, "a timeout", || called.text.clone())?;
        first.is_alive().await?;
        let mut linked = self.link_with("cancel").await?;
        let (calling, request) = self.exec(&mut linked, "sleep(9)", Some(TIMEOUT_MS)).await?;
        let cancel = linked.wire.frame("`cancel`").await?;
        let expected = json!({ "type": "cancel", "id": request["id"] });
        ensure(cancel == expected, &expected.to_string(), || cancel.to_string())?;
        ended(calling).await?;
        // The answer to it comes late, and counts no more.
        linked.wire.answer(&request, nothing()).await;
        self.round(&mut linked).await
    }
}
