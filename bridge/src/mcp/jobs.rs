//! The tools for jobs: `start-lua`, `job-status`, `job-output`, `job-result`, `cancel-job` and `list-jobs`.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::arguments::{ArgumentError, Exec};
use super::exec::not_connected;
use super::server::{Settings, error_result};
use super::tools;
use crate::jobs::record::written;
use crate::jobs::{Keeper, Record, State, StoreError, Work};
use crate::limits::RESULT_BYTES;

/// What one call of `job-output` gives: a page that a model can read.
const PAGE_BYTES: usize = 64 * 1024;

/// Jobs that `list-jobs` gives.
const LISTED: usize = 100;

/// Why a tool for jobs has no result.
enum Problem {
    Arguments(ArgumentError),
    Store(StoreError),
    Said(String),
}

impl From<ArgumentError> for Problem {
    fn from(error: ArgumentError) -> Self {
        Self::Arguments(error)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Calls one of the tools for jobs.
pub async fn call(settings: &Settings, tool: &str, given: JsonObject) -> CallToolResult {
    let jobs = &settings.jobs;
    let outcome = match tool {
        tools::START => start(settings, given).await,
        tools::STATUS => status(jobs, given).await,
        tools::OUTPUT => output(jobs, given).await,
        tools::RESULT => result(jobs, given).await,
        tools::CANCEL => cancel(jobs, given).await,
        _ => list(jobs, given),
    };
    outcome.unwrap_or_else(|problem| {
        error_result(match problem {
            Problem::Arguments(error) => error.to_string(),
            Problem::Store(error) => format!("{error}: {}", source(&error)),
            Problem::Said(text) => text,
        })
    })
}

fn source(error: &StoreError) -> String {
    std::error::Error::source(error).map_or_else(String::new, ToString::to_string)
}

/// A job as every tool shows it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    job_id: &'a str,
    computer_id: u64,
    label: Option<&'a str>,
    state: State,
    created_at: String,
    updated_at: String,
    output_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

fn shown(record: &Record) -> Value {
    let shown = Shown {
        job_id: &record.id,
        computer_id: record.computer,
        label: record.label.as_deref(),
        state: record.state,
        created_at: written(record.created),
        updated_at: written(record.updated),
        output_bytes: record.bytes,
        error: record.error.as_deref(),
    };
    serde_json::to_value(shown).expect("it holds text and numbers only")
}

fn structured(value: Value, is_error: bool) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);
    result.is_error = Some(is_error);
    result
}

async fn start(settings: &Settings, given: JsonObject) -> Result<CallToolResult, Problem> {
    let Exec { computer, code, timeout } = Exec::read(given)?;
    let Some(computer) = settings.registry.get(computer) else {
        return Err(Problem::Said(not_connected(settings, computer)));
    };
    let millis = timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
    let record = settings.jobs.start(&computer, Work::Code(&code), millis).await?;
    Ok(structured(shown(&record), record.state == State::Failed))
}

/// The job that is asked for, and from which byte of its output on, where that may be said.
fn read(given: JsonObject, takes_from: bool) -> Result<(String, u64), ArgumentError> {
    let (mut id, mut from) = (None, 0);
    for (name, value) in given {
        match (name.as_str(), &value) {
            ("jobId", Value::String(text)) => id = Some(text.clone()),
            ("from", _) if takes_from => from = value.as_u64().ok_or(ArgumentError::From)?,
            ("jobId", _) => return Err(ArgumentError::Job),
            _ => {
                let known = if takes_from { "there are `jobId` and `from`" } else { "there is `jobId`" };
                return Err(ArgumentError::Unknown { name, known });
            }
        }
    }
    Ok((id.ok_or(ArgumentError::Job)?, from))
}

/// The job as it is now, as far as its computer can be asked.
async fn find(jobs: &Keeper, id: &str) -> Result<Record, Problem> {
    jobs.refresh(id).await?.ok_or_else(|| unknown(id))
}

fn unknown(id: &str) -> Problem {
    Problem::Said(format!("there is no job `{}`; `list-jobs` names those there are", crate::text::shown(id)))
}

async fn status(jobs: &Keeper, given: JsonObject) -> Result<CallToolResult, Problem> {
    let (id, _) = read(given, false)?;
    Ok(structured(shown(&find(jobs, &id).await?), false))
}

async fn output(jobs: &Keeper, given: JsonObject) -> Result<CallToolResult, Problem> {
    let (id, from) = read(given, true)?;
    let record = find(jobs, &id).await?;
    let text = jobs.store.output(&id, from, PAGE_BYTES)?;
    let next = from.min(record.bytes) + text.len() as u64;
    let page = json!({
        "jobId": id, "state": record.state, "from": from, "next": next, "more": next < record.bytes, "output": text,
    });
    Ok(structured(page, false))
}

async fn result(jobs: &Keeper, given: JsonObject) -> Result<CallToolResult, Problem> {
    let (id, _) = read(given, false)?;
    let record = find(jobs, &id).await?;
    if !record.state.is_end() {
        return Err(Problem::Said(format!("the job `{id}` has not ended; `job-status` tells when it has")));
    }
    let mut result = Map::new();
    let ok = record.state == State::Done;
    let fields = [
        ("jobId", json!(record.id)),
        ("computerId", json!(record.computer)),
        ("label", json!(record.label)),
        ("state", json!(record.state)),
        ("ok", json!(ok)),
        ("returns", returns(jobs, &id)?.unwrap_or_default()),
        ("error", json!(record.error)),
        ("output", json!(jobs.store.output(&id, 0, RESULT_BYTES)?)),
    ];
    result.extend(
        fields
            .into_iter()
            .filter(|(name, value)| *name == "label" || !value.is_null())
            .map(|(name, value)| (name.to_owned(), value)),
    );
    Ok(structured(Value::Object(result), !ok))
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
    let mut computer = None;
    for (name, value) in given {
        match name.as_str() {
            "computerId" => computer = Some(value.as_u64().ok_or(ArgumentError::ComputerId)?),
            _ => return Err(ArgumentError::Unknown { name, known: "there is `computerId`" }.into()),
        }
    }
    let all = jobs.store.all().into_iter();
    let fits = all.filter(|record| computer.is_none_or(|computer| record.computer == computer));
    let listed: Vec<Value> = fits.take(LISTED).map(|record| shown(&record)).collect();
    Ok(structured(json!({ "jobs": listed }), false))
}
