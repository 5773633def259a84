//! Failures as GitHub shows them beside the line: workflow commands, which its runners read from a job's output.

use std::path::{Path, PathBuf};

use crate::results::{Outcome, TestResult};
use crate::show;

/// Writes annotations where a runner of GitHub reads them.
#[derive(Debug, Clone)]
pub struct Annotations {
    /// The project's folder below the repository: annotations name files from there.
    below: PathBuf,
}

impl Annotations {
    /// Annotations for the project in a folder, if this process is a step of a workflow.
    pub fn of_workflow(root: &Path) -> Option<Self> {
        (std::env::var("GITHUB_ACTIONS").as_deref() == Ok("true"))
            .then(|| Self::new(root, std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from).as_deref()))
    }

    fn new(root: &Path, workspace: Option<&Path>) -> Self {
        let below = workspace.and_then(|workspace| root.strip_prefix(workspace).ok());
        Self { below: below.unwrap_or(Path::new("")).to_owned() }
    }

    /// The command for a failure; nothing for another result.
    pub fn command(&self, result: &TestResult) -> Option<String> {
        let Outcome::Failed(failure) = &result.outcome else { return None };
        let (file, line) = match &failure.place {
            Some(place) => (&place.file, Some(place.line)),
            None => (&result.file, result.line),
        };
        let file = property(&self.below.join(file).to_string_lossy().replace('\\', "/"));
        let line = line.map(|line| format!(",line={line}")).unwrap_or_default();
        let title = property(&format!("{} ({})", result.full_name(), result.emulator));
        Some(format!("::error file={file}{line},title={title}::{}", data(&show::failure(failure))))
    }
}

/// A text that may have any character, as the commands write it.
fn data(text: &str) -> String {
    text.trim_end().replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The same between commas and colons.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Failure, Place};

    fn failed(place: Option<Place>) -> TestResult {
        let message = "100 % wrong,\nas: said".to_owned();
        TestResult {
            file: "spec/a_spec.lua".into(),
            name: vec!["a".to_owned(), "b: c, d".to_owned()],
            line: Some(3),
            emulator: "embedded".to_owned(),
            round: 1,
            outcome: Outcome::Failed(Box::new(Failure { message, place, ..Failure::default() })),
            ms: 0.0,
        }
    }

    #[test]
    fn a_failure_is_a_command_for_its_line() {
        let annotations = Annotations::new(Path::new("/repo/lua app"), Some(Path::new("/repo")));
        let at = failed(Some(Place { file: "src/a.lua".into(), line: 7 }));
        let expected = "::error file=lua app/src/a.lua,line=7,title=a › b%3A c%2C d (embedded)::  100 %25 wrong,%0A  as: said%0A  at src/a.lua:7";
        assert_eq!(annotations.command(&at).as_deref(), Some(expected));
    }

    #[test]
    fn without_a_place_the_test_is_shown_and_what_passed_is_not() {
        let annotations = Annotations::new(Path::new("/elsewhere"), Some(Path::new("/repo")));
        let command = annotations.command(&failed(None)).expect("it failed");
        assert!(command.starts_with("::error file=spec/a_spec.lua,line=3,title="), "{command}");
        assert_eq!(annotations.command(&TestResult { outcome: Outcome::Passed, ..failed(None) }), None);
    }
}
