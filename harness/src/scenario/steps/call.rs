//! `call`: calls a tool of the bridge, or of another server, and waits for its answer.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::Value;

use super::act::{Act, Done, Scene};
use crate::scenario::given::check_json;
use crate::scenario::marks::{Carried, Seen};
use crate::scenario::names::canonical;
use crate::scenario::transcript;
use crate::stage::StageError;

/// The call.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    tool: String,
    /// Another server than the bridge.
    server: Option<String>,
    #[serde(default)]
    arguments: Value,
    /// Cancels the call once a link has carried this since the call began.
    cancel_after: Option<Carried>,
    /// Whether the transcript shows what came as progress.
    #[serde(default)]
    progress: bool,
}

impl Act for Call {
    fn title(&self) -> String {
        let server = self.server.as_ref().map_or_else(String::new, |server| format!(" of {server}"));
        let arguments = Some(&self.arguments).filter(|arguments| !arguments.is_null());
        let arguments = arguments.map_or_else(String::new, |value| format!(" {}", canonical(value)));
        format!("call {}{server}{arguments}", self.tool)
    }

    fn check(&self) -> Result<(), String> {
        if !self.arguments.is_null() && !self.arguments.is_object() {
            return Err(format!("the arguments of a tool are a table, not `{}`", self.arguments));
        }
        if !self.arguments.is_null() {
            check_json(&self.arguments)?;
        }
        let Some(after) = &self.cancel_after else { return Ok(()) };
        if self.server.is_some() {
            return Err("`cancel_after` is for calls of the bridge, not for those with `server`".to_owned());
        }
        if after.computer.is_none() {
            return Err("`cancel_after` of a call names a `computer`".to_owned());
        }
        after.check()
    }

    fn computers(&self) -> Vec<&str> {
        self.cancel_after.iter().filter_map(|after| after.computer.as_deref()).collect()
    }

    fn servers(&self) -> Vec<&str> {
        self.server.as_deref().into_iter().collect()
    }

    fn awaited_output(&self) -> Option<&str> {
        self.cancel_after.as_ref()?.output.as_deref()
    }

    fn expects(&self) -> &'static [&'static str] {
        // A call that is cancelled has no answer.
        if self.cancel_after.is_some() { &[] } else { &["text", "error"] }
    }

    fn needs_bridge(&self) -> bool {
        self.server.is_none()
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async move {
            let arguments = self.arguments.clone();
            if let Some(server) = &self.server {
                let answer = scene.stage.call_server(server, &self.tool, arguments).await?;
                let text = transcript::answer(&answer, self.progress);
                return Ok(Done { text, answer: Some(answer), ..Done::default() });
            }
            let after = self
                .cancel_after
                .as_ref()
                .map(|after| (after, after.computer.as_deref().unwrap_or_default()));
            call_bridge(scene, &self.tool, arguments, after, self.progress).await
        }
        .boxed()
    }
}

/// Calls a tool of the bridge. A call that is to be cancelled, and is answered before, is a failure.
pub async fn call_bridge(
    scene: &Scene<'_>,
    tool: &str,
    arguments: Value,
    cancel_after: Option<(&Carried, &str)>,
    progress: bool,
) -> Result<Done, StageError> {
    // What an earlier call has carried does not cancel this one.
    let record = &scene.stage.record;
    let since = record.mark();
    if let Some((after, computer)) = cancel_after
        && after.seen(record, computer, &since) != Seen::NotYet
    {
        let held = after.title(computer);
        return Err(StageError::NoEffect(format!("before the call of `{tool}` began, {held}")));
    }
    let cancel = cancel_after.map(|(after, computer)| {
        let since = since.clone();
        async move {
            let seen = |record: &crate::record::Record| after.seen(record, computer, &since) != Seen::NotYet;
            // Where the frame never comes, the call's own deadline ends the step.
            if scene.stage.until(computer, "carried", seen).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    });
    match scene.stage.call_unless(tool, arguments, cancel).await? {
        None => {
            match cancel_after.map(|(after, computer)| (computer, after.seen(record, computer, &since))) {
                Some((computer, Seen::Otherwise(found))) => {
                    Err(StageError::Otherwise { computer: computer.to_owned(), found })
                }
                _ => Ok(Done { text: "cancelled by the client\n".to_owned(), ..Done::default() }),
            }
        }
        Some(_) if cancel_after.is_some() => Err(StageError::NoEffect(format!(
            "the call of `{tool}` was answered before it could be cancelled"
        ))),
        Some(answer) => {
            let text = transcript::answer(&answer, progress);
            Ok(Done { text, answer: Some(answer), ..Done::default() })
        }
    }
}
