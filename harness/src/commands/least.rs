//! The least of what failed: a scenario of its own, with the files that it needs, its trace and its page.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

use super::run::add_flag;
use super::simulate::replay;
use crate::computer::copy_whole;
use crate::faults::{Plan, shrink, shrink_computers, written};
use crate::places::Places;
use crate::report::files::shown;
use crate::scenario::{self, Scenario};
use crate::simulate::{Once, One, simulate as simulate_one};
use crate::suite::{Outcome, Suite};

/// A play that failed.
#[derive(Debug)]
pub struct Failure {
    pub scenario: Arc<Scenario>,
    pub seed: u64,
    pub plan: Arc<Plan>,
    pub why: String,
}

/// What does not hold, without what was found of it: `violated: a chunk runs at most once`.
fn promise(why: &str) -> &str {
    let line = why.lines().next().unwrap_or_default();
    line.match_indices(": ").nth(1).map_or(line, |(end, _)| &line[..end])
}

impl Failure {
    /// Whether a play breaks the same promise: what fails in another way is another failure.
    fn is_again(&self, once: std::io::Result<Once>) -> bool {
        matches!(once.map(|once| once.report.outcome), Ok(Outcome::Failed(why)) if promise(&why) == promise(&self.why))
    }

    /// Shrinks it below the report's folder, and gives what is said of it. `flags` are those of the program.
    pub fn keep_least(&self, places: &Places, report: &Path, flags: &str) -> anyhow::Result<String> {
        // What was tried on the way leaves no page: that of the failure stays.
        let quiet = Suite::new(Vec::new(), Vec::new(), places.clone(), 1);
        let one = |plan: &Plan| One {
            scenario: self.scenario.clone(),
            seed: self.seed,
            proves: false,
            plan: Some(Arc::new(plan.clone())),
        };
        let least = shrink(&self.plan, |smaller| self.is_again(simulate_one(&quiet, &one(smaller))));
        let fixtures = report.join("shrunk");
        let places = Places { fixtures, in_project: false, project: None, ..places.clone() };
        let quiet = Suite::new(Vec::new(), Vec::new(), places.clone(), 1);
        let suite =
            Suite { report: Some(report.to_owned()), ..Suite::new(Vec::new(), Vec::new(), places, 1) };
        // A computer that the plan does not name may be needed all the same: the order of all depends on it.
        let all = self.scenario.linked_names();
        let kept = shrink_computers(&all, &least.computers(), |left| {
            let played =
                self.write(&suite.places, &least, left).and_then(|path| self.play_written(&quiet, &path));
            played.is_ok_and(|(fails, _)| fails)
        });
        let (mut path, mut page) = (PathBuf::new(), None);
        for computers in [kept, all.into_iter().collect()] {
            path = self.write(&suite.places, &least, &computers)?;
            let (fails, left) = self.play_written(&suite, &path)?;
            page = left.filter(|_| fails);
            if page.is_some() {
                break;
            }
        }
        let mut text = format!("shrunk: `{}`\n", shown(&path));
        match page {
            Some(page) => {
                let mut flags = flags.to_owned();
                add_flag(&mut flags, "--fixtures", &shown(&suite.places.fixtures));
                let _ = write!(text, "page: {}\n{}", shown(&page), replay(&self.name(), self.seed, &flags));
            }
            None => text += "it does not fail by itself: play the failure above\n",
        }
        Ok(text)
    }

    fn name(&self) -> String {
        format!("{}-{}", self.scenario.name.replace('/', "-"), self.seed)
    }

    /// Writes the scenario, beside the files that it names.
    fn write(&self, places: &Places, least: &Plan, computers: &BTreeSet<String>) -> anyhow::Result<PathBuf> {
        let folder = places.scenarios().join(self.name());
        let file = self.scenario.folder.join("scenario.toml");
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("failed to read `{}`", file.display()))?;
        let about = format!("The least of seed {} on {} that fails.", self.seed, self.scenario.name);
        let text = written(&text, least, &about, computers).map_err(anyhow::Error::msg)?;
        let path = folder.join("scenario.toml");
        let put = || {
            copy_whole(&self.scenario.folder, &folder)?;
            for entry in std::fs::read_dir(&folder)?.flatten() {
                if entry.path().extension().is_some_and(|extension| extension == "snap") {
                    std::fs::remove_file(entry.path())?;
                }
            }
            std::fs::write(&path, text)
        };
        put().with_context(|| format!("failed to write `{}`", path.display()))?;
        Ok(path)
    }

    /// Plays what was written as anybody would: whether it fails as it should, and its page.
    fn play_written(&self, suite: &Suite, path: &Path) -> anyhow::Result<(bool, Option<PathBuf>)> {
        let folder = path.parent().expect("it was joined from a folder").to_owned();
        let scenario = Arc::new(scenario::load(self.name(), folder, &suite.places)?);
        let plan = suite.plan(&scenario, Some(self.seed));
        let once = simulate_one(suite, &One { scenario, seed: self.seed, proves: false, plan })?;
        let page =
            once.report.files.get("page").zip(suite.report.as_ref()).map(|(page, root)| root.join(page));
        Ok((self.is_again(Ok(once)), page))
    }
}

#[cfg(test)]
mod tests {
    use super::promise;

    #[test]
    fn a_promise_is_told_without_what_was_found() {
        let why = "violated: a chunk runs at most once: `call-1` ran 2 times\nviolated: another: x\n";
        assert_eq!(promise(why), "violated: a chunk runs at most once");
        assert_eq!(promise("no link: 12"), "no link: 12");
        assert_eq!(promise(""), "");
    }
}
