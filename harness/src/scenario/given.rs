//! Refuses what a scenario gives and nothing takes: sections that no step uses, values that Lua has no way to hold.

use std::collections::BTreeSet;

use clap::ValueEnum as _;
use serde_json::{Map, Value};

use super::check::Wrong;
use super::file::{BridgeSection, ComputerSection, Ready, ScenarioFile};
use super::play::needs_bridge;
use crate::emulators::Kind;

/// Lua's numbers hold every whole number up to this one, and not the next.
const EXACT: u64 = 1 << 53;

/// With this a key begins that stands for a date of TOML.
const DATE: &str = "$__toml_private";

/// Refuses a scenario that shows nothing, and sections of it that have no effect.
pub fn check_given(file: &ScenarioFile) -> Result<(), Wrong> {
    if file.about.trim().is_empty() {
        return Err(Wrong::at(0, "`about` is empty: it says in a sentence what the scenario shows"));
    }
    if file.computers.is_empty() && file.steps.is_empty() {
        return Err(Wrong::at(0, "the scenario has neither a computer nor a step: nothing would happen"));
    }
    for (section, reasons) in [("skip", &file.skip), ("differs", &file.differs)] {
        if let Some((kind, _)) = reasons.iter().find(|(_, reason)| reason.trim().is_empty()) {
            return Err(Wrong::at(0, format!("`{section}.{kind}` is empty: it says why")));
        }
    }
    if Kind::value_variants().iter().all(|kind| file.skip.contains_key(kind)) {
        return Err(Wrong::at(0, "the scenario is skipped on every emulator: it would never run"));
    }
    if let Some((kind, _)) = file.skip.iter().find(|(kind, _)| file.differs.contains_key(*kind)) {
        return Err(Wrong::at(
            0,
            format!("the scenario is skipped on {kind}: `differs.{kind}` has no effect"),
        ));
    }
    if !needs_bridge(file) {
        if file.bridge.is_given() {
            return Err(Wrong::at(
                0,
                "`[bridge]` has no effect: no computer runs the program, and no step needs a link",
            ));
        }
        if !file.mcp.span().is_empty() {
            let message = "`mcp` has no effect: no step calls the bridge, and no computer links to it";
            return Err(Wrong::at(file.mcp.span().start, message));
        }
    }
    check_booted(file)?;
    let steps: Vec<_> = file.steps.iter().flat_map(|step| step.get_ref().all()).collect();
    let is_called = |name: &str| steps.iter().any(|step| step.act().servers().contains(&name));
    match file.servers.iter().find(|(name, _)| !is_called(name)) {
        Some((name, section)) => {
            let message =
                format!("no step calls server `{name}`\nhint: `call = {{ server = \"{name}\", … }}`");
            Err(Wrong::at(section.span().start, message))
        }
        None => Ok(()),
    }
}

/// Refuses a computer that nothing boots, and that no change has booted either: whatever it is given has no effect.
fn check_booted(file: &ScenarioFile) -> Result<(), Wrong> {
    let steps: Vec<_> = file.steps.iter().flat_map(|step| step.get_ref().all()).collect();
    let booted: BTreeSet<&str> = steps.iter().filter_map(|step| step.act().boots()).collect();
    let is_changed = |name: &str| {
        let key = format!("computers.{name}.boot");
        file.must_fail.iter().any(|change| change.get_ref().set.contains_key(&key))
    };
    let is_booted = |computer: &ComputerSection| {
        let mut names = computer.ids().unwrap_or_default().into_iter().map(|id| computer.name(id));
        computer.boot != Ready::Later || names.any(|name| booted.contains(&*name) || is_changed(&name))
    };
    // One computer that is booted boots all of its process.
    let sections = || file.computers.iter().map(|section| (section.span().start, section.get_ref()));
    let running: BTreeSet<&str> = sections()
        .filter(|(_, computer)| is_booted(computer))
        .filter_map(|(_, computer)| computer.process.as_deref())
        .collect();
    let runs = |computer: &ComputerSection| {
        is_booted(computer) || computer.process.as_deref().is_some_and(|process| running.contains(process))
    };
    match sections().find(|(_, computer)| !runs(computer)) {
        Some((at, _)) => {
            let message = "no step boots this computer, and `boot = \"later\"`: it would never run";
            Err(Wrong::inside(at, "boot", message))
        }
        None => Ok(()),
    }
}

impl BridgeSection {
    /// Whether anything is written in it.
    fn is_given(&self) -> bool {
        let Self { probe_timeout_ms, exec_timeout_ms, link_token, mcp_token, tools } = self;
        probe_timeout_ms.is_some()
            || exec_timeout_ms.is_some()
            || link_token.is_some()
            || mcp_token.is_some()
            || !tools.is_empty()
    }
}

/// Refuses values that would arrive on a computer as others.
pub fn check_values<'a>(values: impl IntoIterator<Item = &'a Value>) -> Result<(), String> {
    values.into_iter().try_for_each(|value| check_value(value, true))
}

/// The same for the fields of a table.
pub fn check_fields(fields: &Map<String, Value>) -> Result<(), String> {
    check_values(fields.values())
}

/// Refuses values that JSON has no way to hold.
pub fn check_json(value: &Value) -> Result<(), String> {
    check_value(value, false)
}

fn check_value(value: &Value, for_lua: bool) -> Result<(), String> {
    match value {
        // TOML has no `null`: this was `nan` or `inf`.
        Value::Null => Err("`nan` and `inf` cannot be given as values".to_owned()),
        Value::Number(number) if for_lua => {
            let size = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
            match size.filter(|size| *size > EXACT) {
                Some(_) => Err(format!("`{number}` is too large: Lua would make another number of it")),
                None => Ok(()),
            }
        }
        Value::Array(items) => items.iter().try_for_each(|item| check_value(item, for_lua)),
        Value::Object(fields) if fields.keys().any(|key| key.starts_with(DATE)) => {
            Err("a date cannot be given as a value\nhint: write it as a text, in quotes".to_owned())
        }
        Value::Object(fields) => fields.values().try_for_each(|field| check_value(field, for_lua)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_would_arrive_as_others_are_refused() {
        let cases = [
            ("9007199254740992", ""),
            ("-9007199254740992", ""),
            ("9007199254740993", "too large"),
            ("-9007199254740993", "too large"),
            ("{ a = [1, { b = nan }] }", "`nan` and `inf`"),
            ("[inf]", "`nan` and `inf`"),
            ("2020-01-01", "a date"),
            ("1979-05-27T07:32:00Z", "a date"),
            ("\"2020-01-01\"", ""),
            ("1.5e300", ""),
        ];
        for (text, why) in cases {
            let table: Map<String, Value> = toml::from_str(&format!("value = {text}")).expect("it is TOML");
            match check_fields(&table) {
                Ok(()) => assert_eq!(why, "", "{text}"),
                Err(error) => assert!(!why.is_empty() && error.contains(why), "{text}: {error}"),
            }
        }
    }
}
