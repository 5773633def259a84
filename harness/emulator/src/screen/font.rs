//! A small font of the project's own, drawn for this emulator: printable ASCII, and the block graphics.
//!
//! Other characters of the upper half are drawn as a frame: they matter less than that one sees them.

/// Dots of a character's cell.
pub const WIDTH: usize = 6;
pub const HEIGHT: usize = 9;

/// Rows of a glyph and where they begin in the cell.
const GLYPH_HEIGHT: usize = 7;
const TOP: usize = 1;
/// Columns of a glyph; the sixth keeps the letters apart.
const GLYPH_WIDTH: usize = 5;

/// What is drawn for a character without a glyph.
const FRAME: [u8; GLYPH_HEIGHT] = [31, 17, 17, 17, 17, 17, 31];

/// Whether a dot of a character is set.
pub fn dot(character: u8, column: usize, row: usize) -> bool {
    match character {
        0 | 9 | 10 | 13 | 32 | 160 => false,
        // Six blocks, two across and three down; the sixth is drawn by swapping the colours.
        128..=159 => {
            let block = (column / (WIDTH / 2)) + 2 * (row / (HEIGHT / 3));
            block < 5 && character >> block & 1 == 1
        }
        33..=126 => glyph_dot(GLYPHS[usize::from(character) - 33], column, row),
        _ => glyph_dot(FRAME, column, row),
    }
}

fn glyph_dot(glyph: [u8; GLYPH_HEIGHT], column: usize, row: usize) -> bool {
    let inside = column < GLYPH_WIDTH && (TOP..TOP + GLYPH_HEIGHT).contains(&row);
    inside && glyph[row - TOP] >> (GLYPH_WIDTH - 1 - column) & 1 == 1
}

