//! How the tools are described to clients: names, schemas and hints. What they do stands in their own files.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::limits::{CODE_BYTES, MAX_TIMEOUT_MS};

pub const PROBE: &str = "probe-computers";
pub const EXEC: &str = "exec-lua";
pub const LIST: &str = "list-computers";

/// The names of all of them.
pub const NAMES: [&str; 3] = [PROBE, EXEC, LIST];

/// All tools, in the order in which clients see them.
pub fn all() -> Vec<Tool> {
    vec![probe(), exec(), list()]
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
    let input = object(json!({
        "type": "object",
        "properties": {
            "computerId": { "type": "integer", "minimum": 0, "description": "Id of the computer" },
            "code": {
                "type": "string",
                "maxLength": CODE_BYTES,
                "description": "Lua 5.2 source, for example `return os.getComputerLabel()`",
            },
            "timeoutMs": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_TIMEOUT_MS,
                "description": "How long to wait for the result, in milliseconds",
            },
        },
        "required": ["computerId", "code"],
        "additionalProperties": false,
    }));
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
