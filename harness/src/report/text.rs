//! Strangers' text, made safe for where it is shown: a terminal, XML, HTML.

use std::fmt::Write as _;

/// Whether a character changes how its neighbours are shown: control characters and marks of direction.
fn is_odd(c: char) -> bool {
    let direction = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\n' && c != '\t') || direction || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Text for a terminal: what would move its cursor or its colours is shown escaped.
pub fn plain(text: &str) -> String {
    escaped(text, |_| None)
}

/// Text for XML and HTML, in an element or in an attribute.
pub fn markup(text: &str) -> String {
    escaped(text, |c| match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        _ => None,
    })
}

fn escaped(text: &str, special: impl Fn(char) -> Option<&'static str>) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if let Some(name) = special(c) {
            safe.push_str(name);
        } else if is_odd(c) {
            let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// The first bytes of a text, at a character's end, and how many were left out.
pub fn cut(text: &str, bytes: usize) -> (&str, usize) {
    if text.len() <= bytes {
        return (text, 0);
    }
    let end = (0..=bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    (&text[..end], text.len() - end)
}

/// The last bytes of a text, at a line's beginning where there is one.
pub fn tail(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let from = (text.len() - bytes..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let rest = &text[from..];
    rest.split_once('\n').map_or(rest, |(_, lines)| lines)
}

/// A number of bytes as a person says it.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes.div_ceil(1024)),
        _ => format!("{} MiB", bytes.div_ceil(1_048_576)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_direction_marks_are_shown_and_lines_stay() {
        assert_eq!(plain("a\u{1b}[31m\n\u{202e}b"), "a\\u{1b}[31m\n\\u{202e}b");
        assert_eq!(markup("<b a=\"1\">&'\u{0}"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;\\u{0}");
    }

    #[test]
    fn a_cut_is_at_a_character() {
        assert_eq!(cut("aüb", 2), ("a", 3));
        assert_eq!(cut("aüb", 4), ("aüb", 0));
        assert_eq!(tail("one\ntwo\nthree", 7), "three");
    }
}
