//! Stable names for what changes from run to run, each by the field or the kind of text that it stands in: ids of
//! requests, ports, times, addresses, versions. JSON in one form.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::shown::{quoted, shorten};
use crate::record::Direction;

/// With this the ids of the project's own bridge begin, also in frames that the harness sends in its name.
pub const REQUEST: &str = "req-";

/// Types of Lua whose values are described by their address.
const ADDRESSED: [&str; 4] = ["table: ", "function: ", "thread: ", "userdata: "];

/// An address has so many digits or more, after `0x` where it has that; a word such as `face` has fewer.
const ADDRESS_DIGITS: usize = 8;

/// The version that this workspace has; it changes with every release, and no snapshot should.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The names given in one computer's part of a transcript.
#[derive(Debug, Default)]
pub struct Names {
    /// Ids of requests in the order in which they were seen.
    requests: Vec<String>,
    /// What has come of frames that are sent in parts, by direction and id.
    parts: BTreeMap<(bool, String), String>,
    port: Option<u16>,
}

impl Names {
    /// Names for one computer: its requests are counted from 1.
    pub fn new(port: Option<u16>) -> Self {
        Self { port, ..Self::default() }
    }

    /// A frame as canonical JSON; what is no frame, in quotes. Of a frame in parts the last shows the whole.
    /// `is_bridges` says that the bridge sent it, and not the harness in its name.
    pub fn frame(&mut self, direction: Direction, text: &str, is_bridges: bool) -> String {
        let Ok(mut value @ Value::Object(_)) = serde_json::from_str::<Value>(text) else {
            return format!("not a frame: {}", quoted(text));
        };
        if let Some(id) = request_of(&value).filter(|_| is_bridges) {
            self.remember(id);
        }
        if value["type"] != "part" {
            return self.whole(&mut value);
        }
        let key = (direction == Direction::ToBridge, value["id"].to_string());
        let collected = self.parts.entry(key.clone()).or_default();
        collected.push_str(value["data"].as_str().unwrap_or_default());
        let is_last = value["last"] == true;
        value["data"] = "[PART]".into();
        let part = self.whole(&mut value);
        if !is_last {
            return part;
        }
        let collected = self.parts.remove(&key).unwrap_or_default();
        match serde_json::from_str::<Value>(&collected) {
            Ok(mut whole @ Value::Object(_)) => format!("{part} of {}", self.whole(&mut whole)),
            _ => format!("{part} of no frame: {}", quoted(&collected)),
        }
    }

    /// What came of frames whose last part never came, which is forgotten then.
    pub fn unfinished(&mut self) -> Vec<(Direction, String)> {
        let parts = std::mem::take(&mut self.parts);
        let told = parts.into_iter().map(|((to_bridge, id), data)| {
            let direction = if to_bridge { Direction::ToBridge } else { Direction::ToComputer };
            // The data has the id in it, as it is written here.
            let name = serde_json::from_str::<String>(&id).ok().and_then(|id| self.number(&id));
            let (name, data) = match name {
                Some(number) => {
                    let name = format!("\"req-{number}\"");
                    (name.clone(), data.replace(&id, &name))
                }
                None => (id, data),
            };
            (direction, format!("never ended {name}: {}", quoted(&data)))
        });
        told.collect()
    }

    fn whole(&mut self, value: &mut Value) -> String {
        self.request_id(value);
        if let Some(params) = value.get_mut("params") {
            handler(params);
        }
        canonical(value).to_string()
    }

    fn request_id(&mut self, frame: &mut Value) {
        let Some(id) = frame["id"].as_str().map(ToOwned::to_owned) else { return };
        if let Some(number) = self.number(&id) {
            frame["id"] = format!("req-{number}").into();
        }
    }

    /// Which request of this computer an id is, from 1; none for an id that no bridge gives.
    fn number(&mut self, id: &str) -> Option<usize> {
        if id.starts_with(REQUEST) {
            return Some(self.remember(id));
        }
        self.requests.iter().position(|known| known == id).map(|place| place + 1)
    }

    fn remember(&mut self, id: &str) -> usize {
        let known = self.requests.iter().position(|known| known == id);
        1 + known.unwrap_or_else(|| {
            self.requests.push(id.to_owned());
            self.requests.len() - 1
        })
    }

