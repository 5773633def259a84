//! A screen as a PNG, with the glyphs of [`super::font`].

use super::{Terminal, font};

/// A glyph is small: each of its dots becomes a square of this many pixels.
const SCALE: usize = 2;

/// Draws the screen; the palette is that of the terminal at this moment.
pub fn to_png(terminal: &Terminal) -> Result<Vec<u8>, png::EncodingError> {
    let (columns, rows) = terminal.size();
    let width = columns * font::WIDTH * SCALE;
    let height = rows * font::HEIGHT * SCALE;
    let mut pixels = vec![0_u8; width * height];
    for (y, line) in pixels.chunks_mut(width.max(1)).enumerate() {
        let (row, dot_row) = (y / SCALE / font::HEIGHT, y / SCALE % font::HEIGHT);
        let cells = terminal.line(row);
        for (x, pixel) in line.iter_mut().enumerate() {
            let (column, dot_column) = (x / SCALE / font::WIDTH, x / SCALE % font::WIDTH);
            let cell = cells[column];
            let set = font::dot(cell.character, dot_column, dot_row);
            *pixel = if set { cell.text } else { cell.background };
        }
    }
    let mut image = Vec::new();
    let side = |length: usize| u32::try_from(length.max(1)).unwrap_or(u32::MAX);
    let mut encoder = png::Encoder::new(&mut image, side(width), side(height));
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(
        terminal
            .palette
            .iter()
            .flat_map(|colour| colour.to_be_bytes()[1..].to_vec())
            .collect::<Vec<u8>>(),
    );
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_the_size_and_colours_of_the_screen() {
        let mut terminal = Terminal::new(51, 19);
        terminal.background = 14;
        terminal.clear();
        let image = to_png(&terminal).expect("memory takes it");
        let mut reader = png::Decoder::new(std::io::Cursor::new(image))
            .read_info()
            .expect("it is a picture");
        assert_eq!((reader.info().width, reader.info().height), (612, 342));
        let mut pixels = vec![0; reader.output_buffer_size().expect("it is small")];
        reader.next_frame(&mut pixels).expect("it is whole");
        assert!(pixels[..612 * 342].iter().all(|&pixel| pixel == 14));
    }
}
