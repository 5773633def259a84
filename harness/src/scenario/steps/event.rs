//! `event`: queues an event on a computer.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::Value;

use super::act::{Act, Done, Scene};
use crate::computer::lua_string;
use crate::stage::StageError;

/// The event.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    computer: String,
    name: String,
    #[serde(default)]
    values: Vec<Value>,
}

impl Act for Event {
    fn title(&self) -> String {
        format!("event {} {} on {}", self.name, Value::from(self.values.clone()), self.computer)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let values: Vec<String> =
                std::iter::once(lua_string(&self.name)).chain(self.values.iter().map(lua_value)).collect();
            let computer = scene.stage.running(&self.computer)?;
            computer.command(&format!("event({})", values.join(", "))).await?;
            Done::nothing()
        }
        .boxed()
    }
}

fn lua_value(value: &Value) -> String {
    match value {
        Value::String(text) => lua_string(text),
        Value::Null => "nil".to_owned(),
        Value::Array(items) => format!("{{{}}}", items.iter().map(lua_value).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let field =
                |(name, value): (&String, &Value)| format!("[{}] = {}", lua_string(name), lua_value(value));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
