//! The screen of a computer, with its colours, as its boot describes it.

use super::control::{ANSWER, Command};
use super::printed::{as_text, odd_lines};
use super::{Computer, ComputerError};

/// The colours, in the order of the digits that `term.blit` has for them.
const COLOURS: [&str; 16] = [
    "white",
    "orange",
    "magenta",
    "light blue",
    "yellow",
    "lime",
    "pink",
    "gray",
    "light gray",
    "cyan",
    "purple",
    "blue",
    "brown",
    "green",
    "red",
    "black",
];

/// White on black, as every screen begins.
const PLAIN: (char, char) = ('0', 'f');

/// A screen at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// The column and the line of the cursor, from 1; it may be outside of the screen.
    pub cursor: (i64, i64),
    pub lines: Vec<Line>,
}

/// A line of a screen. The colours have a digit for each character, as `term.blit` takes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    /// Whether it is no UTF-8, so that each character stands for a byte.
    pub is_odd: bool,
    pub colours: String,
    pub backgrounds: String,
}

impl Screen {
    /// Reads what the boot says: the cursor, then three lines for each line.
    fn read(described: &[u8]) -> Option<Self> {
        let text = as_text(described);
        let odd: Vec<usize> = odd_lines(described).collect();
        let (cursor, rest) = text.split_once('\n')?;
        let (x, y) = cursor.split_once(' ')?;
        let rows: Vec<&str> = rest.split('\n').collect();
        let lines = rows.chunks_exact(3).enumerate().map(|(index, row)| Line {
            text: row[0].to_owned(),
            // The cursor has the first line, and each line of the screen three.
            is_odd: odd.contains(&(index * 3 + 2)),
            colours: row[1].to_owned(),
            backgrounds: row[2].to_owned(),
        });
        Some(Self { cursor: (x.parse().ok()?, y.parse().ok()?), lines: lines.collect() })
    }

    /// The lines that are no UTF-8, counted from 1: one that is may look the same.
    pub fn odd_lines(&self) -> Vec<usize> {
        let lines = self.lines.iter().enumerate().filter(|(_, line)| line.is_odd);
        lines.map(|(index, _)| index + 1).collect()
    }

    /// The lines without the spaces behind them, and without the empty ones at the end.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.trim_end_matches(' ')).collect();
        let last = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        lines[..last].join("\n")
    }

    /// Says which colours are where: a line for each line of the screen that is not white on black throughout.
    pub fn colours(&self) -> String {
        let told = self.lines.iter().enumerate().filter_map(|(index, line)| {
            let runs = line.runs();
            (!runs.is_empty()).then(|| format!("line {}: {}\n", index + 1, runs.join(", ")))
        });
        told.collect()
    }
}

impl Line {
    /// The parts that are not white on black: their columns and their colours.
    fn runs(&self) -> Vec<String> {
        let cells: Vec<(char, char)> = self.colours.chars().zip(self.backgrounds.chars()).collect();
        let mut runs = Vec::new();
        let mut from = 0;
        for run in cells.chunk_by(|one, next| one == next) {
            let (colours, to) = (run[0], from + run.len());
            if colours != PLAIN {
                let columns = if run.len() == 1 { to.to_string() } else { format!("{} to {to}", from + 1) };
                runs.push(format!("{columns} {} on {}", name(colours.0), name(colours.1)));
            }
            from = to;
        }
        runs
    }
}

fn name(digit: char) -> &'static str {
    digit.to_digit(16).and_then(|digit| COLOURS.get(digit as usize)).copied().unwrap_or("no colour")
}

impl Computer {
    /// The screen as it is now.
    pub async fn screen(&self) -> Result<Screen, ComputerError> {
        let described = self.command_within(&Command::screen(), ANSWER).await?;
        Screen::read(&described).ok_or_else(|| ComputerError::Refused {
            computer: self.spec.name.clone(),
            command: Command::screen().to_string(),
            reason: format!("it describes its screen as `{}`", described.escape_ascii()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_tells_its_colours_where_they_are_not_white_on_black() {
        let screen =
            Screen::read(b"3 2\nab  \n00ff\nffee\nc   \n0000\nffff\n    \n0000\nffff").expect("it is one");
        assert_eq!((screen.cursor, screen.lines.len()), ((3, 2), 3));
        assert_eq!(screen.text(), "ab\nc");
        assert_eq!(screen.colours(), "line 1: 3 to 4 black on red\n");
        let one = Screen::read(b"1 1\nx\ne\nf").expect("it is one");
        assert_eq!(one.colours(), "line 1: 1 red on black\n");
    }

    #[test]
    fn a_line_of_bytes_is_told_from_the_same_line_in_utf8() {
        let screen = Screen::read(b"1 1\n\xc3\xbc\n00\nff\n\xfc\n0\nf").expect("it is one");
        assert_eq!(screen.text(), "\u{fc}\n\u{fc}");
        assert_eq!(screen.odd_lines(), [2]);
    }

    #[test]
    fn what_is_no_screen_is_not_read() {
        assert_eq!(Screen::read(b"3\nab"), None);
        assert_eq!(Screen::read(b""), None);
    }
}
