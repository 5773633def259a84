//! What a client hears of a task, and says to it: its status and result, what it asks, and its cancel.

use rmcp::model::{
    CallToolResult, DetailedTask, InputRequests, InputResponses, JsonObject, Task, TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use serde_json::Value;

use super::super::declared::ask::{Question, client_can, key_of};
use super::super::declared::result::{self, ResultError};
use super::super::jobs;
use super::super::server::{Settings, error_result, structured};
use crate::jobs::record::written;
use crate::jobs::{Record, State, StoreError};
use crate::text::shown;

/// How often a client should ask: as often as the bridge itself does.
const POLL_MS: u64 = 2000;

/// What became of a task.
pub async fn get(
    settings: &Settings,
    id: &str,
    context: &RequestContext<RoleServer>,
) -> Result<DetailedTask, ErrorData> {
    let record = settings.jobs.refresh(id).await?.ok_or_else(|| unknown(id))?;
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
            if input_requests.is_empty() {
                TaskPayload::Working
            } else {
                TaskPayload::InputRequired { input_requests }
            }
        }
        State::Cancelled => TaskPayload::Cancelled,
        _ => match no_result(settings, record)? {
            Some(why) => TaskPayload::Failed { error: object(&ErrorData::internal_error(why, None))? },
            None => TaskPayload::Completed { result: object(&outcome(settings, record)?)? },
        },
    };
    Ok(DetailedTask::new(task(record), payload))
}

/// What a task asks of a client that can do it. A question that is none is answered with what is wrong with it.
pub async fn input_requests(
    settings: &Settings,
    record: &Record,
    context: &RequestContext<RoleServer>,
) -> InputRequests {
    let (mut requests, able) = (InputRequests::new(), client_can(context));
    for asked in settings.jobs.asks.of(&record.id) {
        let ask = asked.ask;
        match Question::new(asked) {
            Ok(question) if able.contains(&question.needs) => {
                requests.insert(question.key, question.request);
            }
            Ok(_) => {}
            // Where it does not arrive, it is said again at the next look.
            Err(problem) => {
                if settings.jobs.answer(record, ask, Err(&problem)).await.is_err() {
                    break;
                }
            }
        }
    }
    requests
}

/// Asks for a task to be stopped.
pub async fn cancel(settings: &Settings, id: &str) -> Result<(), ErrorData> {
    settings.jobs.cancel(id).await?.map(drop).ok_or_else(|| unknown(id))
}

/// Takes what a client says to a task. What it does not ask, or not any more, is passed over.
pub async fn update(settings: &Settings, id: &str, responses: InputResponses) -> Result<(), ErrorData> {
    let record = settings.jobs.store.get(id).ok_or_else(|| unknown(id))?;
    for asked in settings.jobs.asks.of(id) {
        let Some(said) = responses.get(&key_of(&asked)) else { continue };
        let taken = settings.jobs.answer(&record, asked.ask, Ok(said)).await;
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
pub fn task(record: &Record) -> Task {
    let status = TaskStatus::Working;
    let message = format!("computer {}, {} bytes printed", record.computer, record.bytes);
    Task::new(record.id.clone(), status, written(record.created), written(record.updated))
        .with_status_message(message)
        .with_poll_interval_ms(POLL_MS)
}

/// The result of the call that the task was.
pub fn outcome(settings: &Settings, record: &Record) -> Result<CallToolResult, StoreError> {
    if let Some(name) = &record.tool {
        return result_of_tool(settings, name, record);
    }
    Ok(structured(jobs::outcome(&settings.jobs, record)?, record.state != State::Done))
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
    let returned = jobs::returns(&settings.jobs, &record.id)?.unwrap_or_default();
    Ok(result::of_value(name, catalog.get(name).map(|tool| &**tool), returned))
}

fn unknown(id: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no task `{}`", shown(id)), None)
}

impl From<StoreError> for ErrorData {
    fn from(error: StoreError) -> Self {
        Self::internal_error(error.to_string(), None)
    }
}
