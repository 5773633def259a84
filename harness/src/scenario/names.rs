//! Stable names for what changes from run to run: ids of requests, ports, times, addresses, versions; JSON in one form.

use serde_json::{Map, Value};

/// A text longer than this is shown by its beginning and its length: a transcript is for reading.
const LONGEST: usize = 400;

/// What is shown of a text that is too long.
const BEGINNING: usize = 60;

/// Fields whose value is a time or a duration.
const TIMES: [&str; 2] = ["connectedForMs", "lastSeenAt"];

/// The version that this workspace has; it changes with every release, and no snapshot should.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The names given in one transcript.
#[derive(Debug, Default)]
pub struct Names {
    /// Ids of requests in the order in which they were seen.
    requests: Vec<String>,
    port: Option<u16>,
}

impl Names {
    /// Names for one computer: its requests are counted from 1.
    pub fn new(port: Option<u16>) -> Self {
        Self { requests: Vec::new(), port }
    }

    /// A frame as canonical JSON; what is not JSON, as it is.
    pub fn frame(&mut self, text: &str) -> String {
        match serde_json::from_str::<Value>(text) {
            Ok(mut value) if value.is_object() => {
                self.request_id(&mut value);
                if value["type"] == "part" {
                    value["data"] = "[PART]".into();
                }
                if let Some(params) = value.get_mut("params") {
                    handler(params);
                }
                self.text(&canonical(&value).to_string())
            }
            _ => format!("not a frame: {}", self.text(&shorten(text))),
        }
    }

    fn request_id(&mut self, frame: &mut Value) {
        let Some(id) = frame["id"].as_str().map(ToOwned::to_owned) else { return };
        if !id.starts_with("req-") {
            return;
        }
        let number = self.requests.iter().position(|known| *known == id).unwrap_or_else(|| {
            self.requests.push(id);
            self.requests.len() - 1
        });
        frame["id"] = format!("req-{}", number + 1).into();
    }

    /// A text with everything replaced that changes from run to run.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.replace(VERSION, "[VER]");
        if let Some(port) = self.port {
            // As wide as what it replaces: ports that were asked for as 0 have five digits.
            text = text.replace(&format!("127.0.0.1:{port}"), "127.0.0.1:[PRT]");
        }
        text = replace_after(&text, "connecting again in ", |c| c.is_ascii_digit() || c == '.', "[T]");
        for kind in ["table: ", "function: ", "thread: ", "userdata: "] {
            text = replace_after(&text, kind, |c| c.is_ascii_hexdigit() || c == 'x', "[ADDRESS]");
        }
        text
    }
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

/// A value with its keys in order, times named, and long texts cut.
pub fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut keys: Vec<&String> = fields.keys().collect();
            // What a reader looks for first stands first.
            keys.sort_by_key(|key| (*key != "type", *key != "id", (*key).clone()));
            let named = |key: &String| {
                if TIMES.contains(&key.as_str()) { "[TIME]".into() } else { canonical(&fields[key]) }
            };
            Value::Object(keys.into_iter().map(|key| (key.clone(), named(key))).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::String(text) => shorten(text).into(),
        other => other.clone(),
    }
}

/// Cuts a text that is too long to be read.
pub fn shorten(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONGEST {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(BEGINNING).collect();
    format!("{beginning}… [{count} characters]")
}

/// Replaces the run of characters that follows a mark, wherever it is not empty.
fn replace_after(text: &str, mark: &str, belongs: impl Fn(char) -> bool, name: &str) -> String {
    let mut parts = text.split(mark);
    let mut replaced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(&belongs);
        replaced.push_str(mark);
        if rest.len() < part.len() {
            replaced.push_str(name);
        }
        replaced.push_str(rest);
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_counted_and_keys_are_in_order() {
        let mut names = Names::new(None);
        let frame = r#"{"ok":true,"id":"req-77","type":"response","result":{"b":1,"a":2}}"#;
        assert_eq!(
            names.frame(frame),
            r#"{"type":"response","id":"req-1","ok":true,"result":{"a":2,"b":1}}"#
        );
        assert!(names.frame(r#"{"type":"cancel","id":"req-78"}"#).contains("req-2"));
        assert!(names.frame(r#"{"type":"cancel","id":"req-77"}"#).contains("req-1"));
    }

    #[test]
    fn the_handler_of_a_tool_has_a_name() {
        let frame =
            r#"{"type":"request","params":{"handler":"a1","code":"x","modules":{"lib":{"code":"y"}}}}"#;
        assert_eq!(
            Names::new(None).frame(frame),
            r#"{"type":"request","params":{"code":"[CODE]","handler":"[HANDLER]","modules":{"lib":"[CODE]"}}}"#
        );
        assert_eq!(Names::new(None).frame(r#"{"type":"hello"}"#), r#"{"type":"hello"}"#);
    }

    #[test]
    fn what_changes_has_a_name() {
        let names = Names::new(Some(41234));
        assert_eq!(names.text("ws://127.0.0.1:41234/12"), "ws://127.0.0.1:[PRT]/12");
        assert_eq!(names.text("table: 0x55d0c8 and table: no"), "table: [ADDRESS] and table: no");
        assert_eq!(names.text("connecting again in 1.3 s"), "connecting again in [T] s");
    }

    #[test]
    fn a_long_text_is_cut_and_counted() {
        let cut = shorten(&"x".repeat(500));
        assert!(cut.ends_with("… [500 characters]"), "{cut}");
        assert_eq!(shorten("short"), "short");
    }
}
