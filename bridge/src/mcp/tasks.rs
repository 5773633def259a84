//! The Tasks extension, for clients that declare it: an `exec-lua` that takes long becomes a task. A task is a job under
//! another name, so that it outlives client, link and bridge as every job does.

use std::time::Duration;

use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, Task, TaskPayload,
    TaskStatus,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::arguments::Exec;
use super::server::Settings;
use crate::jobs::keeper::TOO_OLD;
use crate::jobs::record::written;
use crate::jobs::{Record, State, StoreError};
use crate::limits::RESULT_BYTES;

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
    let millis = arguments.timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
    let mut record = match settings.jobs.start(&computer, &arguments.code, millis).await {
        Ok(record) if record.error.as_deref() == Some(TOO_OLD) => {
            let _ = settings.jobs.store.remove(&record.id);
            return None;
        }
        Ok(record) => record,
        Err(error) => return Some(Err(failed(&error))),
    };
    let (until, mut pause) = (Instant::now() + PROMPT, FIRST_LOOK);
    while !record.state.is_end() && Instant::now() < until {
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_LOOK);
        match settings.jobs.refresh(&record.id).await {
            Ok(Some(fresh)) => record = fresh,
            Ok(None) => break,
            Err(error) => return Some(Err(failed(&error))),
        }
    }
    if !record.state.is_end() {
        return Some(Ok(CallToolResponse::Task(CreateTaskResult::new(task(&record)))));
    }
    Some(result(settings, &record).map(Into::into).map_err(|error| failed(&error)))
}

/// What became of a task.
pub async fn get(settings: &Settings, id: &str) -> Result<DetailedTask, ErrorData> {
    let record =
        settings.jobs.refresh(id).await.map_err(|error| failed(&error))?.ok_or_else(|| unknown(id))?;
    let payload = match record.state {
        State::Starting | State::Running => TaskPayload::Working,
        State::Cancelled => TaskPayload::Cancelled,
        _ => {
            let result = result(settings, &record).map_err(|error| failed(&error))?;
            match serde_json::to_value(result) {
                Ok(Value::Object(result)) => TaskPayload::Completed { result },
                _ => return Err(ErrorData::internal_error("a result is an object", None)),
            }
        }
    };
    Ok(DetailedTask::new(task(&record), payload))
}

/// Asks for a task to be stopped.
pub async fn cancel(settings: &Settings, id: &str) -> Result<(), ErrorData> {
    let record = settings.jobs.cancel(id).await.map_err(|error| failed(&error))?;
    record.map(drop).ok_or_else(|| unknown(id))
}

/// Takes what a client says to a task. None of them asks anything.
pub fn update(settings: &Settings, id: &str) -> Result<(), ErrorData> {
    settings.jobs.store.get(id).map(drop).ok_or_else(|| unknown(id))
}

fn task(record: &Record) -> Task {
    let status = match record.state {
        State::Starting | State::Running => TaskStatus::Working,
        State::Cancelled => TaskStatus::Cancelled,
        _ => TaskStatus::Completed,
    };
    let message = format!("computer {}, {} bytes printed", record.computer, record.bytes);
    Task::new(record.id.clone(), status, written(record.created), written(record.updated))
        .with_status_message(message)
        .with_poll_interval_ms(POLL_MS)
}

/// The result of the call that the task was.
fn result(settings: &Settings, record: &Record) -> Result<CallToolResult, StoreError> {
    let output = settings.jobs.store.output(&record.id, 0, RESULT_BYTES)?;
    let ok = record.state == State::Done;
    let mut outcome = json!({ "computerId": record.computer, "label": record.label, "ok": ok });
    match &record.error {
        Some(error) => outcome["error"] = error.as_str().into(),
        None => outcome["returns"] = record.returns.clone().unwrap_or_else(|| json!([])),
    }
    outcome["output"] = output.into();
    let mut result = CallToolResult::success(vec![ContentBlock::text(outcome.to_string())]);
    result.structured_content = Some(outcome);
    result.is_error = Some(!ok);
    Ok(result)
}

fn unknown(id: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no task `{}`", crate::text::shown(id)), None)
}

fn failed(error: &StoreError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
