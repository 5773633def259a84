//! `config`: the emulator's settings, as the reference shows them to programs.
//!
//! What a program sets holds for its computer and is not written back; what guards the host cannot be set.

use serde_json::Value as Json;

use super::{Arguments, Host};
use crate::config::type_of;
use crate::lua::{Call, Native, NativeResult, Raise, Table, Value};

/// Settings that a program may read but not change: they protect the host.
const GUARDED: &[&str] = &[
    "computerSpaceLimit",
    "http_blacklist",
    "http_enable",
    "http_max_download",
    "http_max_requests",
    "http_max_upload",
    "http_max_websocket_message",
    "http_max_websockets",
    "http_websocket_enabled",
    "http_whitelist",
    "maxOpenPorts",
    "maximumFilesOpen",
    "memoryLimit",
];

/// How long a computer may run without yielding.
const ABORT_TIMEOUT: &str = "abortTimeout";

/// Settings are kept outside of Lua's memory, which is counted; none is longer.
const LARGEST: usize = 64 * 1024;
/// Each request goes through the whole list.
const MOST_ENTRIES: usize = 1024;

fn to_lua(value: &Json) -> Value {
    match value {
        Json::Null => Value::Nil,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => Value::Number(number.as_f64().unwrap_or(0.0)),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(values) => Value::list(values.iter().map(to_lua)),
        Json::Object(map) => {
            let mut table = Table::default();
            for (key, value) in map {
                table.set(key, to_lua(value));
            }
            Value::Table(table)
        }
    }
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => serde_json::Number::from_f64(*number).map_or(Json::Null, Json::Number),
        Value::String(bytes) => Json::String(String::from_utf8_lossy(bytes).into_owned()),
        Value::Table(table) => Json::Array(table.entries.iter().map(|(_, value)| to_json(value)).collect()),
        _ => Json::Null,
    }
}

fn name(call: &Call<'_>) -> Result<String, Raise> {
    call.text(1).map(|name| String::from_utf8_lossy(&name).into_owned())
}

fn get(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let name = name(call)?;
    let value = if name == "isColor" {
        Value::Bool(host.computer_config.is_color)
    } else {
        host.settings().get(&name).map_or(Value::Nil, to_lua)
    };
    call.push(value);
    Ok(())
}

fn get_type(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let name = name(call)?;
    let found = host.settings().get(&name).map(type_of);
    call.push(found);
    Ok(())
}

fn list(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let names: Vec<Value> = host.settings().names().map(|name| Value::from(name.as_str())).collect();
    call.push(Value::list(names));
    Ok(())
}

fn set(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let name = name(call)?;
    if host.settings().get(&name).is_none() {
        return Err(Raise::new(format!("Unknown configuration option '{name}'")));
    }
    if host.settings().flag("configReadOnly") || GUARDED.contains(&name.as_str()) {
        return Err(Raise::new("Configuration option is protected"));
    }
    let value = call.value(2)?;
    if value.size() > LARGEST {
        return Err(Raise::new("value is too large"));
    }
    let mut value = to_json(&value);
    if name == ABORT_TIMEOUT
        && value.as_f64() > host.world.settings().get(ABORT_TIMEOUT).and_then(Json::as_f64)
    {
        // A program may take itself time, but not give itself more.
        value = host.world.settings().get(ABORT_TIMEOUT).cloned().unwrap_or_default();
    }
    let got = call.type_name(2);
    host.settings_mut()
        .set(&name, value)
        .map_err(|expected| Raise::new(format!("bad argument #2 (expected {expected}, got {got})")))
}

/// Adds to or removes from a list; only `http_blacklist` is open, and it only grows.
fn add(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let name = name(call)?;
    let entry = String::from_utf8_lossy(&call.text(2)?).into_owned();
    if name != "http_blacklist" {
        return Err(Raise::new("Configuration option is protected"));
    }
    let mut entries = host.settings().list(&name);
    if entry.len() + entries.iter().map(String::len).sum::<usize>() > LARGEST || entries.len() >= MOST_ENTRIES
    {
        return Err(Raise::new("list is too long"));
    }
    entries.push(entry);
    host.settings_mut().preset(&name, entries.into());
    Ok(())
}

fn remove(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    call.text(1)?;
    call.text(2)?;
    Err(Raise::new("Configuration option is protected"))
}

pub const NATIVES: &[Native] = &[
    Native { name: "add", run: add },
    Native { name: "get", run: get },
    Native { name: "getType", run: get_type },
    Native { name: "list", run: list },
    Native { name: "remove", run: remove },
    Native { name: "set", run: set },
];
