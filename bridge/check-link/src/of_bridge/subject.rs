//! The bridge that is checked: links to it, and calls that make it send something.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::mcp::{Called, Mcp, McpError};
use crate::report::{Check, Report, not_applicable, wrong};
use crate::requirement::Side;
use crate::wire::{Came, Odd, Wire};

/// The first id of the computers that the kit plays: far from those that anyone has.
const FIRST_ID: u64 = 990_000_000;

/// Everything that can be agreed on.
pub const ALL: &[&str] = &["exec-lua", "cancel", "output", "parts", "tools", "bye"];

/// How long the specification has a bridge wait, and the kit.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// For what comes at once, on a busy machine.
    pub patience: Duration,
    pub hello: Duration,
    pub ping: Duration,
    pub silent: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(10),
            hello: Duration::from_secs(10),
            ping: Duration::from_secs(15),
            silent: Duration::from_secs(45),
        }
    }
}

/// A bridge, and what the kit may use of it.
#[derive(Debug)]
pub struct Subject {
    /// Host and port of its link listener.
    pub address: String,
    pub path: String,
    pub token: Option<String>,
    pub mcp: Option<Mcp>,
    /// A declared tool that may be called.
    pub tool: Option<(String, Value)>,
    /// Whether to check what takes its time.
    pub slow: bool,
    pub times: Times,
    odd: Odd,
    next: AtomicU64,
}

/// A computer that the kit plays.
#[derive(Debug)]
pub struct Linked {
    pub wire: Wire,
    pub id: u64,
    /// What it says to be greeted again.
    pub hello: Value,
    /// What the bridge answered.
    pub greeting: Value,
}

/// A call that is under way.
pub type Calling = JoinHandle<Result<Called, McpError>>;

/// A requirement, and the check of it.
pub type Step<'a> = (&'static str, Pin<Box<dyn Future<Output = Check> + 'a>>);

impl Subject {
    pub fn new(address: String, path: String) -> Self {
        Self {
            address,
            path,
            token: None,
            mcp: None,
            tool: None,
            slow: false,
            times: Times::default(),
            odd: Odd::default(),
            next: AtomicU64::new(FIRST_ID),
        }
    }

    pub fn next_id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Opens a connection to a path, with these headers; the bridge may refuse.
    pub async fn open(
        &self,
        path: &str,
        headers: &[(&'static str, String)],
    ) -> Result<Wire, crate::wire::NoLink> {
        Wire::connect(&self.address, path, headers, &self.odd, self.times.patience).await
    }

    /// Opens a connection that says nothing yet.
    pub async fn connect(&self) -> Check<Wire> {
        self.open(&self.path, &[])
            .await
            .map_err(|problem| wrong("HTTP 101 for the upgrade", problem.to_string()))
    }

    /// A hello with the token, where one is wanted, and these fields.
    pub fn hello(&self, mut fields: Value) -> Value {
        fields["type"] = "hello".into();
        if let Some(token) = &self.token {
            fields["token"] = token.as_str().into();
        }
        fields
    }

    /// Says a hello on a new connection.
    pub async fn greet(&self, hello: Value) -> Check<Linked> {
        let mut wire = self.connect().await?;
        wire.send(&hello).await;
        let greeting = wire.frame("`hello-ok`").await?;
        if greeting["type"] != "hello-ok" {
            return Err(wrong("`hello-ok`", greeting.to_string()));
        }
        Ok(Linked { wire, id: hello["computerId"].as_u64().unwrap_or_default(), hello, greeting })
    }

    /// A computer of the first version.
    pub async fn link_first(&self) -> Check<Linked> {
        self.greet(self.hello(json!({ "computerId": self.next_id(), "computerLabel": "check-link" }))).await
    }

    /// A computer that can do this.
    pub async fn link(&self, capabilities: &[&str]) -> Check<Linked> {
        let id = self.next_id();
        self.greet(self.hello(json!({
            "computerId": id, "computerLabel": "check-link", "version": "0", "capabilities": capabilities,
        })))
        .await
    }

    /// A computer with a capability that this check is about.
    pub async fn link_with(&self, capability: &str) -> Check<Linked> {
        let linked = self.link(ALL).await?;
        let agreed = linked.greeting["capabilities"]
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one == capability));
        if agreed {
            Ok(linked)
        } else {
            Err(not_applicable(format!("the bridge does not agree on `{capability}`")))
        }
    }

    fn mcp(&self, tool: &str) -> Check<Mcp> {
        let Some(mcp) = &self.mcp else {
            return Err(not_applicable("needs `--mcp URL`, to make the bridge send requests"));
        };
        if !mcp.has(tool) {
            return Err(not_applicable(format!("the bridge has no tool `{tool}`")));
        }
        Ok(mcp.clone())
    }

