//! One call: checked, sent, and answered; the handler is sent first where the computer does not have it. A call that
//! asks a client of the stateless era something is put aside until the client comes back with it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, CallToolResponse, InputRequiredResult};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::super::arguments::whole;
use super::super::call::{Call, CallEnd, CallError, returned, unless_stopped};
use super::super::relay::{Relay, is_stateless};
use super::super::server::{Client, Settings, error_result};
use super::ask::{Question, client_can, missing};
use super::{result, target};
use crate::computer::{Computer, SendError};
use crate::link::frame::{Answer, CallParams, RequestId, text_of};
use crate::questions::Questions;
use crate::request::{Disconnected, Request};
use crate::sources::millis;
use crate::tools::LuaTool;
use crate::tools::catalog::COMPUTER_ID;
use crate::tools::index::Target;

/// What a computer answers that does not have the handler. Nothing has run then, so that the call may be sent again. A
/// handler's own error is never said in this way.
pub const UNKNOWN_HANDLER: &str = "unknown handler";

/// Handlers that the bridge remembers to have sent to one computer: more than any set of tools has.
const REMEMBERED: usize = 256;

/// How often a call is tried whose handler the computer does not have, although it was sent: it may have made room for
/// others in between.
pub const TRIES: usize = 3;

/// After a question, how long to wait for others that are asked at the same time: they go to the client together. For
/// computers that do not say whether another one follows.
const TOGETHER: Duration = Duration::from_millis(25);

/// After a question that another one follows, how long to wait for that. It may have been refused.
const FOLLOWED: Duration = Duration::from_secs(5);

/// What sets how long a call waits.
const LONGER: &str = "a larger `mcp.timeoutMs` in the tool's entry";

/// A call of a tool on its way. Dropping it cancels it.
#[derive(Debug)]
pub struct ToolCall {
    pub tool: Arc<LuaTool>,
    pub call: Call,
    /// What it may ask at once, however often its client comes back.
    pub questions: Questions,
    arguments: Value,
    /// How often it was sent.
    tries: usize,
}

/// A call that waits for what its client says, and what it asks.
pub type Asked = (ToolCall, Vec<Question>);

/// What came of waiting for a call.
enum Outcome {
    Returned(Option<Box<RawValue>>),
    Asks(Vec<Question>),
}

/// Calls a tool, or goes on with a call that had asked something, until its end, its deadline, the link's end, the
/// client's change of mind, or a question.
pub async fn call(
    settings: &Settings,
    client: &Arc<Client>,
    tool: Arc<LuaTool>,
    asked: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if let Some(state) = &asked.request_state {
        let asked_before = settings.away.take(state, |(call, _)| call.tool.listed.name == tool.listed.name);
        let Some((call, questions)) = asked_before else {
            let message =
                "`requestState` is of no call that waits for input: it was changed, or its time is over";
            return Err(ErrorData::invalid_params(message, None));
        };
        let responses = asked.input_responses.unwrap_or_default();
        let Call { computer, request, .. } = &call.call;
        let mut left = Vec::new();
        for question in questions {
            match responses.get(&question.key) {
                Some(said) => computer.answer_ask(request.id(), question.ask, Ok(said), question.place),
                None => left.push(question),
            }
        }
        if !left.is_empty() {
            return Ok(ask(settings, call, left));
        }
        return go_on(settings, client, call, context).await;
    }
    match begin(settings, tool, asked.arguments.unwrap_or_default().into(), context) {
        Ok(call) => go_on(settings, client, call, context).await,
        Err(refused) => Ok(refused.into_response()),
    }
}

/// Why a call was not even sent.
#[derive(Debug)]
pub enum Refused {
    /// What is wrong with what was asked.
    Wrong(String),
    Call(CallError),
}

impl Refused {
    /// As a tool's result.
    pub fn into_response(self) -> CallToolResponse {
        match self {
            Self::Wrong(problem) => error_result(problem).into(),
            Self::Call(error) => error.into_result(LONGER).into(),
        }
    }
}

