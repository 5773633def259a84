//! Checks what the types of `scenario.toml` cannot, before anything boots: each thing that is wrong is shown with its line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::faulty::check_faults;
use super::file::{BridgeSection, ComputerSection, ScenarioFile};
use super::load::folder_of;
use super::steps::Step;
use crate::client::VERSIONS;
use crate::computer::Profile;
use crate::emulators::Kind;
use crate::places::Places;

/// Something that is wrong in a scenario's file.
#[derive(Debug)]
pub struct Wrong {
    /// Where the section, the step or the value begins, in bytes.
    at: usize,
    /// What is named inside that section, where it is more than a line.
    named: Option<String>,
    pub message: String,
}

impl Wrong {
    pub fn at(at: usize, message: impl Into<String>) -> Self {
        Self { at, named: None, message: message.into() }
    }

    /// Something inside the section that begins there.
    pub(super) fn inside(at: usize, named: &str, message: impl Into<String>) -> Self {
        Self { at, named: Some(named.to_owned()), message: message.into() }
    }

    /// The line, counted from 1: that of what is named, where the section has it, otherwise the first of the section.
    pub fn line(&self, text: &str) -> usize {
        let (before, after) = text.split_at_checked(self.at).unwrap_or((text, ""));
        let first = 1 + before.matches('\n').count();
        let header = after.lines().next().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let is_inside = |line: &str| {
            let name = line.trim_start_matches('[');
            name.len() == line.len() || name.starts_with(&format!("{header}."))
        };
        // The first line is the header of the section, or the value itself.
        let section = after.lines().enumerate().take_while(|(index, line)| *index == 0 || is_inside(line));
        let is_named = |line: &str| self.named.as_ref().is_some_and(|named| names(line, named));
        first + section.into_iter().find(|(_, line)| is_named(line)).map_or(0, |(index, _)| index)
    }
}

/// Whether a line has a key or a text of this name in it.
fn names(line: &str, name: &str) -> bool {
    let is_key = line.trim_start().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='));
    is_key || line.contains(&format!("\"{name}\"")) || line.contains(&format!("'{name}'"))
}

/// Checks a file, and reads what its steps name.
pub fn check(file: &mut ScenarioFile, folder: &Path, places: &Places) -> Result<(), Wrong> {
    let mcp = file.mcp.get_ref();
    if !VERSIONS.contains(&mcp.as_str()) {
        let message = format!("`mcp = \"{mcp}\"` is not one of {}", VERSIONS.join(", "));
        return Err(Wrong::at(file.mcp.span().start, message));
    }
    if let Some(deadline) = file.deadline_s.as_ref().filter(|deadline| *deadline.get_ref() == 0) {
        return Err(Wrong::at(deadline.span().start, "nothing is done within 0 s"));
    }
    check_tools(&file.bridge, folder, places)?;
    for section in file.servers.values() {
        section.get_ref().check().map_err(|message| Wrong::at(section.span().start, message))?;
    }
    for section in &mut file.computers {
        let at = section.span().start;
        let section = section.get_mut();
        let resolved = section.resolve_files(folder).and_then(|()| section.resolve_world(folder));
        resolved.map_err(|(named, message)| Wrong::inside(at, &named, message))?;
    }
    let names = check_computers(file, places)?;
    check_processes(file)?;
    check_faults(file)?;
    for step in &mut file.steps {
        let at = step.span().start;
        let wrong = |message: String| Wrong::at(at, message);
        resolve(step.get_mut(), folder).map_err(wrong)?;
        step.get_ref().check().map_err(wrong)?;
        for step in step.get_ref().all() {
            if let Some(name) = step.act().servers().iter().find(|name| !file.servers.contains_key(**name)) {
                return Err(wrong(format!(
                    "the step names server `{name}`, which is not there\nhint: add it as `[servers.{name}]`"
                )));
            }
            if let Some(name) = step.act().computers().iter().find(|name| !names.contains(**name)) {
                return Err(wrong(format!("the step names computer `{name}`, which is not there")));
            }
        }
    }
    Ok(())
}