    /// What a computer printed: the program's own lines name its version, its address and its waits.
    pub fn screen(&self, text: &str) -> String {
        let mut text = text.replace(&format!("mcp-computer v{VERSION}"), "mcp-computer v[VER]");
        if let Some(port) = self.port {
            // As wide as what it replaces: ports that were asked for as 0 have five digits.
            text = text.replace(&format!("127.0.0.1:{port}"), "127.0.0.1:[PRT]");
        }
        replace_after(&text, "connecting again in ", 1, |c| c.is_ascii_digit() || c == '.', "[T]")
    }
}

/// The id of a frame with which a bridge asks for something. Other bridges have other ids than the project's own.
pub fn request_of(frame: &Value) -> Option<&str> {
    let is_request = matches!(frame["type"].as_str(), Some("request" | "part"));
    frame["id"].as_str().filter(|_| is_request)
}

/// Names the hash and the code of a tool's handler, which change with every edit of it.
fn handler(params: &mut Value) {
    let Some(params) = params.as_object_mut().filter(|params| params.contains_key("handler")) else { return };
    params.insert("handler".to_owned(), "[HANDLER]".into());
    if let Some(code) = params.get_mut("code") {
        *code = "[CODE]".into();
    }
    if let Some(modules) = params.get_mut("modules").and_then(Value::as_object_mut) {
        modules.values_mut().for_each(|module| *module = "[CODE]".into());
    }
}

/// A value with its keys in order, what changes from run to run named by its field, and long texts cut.
pub fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut keys: Vec<&String> = fields.keys().collect();
            // What a reader looks for first stands first.
            keys.sort_by_key(|key| (*key != "type", *key != "id", (*key).clone()));
            let named = |key: &String| field(key, &fields[key]);
            Value::Object(keys.into_iter().map(|key| (key.clone(), named(key))).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::String(text) => shorten(text).into(),
        other => other.clone(),
    }
}

/// The value of a field. A time that is no time, and a version that is not this one, stay as they are.
fn field(key: &str, value: &Value) -> Value {
    let is_time = match key {
        "connectedForMs" => value.as_u64().is_some(),
        "lastSeenAt" => value.as_str().is_some_and(|text| humantime::parse_rfc3339(text).is_ok()),
        _ => false,
    };
    match (key, value.as_str()) {
        _ if is_time => "[TIME]".into(),
        ("version", Some(VERSION)) => "[VER]".into(),
        ("bridge", Some(text)) if text.ends_with(&format!("/{VERSION}")) => {
            text.replace(VERSION, "[VER]").into()
        }
        ("repr", Some(text)) => {
            let named = ADDRESSED.iter().fold(text.to_owned(), |text, kind| {
                replace_after(&text, kind, ADDRESS_DIGITS, |c| c.is_ascii_hexdigit() || c == 'x', "[ADDRESS]")
            });
            shorten(&named).into()
        }
        _ => canonical(value),
    }
}

