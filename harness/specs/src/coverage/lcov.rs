//! Coverage as lcov's tracefiles have it, which editors and services read.

use std::fmt::Write as _;

use super::report::Coverage;

/// Writes a tracefile. Paths are below the project's folder, so that it can be read on another machine.
pub fn lcov(coverage: &Coverage) -> String {
    let mut text = String::new();
    for file in &coverage.files {
        let path = file.path.to_string_lossy().replace('\\', "/");
        let _ = writeln!(text, "TN:\nSF:{path}");
        for (line, count) in &file.lines {
            let _ = writeln!(text, "DA:{line},{count}");
        }
        let _ = writeln!(text, "LF:{}\nLH:{}\nend_of_record", file.total(), file.ran());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::FileCoverage;

    #[test]
    fn a_file_is_a_record() {
        let file = FileCoverage { path: "src/a.lua".into(), lines: [(1, 2), (4, 0)].into() };
        let coverage = Coverage { files: vec![file], unreadable: Vec::new() };
        assert_eq!(lcov(&coverage), "TN:\nSF:src/a.lua\nDA:1,2\nDA:4,0\nLF:2\nLH:1\nend_of_record\n");
    }
}
