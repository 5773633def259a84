//! Where two long texts differ: only the lines around that, so that a message stays readable.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// Lines that are the same around one that differs: which call it was, what came before.
const CONTEXT: usize = 2;

/// Lines of each text that a message shows.
const MOST: usize = 40;

/// Beyond this the difference is not looked at more closely: two floods may differ in every line.
const PATIENCE: Duration = Duration::from_secs(2);

/// The lines of both texts where they differ, and some around them.
pub fn differing(expected: &[u8], actual: &[u8]) -> (String, String) {
    let (expected, actual) = (readable(expected), readable(actual));
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(&expected, &actual);
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for group in diff.grouped_ops(CONTEXT) {
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = change.value().trim_end_matches('\n').to_owned();
            if change.tag() != ChangeTag::Insert {
                old.push(line.clone());
            }
            if change.tag() != ChangeTag::Delete {
                new.push(line);
            }
        }
    }
    (cut(old), cut(new))
}

fn cut(mut lines: Vec<String>) -> String {
    let more = lines.len().saturating_sub(MOST);
    if more > 0 {
        lines.truncate(MOST);
        lines.push(format!("… and {more} lines more"));
    }
    lines.join("\n")
}

/// A text that a terminal can show. Bytes that are no text are escaped, so that two that differ look different.
fn readable(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.split_inclusive(|byte| *byte == b'\n').map(escaped).collect(),
    }
}

fn escaped(line: &[u8]) -> String {
    match line.strip_suffix(b"\n") {
        Some(line) => format!("{}\n", line.escape_ascii()),
        None => line.escape_ascii().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_around_a_difference_are_given() {
        let text = |changed: &str| {
            let lines =
                (1..=100).map(|n| if n == 50 { format!("{changed}\n") } else { format!("call {n}\n") });
            lines.collect::<String>().into_bytes()
        };
        let (old, new) = differing(&text("one"), &text("other"));
        assert_eq!(old, "call 48\ncall 49\none\ncall 51\ncall 52");
        assert_eq!(new, "call 48\ncall 49\nother\ncall 51\ncall 52");
    }

    #[test]
    fn a_flood_is_cut_and_bytes_that_are_no_text_differ() {
        let (old, new) = differing(b"", &b"x\n".repeat(1000));
        assert_eq!((old.as_str(), new.lines().count()), ("", MOST + 1));
        assert_eq!(differing(b"\xff\n", b"\xfe\n"), ("\\xff".to_owned(), "\\xfe".to_owned()));
    }
}
