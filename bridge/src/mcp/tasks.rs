//! The Tasks extension, for clients that declare it: an `exec-lua` that takes long becomes a task, and so does the call of a
//! declared tool with `mcp.task`. A task is a job under another name, so that it outlives client, link and bridge as
//! every job does.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, InputRequests,
    InputResponses, JsonObject, Task, TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::arguments::Exec;
use super::call::{CallError, End};
use super::declared::ask::{Question, client_can, key_of};
use super::declared::call::{Refused, TRIES, UNKNOWN_HANDLER, aim, deliver};
use super::declared::result::{self, ResultError};
use super::jobs::returns;
use super::server::{Settings, error_result};
use crate::computer::Computer;
use crate::jobs::asks::Asked;
use crate::jobs::keeper::TOO_OLD;
use crate::jobs::record::written;
use crate::jobs::{Record, State, StoreError, Work};
use crate::limits::{MAX_TIMEOUT_MS, RESULT_BYTES};
use crate::link::frame::CallParams;
use crate::text::shown;
use crate::tools::LuaTool;
use crate::tools::index::Tasks;

/// A call that ends within this time is answered like any other.
const PROMPT: Duration = Duration::from_secs(2);

/// The first pause between two looks at the job, and the longest.
const FIRST_LOOK: Duration = Duration::from_millis(10);
const LONGEST_LOOK: Duration = Duration::from_millis(250);

/// How often a client should ask: as often as the bridge itself does.
const POLL_MS: u64 = 2000;

/// Whether a client can be given a task.
pub fn are_known(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks())
}

/// Runs a chunk as a job, and answers with its result, or with a task where it takes longer; nothing where the computer
/// is not there or knows nothing of jobs, and so has run nothing.
pub async fn exec(settings: &Settings, arguments: &Exec) -> Option<Result<CallToolResponse, ErrorData>> {
    // A program that knows no tools is older than jobs: it is not even asked.
    let computer = settings.registry.get(arguments.computer).filter(|found| found.identity().agreed.tools)?;
    match start(settings, &computer, Work::Code(&arguments.code), arguments.timeout).await {
        Ok(record) => Some(settle(settings, record, PROMPT).await.map_err(|error| failed(&error))),
        Err(NotStarted::Said(error)) if error == TOO_OLD => None,
        Err(NotStarted::Said(error)) => Some(Ok(refused(&computer, End::Failed(error)))),
        Err(NotStarted::Store(error)) => Some(Err(failed(&error))),
    }
}

