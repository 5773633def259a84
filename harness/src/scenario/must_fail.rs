//! `[[must_fail]]`: a change of a scenario that has to make it fail, so that the scenario is known to be able to.

use std::collections::BTreeSet;

use serde::Deserialize;
use toml::{Table, Value};

use super::file::ScenarioFile;

/// One change.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MustFail {
    /// What is wrong in the changed scenario, in a sentence.
    pub about: String,
    /// What the failure has to say.
    pub because: Option<String>,
    /// Values that are put in the place of others: `"computers.14.process" = "pair"`, `"steps.2" = { … }`.
    #[serde(default)]
    pub set: Table,
    /// Keys, steps and computers that are taken out.
    #[serde(default)]
    pub remove: Vec<String>,
}

impl MustFail {
    /// The scenario's file with the change made.
    pub fn apply(&self, file: &Table) -> Result<Table, String> {
        if self.set.is_empty() && self.remove.is_empty() {
            return Err("it changes nothing\nhint: give `set` or `remove`".to_owned());
        }
        if self.because.as_ref().is_some_and(String::is_empty) {
            return Err(
                "`because` is empty, and every failure contains that\nhint: leave it out, or write what the failure says"
                    .to_owned(),
            );
        }
        if self.set.contains_key("about") || self.remove.iter().any(|path| path == "about") {
            return Err("`about` is only told: that it changes proves nothing".to_owned());
        }
        // The second would take what then stands in that place.
        let mut seen = BTreeSet::new();
        if let Some(path) = self.remove.iter().find(|path| !seen.insert(*path)) {
            return Err(format!("`{path}` is removed twice"));
        }
        let mut changed = Value::Table(file.clone());
        if let Value::Table(table) = &mut changed {
            table.remove("must_fail");
        }
        for (path, value) in &self.set {
            let (parent, last) = parent(&mut changed, path)?;
            put(parent, last, value.clone()).ok_or_else(|| nothing_at(path))?;
        }
        // From the back, so that the steps before keep their numbers.
        let mut remove = self.remove.clone();
        remove.sort_by_key(|path| {
            std::cmp::Reverse(path.rsplit('.').next().and_then(|n| n.parse::<usize>().ok()))
        });
        for path in &remove {
            let (parent, last) = parent(&mut changed, path)?;
            take(parent, last).ok_or_else(|| nothing_at(path))?;
        }
        if changed
            == Value::Table({
                let mut before = file.clone();
                before.remove("must_fail");
                before
            })
        {
            return Err("it changes nothing: what it sets is there already".to_owned());
        }
        match changed {
            Value::Table(table) => Ok(table),
            _ => Err("it leaves no scenario".to_owned()),
        }
    }
}

/// Whether the transcript of a changed scenario differs only in what names the change: the titles of steps, and the
/// computers that only one of the two has.
pub fn is_only_named(before: (&ScenarioFile, &str), after: (&ScenarioFile, &str)) -> bool {
    let ids = |transcript: &str| -> BTreeSet<String> {
        transcript.lines().filter_map(heading).map(str::to_owned).collect()
    };
    let both: BTreeSet<String> = ids(before.1).intersection(&ids(after.1)).cloned().collect();
    let told = |(file, transcript): (&ScenarioFile, &str)| -> Vec<String> {
        let steps = file.steps.iter().flat_map(|step| step.get_ref().all());
        let titles: Vec<String> = steps.map(|step| step.act().title()).collect();
        let titles: BTreeSet<&str> = titles.iter().flat_map(|title| title.lines()).map(str::trim).collect();
        let mut is_in_both = true;
        let kept = transcript.lines().filter(|line| {
            if let Some(computer) = heading(line) {
                is_in_both = both.contains(computer);
                return false;
            }
            let is_told = !line.is_empty() && !line.contains(" computers alike, from ");
            is_in_both && is_told && !titles.contains(line.trim())
        });
        kept.map(str::to_owned).collect()
    };
    told(before) == told(after)
}

/// The computer whose part a line begins.
fn heading(line: &str) -> Option<&str> {
    line.strip_prefix("== computer ").map(|rest| rest.split(" (Label: ").next().unwrap_or(rest))
}

