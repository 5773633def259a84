//! A plan as a scenario of its own: the computers that it needs, and `[faults]` in place of the steps.

use toml::{Table, Value};

use super::Plan;

/// The text of a scenario's file with a plan in it. `text` is the file that the plan was played on; all of its computers are
/// kept, or those that the plan names.
pub fn written(text: &str, plan: &Plan, about: &str, with_all: bool) -> Result<String, String> {
    let mut table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    for key in ["steps", "must_fail", "servers", "differs", "skip"] {
        table.remove(key);
    }
    table.insert("about".to_owned(), Value::String(about.to_owned()));
    if let Some(Value::Array(computers)) = table.get_mut("computers") {
        let all = computers.clone();
        computers.retain(|computer| with_all || is_needed(computer, plan));
        // Without any computer there would be nothing to play on.
        if computers.is_empty() {
            computers.extend(all.into_iter().take(1));
        }
    }
    let plan = Value::try_from(plan).map_err(|error| error.to_string())?;
    table.insert("faults".to_owned(), plan);
    toml::to_string(&table).map_err(|error| error.to_string())
}

fn is_needed(computer: &Value, plan: &Plan) -> bool {
    let name = computer.get("name").and_then(Value::as_str).map(ToOwned::to_owned);
    let id = computer.get("id").and_then(Value::as_integer).map(|id| id.to_string());
    // Many that are alike are kept together.
    name.or(id).is_none_or(|name| plan.names(&name))
}