/// Checks the arguments, and finds the computer; it need not be told which one it is.
pub fn aim(settings: &Settings, tool: &LuaTool, arguments: &mut Value) -> Result<Arc<Computer>, Refused> {
    if let Some(problem) = tool.wrong_arguments(arguments) {
        return Err(Refused::Wrong(problem));
    }
    let chosen = match tool.target {
        Target::Argument => arguments.as_object_mut().and_then(|object| object.shift_remove(COMPUTER_ID)),
        _ => None,
    };
    // The schema has checked that it is whole; what is too large is nobody's id.
    let chosen = chosen.map(|id| whole(id).unwrap_or(u64::MAX));
    let computer = target::find(settings, &tool.target, chosen).map_err(Refused::Wrong)?;
    if !computer.identity().agreed.tools {
        let problem = "its `mcp-computer` is too old for tools; update it".to_owned();
        return Err(Refused::Call(CallError::before(&computer, CallEnd::Failed(problem))));
    }
    Ok(computer)
}

/// Checks the call, and sends it.
fn begin(
    settings: &Settings,
    tool: Arc<LuaTool>,
    mut arguments: Value,
    context: &RequestContext<RoleServer>,
) -> Result<ToolCall, Refused> {
    let computer = aim(settings, &tool, &mut arguments)?;
    let timeout = tool.timeout.unwrap_or(settings.exec_timeout);
    let sent = send(&computer, settings.registry.next_request(), &tool, &arguments, timeout, context);
    let call = Call::begin(computer, timeout, sent).map_err(Refused::Call)?;
    Ok(ToolCall { tool, call, questions: settings.jobs.asks.of_call(), arguments, tries: 1 })
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
        timeout_ms: millis(timeout),
        client: &client_can(context),
    };
    computer.call(id, params)
}

/// Waits for what becomes of a call, and says it.
async fn go_on(
    settings: &Settings,
    client: &Arc<Client>,
    mut call: ToolCall,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let relay = Relay::for_tool(context, &call, client.clone());
    let outcome = unless_stopped(settings, context, call.run(settings, &relay, context)).await;
    let end = match outcome {
        Ok(Outcome::Asks(questions)) => {
            return match missing(&questions, context) {
                Some(error) => Err(error),
                None => Ok(ask(settings, call, questions)),
            };
        }
        Ok(Outcome::Returned(answer)) => match result::read(&call.tool, answer.as_deref()) {
            Ok(result) => return Ok(result::for_era(result, is_stateless(context)).into()),
            Err(problem) => CallEnd::Failed(problem.to_string()),
        },
        Err(end) => end,
    };
    let mut said = call.call.error(end).into_result(LONGER);
    // A tool's own schema is not that of `exec-lua`.
    said.structured_content = None;
    Ok(said.into())
}

/// Puts a call aside, and gives the client its questions.
fn ask(settings: &Settings, call: ToolCall, questions: Vec<Question>) -> CallToolResponse {
    let requests =
        questions.iter().map(|question| (question.key.clone(), question.request.clone())).collect();
    let (state, deadline) = (settings.sources.id().to_string(), call.call.deadline);
    // Dropped when it is late, without the lock: it tells the computer.
    if settings.away.put(state.clone(), deadline, (call, questions), async |call| drop(call)) {
        InputRequiredResult::new(Some(requests), Some(state)).into()
    } else {
        error_result("too many calls wait for input; try again later".to_owned()).into()
    }
}

/// Questions that go to the client together.
struct Batch {
    questions: Vec<Question>,
    /// When they go; without any, the call's deadline.
    until: Instant,
    deadline: Instant,
}

impl Batch {
    fn new(deadline: Instant) -> Self {
        Self { questions: Vec::new(), until: deadline, deadline }
    }

    /// Adds a question. Where the computer does not say whether others follow, the first sets the time: one that asks on
    /// and on cannot put it off.
    fn add(&mut self, question: Question) {
        let wait = match question.more {
            Some(true) => Some(FOLLOWED),
            Some(false) => Some(Duration::ZERO),
            None => self.questions.is_empty().then_some(TOGETHER),
        };
        if let Some(wait) = wait {
            self.until = self.deadline.min(Instant::now() + wait);
        }
        self.questions.push(question);
    }
}