/// Calls a declared tool as a job, in the same way; nothing where its computer's program is too old for that.
pub async fn call(
    settings: &Settings,
    tool: &LuaTool,
    given: &JsonObject,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let mut arguments = Value::Object(given.clone());
    let computer = match aim(settings, tool, &mut arguments) {
        Ok(computer) => computer,
        Err(refused) => return Some(Ok(refused.into_response())),
    };
    // A task has no deadline unless its tool has one.
    let timeout_ms =
        tool.timeout.map_or(MAX_TIMEOUT_MS, |timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
    let work = CallParams {
        tool: &tool.listed.name,
        handler: &tool.handler.hash,
        method: &tool.method,
        arguments: &arguments,
        timeout_ms,
        client: &client_can(context),
    };
    let patience = if tool.tasks == Tasks::WhenLong { PROMPT } else { Duration::ZERO };
    for _ in 0..TRIES {
        let since = settings.registry.next_request();
        match start(settings, &computer, Work::Tool(work), tool.timeout).await {
            Ok(record) => {
                return Some(settle(settings, record, patience).await.map_err(|error| failed(&error)));
            }
            Err(NotStarted::Said(error)) if error == UNKNOWN_HANDLER => {
                if let Err(end) = deliver(settings, tool, &computer, since).await {
                    return Some(Ok(refused(&computer, end)));
                }
            }
            Err(NotStarted::Said(error)) if error == TOO_OLD => return None,
            Err(NotStarted::Said(error)) => return Some(Ok(refused(&computer, End::Failed(error)))),
            Err(NotStarted::Store(error)) => return Some(Err(failed(&error))),
        }
    }
    let problem = "it does not keep the tool's handler".to_owned();
    Some(Ok(refused(&computer, End::Failed(problem))))
}

/// The result of a call that was not even started.
fn refused(computer: &Computer, end: End) -> CallToolResponse {
    Refused::Call(CallError::before(computer, end)).into_response()
}

/// Why nothing runs.
enum NotStarted {
    /// The computer said so, before anything ran.
    Said(String),
    Store(StoreError),
}

/// Starts a job. One that was refused leaves no record: nobody has heard of it.
async fn start(
    settings: &Settings,
    computer: &Arc<Computer>,
    work: Work<'_>,
    timeout: Option<Duration>,
) -> Result<Record, NotStarted> {
    let millis = timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
    let record = settings.jobs.start(computer, work, millis).await.map_err(NotStarted::Store)?;
    if record.state != State::Failed {
        return Ok(record);
    }
    let _ = settings.jobs.store.remove(&record.id);
    Err(NotStarted::Said(record.error.unwrap_or_default()))
}

/// Answers with the result of a job that ends within this time, and with a task otherwise.
async fn settle(
    settings: &Settings,
    mut record: Record,
    patience: Duration,
) -> Result<CallToolResponse, StoreError> {
    let (until, mut pause) = (Instant::now() + patience, FIRST_LOOK);
    while !record.state.is_end() && Instant::now() < until {
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_LOOK);
        match settings.jobs.refresh(&record.id).await? {
            Some(fresh) => record = fresh,
            None => break,
        }
    }
    if !record.state.is_end() {
        return Ok(CallToolResponse::Task(CreateTaskResult::new(task(&record))));
    }
    outcome(settings, &record).map(Into::into)
}

/// What became of a task.
pub async fn get(
    settings: &Settings,
    id: &str,
    context: &RequestContext<RoleServer>,
) -> Result<DetailedTask, ErrorData> {
    let record =
        settings.jobs.refresh(id).await.map_err(|error| failed(&error))?.ok_or_else(|| unknown(id))?;
    detailed(settings, &record, context).await
}

/// A task with all that belongs to its state, for the client of this request.
pub async fn detailed(
    settings: &Settings,
    record: &Record,
    context: &RequestContext<RoleServer>,
) -> Result<DetailedTask, ErrorData> {
    let payload = match record.state {
        State::Starting | State::Running => {
            let input_requests = input_requests(settings, record, context).await;
            match input_requests.is_empty() {
                true => TaskPayload::Working,
                false => TaskPayload::InputRequired { input_requests },
            }
        }
        State::Cancelled => TaskPayload::Cancelled,
        _ => {
            match (no_result(settings, record).map_err(|error| failed(&error))?, outcome(settings, record))
            {
                (Some(why), _) => {
                    TaskPayload::Failed { error: object(&ErrorData::internal_error(why, None))? }
                }
                (None, outcome) => {
                    TaskPayload::Completed { result: object(&outcome.map_err(|error| failed(&error))?)? }
                }
            }
        }
    };
    Ok(DetailedTask::new(task(record), payload))
}

/// What a task asks of a client that can do it. A question that is none is answered with what is wrong with it.
async fn input_requests(
    settings: &Settings,
    record: &Record,
    context: &RequestContext<RoleServer>,
) -> InputRequests {
    let (mut requests, able) = (InputRequests::new(), client_can(context));
    for Asked { ask, key, method, params } in settings.jobs.asks.of(&record.id) {
        match Question::new(ask, key, &method, &params) {
            Ok(question) if able.contains(&question.needs) => {
                requests.insert(question.key, question.request);
            }
            Ok(_) => {}
            // Where it does not arrive, it is said again at the next look.
            Err(problem) => drop(settings.jobs.answer(record, ask, Err(&problem)).await),
        }
    }
    requests
}

