//! Values that Lua returned, as Lua writes them.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// One value as `exec-lua` describes it.
pub fn value(described: &Value) -> String {
    let text = |key: &str| described[key].as_str();
    match (&described["value"], text("repr"), text("base64")) {
        (Value::String(string), ..) => literal(string.as_bytes()),
        (Value::Null, Some(repr), _) => repr.to_owned(),
        (Value::Null, None, Some(encoded)) => match STANDARD.decode(encoded) {
            Ok(bytes) => literal(&bytes),
            Err(_) => encoded.to_owned(),
        },
        (Value::Null, None, None) => text("type").unwrap_or("nil").to_owned(),
        (scalar, ..) => number(scalar.to_string()),
    }
}

/// A number without the `.0` of a whole one, which Lua does not write.
fn number(text: String) -> String {
    text.strip_suffix(".0").map(ToOwned::to_owned).unwrap_or(text)
}

/// What Lua wrote of its values, with the number of each byte that is no text, as in a string of Lua.
pub fn written(bytes: &[u8]) -> String {
    let mut written = String::new();
    for chunk in bytes.utf8_chunks() {
        written.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(written, "\\{byte:03}");
        }
    }
    written
}

/// Bytes as a string of Lua: text stands as it is, everything else as its number.
fn literal(bytes: &[u8]) -> String {
    let mut written = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '"' => written.push_str("\\\""),
                '\\' => written.push_str("\\\\"),
                '\n' => written.push_str("\\n"),
                '\r' => written.push_str("\\r"),
                '\t' => written.push_str("\\t"),
                control if control.is_control() => {
                    let mut buffer = [0; 4];
                    for byte in control.encode_utf8(&mut buffer).bytes() {
                        let _ = write!(written, "\\{byte:03}");
                    }
                }
                other => written.push(other),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(written, "\\{byte:03}");
        }
    }
    written + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_written_as_lua_writes_them() {
        assert_eq!(value(&json!({ "type": "nil" })), "nil");
        assert_eq!(value(&json!({ "type": "number", "value": 2 })), "2");
        assert_eq!(value(&json!({ "type": "number", "value": -0.0 })), "-0");
        assert_eq!(value(&json!({ "type": "number", "repr": "nan" })), "nan");
        assert_eq!(value(&json!({ "type": "boolean", "value": false })), "false");
        assert_eq!(value(&json!({ "type": "string", "value": "say \"ü\"\n" })), "\"say \\\"ü\\\"\\n\"");
        assert_eq!(value(&json!({ "type": "string", "base64": "Yf8A" })), "\"a\\255\\000\"");
        assert_eq!(value(&json!({ "type": "table", "repr": "{\n  1,\n}" })), "{\n  1,\n}");
        assert_eq!(written(b"\"a\xff\xc3\xbc\"\n"), "\"a\\255\u{fc}\"\n");
    }
}
