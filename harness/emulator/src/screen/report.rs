//! A screen as data: lines of text, and the colours in the notation of `term.blit`.

use serde::{Deserialize, Serialize};

use super::Terminal;

/// Block graphics have no character of their own in plain text.
const BLOCK: char = '\u{2592}';

/// Everything that a screen shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenReport {
    pub computer: u32,
    pub label: Option<String>,
    pub width: usize,
    pub height: usize,
    /// A string for each line, of the screen's width.
    pub text: Vec<String>,
    /// A hexadecimal digit for each character's colour.
    pub colors: Vec<String>,
    pub background: Vec<String>,
    /// Sixteen colours as `#rrggbb`.
    pub palette: Vec<String>,
    pub cursor: Cursor,
}

/// Where the cursor is, from 1, and whether it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    pub x: i32,
    pub y: i32,
    pub blink: bool,
}

impl ScreenReport {
    pub fn new(computer: u32, label: Option<String>, terminal: &Terminal) -> Self {
        let (width, height) = terminal.size();
        let lines = |digit: fn(&super::Cell) -> char| -> Vec<String> {
            (0..height)
                .map(|row| terminal.line(row).iter().map(digit).collect())
                .collect()
        };
        Self {
            computer,
            label,
            width,
            height,
            text: lines(|cell| shown(cell.character)),
            colors: lines(|cell| hex(cell.text)),
            background: lines(|cell| hex(cell.background)),
            palette: terminal
                .palette
                .iter()
                .map(|colour| format!("#{colour:06x}"))
                .collect(),
            cursor: Cursor {
                x: terminal.cursor.0,
                y: terminal.cursor.1,
                blink: terminal.blink,
            },
        }
    }
}

/// The screen as text: each line without the spaces at its end, and no empty lines at the end.
pub fn to_text(terminal: &Terminal) -> String {
    let (_, height) = terminal.size();
    let mut text = String::new();
    for row in 0..height {
        let line: String = terminal
            .line(row)
            .iter()
            .map(|cell| shown(cell.character))
            .collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let end = text.trim_end_matches('\n').len();
    text.truncate(end);
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Characters are Latin-1, but for the block graphics and the control characters.
fn shown(character: u8) -> char {
    match character {
        0 | 9 | 10 | 13 => ' ',
        1..=31 | 127..=159 => BLOCK,
        other => char::from(other),
    }
}

fn hex(colour: u8) -> char {
    char::from_digit(colour.into(), 16).unwrap_or('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_no_spaces_or_lines_at_its_end() {
        let mut terminal = Terminal::new(10, 4);
        terminal.write(b"a b");
        terminal.cursor = (1, 3);
        terminal.write(b"\xe4");
        assert_eq!(to_text(&terminal), "a b\n\n\u{e4}\n");
    }

    #[test]
    fn a_report_keeps_the_width_of_every_line() {
        let mut terminal = Terminal::new(4, 2);
        terminal.text = 14;
        terminal.write(b"hi");
        let report = ScreenReport::new(7, Some("x".to_owned()), &terminal);
        assert_eq!(report.text, ["hi  ", "    "]);
        assert_eq!(report.colors[0], "ee00");
        assert_eq!(report.palette[0], "#f0f0f0");
    }
}
