//! The lines of a server's output that a message shows.

use child_processes::Kept;

/// The lines that a message shows.
const SHOWN_LINES: usize = 12;

/// The last lines of what was kept, as a terminal may show them.
pub fn last_lines(kept: &Kept) -> Vec<String> {
    let text = kept.text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let from = lines.len().saturating_sub(SHOWN_LINES);
    lines[from..].iter().map(|text| crate::text::line(text.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_few_lines_and_no_escapes() {
        let kept = Kept::default();
        for number in 0..100 {
            kept.push(format!("line {number}\u{1b}\r\n").as_bytes());
        }
        let lines = last_lines(&kept);
        assert_eq!(lines.len(), SHOWN_LINES);
        assert_eq!(lines[0], "line 88\\u{1b}");
    }
}