/// A folder of tools that is not there would be a bridge without them.
fn check_tools(bridge: &BridgeSection, folder: &Path, places: &Places) -> Result<(), Wrong> {
    for name in &bridge.tools {
        let tools = folder_of(name.get_ref(), folder, places);
        if !tools.is_dir() {
            let message = format!("there is no folder `{}`", tools.display());
            return Err(Wrong::at(name.span().start, message));
        }
    }
    Ok(())
}

/// Checks the computers, and gives their names.
fn check_computers(file: &ScenarioFile, places: &Places) -> Result<BTreeSet<String>, Wrong> {
    let mut names = BTreeSet::new();
    for section in &file.computers {
        let (at, computer) = (section.span().start, section.get_ref());
        for id in computer.ids().map_err(|message| Wrong::inside(at, "ids", message))? {
            let name = computer.name(id);
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
                let message = format!("a computer's name has letters, digits and `-` only, not `{name}`");
                return Err(Wrong::inside(at, "name", message));
            }
            if !names.insert(name.clone()) {
                let message = format!("two computers are called `{name}`\nhint: give one of them a `name`");
                return Err(Wrong::at(at, message));
            }
        }
        if computer.profile == Profile::Game && !file.skip.contains_key(&Kind::CraftosPc) {
            return Err(Wrong::inside(
                at,
                "profile",
                "only the embedded emulator has `profile = \"game\"`\nhint: say so with `skip.craftos-pc = \"…\"`",
            ));
        }
        // Computers of one section differ in their id only.
        if let Some(spec) = computer.specs(places).first() {
            spec.check().map_err(|error| Wrong::inside(at, error.named(), error.to_string()))?;
        }
    }
    Ok(names)
}

/// Reads the files that a step and those inside it name.
fn resolve(step: &mut Step, folder: &Path) -> Result<(), String> {
    step.act_mut().resolve(folder)?;
    step.act_mut().inner_mut().into_iter().try_for_each(|inner| resolve(inner, folder))
}

/// What is written for a process counts for all computers in it, and two of them cannot have one id.
fn check_processes(file: &ScenarioFile) -> Result<(), Wrong> {
    let mut processes: BTreeMap<&str, (&ComputerSection, BTreeSet<u32>)> = BTreeMap::new();
    for section in &file.computers {
        let (at, computer) = (section.span().start, section.get_ref());
        let Some(process) = &computer.process else { continue };
        let (first, ids) = processes.entry(process).or_insert_with(|| (computer, BTreeSet::new()));
        if let Some(key) = computer.unlike(first) {
            let message = format!("the computers of process `{process}` must have the same `{key}`");
            return Err(Wrong::inside(at, key, message));
        }
        for id in computer.ids().map_err(|message| Wrong::at(at, message))? {
            if !ids.insert(id) {
                return Err(Wrong::at(at, format!("two computers of process `{process}` have the id {id}")));
            }
        }
    }
    Ok(())
}

impl ComputerSection {
    /// The first key that the computers of one process have in common, and in which these differ.
    fn unlike(&self, other: &Self) -> Option<&'static str> {
        let keys = [
            ("program", self.program == other.program),
            ("http", self.http == other.http),
            ("allow", self.allow == other.allow),
            ("limits", self.limits == other.limits),
            ("profile", self.profile == other.profile),
        ];
        keys.into_iter().find(|(_, is_same)| !is_same).map(|(key, _)| key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_that_of_what_is_named_in_its_own_section() {
        let text = "about = \"x\"\n[[computers]]\nid = 1\n[[computers]]\nid = 2\nfiles = { \"../x\" = \"\" }\n[[computers]]\nlabel = \"../y\"\n[computers.files]\n\"../z\" = \"\"\n";
        let second = text.match_indices("[[computers]]").nth(1).expect("there are three").0;
        assert_eq!(Wrong::at(second, "").line(text), 4);
        assert_eq!(Wrong::inside(second, "../x", "").line(text), 6);
        assert_eq!(Wrong::inside(second, "id", "").line(text), 5);
        assert_eq!(Wrong::inside(second, "../y", "").line(text), 4);
        let third = text.match_indices("[[computers]]").nth(2).expect("there are three").0;
        assert_eq!(Wrong::inside(third, "../z", "").line(text), 10);
    }
}
