//! How the tools are described to clients: names, schemas and hints. What they do stands in their own files.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::limits::{CODE_BYTES, MAX_TIMEOUT_MS};

pub const PROBE: &str = "probe-computers";
pub const EXEC: &str = "exec-lua";
pub const LIST: &str = "list-computers";
pub const START: &str = "start-lua";
pub const STATUS: &str = "job-status";
pub const OUTPUT: &str = "job-output";
pub const RESULT: &str = "job-result";
pub const CANCEL: &str = "cancel-job";
pub const JOBS: &str = "list-jobs";

/// The names of all of them.
pub const NAMES: [&str; 9] = [PROBE, EXEC, LIST, START, STATUS, OUTPUT, RESULT, CANCEL, JOBS];

/// All tools, in the order in which clients see them.
pub fn all() -> Vec<Tool> {
    vec![probe(), exec(), list(), start(), status(), job_output(), job_result(), cancel(), jobs()]
}

fn object(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(object) => Arc::new(object),
        _ => unreachable!("every schema here is written as an object"),
    }
}

fn no_arguments() -> Arc<JsonObject> {
    object(json!({ "type": "object", "properties": {}, "additionalProperties": false }))
}

fn reads(title: &str) -> ToolAnnotations {
    ToolAnnotations::with_title(title).read_only(true).destructive(false).idempotent(true).open_world(false)
}

fn probe() -> Tool {
    let description = "Asks every linked ComputerCraft computer for a sign of life. Returns a line for each, ordered by \
        id: `pong from 12 (Label: base-turtle)`, or `timeout from …`, `error from …`, `disconnected from …`.";
    Tool::new(PROBE, description, no_arguments())
        .with_title("Probe computers")
        .with_annotations(reads("Probe computers"))
}

fn exec() -> Tool {
    let description = "Runs Lua on one linked ComputerCraft computer and returns what it returned and printed. The code runs \
        with everything that the computer may do (fs, peripheral, turtle, redstone, http, shell, require); globals that \
        it assigns are gone afterwards. Call `list-computers` for the ids.";
    let input = chunk("How long to wait for the result, in milliseconds");
    let output = object(json!({
        "type": "object",
        "properties": {
            "computerId": { "type": "integer" },
            "label": { "type": ["string", "null"] },
            "ok": { "type": "boolean", "description": "Whether the code ran to its end" },
            "returns": {
                "type": "array",
                "description": "What the code returned, in order, nils included; only where `ok`",
                "items": {
                    "type": "object",
                    "properties": {
                        "type": { "type": "string", "description": "Lua's type of the value" },
                        "value": { "type": ["string", "number", "boolean"] },
                        "repr": { "type": "string", "description": "The value as text, where JSON cannot hold it" },
                        "base64": { "type": "string", "description": "A string that is not valid text" },
                    },
                    "required": ["type"],
                },
            },
            "error": { "type": "string", "description": "Lua's error message; only where not `ok`" },
            "output": { "type": "string", "description": "What `print` and `write` printed" },
        },
        "required": ["computerId", "label", "ok", "output"],
    }));
    let hints = ToolAnnotations::with_title("Run Lua")
        .read_only(false)
        .destructive(true)
        .idempotent(false)
        .open_world(true);
    Tool::new(EXEC, description, input)
        .with_title("Run Lua")
        .with_raw_output_schema(output)
        .with_annotations(hints)
}

fn list() -> Tool {
    let description = "Lists the linked ComputerCraft computers: id, label, version and capabilities of the program that links \
        them, for how long each is connected and when it was last heard. Without arguments all of them; where there are \
        many, a filter and a limit.";
    let input = object(json!({
        "type": "object",
        "properties": {
            "label": { "type": "string", "description": "Only those with this in their label, whatever its case" },
            "capability": { "type": "string", "description": "Only those that can do this, for example `tools`" },
            "limit": { "type": "integer", "minimum": 1, "description": "At most so many, in the order of their ids" },
            "cursor": { "type": "string", "description": "The `nextCursor` of the page before" },
        },
        "additionalProperties": false,
    }));
    let output = object(json!({
        "type": "object",
        "properties": {
            "computers": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": { "type": "integer" },
                        "label": { "type": ["string", "null"] },
                        "version": { "type": ["string", "null"], "description": "Version of `mcp-computer`" },
                        "capabilities": { "type": "array", "items": { "type": "string" } },
                        "connectedForMs": { "type": "integer" },
                        "lastSeenAt": { "type": "string", "format": "date-time" },
                    },
                    "required": ["id", "label", "version", "capabilities", "connectedForMs", "lastSeenAt"],
                },
            },
            "nextCursor": { "type": "string", "description": "Where the next page begins; only where there is one" },
        },
        "required": ["computers"],
    }));
    Tool::new(LIST, description, input)
        .with_title("List computers")
        .with_raw_output_schema(output)
        .with_annotations(reads("List computers"))
}