    /// Starts a call.
    pub fn call(&self, tool: &str, arguments: Value) -> Check<Calling> {
        let (mcp, tool) = (self.mcp(tool)?, tool.to_owned());
        Ok(tokio::spawn(async move { mcp.call(&tool, arguments).await }))
    }

    /// Starts `exec-lua` on a computer, and waits for its request.
    pub async fn exec(
        &self,
        linked: &mut Linked,
        code: &str,
        timeout_ms: Option<u64>,
    ) -> Check<(Calling, Value)> {
        let mut arguments = json!({ "computerId": linked.id, "code": code });
        if let Some(timeout) = timeout_ms {
            arguments["timeoutMs"] = timeout.into();
        }
        let calling = self.call("exec-lua", arguments)?;
        let request = linked.wire.frame("a request `exec-lua`").await?;
        if request["type"] != "request" || request["method"] != "exec-lua" {
            return Err(wrong("a request `exec-lua`", request.to_string()));
        }
        Ok((calling, request))
    }

    /// Sees whether a call is answered with what the computer said.
    pub async fn round(&self, linked: &mut Linked) -> Check {
        let (calling, request) = self.exec(linked, "return 1", None).await?;
        linked.wire.answer(&request, json!({ "returns": [], "output": "round" })).await;
        let called = ended(calling).await?;
        if called.is_error || called.structured["output"] != "round" {
            return Err(wrong("a call that is answered as the computer answered", called.text));
        }
        Ok(())
    }
}

/// Waits for the end of a call.
pub async fn ended(calling: Calling) -> Check<Called> {
    match calling.await {
        Ok(Ok(called)) => Ok(called),
        Ok(Err(error)) => Err(wrong("a result of the call", error.to_string())),
        Err(error) => Err(wrong("a result of the call", error.to_string())),
    }
}

/// What a chunk that did nothing answers.
pub fn nothing() -> Value {
    json!({ "returns": [], "output": "" })
}

impl Linked {
    /// Sees whether the link lives: a second hello is answered. Nothing else may have come before that.
    pub async fn is_alive(&mut self) -> Check {
        self.wire.send(&self.hello.clone()).await;
        let frame = self.wire.frame("`hello-ok`: the link lives").await?;
        if frame["type"] == "hello-ok" {
            Ok(())
        } else {
            Err(wrong("nothing but `hello-ok`", frame.to_string()))
        }
    }
}

/// Checks everything. A computer that does nothing but answer stays linked all the time: nothing may touch it.
pub async fn check(subject: &Subject) -> Report {
    let mut report = Report::new(Side::Bridge);
    let stop = CancellationToken::new();
    let witness = match subject.link_first().await {
        Ok(linked) => Some(tokio::spawn(watch(linked, stop.clone()))),
        Err(miss) => {
            report.add("B-HELLO-1", Err(miss));
            None
        }
    };
    let slow =
        futures_util::future::join_all(subject.slow().into_iter().map(async |(id, check)| (id, check.await)));
    let quick = async {
        let mut verdicts = Vec::new();
        let steps =
            [subject.greeting(), subject.requests(), subject.parts(), subject.talk(), subject.ending()];
        for (id, check) in steps.into_iter().flatten() {
            verdicts.push((id, check.await));
        }
        verdicts
    };
    let (slow, quick) = tokio::join!(slow, quick);
    for (id, verdict) in slow.into_iter().chain(quick) {
        report.add(id, verdict);
    }
    stop.cancel();
    if let Some(witness) = witness {
        let verdict =
            witness.await.unwrap_or_else(|error| Err(wrong("a link that lives", error.to_string())));
        report.add("B-END-8", verdict);
    }
    report.add("B-FRAME-2", subject.odd.verdict());
    report
}

/// Answers pings until it is asked whether its link still lives.
async fn watch(mut linked: Linked, stop: CancellationToken) -> Check {
    loop {
        let came = tokio::select! {
            () = stop.cancelled() => return linked.is_alive().await,
            came = linked.wire.next_within(Duration::from_secs(3600)) => came,
        };
        match came {
            Came::Frame(request) if request["method"] == "ping" => {
                let pong = format!("pong from {} (Label: check-link)", linked.id);
                linked.wire.answer(&request, pong.into()).await;
            }
            Came::Frame(_) | Came::Ping | Came::Pong | Came::Nothing => {}
            other => return Err(wrong("a link that nothing on other links touches", other.to_string())),
        }
    }
}
