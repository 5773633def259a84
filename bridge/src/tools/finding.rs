//! What is wrong with a declared tool, and where: it begins with `tools/_index.yaml:7:`.

use std::fmt::{self, Display};
use std::path::PathBuf;

/// Something that keeps a tool, or a whole index, from being served.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub path: PathBuf,
    /// From 1; none where the whole file is meant.
    pub line: Option<usize>,
    pub message: String,
}

impl Finding {
    pub fn new(path: impl Into<PathBuf>, line: Option<usize>, message: impl Into<String>) -> Self {
        Self { path: path.into(), line, message: message.into() }
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message)
    }
}