/// A byte for each row, the leftmost dot in bit 4; from `!` to `~`.
const GLYPHS: [[u8; GLYPH_HEIGHT]; 94] = [
    [4, 4, 4, 4, 0, 4, 0],        // !
    [10, 10, 0, 0, 0, 0, 0],      // "
    [10, 31, 10, 10, 31, 10, 0],  // #
    [4, 15, 20, 14, 5, 30, 4],    // $
    [25, 26, 2, 4, 11, 19, 0],    // %
    [12, 18, 12, 21, 18, 13, 0],  // &
    [4, 4, 0, 0, 0, 0, 0],        // '
    [2, 4, 4, 4, 4, 2, 0],        // (
    [8, 4, 4, 4, 4, 8, 0],        // )
    [0, 21, 14, 31, 14, 21, 0],   // *
    [0, 4, 4, 31, 4, 4, 0],       // +
    [0, 0, 0, 0, 4, 4, 8],        // ,
    [0, 0, 0, 31, 0, 0, 0],       // -
    [0, 0, 0, 0, 0, 4, 0],        // .
    [1, 2, 2, 4, 8, 16, 0],       // /
    [14, 17, 19, 21, 25, 14, 0],  // 0
    [4, 12, 4, 4, 4, 14, 0],      // 1
    [14, 17, 2, 4, 8, 31, 0],     // 2
    [30, 1, 6, 1, 17, 14, 0],     // 3
    [2, 6, 10, 31, 2, 2, 0],      // 4
    [31, 16, 30, 1, 17, 14, 0],   // 5
    [14, 16, 30, 17, 17, 14, 0],  // 6
    [31, 1, 2, 4, 4, 4, 0],       // 7
    [14, 17, 14, 17, 17, 14, 0],  // 8
    [14, 17, 17, 15, 1, 14, 0],   // 9
    [0, 4, 0, 0, 4, 0, 0],        // :
    [0, 4, 0, 0, 4, 4, 8],        // ;
    [2, 4, 8, 8, 4, 2, 0],        // <
    [0, 0, 31, 0, 31, 0, 0],      // =
    [8, 4, 2, 2, 4, 8, 0],        // >
    [14, 17, 2, 4, 0, 4, 0],      // ?
    [14, 17, 23, 22, 16, 14, 0],  // @
    [14, 17, 17, 31, 17, 17, 0],  // A
    [30, 17, 30, 17, 17, 30, 0],  // B
    [14, 17, 16, 16, 17, 14, 0],  // C
    [28, 18, 17, 17, 18, 28, 0],  // D
    [31, 16, 30, 16, 16, 31, 0],  // E
    [31, 16, 30, 16, 16, 16, 0],  // F
    [14, 16, 19, 17, 17, 14, 0],  // G
    [17, 17, 31, 17, 17, 17, 0],  // H
    [14, 4, 4, 4, 4, 14, 0],      // I
    [7, 2, 2, 2, 18, 12, 0],      // J
    [17, 18, 28, 18, 17, 17, 0],  // K
    [16, 16, 16, 16, 16, 31, 0],  // L
    [17, 27, 21, 17, 17, 17, 0],  // M
    [17, 25, 21, 19, 17, 17, 0],  // N
    [14, 17, 17, 17, 17, 14, 0],  // O
    [30, 17, 30, 16, 16, 16, 0],  // P
    [14, 17, 17, 21, 18, 13, 0],  // Q
    [30, 17, 30, 20, 18, 17, 0],  // R
    [15, 16, 14, 1, 17, 14, 0],   // S
    [31, 4, 4, 4, 4, 4, 0],       // T
    [17, 17, 17, 17, 17, 14, 0],  // U
    [17, 17, 17, 10, 10, 4, 0],   // V
    [17, 17, 17, 21, 27, 17, 0],  // W
    [17, 10, 4, 4, 10, 17, 0],    // X
    [17, 10, 4, 4, 4, 4, 0],      // Y
    [31, 2, 4, 8, 16, 31, 0],     // Z
    [14, 8, 8, 8, 8, 14, 0],      // [
    [16, 8, 8, 4, 2, 1, 0],       // backslash
    [14, 2, 2, 2, 2, 14, 0],      // ]
    [4, 10, 17, 0, 0, 0, 0],      // ^
    [0, 0, 0, 0, 0, 0, 31],       // _
    [8, 4, 0, 0, 0, 0, 0],        // `
    [0, 0, 14, 1, 15, 17, 15],    // a
    [16, 16, 30, 17, 17, 17, 30], // b
    [0, 0, 14, 17, 16, 17, 14],   // c
    [1, 1, 15, 17, 17, 17, 15],   // d
    [0, 0, 14, 17, 31, 16, 14],   // e
    [6, 8, 30, 8, 8, 8, 8],       // f
    [0, 15, 17, 17, 15, 1, 14],   // g
    [16, 16, 30, 17, 17, 17, 17], // h
    [4, 0, 12, 4, 4, 4, 14],      // i
    [2, 0, 6, 2, 2, 18, 12],      // j
    [16, 16, 18, 20, 24, 20, 18], // k
    [12, 4, 4, 4, 4, 4, 14],      // l
    [0, 0, 26, 21, 21, 21, 17],   // m
    [0, 0, 30, 17, 17, 17, 17],   // n
    [0, 0, 14, 17, 17, 17, 14],   // o
    [0, 30, 17, 17, 30, 16, 16],  // p
    [0, 15, 17, 17, 15, 1, 1],    // q
    [0, 0, 22, 25, 16, 16, 16],   // r
    [0, 0, 15, 16, 14, 1, 30],    // s
    [8, 8, 30, 8, 8, 9, 6],       // t
    [0, 0, 17, 17, 17, 19, 13],   // u
    [0, 0, 17, 17, 17, 10, 4],    // v
    [0, 0, 17, 17, 21, 21, 10],   // w
    [0, 0, 17, 10, 4, 10, 17],    // x
    [0, 17, 17, 17, 15, 1, 14],   // y
    [0, 0, 31, 2, 4, 8, 31],      // z
    [6, 4, 8, 4, 4, 6, 0],        // {
    [4, 4, 4, 4, 4, 4, 0],        // |
    [12, 4, 2, 4, 4, 12, 0],      // }
    [0, 0, 13, 18, 0, 0, 0],      // ~
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_differ_and_blocks_fill_their_corner() {
        let drawn = |character: u8| -> Vec<bool> {
            (0..HEIGHT)
                .flat_map(|row| (0..WIDTH).map(move |column| dot(character, column, row)))
                .collect()
        };
        for left in 33..127_u8 {
            for right in left + 1..127 {
                assert_ne!(drawn(left), drawn(right), "{left} and {right} look the same");
            }
        }
        assert!(dot(129, 0, 0) && !dot(129, 3, 0) && dot(130, 3, 0));
    }
}
