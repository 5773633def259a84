//! What is wrong in a configuration file, and where: file, line, column and JSON pointer.

use std::fmt;
use std::path::PathBuf;

/// One thing that is wrong, or worth saying, at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub file: PathBuf,
    /// Both from 1.
    pub line: usize,
    pub column: usize,
    /// Where in the document, as a JSON pointer; empty for the whole of it.
    pub pointer: String,
    pub message: String,
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`, line {}, column {}", self.file.display(), self.line, self.column)?;
        if !self.pointer.is_empty() {
            write!(f, ", at `{}`", crate::text::line(&self.pointer))?;
        }
        write!(f, ": {}", crate::text::line(&self.message))?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {}", crate::text::line(hint)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}
