//! `peripheral`: changes a scripted peripheral: what it keeps, how its methods fail, and the event that it raises.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::act::{Act, Done, Scene};
use crate::computer::Command;
use crate::scenario::given::{check_fields, check_values};
use crate::stage::StageError;

/// The change, which has at least one part.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeripheralStep {
    computer: String,
    name: String,
    /// Entries of its state.
    #[serde(default)]
    state: Map<String, Value>,
    fail: Option<Fail>,
    /// A method that fails no more.
    mend: Option<String>,
    /// An event with the peripheral's name before these values.
    event: Option<String>,
    #[serde(default)]
    values: Vec<Value>,
}

/// How a method fails.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fail {
    method: String,
    message: String,
    /// So many calls; all without it.
    times: Option<u32>,
}

impl Act for PeripheralStep {
    fn title(&self) -> String {
        let mut parts = Vec::new();
        if !self.state.is_empty() {
            parts.push(format!("has {}", Value::Object(self.state.clone())));
        }
        if let Some(method) = &self.mend {
            parts.push(format!("lets {method} work again"));
        }
        if let Some(Fail { method, message, times }) = &self.fail {
            let times = match times {
                None => String::new(),
                Some(1) => " once".to_owned(),
                Some(times) => format!(" {times} times"),
            };
            parts.push(format!("fails {method}{times} with {message:?}"));
        }
        if let Some(event) = &self.event {
            parts.push(format!("raises {event} {}", Value::from(self.values.clone())));
        }
        format!("{} of {} {}", self.name, self.computer, parts.join(", "))
    }

    fn check(&self) -> Result<(), String> {
        let has_part =
            !self.state.is_empty() || self.fail.is_some() || self.mend.is_some() || self.event.is_some();
        if !has_part {
            return Err("nothing is changed\nhint: give `state`, `fail`, `mend` or `event`".to_owned());
        }
        if self.fail.as_ref().is_some_and(|fail| fail.times == Some(0)) {
            return Err("a method that fails 0 times does not fail".to_owned());
        }
        if self.event.is_none() && !self.values.is_empty() {
            return Err("`values` belongs to `event`".to_owned());
        }
        check_fields(&self.state)?;
        check_values(&self.values)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let fail = self.fail.as_ref().map(
                |Fail { method, message, times }| json!({ "method": method, "message": message, "times": times }),
            );
            let change = json!({
                "state": self.state,
                "fail": fail,
                "mend": self.mend,
                "event": self.event,
                "values": self.values,
                "count": self.values.len(),
            });
            let command = Command::extension("peripheral", &[self.name.as_str().into(), change]);
            scene.stage.computer(&self.computer)?.command(&command).await?;
            Done::nothing()
        }
        .boxed()
    }
}
