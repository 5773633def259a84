//! The tools for jobs: `start-lua`, `job-status`, `job-output`, `job-result`, `cancel-job` and `list-jobs`.

use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};
use thiserror::Error;

use super::arguments::{ArgumentError, COMPUTER_ID, Exec, Given, text, whole};
use super::built_in;
use super::exec::not_connected;
use super::server::{Settings, error_result, structured};
use crate::jobs::record::written;
use crate::jobs::{Keeper, Record, State, StoreError, Work};
use crate::limits::RESULT_BYTES;

/// What one call of `job-output` gives: a page that a model can read.
const PAGE_BYTES: usize = 64 * 1024;

/// Jobs that `list-jobs` gives.
const LISTED: usize = 100;

const JOB: &str = "`jobId` must be the id of a job, as `start-lua` gave it";
const FROM: &str = "`from` must be a whole number from 0, the `next` of the page before";

/// Why a tool for jobs has no result.
#[derive(Debug, Error)]
enum Problem {
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    #[error("{0}: {source}", source = source(.0))]
    Store(#[from] StoreError),
    #[error("{0}")]
    Said(String),
}

/// Calls one of the tools for jobs.
pub async fn call(settings: &Settings, tool: &str, given: JsonObject) -> CallToolResult {
    let jobs = &settings.jobs;
    let outcome = match tool {
        built_in::START => start(settings, given).await,
        built_in::STATUS => status(jobs, given).await,
        built_in::OUTPUT => output(jobs, given).await,
        built_in::RESULT => result(jobs, given).await,
        built_in::CANCEL => cancel(jobs, given).await,
        _ => list(jobs, given),
    };
    outcome.unwrap_or_else(|problem| error_result(problem.to_string()))
}

fn source(error: &StoreError) -> String {
    std::error::Error::source(error).map_or_else(String::new, ToString::to_string)
}

/// A job as every tool shows it.
fn shown(record: &Record) -> Value {
    let mut shown = json!({
        "jobId": record.id,
        "computerId": record.computer,
        "label": record.label,
        "state": record.state,
        "createdAt": written(record.created),
        "updatedAt": written(record.updated),
        "outputBytes": record.bytes,
    });
    if let Some(error) = &record.error {
        shown["error"] = json!(error);
    }
    shown
}

async fn start(settings: &Settings, given: JsonObject) -> Result<CallToolResult, Problem> {
    let Exec { computer, code, timeout } = Exec::read(given)?;
    let Some(computer) = settings.registry.get(computer) else {
        return Err(Problem::Said(not_connected(settings, computer)));
    };
    let record = settings.jobs.start(&computer, Work::Code(&code), timeout).await?;
    Ok(structured(shown(&record), record.state == State::Failed))
}

/// The job that is asked for, and from which byte of its output on, where that may be said.
fn read(given: JsonObject, takes_from: bool) -> Result<(String, u64), ArgumentError> {
    let mut given = Given(given);
    let id = given.take("jobId", text, JOB)?.ok_or(JOB)?;
    let from = if takes_from { given.take("from", whole, FROM)? } else { None };
    given.end(if takes_from { "there are `jobId` and `from`" } else { "there is `jobId`" })?;
    Ok((id, from.unwrap_or(0)))
}

/// The job as it is now, as far as its computer can be asked.
async fn find(jobs: &Keeper, id: &str) -> Result<Record, Problem> {
    jobs.refresh(id).await?.ok_or_else(|| unknown(id))
}

fn unknown(id: &str) -> Problem {
    Problem::Said(format!("there is no job `{}`; `list-jobs` lists all jobs", crate::text::shown(id)))
}

async fn status(jobs: &Keeper, given: JsonObject) -> Result<CallToolResult, Problem> {
    let (id, _) = read(given, false)?;
    Ok(structured(shown(&find(jobs, &id).await?), false))
}

async fn output(jobs: &Keeper, given: JsonObject) -> Result<CallToolResult, Problem> {
    let (id, from) = read(given, true)?;
    let record = find(jobs, &id).await?;
    let output = jobs.store.output(&id, from, PAGE_BYTES)?;
    let next = from.min(record.bytes) + output.len() as u64;
    let page = json!({
        "jobId": id, "state": record.state, "from": from, "next": next, "more": next < record.bytes, "output": output,
    });
    Ok(structured(page, false))
}

async fn result(jobs: &Keeper, given: JsonObject) -> Result<CallToolResult, Problem> {
    let (id, _) = read(given, false)?;
    let record = find(jobs, &id).await?;
    if !record.state.is_end() {
        return Err(Problem::Said(format!("the job `{id}` has not ended; `job-status` tells when it has")));
    }
    let mut result = outcome(jobs, &record)?;
    let fields = result.as_object_mut().expect("an outcome has fields");
    fields.shift_insert(0, "jobId".to_owned(), record.id.into());
    fields.shift_insert(3, "state".to_owned(), json!(record.state));
    Ok(structured(result, record.state != State::Done))
}

/// What became of a job, as `exec-lua` would have said it.
pub fn outcome(jobs: &Keeper, record: &Record) -> Result<Value, StoreError> {
    let ok = record.state == State::Done;
    let mut outcome = json!({ "computerId": record.computer, "label": record.label, "ok": ok });
    if let Some(returns) = returns(jobs, &record.id)?.filter(|returns| !returns.is_null()) {
        outcome["returns"] = returns;
    }
    if let Some(error) = &record.error {
        outcome["error"] = json!(error);
    }
    outcome["output"] = json!(jobs.store.output(&record.id, 0, RESULT_BYTES)?);
    Ok(outcome)
}

/// What a job returned, described.
pub fn returns(jobs: &Keeper, id: &str) -> Result<Option<Value>, StoreError> {
    let text = jobs.store.returns(id)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

async fn cancel(jobs: &Keeper, given: JsonObject) -> Result<CallToolResult, Problem> {
    let (id, _) = read(given, false)?;
    let record = jobs.cancel(&id).await?.ok_or_else(|| unknown(&id))?;
    Ok(structured(shown(&record), false))
}

fn list(jobs: &Keeper, given: JsonObject) -> Result<CallToolResult, Problem> {
    let mut given = Given(given);
    let computer = given.take("computerId", whole, COMPUTER_ID)?;
    given.end("there is `computerId`")?;
    let all = jobs.store.all().into_iter();
    let fits = all.filter(|record| computer.is_none_or(|computer| record.computer == computer));
    let listed: Vec<Value> = fits.take(LISTED).map(|record| shown(&record)).collect();
    Ok(structured(json!({ "jobs": listed }), false))
}
