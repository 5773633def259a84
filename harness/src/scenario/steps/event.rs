//! `event`: queues an event on a computer.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::Value;

use super::act::{Act, Done, Scene};
use crate::computer::Command;
use crate::scenario::given::check_values;
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

    fn check(&self) -> Result<(), String> {
        if self.name.is_empty() {
            return Err("an event has a `name`".to_owned());
        }
        check_values(&self.values)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let command = Command::event(&self.name, &self.values);
            scene.stage.computer(&self.computer)?.command(&command).await?;
            Done::nothing()
        }
        .boxed()
    }
}
