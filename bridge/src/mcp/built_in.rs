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

/// What a tool does: whether it only reads, whether a second call changes nothing more, and whether it reaches what the
/// bridge knows nothing of.
type Hints = [bool; 3];
const READS: Hints = [true, true, false];
const RUNS: Hints = [false, false, true];
const STOPS: Hints = [false, true, false];

fn tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    input: Arc<JsonObject>,
    [read_only, idempotent, open_world]: Hints,
) -> Tool {
    let hints = ToolAnnotations::with_title(title)
        .read_only(read_only)
        .destructive(!read_only)
        .idempotent(idempotent)
        .open_world(open_world);
    Tool::new(name, description, input).with_title(title).with_annotations(hints)
}

fn probe() -> Tool {
    let description = "Asks every linked ComputerCraft computer for a sign of life. Returns a line for each, ordered by \
        id: `pong from 12 (Label: base-turtle)`, or `timeout from …`, `error from …`, `disconnected from …`.";
    let input = object(json!({ "type": "object", "properties": {}, "additionalProperties": false }));
    tool(PROBE, "Probe computers", description, input, READS)
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
    tool(EXEC, "Run Lua", description, input, RUNS).with_raw_output_schema(output)
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
            "limit": { "type": "integer", "minimum": 1, "description": "At most this many, in the order of their ids" },
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
    tool(LIST, "List computers", description, input, READS).with_raw_output_schema(output)
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
    let input = chunk("When to stop the job, in milliseconds; never when it is left out");
    tool(START, "Start Lua as a job", description, input, RUNS)
}

fn status() -> Tool {
    let description = "Tells how far a job is: `starting`, `running`, `done`, `failed`, `cancelled`, `interrupted` (its \
        computer stopped) or `lost` (its computer does not know it).";
    tool(STATUS, "Job status", description, job_id(json!({})), READS)
}

fn job_output() -> Tool {
    let description =
        "Returns what a job has printed so far, from a position on. `next` is where the next page begins.";
    let from = json!({ "from": { "type": "integer", "minimum": 0, "description": "The `next` of the page before" } });
    tool(OUTPUT, "Job output", description, job_id(from), READS)
}

fn job_result() -> Tool {
    let description = "Returns what a job that has ended returned and printed, as `exec-lua` would have.";
    tool(RESULT, "Job result", description, job_id(json!({})), READS)
}

fn cancel() -> Tool {
    let description = "Stops a job; where its computer is not linked, as soon as it is.";
    tool(CANCEL, "Cancel a job", description, job_id(json!({})), STOPS)
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
    tool(JOBS, "List jobs", description, input, READS)
}
