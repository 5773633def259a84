//! How a stranger's text is shown on a terminal: what moves the cursor, reorders text or cannot be seen is escaped.

use std::error::Error;
use std::fmt::Write as _;

/// One line: line breaks are escaped too.
pub fn line(text: &str) -> String {
    shown(text, false)
}

/// A text of several lines, which keeps its line breaks and tabs.
pub fn block(text: &str) -> String {
    shown(text, true)
}

/// The first line of a text, cut at so many characters.
pub fn headline(text: &str, most: usize) -> String {
    let first = text.trim().lines().next().unwrap_or_default();
    let mut cut: String = first.chars().take(most).collect();
    if cut.len() < first.len() {
        cut.push('…');
    }
    line(&cut)
}

/// An error with what caused it, in one line; a cause that its effect already quotes is left out.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            let _ = write!(text, ": {next}");
        }
        cause = error.source();
    }
    text
}

/// The names nearest to a mistyped one, for a hint.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the name may be wrong: `comand` is `command`, `x` is nothing.
    let most = wrong.chars().count().div_ceil(3);
    let near = names.into_iter().map(|name| (strsim::levenshtein(wrong, name), name)).min()?;
    (near.0 <= most).then_some(near.1)
}

fn shown(text: &str, lines: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' if lines => shown.push(character),
            '\r' if lines && characters.peek() == Some(&'\n') => {}
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if is_deceptive(c) => {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown
}

fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_the_cursor_is_escaped() {
        assert_eq!(line("a\u{1b}[2Jb\nc\u{202e}"), "a\\u{1b}[2Jb\\nc\\u{202e}");
        assert_eq!(block("a\r\nb\tc\u{7}"), "a\nb\tc\\u{7}");
    }

    #[test]
    fn a_headline_is_one_short_line() {
        assert_eq!(headline("  first line\nsecond", 80), "first line");
        assert_eq!(headline("abcdef", 3), "abc…");
        assert_eq!(headline("", 3), "");
    }

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        assert_eq!(nearest("comand", ["args", "command", "url"]), Some("command"));
        assert_eq!(nearest("colour", ["args", "command", "url"]), None);
        assert_eq!(nearest("x", []), None);
    }
}
