//! From the upgrade to `hello-ok`, or to the refusal.

use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::subject::{ALL, Step, Subject};
use crate::report::{Check, ensure, not_applicable, wrong};
use crate::wire::NoLink;

/// A token that nobody has.
const NO_TOKEN: &str = "check-link-knows-that-this-is-wrong";

impl Subject {
    pub fn greeting(&self) -> Vec<Step<'_>> {
        vec![
            ("B-UPGRADE-1", Box::pin(self.any_path())),
            ("B-UPGRADE-2", Box::pin(self.no_origin())),
            ("B-UPGRADE-3", Box::pin(self.wrong_token())),
            ("B-UPGRADE-4", Box::pin(self.right_token())),
            ("B-HELLO-1", Box::pin(self.first_version())),
            ("B-HELLO-2", Box::pin(self.negotiated())),
            ("B-HELLO-3", Box::pin(self.agrees_on_what_is_known())),
            ("B-HELLO-4", Box::pin(self.bad_ids())),
            ("B-HELLO-5", Box::pin(self.odd_spellings())),
            ("B-HELLO-6", Box::pin(self.noise_before_hello())),
            ("B-HELLO-7", Box::pin(self.second_hello())),
            ("B-HELLO-8", Box::pin(self.another_computer())),
            ("B-HELLO-10", Box::pin(self.replaced())),
            ("B-FRAME-1", Box::pin(self.noise())),
        ]
    }

    async fn any_path(&self) -> Check {
        for path in ["/", "/link", "/a/b?c=d"] {
            let opened = self.open(path, &[]).await;
            opened.map_err(|problem| wrong(format!("HTTP 101 for `{path}`"), problem.to_string()))?;
        }
        Ok(())
    }

    /// Sees whether an upgrade is refused with 403.
    async fn is_forbidden(&self, path: &str, headers: &[(&'static str, String)]) -> Check {
        match self.open(path, headers).await {
            Err(NoLink::Status(403)) => Ok(()),
            Err(problem) => Err(wrong("HTTP 403", problem.to_string())),
            Ok(_) => Err(wrong("HTTP 403", "HTTP 101: the connection was upgraded")),
        }
    }

    async fn no_origin(&self) -> Check {
        for origin in ["https://page.example", "http://localhost", "null"] {
            self.is_forbidden(&self.path, &[("origin", origin.to_owned())]).await?;
        }
        Ok(())
    }

    fn wanted_token(&self) -> Check<&str> {
        self.token.as_deref().ok_or_else(|| not_applicable("needs `--token`, of a bridge that wants one"))
    }

    async fn wrong_token(&self) -> Check {
        self.wanted_token()?;
        self.is_forbidden(&format!("/?token={NO_TOKEN}"), &[]).await?;
        self.is_forbidden("/", &[("authorization", format!("Bearer {NO_TOKEN}"))]).await
    }

    async fn right_token(&self) -> Check {
        let token = self.wanted_token()?;
        let query: String = form_urlencoded::byte_serialize(token.as_bytes()).collect();
        let bearer = ("authorization", format!("Bearer {token}"));
        for (path, headers) in [(format!("/?token={query}"), vec![]), ("/".to_owned(), vec![bearer])] {
            let opened = self.open(&path, &headers).await;
            let mut wire =
                opened.map_err(|problem| wrong("HTTP 101 for the right token", problem.to_string()))?;
            wire.send(&json!({ "type": "hello", "computerId": self.next_id() })).await;
            wire.frame_of("hello-ok").await?;
        }
        self.link_first().await?;
        self.is_refused(json!({ "type": "hello", "computerId": self.next_id() })).await
    }

    async fn first_version(&self) -> Check {
        let greeting = self.link_first().await?.greeting;
        ensure(greeting == json!({ "type": "hello-ok" }), r#"{"type":"hello-ok"} and no more"#, || {
            greeting.to_string()
        })
    }

    async fn negotiated(&self) -> Check {
        let greeting = self.link(ALL).await?.greeting;
        let names = greeting["bridge"].is_string() && greeting["capabilities"].is_array();
        ensure(names, "`bridge` and `capabilities` in `hello-ok`", || greeting.to_string())
    }

    async fn agrees_on_what_is_known(&self) -> Check {
        let asked = ["fly", "cancel", "parts"];
        let greeting = self.link(&asked).await?.greeting;
        let agreed: Vec<&str> =
            greeting["capabilities"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let fits = agreed.iter().all(|one| ["cancel", "parts"].contains(one));
        ensure(fits, "none but `cancel` and `parts`", || greeting.to_string())
    }

    /// Sees whether a hello is refused with `hello-error` and 1008.
    async fn is_refused(&self, hello: Value) -> Check {
        let mut wire = self.connect().await?;
        wire.send(&hello).await;
        let answer = wire.frame("`hello-error`").await?;
        let refused = answer["type"] == "hello-error" && answer["error"].is_string();
        ensure(refused, "`hello-error` with an `error`", || format!("{answer} to {hello}"))?;
        wire.closed(1008, None).await
    }

    async fn bad_ids(&self) -> Check {
        let bad = [json!(-1), json!(1.5), json!("12"), Value::Null, json!([12])];
        for id in bad {
            self.is_refused(self.hello(json!({ "computerId": id }))).await?;
        }
        self.is_refused(self.hello(json!({ "computerLabel": "no id" }))).await
    }

    async fn odd_spellings(&self) -> Check {
        let mut wire = self.connect().await?;
        let token = self.hello(json!({}))["token"].clone();
        let text = format!(
            r#"{{"type":"hello","computerId":{}.0,"computerLabel":7,"token":{token}}}"#,
            self.next_id()
        );
        wire.send_message(Message::text(text)).await;
        let answer = wire.frame("`hello-ok`").await?;
        ensure(answer["type"] == "hello-ok", "`hello-ok`", || answer.to_string())
    }

    async fn noise_before_hello(&self) -> Check {
        let mut wire = self.connect().await?;
        for message in noise() {
            wire.send_message(message).await;
        }
        wire.send(&self.hello(json!({ "computerId": self.next_id() }))).await;
        let answer = wire.frame("`hello-ok`").await?;
        ensure(answer["type"] == "hello-ok", "`hello-ok`", || answer.to_string())
    }

    async fn second_hello(&self) -> Check {
        let mut linked = self.link(ALL).await?;
        linked.hello["computerLabel"] = "renamed".into();
        linked.wire.send(&linked.hello.clone()).await;
        let again = linked.wire.frame("`hello-ok`").await?;
        ensure(again == linked.greeting, &linked.greeting.to_string(), || again.to_string())
    }

    async fn another_computer(&self) -> Check {
        let mut linked = self.link(ALL).await?;
        linked.wire.send(&self.hello(json!({ "computerId": self.next_id() }))).await;
        linked.wire.frame_of("hello-error").await?;
        linked.wire.closed(1008, None).await
    }

    async fn replaced(&self) -> Check {
        let mut older = self.link(ALL).await?;
        let mut newer = self.greet(older.hello.clone()).await?;
        older.wire.closed(4000, Some("replaced")).await?;
        newer.is_alive().await
    }

    async fn noise(&self) -> Check {
        let mut linked = self.link(ALL).await?;
        for message in noise() {
            linked.wire.send_message(message).await;
        }
        linked.hello["colour"] = "red".into();
        linked.is_alive().await
    }

    /// No hello comes, and nothing else.
    pub async fn no_hello(&self) -> Check {
        let started = Instant::now();
        let mut wire = self.connect().await?;
        let came = wire.next_within(self.times.hello + self.times.patience).await;
        let waited = started.elapsed();
        let expected = format!("a close with 1008 after {} ms", self.times.hello.as_millis());
        let is_right = matches!(came, crate::wire::Came::Close(1008, _)) && waited >= self.times.hello;
        ensure(is_right, &expected, || format!("{came} after {} ms", waited.as_millis()))
    }
}

/// Messages that mean nothing on a link.
fn noise() -> Vec<Message> {
    let deep = "[".repeat(10_000);
    let texts =
        ["", "{", "[1,2,3]", "null", r#"{"id":"req-1"}"#, r#"{"type":7}"#, r#"{"type":"fly"}"#, &deep];
    let frames = [
        r#"{"type":"response","id":"none","ok":true,"result":1}"#,
        r#"{"type":"part","id":"none","seq":9,"last":true,"data":"x"}"#,
        r#"{"type":"output","id":"none","data":7}"#,
        r#"{"type":"response","id":{"a":1}}"#,
    ];
    let mut messages: Vec<Message> = texts.iter().chain(&frames).map(|text| Message::text(*text)).collect();
    messages.push(Message::Binary(Bytes::from_static(b"\0\xff binary")));
    messages
}