impl ToolCall {
    /// Waits for the answer; sends the call again, with its handler, where the computer does not have that.
    async fn run(
        &mut self,
        settings: &Settings,
        relay: &Relay,
        context: &RequestContext<RoleServer>,
    ) -> Result<Outcome, CallEnd> {
        loop {
            let answer = match self.answer(settings, relay).await? {
                Ok(answer) => answer,
                Err(questions) => return Ok(Outcome::Asks(questions)),
            };
            let error = if let Answer::Failed { error, .. } = &answer { error.as_deref() } else { None };
            if error.and_then(text_of).is_none_or(|error| error != UNKNOWN_HANDLER) {
                return returned(answer).map(Outcome::Returned);
            }
            if self.tries >= TRIES {
                return Err(CallEnd::Failed("it does not keep the tool's handler".to_owned()));
            }
            let delivered = timeout_at(self.call.deadline, self.deliver(settings)).await;
            delivered.unwrap_or(Err(CallEnd::Timeout))?;
            let (id, timeout) = (settings.registry.next_request(), self.call.timeout());
            self.call.request = send(&self.call.computer, id, &self.tool, &self.arguments, timeout, context)?;
            self.tries += 1;
        }
    }

    /// Waits for the answer to the request that was sent last, or for questions.
    async fn answer(
        &mut self,
        settings: &Settings,
        relay: &Relay,
    ) -> Result<Result<Answer, Vec<Question>>, CallEnd> {
        let mut passing = relay.start(&mut self.call, settings);
        let mut asked = Batch::new(self.call.deadline);
        let answered = loop {
            tokio::select! {
                biased;
                answer = self.call.request.answer() => break Some(answer),
                Some(question) = passing.questions.recv() => asked.add(question),
                () = sleep_until(asked.until) => break None,
            }
        };
        let is_late = answered.is_none() && asked.questions.is_empty();
        if is_late {
            // Before the last note: a tool that goes on talking must not put off its own cancel.
            self.call.request.cancel();
        }
        let (notes, last) = passing.finish().await;
        self.call.request.put_notes(notes);
        asked.questions.extend(last);
        match answered {
            Some(Ok(answer)) => Ok(Ok(answer)),
            Some(Err(Disconnected)) => Err(CallEnd::Disconnected),
            None if is_late => Err(CallEnd::Timeout),
            None => Ok(Err(asked.questions)),
        }
    }

    async fn deliver(&self, settings: &Settings) -> Result<(), CallEnd> {
        deliver(settings, &self.tool, &self.call.computer, self.call.request.id()).await
    }
}

/// Sends a tool's handler, unless another call has done so since the request with this number was sent.
pub async fn deliver(
    settings: &Settings,
    tool: &LuaTool,
    computer: &Arc<Computer>,
    since: RequestId,
) -> Result<(), CallEnd> {
    let handler = &tool.handler;
    let mut delivered = computer.handlers.lock().await;
    if delivered.get(&handler.hash).is_some_and(|after| *after > since) {
        return Ok(());
    }
    let mut request = computer.keep(settings.registry.next_request(), handler)?;
    returned(request.answer().await.map_err(|Disconnected| CallEnd::Disconnected)?)?;
    if delivered.len() >= REMEMBERED {
        delivered.clear();
    }
    delivered.insert(handler.hash.clone(), settings.registry.next_request());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::note::Asked;
    use serde_json::json;

    fn question(ask: u64, more: Option<bool>) -> Question {
        let asked = Asked { ask, key: None, method: "roots/list".into(), params: json!({}), more };
        Question::new(asked).expect("a question")
    }

    #[tokio::test(start_paused = true)]
    async fn a_tool_that_asks_on_and_on_does_not_put_off_its_first_question() {
        let now = Instant::now();
        let mut batch = Batch::new(now + TOGETHER * 10);
        batch.add(question(1, None));
        tokio::time::advance(TOGETHER / 2).await;
        batch.add(question(2, None));
        assert_eq!((batch.questions.len(), batch.until), (2, now + TOGETHER));
        let mut late = Batch::new(now + TOGETHER / 2);
        late.add(question(1, None));
        assert_eq!(late.until, now + TOGETHER / 2, "nothing is asked after the deadline");
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_that_another_follows_waits_for_it_and_the_last_one_for_nothing() {
        let now = Instant::now();
        let mut batch = Batch::new(now + FOLLOWED * 3);
        batch.add(question(1, Some(true)));
        assert_eq!(batch.until, now + FOLLOWED);
        tokio::time::advance(FOLLOWED / 2).await;
        batch.add(question(2, Some(true)));
        assert_eq!(batch.until, now + FOLLOWED / 2 + FOLLOWED, "the second is followed by another one");
        batch.add(question(3, Some(false)));
        assert_eq!((batch.questions.len(), batch.until), (3, Instant::now()));
    }
}
