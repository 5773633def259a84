//! What a chunk returned, as its computer describes it: checked, so that nothing else is passed on.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// What a chunk returned and printed, as it came.
#[derive(Deserialize)]
struct Ran {
    #[serde(default = "nothing")]
    returns: Value,
    #[serde(default)]
    output: String,
}

fn nothing() -> Value {
    Value::Array(Vec::new())
}

/// Reads the result of a chunk: the list of what it returned, and what it printed. What is none is given back as it came.
pub fn read(result: Option<&RawValue>) -> Result<(Value, String), &str> {
    let raw = result.map_or("null", RawValue::get);
    let Ran { returns, output } = serde_json::from_str(raw).map_err(|_| raw)?;
    let returns: Option<Value> = match returns {
        Value::Array(values) => values.into_iter().map(described).collect(),
        // Lua cannot tell an empty list from an empty object.
        Value::Object(fields) if fields.is_empty() => Some(nothing()),
        _ => None,
    };
    Ok((returns.ok_or(raw)?, output))
}

/// One value as its computer describes it, with nothing else that the computer may say of it; it may be megabytes, and is
/// moved.
fn described(value: Value) -> Option<Value> {
    let Value::Object(mut said) = value else { return None };
    let kind = said.remove("type").filter(Value::is_string)?;
    let mut described = Map::with_capacity(2);
    described.insert("type".to_owned(), kind);
    for name in ["value", "repr", "base64"] {
        match said.remove(name).filter(|field| !field.is_null()) {
            None => {}
            Some(field) if field.is_string() || name == "value" && is_scalar(&field) => {
                described.insert(name.to_owned(), field);
            }
            Some(_) => return None,
        }
    }
    Some(Value::Object(described))
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}
