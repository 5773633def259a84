//! The buffer of a terminal: characters with two colours each, a cursor, a palette.
//!
//! Positions are those of programs, from 1, and may lie off the screen.

/// The colours of an advanced computer, from `colors.white` to `colors.black`.
pub const DEFAULT_PALETTE: [u32; 16] = [
    0xF0_F0F0, 0xF2_B233, 0xE5_7FD8, 0x99_B2F2, 0xDE_DE6C, 0x7F_CC19, 0xF2_B2CC, 0x4C_4C4C, //
    0x99_9999, 0x4C_99B2, 0xB2_66E5, 0x33_66CC, 0x7F_664C, 0x57_A64E, 0xCC_4C4C, 0x11_1111,
];

/// `colors.white` as a number of the palette.
const WHITE: u8 = 0;
/// `colors.black` as a number of the palette.
const BLACK: u8 = 15;

/// One character on the screen, with its colours as numbers of the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub character: u8,
    pub text: u8,
    pub background: u8,
}

/// A terminal's buffer and state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terminal {
    width: usize,
    height: usize,
    cells: Vec<Cell>,
    pub cursor: (i32, i32),
    pub blink: bool,
    pub text: u8,
    pub background: u8,
    pub palette: [u32; 16],
}

impl Terminal {
    pub fn new(width: usize, height: usize) -> Self {
        let blank = Cell { character: b' ', text: WHITE, background: BLACK };
        Self {
            width,
            height,
            cells: vec![blank; width * height],
            cursor: (1, 1),
            blink: true,
            text: WHITE,
            background: BLACK,
            palette: DEFAULT_PALETTE,
        }
    }

    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Whether it is as it was made.
    pub fn is_blank(&self) -> bool {
        *self == Self::new(self.width, self.height)
    }

    /// Changes the size; what still fits stays.
    pub fn resize(&mut self, width: usize, height: usize) {
        let mut fresh = vec![self.blank(); width * height];
        for row in 0..height.min(self.height) {
            let kept = width.min(self.width);
            fresh[row * width..row * width + kept]
                .copy_from_slice(&self.cells[row * self.width..row * self.width + kept]);
        }
        (self.width, self.height, self.cells) = (width, height, fresh);
    }

    fn blank(&self) -> Cell {
        Cell { character: b' ', text: self.text, background: self.background }
    }

    /// The cells of a line, from 0.
    pub fn line(&self, row: usize) -> &[Cell] {
        &self.cells[row * self.width..(row + 1) * self.width]
    }

    /// The cells of the line that the cursor is on, if it is on the screen.
    fn current_line(&mut self) -> Option<&mut [Cell]> {
        let row = usize::try_from(i64::from(self.cursor.1) - 1).ok().filter(|&row| row < self.height)?;
        Some(&mut self.cells[row * self.width..(row + 1) * self.width])
    }

    /// Writes cells from the cursor on, cuts what is off the screen, and moves the cursor behind them.
    pub fn put(&mut self, cells: impl ExactSizeIterator<Item = Cell>) {
        let start = self.cursor.0;
        let count = i32::try_from(cells.len()).unwrap_or(i32::MAX);
        if let Some(line) = self.current_line() {
            for (cell, column) in cells.zip(i64::from(start) - 1..) {
                if let Some(slot) = usize::try_from(column).ok().and_then(|column| line.get_mut(column)) {
                    *slot = cell;
                }
            }
        }
        self.cursor.0 = start.saturating_add(count);
    }

    pub fn write(&mut self, text: &[u8]) {
        let (colour, background) = (self.text, self.background);
        self.put(text.iter().map(|&character| Cell { character, text: colour, background }));
    }

    /// Writes characters that each have colours of their own; none of the three may be shorter.
    pub fn blit(&mut self, text: &[u8], colours: &[u8], backgrounds: &[u8]) {
        let count = text.len().min(colours.len()).min(backgrounds.len());
        self.put((0..count).map(|index| Cell {
            character: text[index],
            text: hex_digit(colours[index]).unwrap_or(WHITE),
            background: hex_digit(backgrounds[index]).unwrap_or(BLACK),
        }));
    }

    pub fn clear(&mut self) {
        let blank = self.blank();
        self.cells.fill(blank);
    }

    pub fn clear_line(&mut self) {
        let blank = self.blank();
        if let Some(line) = self.current_line() {
            line.fill(blank);
        }
    }

    /// Moves the content up by that many lines, or down if negative.
    pub fn scroll(&mut self, lines: i32) {
        let blank = self.blank();
        let distance = (lines.unsigned_abs() as usize).min(self.height) * self.width;
        let length = self.cells.len();
        if lines > 0 {
            self.cells.copy_within(distance.., 0);
            self.cells[length - distance..].fill(blank);
        } else {
            self.cells.copy_within(..length - distance, distance);
            self.cells[..distance].fill(blank);
        }
    }
}

fn hex_digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(terminal: &Terminal, row: usize) -> String {
        terminal.line(row).iter().map(|cell| char::from(cell.character)).collect()
    }

    #[test]
    fn writing_is_cut_at_both_edges_and_moves_the_cursor() {
        let mut terminal = Terminal::new(5, 2);
        terminal.cursor = (-1, 1);
        terminal.write(b"abcdefghij");
        assert_eq!(text(&terminal, 0), "cdefg");
        assert_eq!(terminal.cursor, (9, 1));
        terminal.cursor = (1, 7);
        terminal.write(b"nowhere");
        assert_eq!(text(&terminal, 1), "     ");
    }

    #[test]
    fn scrolling_moves_both_ways_and_further_than_the_screen() {
        let mut terminal = Terminal::new(1, 3);
        for (row, character) in [(1, b"a"), (2, b"b"), (3, b"c")] {
            terminal.cursor = (1, row);
            terminal.write(character);
        }
        terminal.scroll(1);
        assert_eq!([text(&terminal, 0), text(&terminal, 1), text(&terminal, 2)].concat(), "bc ");
        terminal.scroll(-2);
        assert_eq!([text(&terminal, 0), text(&terminal, 1), text(&terminal, 2)].concat(), "  b");
        terminal.scroll(100);
        assert_eq!([text(&terminal, 0), text(&terminal, 1), text(&terminal, 2)].concat(), "   ");
    }

    #[test]
    fn blit_takes_colours_from_hexadecimal_digits() {
        let mut terminal = Terminal::new(3, 1);
        terminal.blit(b"ab", b"0e", b"f3");
        assert_eq!(terminal.line(0)[1], Cell { character: b'b', text: 14, background: 3 });
    }
}