fn nothing_at(path: &str) -> String {
    format!("there is nothing at `{path}`\nhint: steps count from 1; computers go by their name")
}

/// What a path leads to, but for its last word.
fn parent<'a, 'p>(root: &'a mut Value, path: &'p str) -> Result<(&'a mut Value, &'p str), String> {
    let (before, last) = path.rsplit_once('.').unwrap_or(("", path));
    let mut value = root;
    for word in before.split('.').filter(|word| !word.is_empty()) {
        value = child(value, word).ok_or_else(|| nothing_at(path))?;
    }
    Ok((value, last))
}

fn child<'a>(value: &'a mut Value, word: &str) -> Option<&'a mut Value> {
    let index = place(value, word);
    match value {
        Value::Table(table) => table.get_mut(word),
        Value::Array(items) => items.get_mut(index?),
        _ => None,
    }
}

/// The place of a step by its number from 1, of a computer by its name or its id.
fn place(value: &Value, word: &str) -> Option<usize> {
    let items = value.as_array()?;
    let is_called = |item: &Value| match (item.get("name"), item.get("id")) {
        (Some(name), _) => name.as_str() == Some(word),
        (None, Some(id)) => id.to_string() == word,
        (None, None) => item.get("ids").is_some_and(|ids| ids.as_str() == Some(word)),
    };
    if items.iter().any(|item| item.get("id").is_some() || item.get("ids").is_some()) {
        return items.iter().position(is_called);
    }
    word.parse::<usize>().ok()?.checked_sub(1)
}

fn put(parent: &mut Value, last: &str, new: Value) -> Option<()> {
    let index = place(parent, last);
    match parent {
        // A key may be new.
        Value::Table(table) => {
            table.insert(last.to_owned(), new);
        }
        Value::Array(items) => *items.get_mut(index?)? = new,
        _ => return None,
    }
    Some(())
}

fn take(parent: &mut Value, last: &str) -> Option<()> {
    let index = place(parent, last);
    match parent {
        Value::Table(table) => table.remove(last).map(|_| ()),
        Value::Array(items) => {
            let index = index.filter(|index| *index < items.len())?;
            items.remove(index);
            Some(())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "about = \"x\"\n[[computers]]\nid = 12\n[[computers]]\nid = 7\nname = \"b\"\n[[steps]]\nsay = \"1\"\n[[steps]]\nsay = \"2\"\n";

    fn applied(change: &str) -> Result<String, String> {
        let change: MustFail = toml::from_str(&format!("about = \"y\"\n{change}")).expect("it is a change");
        let table = change.apply(&FILE.parse().expect("it is TOML"))?;
        Ok(table.to_string())
    }

    #[test]
    fn steps_computers_and_keys_are_replaced_and_removed() {
        let text = applied("set = { \"computers.b.process\" = \"pair\", \"steps.2\" = { say = \"3\" } }")
            .expect("works");
        assert!(
            text.contains("process = \"pair\"")
                && text.contains("say = \"3\"")
                && !text.contains("say = \"2\""),
            "{text}"
        );
        let text = applied("remove = [\"computers.12\", \"steps.1\", \"steps.2\"]").expect("works");
        assert!(!text.contains("id = 12") && !text.contains("say"), "{text}");
    }

    #[test]
    fn a_change_that_changes_nothing_is_refused() {
        assert!(
            applied("remove = [\"steps.1\", \"steps.1\"]")
                .expect_err("the second would be another step")
                .contains("`steps.1` is removed twice")
        );
        assert!(applied("set = { about = \"z\" }").expect_err("only told").contains("proves nothing"));
        assert!(applied("").expect_err("nothing").contains("it changes nothing"));
        assert!(
            applied("because = \"\"\nremove = [\"steps.1\"]")
                .expect_err("every failure says it")
                .contains("`because` is empty")
        );
        assert!(
            applied("set = { \"steps.1.say\" = \"1\" }")
                .expect_err("the same")
                .contains("it changes nothing")
        );
        assert!(applied("set = { \"steps.3\" = 1 }").expect_err("no step").contains("nothing at `steps.3`"));
        assert!(
            applied("remove = [\"computers.13\"]").expect_err("none").contains("nothing at `computers.13`")
        );
    }
}
