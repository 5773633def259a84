//! What a tool returned, as a result that every client can read. A result that is none is reported, not passed on.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::text::shown;
use crate::tools::LuaTool;

/// What is wrong with a result.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ResultError {
    #[error("unexpected answer \"{}\"", shown(.0))]
    NotATable(String),
    #[error("the tool `{tool}` returned a malformed result: {}", shown(.problem))]
    Malformed { tool: String, problem: String },
    #[error("the tool `{tool}` returned what does not fit its `mcp.outputSchema`: {}", shown(.problem))]
    Output { tool: String, problem: String },
}

/// Reads what a computer answered to `call-tool`.
pub fn read(tool: &LuaTool, raw: Option<&RawValue>) -> Result<CallToolResult, ResultError> {
    let raw = raw.map_or("null", RawValue::get);
    match serde_json::from_str(raw) {
        Ok(value) => of_value(&tool.listed.name, Some(tool), value),
        Err(_) => Err(ResultError::NotATable(raw.to_owned())),
    }
}

/// The same of what was read already; the tool may not be there any more, and with it what it promised.
pub fn of_value(name: &str, tool: Option<&LuaTool>, value: Value) -> Result<CallToolResult, ResultError> {
    let Value::Object(table) = value else { return Err(ResultError::NotATable(value.to_string())) };
    let name = || name.to_owned();
    let result = parse(table).map_err(|problem| ResultError::Malformed { tool: name(), problem })?;
    if result.is_error != Some(true)
        && let Some(problem) = tool.and_then(|tool| tool.wrong_output(result.structured_content.as_ref()))
    {
        return Err(ResultError::Output { tool: name(), problem });
    }
    Ok(result)
}

/// Leaves out what clients of the handshake era refuse: to them structured content is an object. Its text stays.
pub fn for_era(mut result: CallToolResult, is_stateless: bool) -> CallToolResult {
    if !is_stateless && !result.structured_content.as_ref().is_some_and(Value::is_object) {
        result.structured_content = None;
    }
    result
}

fn parse(mut table: Map<String, Value>) -> Result<CallToolResult, String> {
    let mut result = CallToolResult::success(Vec::new());
    result.is_error = match table.remove("isError") {
        None | Some(Value::Null) => Some(false),
        Some(Value::Bool(is_error)) => Some(is_error),
        Some(_) => return Err("`isError` is neither true nor false".to_owned()),
    };
    result.structured_content = table.remove("structuredContent");
    result.meta = match table.remove("_meta") {
        None => None,
        Some(meta @ Value::Object(_)) => {
            Some(serde_json::from_value::<MetaObject>(meta).map_err(|error| format!("`_meta`: {error}"))?)
        }
        Some(_) => return Err("`_meta` is not a table".to_owned()),
    };
    let blocks = match table.remove("content") {
        Some(Value::Array(blocks)) => blocks,
        // Lua cannot tell an empty list from an empty table.
        Some(Value::Object(empty)) if empty.is_empty() => Vec::new(),
        None => Vec::new(),
        Some(_) => return Err("`content` is not a list".to_owned()),
    };
    for (at, block) in blocks.into_iter().enumerate() {
        result.content.push(content(block).map_err(|problem| format!("`content[{}]`: {problem}", at + 1))?);
    }
    if result.content.is_empty()
        && let Some(structured) = &result.structured_content
    {
        // Clients that know nothing of structured content read it as text.
        result.content.push(ContentBlock::text(structured.to_string()));
    }
    Ok(result)
}

fn content(mut block: Value) -> Result<ContentBlock, String> {
    let kind = block["type"].as_str().map(ToOwned::to_owned);
    let kind = kind.ok_or("it has no `type`")?;
    match kind.as_str() {
        "image" | "audio" => check_base64(&block, "data")?,
        "resource" if block["resource"].get("blob").is_some() => check_base64(&block["resource"], "blob")?,
        "text" | "resource" | "resource_link" => {}
        other => {
            let known = "`text`, `image`, `audio`, `resource` and `resource_link`";
            return Err(format!("the type `{}` is not known; there are {known}", shown(other)));
        }
    }
    if let Some(annotations) = block.get("annotations")
        && annotations.as_object().is_some_and(Map::is_empty)
    {
        block.as_object_mut().expect("it has a type").remove("annotations");
    }
    serde_json::from_value(block).map_err(|error| format!("{kind}: {error}"))
}

fn check_base64(holder: &Value, field: &str) -> Result<(), String> {
    let data = holder[field].as_str().ok_or_else(|| format!("`{field}` is not base64 text"))?;
    STANDARD.decode(data).map(drop).map_err(|error| format!("`{field}` is not base64: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn result(value: Value) -> Result<Value, String> {
        let Value::Object(table) = value else { panic!("a table") };
        parse(table).map(|result| serde_json::to_value(result).expect("JSON"))
    }

    #[rstest]
    #[case(json!({ "type": "text", "text": "a" }))]
    #[case(json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" }))]
    #[case(json!({ "type": "audio", "data": "AAAA", "mimeType": "audio/wav" }))]
    #[case(json!({ "type": "resource", "resource": { "uri": "a://b", "mimeType": "text/plain", "text": "x" } }))]
    #[case(json!({ "type": "resource", "resource": { "uri": "a://b", "mimeType": "x/y", "blob": "AAAA" } }))]
    #[case(json!({ "type": "resource_link", "uri": "a://b", "name": "b" }))]
    #[case(json!({ "type": "text", "text": "a", "annotations": { "audience": ["user"], "priority": 0.5 } }))]
    fn each_kind_of_content_passes_as_it_is(#[case] block: Value) {
        let passed = result(json!({ "content": [block], "isError": true })).expect("a result");
        assert_eq!((&passed["content"][0], &passed["isError"]), (&block, &json!(true)));
    }

    #[test]
    fn what_lua_cannot_say_is_understood() {
        assert_eq!(result(json!({ "content": {} })).expect("a result")["content"], json!([]));
        let structured = result(json!({ "structuredContent": { "a": 1 } })).expect("a result");
        assert_eq!(structured["content"], json!([{ "type": "text", "text": "{\"a\":1}" }]));
        assert_eq!(structured["structuredContent"], json!({ "a": 1 }));
    }

    #[rstest]
    #[case(json!({ "content": "text" }), "`content` is not a list")]
    #[case(json!({ "content": { "type": "text" } }), "`content` is not a list")]
    #[case(json!({ "content": ["text"] }), "`content[1]`: it has no `type`")]
    #[case(json!({ "content": [{ "type": "video" }] }), "`content[1]`: the type `video` is not known")]
    #[case(json!({ "content": [{ "type": "text" }] }), "`content[1]`: text: missing field `text`")]
    #[case(json!({ "content": [{ "type": "image", "mimeType": "image/png" }] }), "`content[1]`: `data` is not base64 text")]
    #[case(json!({ "content": [{ "type": "image", "data": "AA A", "mimeType": "x" }] }), "`data` is not base64")]
    #[case(json!({ "content": [{ "type": "image", "data": "AAAA" }] }), "`content[1]`: image: missing field `mimeType`")]
    #[case(json!({ "content": [{ "type": "resource", "resource": { "uri": "a", "blob": "?" } }] }), "`blob` is not base64")]
    #[case(json!({ "content": [], "isError": "yes" }), "`isError` is neither true nor false")]
    #[case(json!({ "content": [], "_meta": 1 }), "`_meta` is not a table")]
    fn a_result_that_is_none_says_why(#[case] value: Value, #[case] says: &str) {
        let problem = result(value).expect_err("malformed");
        assert!(problem.contains(says), "{problem}");
    }
}
