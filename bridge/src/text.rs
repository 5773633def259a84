//! How a stranger's text is shown in a line: escaped and cut, so that no computer can forge another's line.
//! As data, in a field of JSON, it stays as it is: JSON escapes for itself.

use std::fmt::{self, Debug, Display, Write as _};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::limits::{ERROR_CHARS, LABEL_CHARS};

/// A text that came from a computer. It can be compared and written as data; shown, it is always escaped and cut.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stranger(Arc<str>);

impl Stranger {
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Takes a text of which no more is kept than of a label.
    pub fn short(text: &str) -> Self {
        Self(cut(text, LABEL_CHARS).into())
    }

    pub fn is(&self, other: &str) -> bool {
        *self.0 == *other
    }

    /// Whether a text in small letters stands in it, whatever its case.
    pub fn contains(&self, part: &str) -> bool {
        self.0.to_lowercase().contains(part)
    }

    /// How long it is, as data.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Puts it behind other text of strangers.
    pub(crate) fn append_to(&self, text: &mut String) {
        text.push_str(&self.0);
    }

    /// Shows all of it with its line breaks, everything else escaped: for what a program prints, which is shown alone.
    pub fn printed(&self) -> String {
        let mut text = String::with_capacity(self.0.len());
        for character in self.0.chars() {
            match character {
                '\n' | '\t' => text.push(character),
                other => escape(&mut text, other).expect("a String takes everything"),
            }
        }
        text
    }
}

impl Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&shown(&self.0), f)
    }
}

impl Debug for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// Shows a text with control characters, line breaks and direction marks escaped, and at most so many
/// characters of it.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    text: &'a str,
    most: usize,
}

/// Shows a text in a line, cut at the length of an error.
pub fn shown(text: &str) -> Shown<'_> {
    Shown { text, most: ERROR_CHARS }
}

/// Shows a label in a line, cut at the length of a label.
pub fn label(text: &str) -> Shown<'_> {
    Shown { text, most: LABEL_CHARS }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nearly every label is plain ASCII: one pass decides, one write does it.
        if self.text.len() <= self.most && self.text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            return f.write_str(self.text);
        }
        for character in self.text.chars().take(self.most) {
            escape(f, character)?;
        }
        Ok(())
    }
}

fn escape(to: &mut impl fmt::Write, character: char) -> fmt::Result {
    match character {
        '\n' => to.write_str("\\n"),
        '\r' => to.write_str("\\r"),
        '\t' => to.write_str("\\t"),
        c if is_deceptive(c) => write!(to, "\\u{{{:x}}}", u32::from(c)),
        c => to.write_char(c),
    }
}

/// Tells whether a character moves the cursor, breaks the line, reorders the text or cannot be seen.
fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Names a computer as every line does: `12 (Label: base-turtle)`.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    pub id: u64,
    pub label: Option<&'a Stranger>,
}

impl Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.label {
            Some(text) => write!(f, "{} (Label: {})", self.id, label(&text.0)),
            None => write!(f, "{} (Label: null)", self.id),
        }
    }
}

/// Things that a message names; the rest is counted.
const NAMED: usize = 20;

/// Some of a list in words: `12, 13 and 5 more`, or `none`.
pub fn some_of(items: impl ExactSizeIterator<Item: ToString>) -> String {
    let (count, rest) = (items.len(), items.len().saturating_sub(NAMED));
    let text = items.take(NAMED).map(|item| item.to_string()).collect::<Vec<_>>().join(", ");
    match (count, rest) {
        (0, _) => "none".to_owned(),
        (_, 0) => text,
        _ => format!("{text} and {rest} more"),
    }
}

/// Writes bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Cuts a text to so many characters.
pub fn cut(text: &str, most: usize) -> &str {
    match text.char_indices().nth(most) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_shown_as_it_is() {
        assert_eq!(shown("base-türtle №1 🐢").to_string(), "base-türtle №1 🐢");
    }

    #[test]
    fn line_breaks_escapes_and_direction_marks_are_shown_escaped() {
        assert_eq!(
            shown("a\nb\r\tc\u{1b}[31m\u{7f}\u{85}\u{202e}x\u{2028}\0").to_string(),
            r"a\nb\r\tc\u{1b}[31m\u{7f}\u{85}\u{202e}x\u{2028}\u{0}"
        );
    }

    #[test]
    fn a_label_is_cut_at_64_characters_not_bytes() {
        let long = "ü".repeat(100);
        assert_eq!(label(&long).to_string(), "ü".repeat(64));
        assert_eq!(label(&"x".repeat(65)).to_string(), "x".repeat(64));
    }

    #[test]
    fn no_text_makes_a_second_line() {
        let forged = Stranger::new("x)\npong from 13 (Label: y");
        let named = Named { id: 12, label: Some(&forged) };
        assert_eq!(named.to_string(), r"12 (Label: x)\npong from 13 (Label: y)");
        assert_eq!(named.to_string().lines().count(), 1);
    }

    #[test]
    fn a_list_names_some_and_counts_the_rest() {
        assert_eq!(some_of(0..0), "none");
        assert_eq!(some_of(3..6), "3, 4, 5");
        assert!(some_of(0..NAMED).ends_with("18, 19"));
        assert!(some_of(0..NAMED + 2).ends_with("18, 19 and 2 more"));
    }

    #[test]
    fn cutting_keeps_whole_characters() {
        assert_eq!(cut("日本語", 2), "日本");
        assert_eq!(cut("ab", 2), "ab");
    }

    #[test]
    fn a_strangers_text_is_shown_escaped_and_cut_and_written_as_it_is() {
        let stranger = Stranger::new("a\n\u{202e}b");
        assert_eq!(stranger.to_string(), r"a\n\u{202e}b");
        assert_eq!(format!("{stranger:?}"), r#""a\n\u{202e}b""#);
        assert_eq!(stranger.printed(), "a\n\\u{202e}b");
        assert_eq!(serde_json::to_string(&stranger).expect("JSON"), "\"a\\n\u{202e}b\"");
        assert_eq!(Stranger::new(&"x".repeat(9999)).to_string().len(), ERROR_CHARS);
        assert!(Stranger::short(&"x".repeat(65)).is(&"x".repeat(64)));
    }
}
