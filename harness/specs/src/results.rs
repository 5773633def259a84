//! How tests ended.

use std::path::PathBuf;

use serde::Serialize;

/// One test on one emulator, in one round.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestResult {
    /// The spec file, below the project's folder.
    pub file: PathBuf,
    /// The names of the groups around it, and its own.
    pub name: Vec<String>,
    pub line: Option<u64>,
    pub emulator: String,
    pub round: usize,
    #[serde(flatten)]
    pub outcome: Outcome,
    pub ms: f64,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    Passed,
    Failed(Box<Failure>),
    /// It is written to be written later.
    Pending,
}

/// What a person needs to see why.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Failure {
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// Where in the project, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub traceback: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub screen: String,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    pub file: PathBuf,
    pub line: u64,
}

impl TestResult {
    pub fn is_failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_))
    }

    /// The groups and the test in one line.
    pub fn full_name(&self) -> String {
        self.name.join(" › ")
    }
}

/// How many of each there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub pending: usize,
}

impl Counts {
    pub fn of<'a>(results: impl IntoIterator<Item = &'a TestResult>) -> Self {
        let mut counts = Self::default();
        for result in results {
            match result.outcome {
                Outcome::Passed => counts.passed += 1,
                Outcome::Failed(_) => counts.failed += 1,
                Outcome::Pending => counts.pending += 1,
            }
        }
        counts
    }
}
