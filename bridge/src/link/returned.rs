//! What a chunk returned, as its computer describes it: read into types, so that nothing else is passed on.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A value that Lua returned. What else a computer may say of it is left out.
#[derive(Debug, Deserialize)]
struct Described {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, deserialize_with = "scalar")]
    value: Option<Value>,
    #[serde(default)]
    repr: Option<String>,
    #[serde(default)]
    base64: Option<String>,
}

impl Described {
    /// Moves it into the structured content: it may be megabytes.
    fn into_value(self) -> Value {
        let mut described = Map::with_capacity(2);
        described.insert("type".to_owned(), Value::String(self.kind));
        let texts = [("repr", self.repr), ("base64", self.base64)];
        let texts = texts.map(|(name, text)| (name, text.map(Value::String)));
        for (name, value) in [("value", self.value)].into_iter().chain(texts) {
            if let Some(value) = value {
                described.insert(name.to_owned(), value);
            }
        }
        Value::Object(described)
    }
}

fn scalar<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    match value {
        Value::Object(_) | Value::Array(_) => Err(serde::de::Error::custom("a scalar is expected")),
        Value::Null => Ok(None),
        scalar => Ok(Some(scalar)),
    }
}

/// What a chunk returned and printed.
#[derive(Debug, Deserialize)]
pub struct Ran {
    #[serde(default, deserialize_with = "list")]
    returns: Vec<Described>,
    #[serde(default)]
    output: String,
}

impl Ran {
    /// Reads the result of a chunk; what is none is given back as it came.
    pub fn read(result: Option<&RawValue>) -> Result<Self, &str> {
        let raw = result.map_or("null", RawValue::get);
        serde_json::from_str(raw).map_err(|_| raw)
    }

    /// The list of what it returned, and what it printed.
    pub fn into_values(self) -> (Value, String) {
        (self.returns.into_iter().map(Described::into_value).collect(), self.output)
    }
}

/// A list, also when it is written as `{}`: Lua cannot tell an empty list from an empty object.
fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Described>, D::Error> {
    struct List;
    impl<'de> serde::de::Visitor<'de> for List {
        type Value = Vec<Described>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of described values")
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
            let mut values = Vec::new();
            while let Some(value) = sequence.next_element()? {
                values.push(value);
            }
            Ok(values)
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            match map.next_key::<serde::de::IgnoredAny>()? {
                None => Ok(Vec::new()),
                Some(_) => Err(serde::de::Error::custom("a list of described values is expected")),
            }
        }
    }
    deserializer.deserialize_any(List)
}
