//! Calls that become tasks: an `exec-lua` that takes long, and the call of a declared tool with `mcp.task`. What a tool asks
//! before it has become a task is asked as in every call, and the client calls again with the answers.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, CallToolResponse, CreateTaskResult, InputRequiredResult};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::super::arguments::Exec;
use super::super::call::{CallEnd, CallError};
use super::super::declared::ask::client_can;
use super::super::declared::call::{Refused, TRIES, UNKNOWN_HANDLER, aim, deliver};
use super::super::server::Settings;
use super::state::{input_requests, outcome, task, update};
use crate::computer::Computer;
use crate::jobs::keeper::TOO_OLD;
use crate::jobs::{Record, State, StoreError, Work};
use crate::limits::MAX_TIMEOUT_MS;
use crate::link::frame::CallParams;
use crate::sources::millis;
use crate::tools::LuaTool;
use crate::tools::index::Tasks;

/// A call that ends within this time is answered like any other.
const PROMPT: Duration = Duration::from_secs(2);

/// The first pause between two looks at the job, and the longest.
const FIRST_LOOK: Duration = Duration::from_millis(10);
const LONGEST_LOOK: Duration = Duration::from_millis(250);

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
        Ok(record) => Some(settle(settings, record, PROMPT, None).await),
        Err(why) => why.answer(&computer),
    }
}

/// Calls a declared tool as a job, in the same way, or goes on with one that has asked something; nothing where its
/// computer's program is too old for that, or the call that goes on is no job.
pub async fn call(
    settings: &Settings,
    tool: &LuaTool,
    asked: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    if let Some(id) = &asked.request_state {
        let record = settings.jobs.store.get(id);
        let record = record.filter(|record| record.tool.as_deref() == Some(&*tool.listed.name))?;
        settings.early.take(id, |()| true)?;
        return Some(go_on(settings, tool, record, asked, context).await);
    }
    let mut arguments = Value::Object(asked.arguments.clone().unwrap_or_default());
    let computer = match aim(settings, tool, &mut arguments) {
        Ok(computer) => computer,
        Err(refused) => return Some(Ok(refused.into_response())),
    };
    // A task has no deadline unless its tool has one.
    let timeout_ms = tool.timeout.map_or(MAX_TIMEOUT_MS, millis);
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
            Ok(record) => return Some(settle(settings, record, patience, Some((tool, context))).await),
            Err(NotStarted::Said(error)) if error == UNKNOWN_HANDLER => {
                if let Err(end) = deliver(settings, tool, &computer, since).await {
                    return Some(Ok(refused(&computer, end)));
                }
            }
            Err(why) => return why.answer(&computer),
        }
    }
    let problem = "it does not keep the tool's handler".to_owned();
    Some(Ok(refused(&computer, CallEnd::Failed(problem))))
}

/// The result of a call that was not even started.
fn refused(computer: &Computer, end: CallEnd) -> CallToolResponse {
    Refused::Call(CallError::before(computer, end)).into_response()
}

/// Why nothing runs.
enum NotStarted {
    /// The computer said so, before anything ran.
    Said(String),
    Store(StoreError),
}

impl NotStarted {
    /// What the client hears; nothing where the call may go on as one that is no job.
    fn answer(self, computer: &Computer) -> Option<Result<CallToolResponse, ErrorData>> {
        match self {
            Self::Said(error) if error == TOO_OLD => None,
            Self::Said(error) => Some(Ok(refused(computer, CallEnd::Failed(error)))),
            Self::Store(error) => Some(Err(error.into())),
        }
    }
}

/// Starts a job. One that was refused leaves no record: nobody has heard of it.
async fn start(
    settings: &Settings,
    computer: &Arc<Computer>,
    work: Work<'_>,
    timeout: Option<Duration>,
) -> Result<Record, NotStarted> {
    let record = settings.jobs.start(computer, work, timeout).await.map_err(NotStarted::Store)?;
    if record.state != State::Failed {
        return Ok(record);
    }
    let _ = settings.jobs.store.remove(&record.id);
    Err(NotStarted::Said(record.error.unwrap_or_default()))
}

/// Answers with the result of a job that ends within this time, with what it asks where it does so first, and with a task
/// otherwise.
async fn settle(
    settings: &Settings,
    mut record: Record,
    patience: Duration,
    asks: Option<(&LuaTool, &RequestContext<RoleServer>)>,
) -> Result<CallToolResponse, ErrorData> {
    let (until, mut pause) = (Instant::now() + patience, FIRST_LOOK);
    while !record.state.is_end() && Instant::now() < until {
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_LOOK);
        match settings.jobs.refresh(&record.id).await? {
            Some(fresh) => record = fresh,
            None => break,
        }
        let Some((tool, context)) = asks else { continue };
        let requests = input_requests(settings, &record, context).await;
        if !requests.is_empty() {
            put_early(settings, &record.id, tool);
            return Ok(InputRequiredResult::new(Some(requests), Some(record.id)).into());
        }
    }
    if !record.state.is_end() {
        return Ok(CallToolResponse::Task(CreateTaskResult::new(task(&record))));
    }
    Ok(outcome(settings, &record)?.into())
}

/// Gives a job that has asked something what its client said.
async fn go_on(
    settings: &Settings,
    tool: &LuaTool,
    record: Record,
    asked: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let responses = asked.input_responses.clone().unwrap_or_default();
    if let Err(error) = update(settings, &record.id, responses).await {
        put_early(settings, &record.id, tool);
        return Err(error);
    }
    settle(settings, record, PROMPT, Some((tool, context))).await
}

/// Waits for the client of a job that has asked something before it became a task. One that does not come back with the
/// answers knows nothing of the job: it is cancelled when it would have been too late for any call.
fn put_early(settings: &Settings, id: &str, tool: &LuaTool) {
    let until = Instant::now() + tool.timeout.unwrap_or(settings.exec_timeout);
    let (jobs, job) = (settings.jobs.clone(), id.to_owned());
    settings.early.put(id.to_owned(), until, (), async move |()| drop(jobs.cancel(&job).await));
}
