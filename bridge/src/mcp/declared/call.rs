//! One call: checked, sent, and answered; the handler is sent first where the computer does not have it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, JsonObject};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::super::probe::error_text;
use super::super::server::{Session, Settings, error_result};
use super::relay::Relay;
use super::{result, target};
use crate::computer::{Computer, Disconnected, SendError, named};
use crate::link::frame::{Answer, CallParams, RequestId, text_of};
use crate::tools::LuaTool;
use crate::tools::catalog::COMPUTER_ID;
use crate::tools::index::Target;

/// What a computer answers that does not have the handler. Nothing has run then, so that the call may be sent again. A
/// handler's own error is never said in this way.
const UNKNOWN_HANDLER: &str = "unknown handler";

/// Handlers that the bridge remembers to have sent to one computer: more than any set of tools has.
const REMEMBERED: usize = 256;

/// How often a call is tried whose handler the computer does not have, although it was sent: it may have made room for
/// others in between.
const TRIES: usize = 3;

/// Why there is no answer.
enum Failure {
    Timeout,
    Disconnected,
    Cancelled,
    Said(String),
}

/// Calls a tool and waits for its end, its deadline, the link's end or the client's change of mind.
pub async fn call(
    settings: &Settings,
    session: &Arc<Session>,
    tool: Arc<LuaTool>,
    given: JsonObject,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let mut arguments = Value::Object(given);
    if let Some(problem) = tool.wrong_arguments(&arguments) {
        return error_result(problem);
    }
    let chosen = match tool.target {
        Target::Argument => arguments.as_object_mut().and_then(|object| object.shift_remove(COMPUTER_ID)),
        _ => None,
    };
    let computer = match target::find(settings, &tool.target, chosen.as_ref().and_then(whole)) {
        Ok(computer) => computer,
        Err(problem) => return error_result(problem),
    };
    let identity = computer.identity();
    let who = named(&identity);
    if !identity.agreed.tools {
        return error_result(format!("error from {who}: its `mcp-computer` is too old for tools; update it"));
    }
    let timeout = tool.timeout.unwrap_or(settings.exec_timeout);
    let one =
        Call { settings, tool: &tool, computer: &computer, timeout, deadline: Instant::now() + timeout };
    let relay = Relay::new(session.clone(), context, &tool.listed.name, who.to_string());
    let outcome = tokio::select! {
        biased;
        outcome = one.run(&arguments, relay, settings.timings.heartbeat) => outcome,
        () = context.ct.cancelled() => Err(Failure::Cancelled),
        () = settings.shutdown.cancelled() => Err(Failure::Disconnected),
    };
    match outcome {
        Ok(answer) => match result::read(&tool, answer.as_deref()) {
            Ok(result) => result,
            Err(problem) => error_result(format!("error from {who}: {problem}")),
        },
        Err(Failure::Timeout) => error_result(format!("timeout from {who} after {} ms", timeout.as_millis())),
        Err(Failure::Disconnected) => error_result(format!("disconnected from {who}")),
        Err(Failure::Cancelled) => error_result(format!("cancelled on {who}")),
        Err(Failure::Said(problem)) => error_result(format!("error from {who}: {problem}")),
    }
}

struct Call<'a> {
    settings: &'a Settings,
    tool: &'a LuaTool,
    computer: &'a Arc<Computer>,
    timeout: Duration,
    deadline: Instant,
}

impl Call<'_> {
    /// Sends the call until the computer has its handler, and gives what it answered.
    async fn run(
        &self,
        arguments: &Value,
        relay: Relay,
        heartbeat: Duration,
    ) -> Result<Option<Box<serde_json::value::RawValue>>, Failure> {
        for _ in 0..TRIES {
            let id = self.settings.registry.next_request();
            let params = CallParams {
                tool: &self.tool.listed.name,
                handler: &self.tool.handler.hash,
                method: &self.tool.method,
                arguments,
                timeout_ms: u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX),
            };
            let mut request = self.computer.call(id, params).map_err(refused)?;
            let notes = request.take_notes().expect("a call has them");
            let passing = relay.start(notes, self.computer.clone(), id, heartbeat);
            let answer = timeout_at(self.deadline, request.answer()).await;
            // Before the last note: a tool that goes on talking must not put off its own cancel.
            drop(request);
            passing.finish().await;
            match answer.map_err(|_| Failure::Timeout)?.map_err(|Disconnected| Failure::Disconnected)? {
                Answer::Done { result } => return Ok(result),
                Answer::Failed { error, .. } => {
                    let is_unknown = error.as_deref().and_then(text_of).is_some_and(|e| e == UNKNOWN_HANDLER);
                    if !is_unknown {
                        return Err(Failure::Said(error_text(error.as_deref())));
                    }
                }
                Answer::Broken(error) => return Err(Failure::Said(error)),
            }
            timeout_at(self.deadline, self.deliver(id)).await.map_err(|_| Failure::Timeout)??;
        }
        Err(Failure::Said("it does not keep the tool's handler".to_owned()))
    }

    /// Sends the handler, unless another call has done so since this one, number `asked`, was sent.
    async fn deliver(&self, asked: RequestId) -> Result<(), Failure> {
        let handler = &self.tool.handler;
        let mut delivered = self.computer.handlers.lock().await;
        if delivered.get(&handler.hash).is_some_and(|after| *after > asked) {
            return Ok(());
        }
        let mut request =
            self.computer.keep(self.settings.registry.next_request(), handler).map_err(refused)?;
        match request.answer().await.map_err(|Disconnected| Failure::Disconnected)? {
            Answer::Done { .. } => {
                if delivered.len() >= REMEMBERED {
                    delivered.clear();
                }
                delivered.insert(handler.hash.clone(), self.settings.registry.next_request());
                Ok(())
            }
            Answer::Failed { error, .. } => Err(Failure::Said(error_text(error.as_deref()))),
            Answer::Broken(error) => Err(Failure::Said(error)),
        }
    }
}

fn refused(error: SendError) -> Failure {
    match error {
        SendError::Disconnected => Failure::Disconnected,
        other => Failure::Said(other.to_string()),
    }
}

/// A whole number from 0, also when it is written as `12.0`, which the schema lets pass.
fn whole(value: &Value) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the schema has checked that it is whole and not negative; what is too large is nobody's id"
    )]
    value.as_u64().or_else(|| value.as_f64().map(|float| float as u64))
}
