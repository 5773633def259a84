//! Coverage for a person at the terminal.

use std::fmt::Write as _;

use super::report::Coverage;

/// Ranges that a line of the table has room for; the page of the file has all.
const RANGES: usize = 8;

/// Hundredths of a per cent, rounded down: what is not everything is not 100.
fn percent(ran: usize, total: usize) -> String {
    let tenths = (ran * 1000).checked_div(total).unwrap_or(1000);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Ranges of lines, as a person writes them.
pub fn ranges(ranges: &[(u32, u32)]) -> Vec<String> {
    let one = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(one).collect()
}

/// A line for each file and one for all: lines that ran of those that could, per cent, and what is missing.
pub fn table(coverage: &Coverage) -> String {
    let mut rows = Vec::new();
    for file in &coverage.files {
        let missed = ranges(&file.missed());
        let mut text = missed.iter().take(RANGES).cloned().collect::<Vec<_>>().join(", ");
        if missed.len() > RANGES {
            let _ = write!(text, " and {} more", missed.len() - RANGES);
        }
        let name = file.path.display().to_string().replace('\\', "/");
        rows.push((name, file.ran(), file.total(), text));
    }
    rows.push(("all".to_owned(), coverage.ran(), coverage.total(), String::new()));
    let widest = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or_default();
    let mut table = String::new();
    for (name, ran, total, missed) in rows {
        let lines = format!("{ran} of {total}");
        let row = format!("{name:<widest$}  {lines:>14}  {:>7}  ", percent(ran, total));
        let missed = if missed.is_empty() { missed } else { format!("missed {missed}") };
        let _ = writeln!(table, "{}", format!("{row}{missed}").trim_end());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::FileCoverage;

    #[test]
    fn a_table_has_every_file_and_what_it_misses() {
        let lines = |counts: &[u64]| (1..).zip(counts.iter().copied()).collect();
        let file = |path: &str, counts: &[u64]| FileCoverage { path: path.into(), lines: lines(counts) };
        let files = vec![
            file("a.lua", &[1, 0, 0, 1, 0]),
            file("empty.lua", &[]),
            file("much.lua", &[[1, 0]; 9].concat()),
        ];
        let expected = "\
a.lua              2 of 5   40.0 %  missed 2-3, 5
empty.lua          0 of 0  100.0 %
much.lua          9 of 18   50.0 %  missed 2, 4, 6, 8, 10, 12, 14, 16 and 1 more
all              11 of 23   47.8 %
";
        assert_eq!(table(&Coverage { files, unreadable: Vec::new() }), expected);
    }
}
