//! A plan as a scenario of its own: the computers that it needs, and `[faults]` in place of the steps.

use std::collections::BTreeSet;

use embedded_craftos::ids::Ids;
use toml::{Table, Value};

use super::Plan;

/// The text of a scenario's file with a plan in it. `text` is the file that the plan was played on, of whose computers these
/// are kept.
pub fn written(text: &str, plan: &Plan, about: &str, computers: &BTreeSet<String>) -> Result<String, String> {
    let mut table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    for key in ["steps", "must_fail", "servers", "differs", "skip"] {
        table.remove(key);
    }
    table.insert("about".to_owned(), Value::String(about.to_owned()));
    if let Some(Value::Array(sections)) = table.get_mut("computers") {
        sections.retain_mut(|section| is_kept(section, computers));
    }
    let plan = Value::try_from(plan).map_err(|error| error.to_string())?;
    table.insert("faults".to_owned(), plan);
    toml::to_string(&table).map_err(|error| error.to_string())
}

/// Whether a section is one of these computers; of many that are alike the others are left out of it.
fn is_kept(section: &mut Value, computers: &BTreeSet<String>) -> bool {
    if let Some(written) = section.get("ids").and_then(Value::as_str) {
        let Ok(ids) = written.parse::<Ids>() else { return true };
        let kept: Vec<String> =
            ids.iter().map(|id| id.to_string()).filter(|name| computers.contains(name)).collect();
        let is_some = !kept.is_empty();
        if let Some(table) = section.as_table_mut().filter(|_| kept.len() < ids.len()) {
            table.insert("ids".to_owned(), Value::String(kept.join(",")));
        }
        return is_some;
    }
    let name = section.get("name").and_then(Value::as_str).map(ToOwned::to_owned);
    let id = section.get("id").and_then(Value::as_integer).map(|id| id.to_string());
    name.or(id).is_none_or(|name| computers.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computers_that_are_not_needed_are_left_out_also_of_many_that_are_alike() {
        let text = "about = \"x\"\nsteps = [{ say = \"x\" }]\n[[computers]]\nids = \"0-39\"\nlabel = \"l\"\n\
            [[computers]]\nid = 40\n[[computers]]\nid = 41\nname = \"other\"\n";
        let kept = |names: &[&str]| {
            let names = names.iter().map(ToString::to_string).collect();
            let written = written(text, &Plan::default(), "y", &names).expect("it is TOML");
            let table: Table = written.parse().expect("it is TOML");
            assert!(!table.contains_key("steps") && table.contains_key("faults"), "{table}");
            table["computers"].as_array().expect("a list").iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(kept(&["7", "11", "other"]).len(), 2);
        assert!(kept(&["7", "11"])[0].contains("ids = \"7,11\""));
        assert!(kept(&["40"])[0].contains("id = 40") && kept(&["40"]).len() == 1);
        let all: Vec<String> = (0..40).map(|id| id.to_string()).collect();
        assert!(kept(&all.iter().map(String::as_str).collect::<Vec<_>>())[0].contains("ids = \"0-39\""));
    }
}
