//! The lists of what is left out of the files of a suite.

use std::fmt;

/// What of a file is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// From the first line to the last, of the file.
    Lines(usize, usize),
    /// From the first line to the last, of what is compared with the file's expected output.
    Output(usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub file: String,
    pub part: Part,
    pub reason: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            Part::Whole => write!(out, "all")?,
            Part::Lines(first, last) if first == last => write!(out, "line {first}")?,
            Part::Lines(first, last) => write!(out, "lines {first} to {last}")?,
            Part::Output(first, last) if first == last => write!(out, "line {first} of the output")?,
            Part::Output(first, last) => write!(out, "lines {first} to {last} of the output")?,
        }
        write!(out, ": {}", self.reason)
    }
}

/// Reads a list. Each line has a file, `all`, `10-12`, or `out:10-12`, and the reason; lines that begin with `#` are comments.
pub fn read(text: &str) -> Result<Vec<LeftOut>, String> {
    let mut parts = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.splitn(3, ' ');
        let (Some(file), Some(part), Some(reason)) = (words.next(), words.next(), words.next()) else {
            return Err(format!("`{line}` has no reason"));
        };
        let range = part.strip_prefix("out:").unwrap_or(part);
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let part = match (part, first.parse(), last.parse()) {
            ("all", _, _) => Part::Whole,
            (part, Ok(first), Ok(last)) if part.starts_with("out:") => Part::Output(first, last),
            (_, Ok(first), Ok(last)) => Part::Lines(first, last),
            _ => return Err(format!("`{part}` in `{line}` is neither `all` nor lines")),
        };
        parts.push(LeftOut { file: file.to_owned(), part, reason: reason.to_owned() });
    }
    Ok(parts)
}
