//! One call: checked, sent, and answered; the handler is sent first where the computer does not have it. A call that
//! asks a client of the stateless era something is put aside until the client comes back with it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, InputRequiredResult};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::super::probe::error_text;
use super::super::server::{Session, Settings, error_result};
use super::ask::{Question, client_can, missing};
use super::relay::{Relay, is_stateless};
use super::{result, target};
use crate::computer::{Computer, Disconnected, Request, SendError, named};
use crate::link::frame::{Answer, CallParams, RequestId, text_of};
use crate::link::note::Note;
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

/// After a question, how long to wait for others that are asked at the same time: they go to the client together.
const TOGETHER: Duration = Duration::from_millis(25);

/// A call on its way. Dropping it cancels it.
#[derive(Debug)]
pub struct Call {
    pub tool: Arc<LuaTool>,
    pub deadline: Instant,
    computer: Arc<Computer>,
    timeout: Duration,
    arguments: Value,
    request: Request,
    notes: Option<mpsc::Receiver<Note>>,
    /// How often it was sent.
    tries: usize,
}

/// What became of a call.
enum Outcome {
    Returned(Option<Box<RawValue>>),
    Asks(Vec<Question>),
    Timeout,
    Disconnected,
    Cancelled,
    Failed(String),
}

/// Calls a tool, or goes on with a call that had asked something, until its end, its deadline, the link's end, the
/// client's change of mind, or a question.
pub async fn call(
    settings: &Settings,
    session: &Arc<Session>,
    tool: Arc<LuaTool>,
    asked: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if let Some(state) = &asked.request_state {
        let parked = settings.parked.take(state, &tool);
        let Some((call, mut questions)) = parked else {
            let message =
                "`requestState` is of no call that waits for input: it was changed, or its time is over";
            return Err(ErrorData::invalid_params(message, None));
        };
        let responses = asked.input_responses.unwrap_or_default();
        questions.retain(|question| match responses.get(&question.key) {
            Some(said) => {
                call.computer.answer_ask(call.request.id(), question.ask, Ok(said));
                false
            }
            None => true,
        });
        if !questions.is_empty() {
            return Ok(ask(settings, call, questions));
        }
        return go_on(settings, session, call, context).await;
    }
    match begin(settings, tool, asked.arguments.unwrap_or_default().into(), context) {
        Ok(call) => go_on(settings, session, call, context).await,
        Err(problem) => Ok(error_result(problem).into()),
    }
}

/// Checks the arguments, finds the computer, and sends the call.
fn begin(
    settings: &Settings,
    tool: Arc<LuaTool>,
    mut arguments: Value,
    context: &RequestContext<RoleServer>,
) -> Result<Call, String> {
    if let Some(problem) = tool.wrong_arguments(&arguments) {
        return Err(problem);
    }
    let chosen = match tool.target {
        Target::Argument => arguments.as_object_mut().and_then(|object| object.shift_remove(COMPUTER_ID)),
        _ => None,
    };
    let computer = target::find(settings, &tool.target, chosen.as_ref().and_then(whole))?;
    let identity = computer.identity();
    let who = named(&identity);
    if !identity.agreed.tools {
        return Err(format!("error from {who}: its `mcp-computer` is too old for tools; update it"));
    }
    let timeout = tool.timeout.unwrap_or(settings.exec_timeout);
    let id = settings.registry.next_request();
    let request = send(&computer, id, &tool, &arguments, timeout, context);
    let request = request.map_err(|error| match error {
        SendError::Disconnected => format!("disconnected from {who}"),
        other => format!("error from {who}: {other}"),
    })?;
    let deadline = Instant::now() + timeout;
    Ok(Call { tool, deadline, computer, timeout, arguments, request, notes: None, tries: 1 })
}

fn send(
    computer: &Arc<Computer>,
    id: RequestId,
    tool: &LuaTool,
    arguments: &Value,
    timeout: Duration,
    context: &RequestContext<RoleServer>,
) -> Result<Request, SendError> {
    let params = CallParams {
        tool: &tool.listed.name,
        handler: &tool.handler.hash,
        method: &tool.method,
        arguments,
        timeout_ms: u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
        client: &client_can(context),
    };
    computer.call(id, params)
}

/// Waits for what becomes of a call, and says it.
async fn go_on(
    settings: &Settings,
    session: &Arc<Session>,
    mut call: Call,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let identity = call.computer.identity();
    let who = named(&identity);
    let relay = Relay::new(session.clone(), context, &call.tool.listed.name, who.to_string());
    let outcome = tokio::select! {
        biased;
        outcome = call.run(settings, &relay, context) => outcome,
        () = context.ct.cancelled() => Outcome::Cancelled,
        () = settings.shutdown.cancelled() => Outcome::Disconnected,
    };
    let said: CallToolResult = match outcome {
        Outcome::Asks(questions) => {
            if let Some(error) = missing(&questions, context) {
                return Err(error);
            }
            return Ok(ask(settings, call, questions));
        }
        Outcome::Returned(answer) => match result::read(&call.tool, answer.as_deref()) {
            Ok(result) => result::for_era(result, is_stateless(context)),
            Err(problem) => error_result(format!("error from {who}: {problem}")),
        },
        Outcome::Timeout => error_result(format!("timeout from {who} after {} ms", call.timeout.as_millis())),
        Outcome::Disconnected => error_result(format!("disconnected from {who}")),
        Outcome::Cancelled => error_result(format!("cancelled on {who}")),
        Outcome::Failed(problem) => error_result(format!("error from {who}: {problem}")),
    };
    Ok(said.into())
}