/// Replaces the run of characters that follows a mark, wherever it is long enough.
fn replace_after(text: &str, mark: &str, least: usize, belongs: impl Fn(char) -> bool, name: &str) -> String {
    let mut parts = text.split(mark);
    let mut replaced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(&belongs);
        replaced.push_str(mark);
        if part.len() - rest.len() >= least {
            replaced.push_str(name);
            replaced.push_str(rest);
        } else {
            replaced.push_str(part);
        }
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(names: &mut Names, text: &str) -> String {
        names.frame(Direction::ToBridge, text, false)
    }

    #[test]
    fn ids_of_another_bridge_are_counted_too_and_those_of_the_harness_are_not() {
        let told = |id: &str| {
            let request = format!(r#"{{"type":"request","id":"{id}","method":"ping"}}"#);
            let response = format!(r#"{{"type":"response","id":"{id}","ok":true}}"#);
            let mut names = Names::new(None);
            names.frame(Direction::ToComputer, &request, true) + &frame(&mut names, &response)
        };
        assert_eq!(told("7f3a-9"), told("req-77"));
        let mut names = Names::new(None);
        let sent = r#"{"type":"request","id":"x","method":"ping"}"#;
        assert!(names.frame(Direction::ToComputer, sent, false).contains(r#""id":"x""#));
        assert!(frame(&mut names, r#"{"type":"response","id":"x","ok":true}"#).contains(r#""id":"x""#));
    }

    #[test]
    fn ids_are_counted_and_keys_are_in_order() {
        let mut names = Names::new(None);
        let response = r#"{"ok":true,"id":"req-77","type":"response","result":{"b":1,"a":2}}"#;
        assert_eq!(
            frame(&mut names, response),
            r#"{"type":"response","id":"req-1","ok":true,"result":{"a":2,"b":1}}"#
        );
        assert!(frame(&mut names, r#"{"type":"cancel","id":"req-78"}"#).contains("req-2"));
        assert!(frame(&mut names, r#"{"type":"cancel","id":"req-77"}"#).contains("req-1"));
    }

    #[test]
    fn the_handler_of_a_tool_has_a_name() {
        let request =
            r#"{"type":"request","params":{"handler":"a1","code":"x","modules":{"lib":{"code":"y"}}}}"#;
        assert_eq!(
            frame(&mut Names::new(None), request),
            r#"{"type":"request","params":{"code":"[CODE]","handler":"[HANDLER]","modules":{"lib":"[CODE]"}}}"#
        );
        assert_eq!(frame(&mut Names::new(None), r#"{"type":"hello"}"#), r#"{"type":"hello"}"#);
    }

    #[test]
    fn a_wrong_byte_in_a_part_shows_and_where_it_was_cut_does_not() {
        let whole = format!(r#"{{"type":"response","id":"req-9","result":"{}"}}"#, "x".repeat(1000));
        let told = |whole: &str, at: usize| {
            let mut names = Names::new(None);
            let part = |seq: usize, last: bool, data: &str| {
                serde_json::json!({ "type": "part", "id": "req-9", "seq": seq, "last": last, "data": data })
                    .to_string()
            };
            frame(&mut names, &part(0, false, &whole[..at]))
                + &frame(&mut names, &part(1, true, &whole[at..]))
        };
        assert_eq!(told(&whole, 500), told(&whole, 700));
        let mut wrong = whole.clone();
        wrong.replace_range(600..601, "y");
        assert_ne!(told(&whole, 500), told(&wrong, 500));
    }

    #[test]
    fn a_wrong_byte_in_parts_that_never_end_shows() {
        let told = |id: &str, data: &str| {
            let part = serde_json::json!({
                "type": "part", "id": id, "seq": 0, "last": false,
                "data": format!(r#"{{"type":"response","id":"{id}","result":"{data}"#),
            });
            let mut names = Names::new(None);
            frame(&mut names, &part.to_string());
            let told = names.unfinished();
            assert_eq!(names.unfinished(), [], "it is told once");
            told
        };
        assert_eq!(told("req-77", "abc"), told("req-9", "abc"));
        assert_ne!(told("req-77", "abc"), told("req-77", "abd"));
    }

    #[test]
    fn what_changes_has_a_name_where_it_belongs_and_nowhere_else() {
        let names = Names::new(Some(41234));
        assert_eq!(names.screen("ws://127.0.0.1:41234/12"), "ws://127.0.0.1:[PRT]/12");
        assert_eq!(names.screen("connecting again in 1.3 s"), "connecting again in [T] s");
        let value = serde_json::json!({
            "repr": "table: 0x55d0c8aa", "value": "table: 0x55d0c8aa", "version": VERSION, "output": VERSION,
            "connectedForMs": 12, "lastSeenAt": "never",
        });
        let swapped = canonical(&serde_json::json!({
            "connectedForMs": "2026-07-28T00:00:00Z", "lastSeenAt": 12,
        }));
        assert_eq!(
            (&swapped["connectedForMs"], &swapped["lastSeenAt"]),
            (&"2026-07-28T00:00:00Z".into(), &12.into())
        );
        let told = canonical(&value);
        assert_eq!(told["repr"], "table: [ADDRESS]");
        let word = canonical(&serde_json::json!({ "repr": "{ \"table: face\" }" }));
        assert_eq!(word["repr"], "{ \"table: face\" }");
        assert_eq!(told["value"], "table: 0x55d0c8aa");
        assert_eq!((&told["version"], &told["output"]), (&"[VER]".into(), &VERSION.into()));
        assert_eq!((&told["connectedForMs"], &told["lastSeenAt"]), (&"[TIME]".into(), &"never".into()));
    }
}