/// The arguments of `exec-lua` and `start-lua`.
fn chunk(timeout: &str) -> Arc<JsonObject> {
    object(json!({
        "type": "object",
        "properties": {
            "computerId": { "type": "integer", "minimum": 0, "description": "Id of the computer" },
            "code": {
                "type": "string",
                "maxLength": CODE_BYTES,
                "description": "Lua 5.2 source, for example `return os.getComputerLabel()`",
            },
            "timeoutMs": { "type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT_MS, "description": timeout },
        },
        "required": ["computerId", "code"],
        "additionalProperties": false,
    }))
}

fn job_id(more: Value) -> Arc<JsonObject> {
    let mut properties = json!({ "jobId": { "type": "string", "description": "What `start-lua` returned" } });
    if let (Some(properties), Value::Object(more)) = (properties.as_object_mut(), more) {
        properties.extend(more);
    }
    object(json!({
        "type": "object", "properties": properties, "required": ["jobId"], "additionalProperties": false,
    }))
}

fn start() -> Tool {
    let description = "Starts Lua on one linked ComputerCraft computer as a job, and returns its `jobId` at once. For what \
        takes longer than a minute: the job goes on when the client leaves, when the link is lost and when the bridge is \
        restarted. `job-status` tells whether it has ended, `job-output` what it printed, `job-result` what it returned. \
        A job that runs when its computer stops is `interrupted`; Lua is never run a second time.";
    let hints = ToolAnnotations::with_title("Start Lua as a job")
        .read_only(false)
        .destructive(true)
        .idempotent(false)
        .open_world(true);
    Tool::new(START, description, chunk("When to stop the job, in milliseconds; never when it is left out"))
        .with_title("Start Lua as a job")
        .with_annotations(hints)
}

fn status() -> Tool {
    let description = "Tells how far a job is: `starting`, `running`, `done`, `failed`, `cancelled`, `interrupted` (its \
        computer stopped) or `lost` (its computer does not know it).";
    Tool::new(STATUS, description, job_id(json!({})))
        .with_title("Job status")
        .with_annotations(reads("Job status"))
}

fn job_output() -> Tool {
    let description =
        "Returns what a job has printed so far, from a position on. `next` is where the next page begins.";
    let from = json!({ "from": { "type": "integer", "minimum": 0, "description": "The `next` of the page before" } });
    Tool::new(OUTPUT, description, job_id(from))
        .with_title("Job output")
        .with_annotations(reads("Job output"))
}

fn job_result() -> Tool {
    let description = "Returns what a job that has ended returned and printed, as `exec-lua` would have.";
    Tool::new(RESULT, description, job_id(json!({})))
        .with_title("Job result")
        .with_annotations(reads("Job result"))
}

fn cancel() -> Tool {
    let description = "Stops a job; where its computer is not linked, as soon as it is.";
    let hints = ToolAnnotations::with_title("Cancel a job")
        .read_only(false)
        .destructive(true)
        .idempotent(true)
        .open_world(false);
    Tool::new(CANCEL, description, job_id(json!({}))).with_title("Cancel a job").with_annotations(hints)
}

fn jobs() -> Tool {
    let description = "Lists jobs, the newest first, at most 100 of them.";
    let input = object(json!({
        "type": "object",
        "properties": {
            "computerId": { "type": "integer", "minimum": 0, "description": "Only those of this computer" },
        },
        "additionalProperties": false,
    }));
    Tool::new(JOBS, description, input).with_title("List jobs").with_annotations(reads("List jobs"))
}