/// Puts a call aside, and gives the client its questions.
fn ask(settings: &Settings, call: Call, questions: Vec<Question>) -> CallToolResponse {
    let requests =
        questions.iter().map(|question| (question.key.clone(), question.request.clone())).collect();
    match settings.parked.park(call, questions) {
        Some(state) => InputRequiredResult::new(Some(requests), Some(state)).into(),
        None => error_result("too many calls wait for input; try again later".to_owned()).into(),
    }
}

impl Call {
    /// Waits for the answer; sends the call again, with its handler, where the computer does not have that.
    async fn run(
        &mut self,
        settings: &Settings,
        relay: &Relay,
        context: &RequestContext<RoleServer>,
    ) -> Outcome {
        loop {
            let answer = match self.answer(settings, relay).await {
                Ok(answer) => answer,
                Err(outcome) => return outcome,
            };
            match answer {
                Answer::Done { result } => return Outcome::Returned(result),
                Answer::Broken(error) => return Outcome::Failed(error),
                Answer::Failed { error, .. } => {
                    let is_unknown = error.as_deref().and_then(text_of).is_some_and(|e| e == UNKNOWN_HANDLER);
                    if !is_unknown {
                        return Outcome::Failed(error_text(error.as_deref()).to_string());
                    }
                }
            }
            if self.tries >= TRIES {
                return Outcome::Failed("it does not keep the tool's handler".to_owned());
            }
            match timeout_at(self.deadline, self.deliver(settings)).await {
                Err(_) => return Outcome::Timeout,
                Ok(Err(outcome)) => return outcome,
                Ok(Ok(())) => {}
            }
            let id = settings.registry.next_request();
            match send(&self.computer, id, &self.tool, &self.arguments, self.timeout, context) {
                Ok(request) => (self.request, self.notes) = (request, None),
                Err(error) => return refused(&error),
            }
            self.tries += 1;
        }
    }

    /// Waits for the answer to the request that was sent last, or for questions.
    async fn answer(&mut self, settings: &Settings, relay: &Relay) -> Result<Answer, Outcome> {
        let notes = self.notes.take().or_else(|| self.request.take_notes());
        // A client that did not take the last of them has cost the rest.
        let notes = notes.unwrap_or_else(|| mpsc::channel(1).1);
        let (computer, id) = (self.computer.clone(), self.request.id());
        let mut passing = relay.start(notes, computer, id, settings.timings.heartbeat);
        let mut questions = Vec::new();
        let mut until = self.deadline;
        let answered = loop {
            tokio::select! {
                biased;
                answer = self.request.answer() => break Some(answer),
                Some(question) = passing.questions.recv() => {
                    questions.push(question);
                    until = self.deadline.min(Instant::now() + TOGETHER);
                }
                () = sleep_until(until) => break None,
            }
        };
        if answered.is_none() && questions.is_empty() {
            // Before the last note: a tool that goes on talking must not put off its own cancel.
            self.request.cancel();
        }
        self.notes = passing.finish().await;
        match answered {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(Disconnected)) => Err(Outcome::Disconnected),
            None if questions.is_empty() => Err(Outcome::Timeout),
            None => Err(Outcome::Asks(questions)),
        }
    }

    /// Sends the handler, unless another call has done so since this one was sent.
    async fn deliver(&self, settings: &Settings) -> Result<(), Outcome> {
        let handler = &self.tool.handler;
        let mut delivered = self.computer.handlers.lock().await;
        if delivered.get(&handler.hash).is_some_and(|after| *after > self.request.id()) {
            return Ok(());
        }
        let sent = self.computer.keep(settings.registry.next_request(), handler);
        let mut request = sent.map_err(|error| refused(&error))?;
        match request.answer().await.map_err(|Disconnected| Outcome::Disconnected)? {
            Answer::Done { .. } => {
                if delivered.len() >= REMEMBERED {
                    delivered.clear();
                }
                delivered.insert(handler.hash.clone(), settings.registry.next_request());
                Ok(())
            }
            Answer::Failed { error, .. } => Err(Outcome::Failed(error_text(error.as_deref()).to_string())),
            Answer::Broken(error) => Err(Outcome::Failed(error)),
        }
    }
}

fn refused(error: &SendError) -> Outcome {
    match error {
        SendError::Disconnected => Outcome::Disconnected,
        other => Outcome::Failed(other.to_string()),
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