/// Asks for a task to be stopped.
pub async fn cancel(settings: &Settings, id: &str) -> Result<(), ErrorData> {
    let record = settings.jobs.cancel(id).await.map_err(|error| failed(&error))?;
    record.map(drop).ok_or_else(|| unknown(id))
}

/// Takes what a client says to a task. What it does not ask, or not any more, is passed over.
pub async fn update(settings: &Settings, id: &str, responses: InputResponses) -> Result<(), ErrorData> {
    let record = settings.jobs.store.get(id).ok_or_else(|| unknown(id))?;
    for Asked { ask, key, .. } in settings.jobs.asks.of(id) {
        let Some(said) = responses.get(&key_of(ask, key)) else { continue };
        let taken = settings.jobs.answer(&record, ask, Ok(said)).await;
        taken.map_err(|why| ErrorData::internal_error(format!("an answer was not taken: {why}"), None))?;
    }
    Ok(())
}

/// Why a task that has ended has no result: it did not come to an end of its own, or what it returned is none.
fn no_result(settings: &Settings, record: &Record) -> Result<Option<String>, StoreError> {
    if matches!(record.state, State::Interrupted | State::Lost) {
        return Ok(Some(record.error.clone().unwrap_or_default()));
    }
    let Some(name) = record.tool.as_ref().filter(|_| record.error.is_none()) else { return Ok(None) };
    Ok(tool_result(settings, name, record)?.err().map(|problem| problem.to_string()))
}

fn object(value: &impl Serialize) -> Result<JsonObject, ErrorData> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(ErrorData::internal_error("a result is an object", None)),
    }
}

/// A task as it is while it runs; [`DetailedTask`] knows the other states.
fn task(record: &Record) -> Task {
    let status = TaskStatus::Working;
    let message = format!("computer {}, {} bytes printed", record.computer, record.bytes);
    Task::new(record.id.clone(), status, written(record.created), written(record.updated))
        .with_status_message(message)
        .with_poll_interval_ms(POLL_MS)
}

/// The result of the call that the task was.
fn outcome(settings: &Settings, record: &Record) -> Result<CallToolResult, StoreError> {
    if let Some(name) = &record.tool {
        return result_of_tool(settings, name, record);
    }
    let output = settings.jobs.store.output(&record.id, 0, RESULT_BYTES)?;
    let ok = record.state == State::Done;
    let mut content = json!({ "computerId": record.computer, "label": record.label, "ok": ok });
    match &record.error {
        Some(error) => content["error"] = error.as_str().into(),
        None => content["returns"] = returns(&settings.jobs, &record.id)?.unwrap_or_else(|| json!([])),
    }
    content["output"] = output.into();
    let mut result = CallToolResult::success(vec![ContentBlock::text(content.to_string())]);
    result.structured_content = Some(content);
    result.is_error = Some(!ok);
    Ok(result)
}

fn result_of_tool(settings: &Settings, name: &str, record: &Record) -> Result<CallToolResult, StoreError> {
    let who = format!("{} (Label: {})", record.computer, record.label.as_deref().unwrap_or("null"));
    if let Some(error) = &record.error {
        return Ok(error_result(format!("error from {who}: {}", shown(error))));
    }
    // Only clients of the stateless era know tasks: they take every result as it is.
    let result = tool_result(settings, name, record)?;
    Ok(result.unwrap_or_else(|problem| error_result(format!("error from {who}: {problem}"))))
}

fn tool_result(
    settings: &Settings,
    name: &str,
    record: &Record,
) -> Result<Result<CallToolResult, ResultError>, StoreError> {
    let catalog = settings.toolbox.current();
    let returned = returns(&settings.jobs, &record.id)?.unwrap_or_default();
    Ok(result::of_value(name, catalog.get(name).map(|tool| &**tool), returned))
}

fn unknown(id: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no task `{}`", shown(id)), None)
}

fn failed(error: &StoreError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
