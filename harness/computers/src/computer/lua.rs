//! Rust values as Lua source.

use serde_json::Value;

/// Writes a text as a Lua string that holds exactly its bytes.
pub fn lua_string(text: &str) -> String {
    lua_bytes(text.as_bytes())
}

/// Writes bytes as a Lua string.
pub fn lua_bytes(bytes: &[u8]) -> String {
    let escaped = bytes.iter().map(|byte| match *byte {
        byte @ (b'"' | b'\\') => format!("\\{}", char::from(byte)),
        byte @ 0x20..=0x7e => char::from(byte).to_string(),
        byte => format!("\\{byte:03}"),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// Writes a table with these fields, whose values are Lua already.
pub fn lua_table<'a>(fields: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let fields = fields.into_iter().map(|(name, value)| format!("[{}] = {value}", lua_string(name)));
    format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
}

/// Writes a JSON value as Lua; `null` is `nil`.
pub fn lua_value(value: &Value) -> String {
    match value {
        Value::Null => "nil".to_owned(),
        Value::String(text) => lua_string(text),
        Value::Array(items) => {
            format!("{{ {} }}", items.iter().map(lua_value).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            lua_table(fields.iter().map(|(name, value)| (name.as_str(), lua_value(value))))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_lua_string_holds_every_byte() {
        assert_eq!(lua_string("a\"b\\c\nü"), r#""a\"b\\c\010\195\188""#);
    }

    #[test]
    fn a_value_keeps_its_shape() {
        let value = json!([1, null, { "a b": [true, "x"] }]);
        assert_eq!(lua_value(&value), r#"{ 1, nil, { ["a b"] = { true, "x" } } }"#);
    }
}
