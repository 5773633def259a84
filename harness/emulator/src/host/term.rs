//! `term`: the computer's own screen.

use super::{Arguments, Host};
use crate::lua::{Call, Native, NativeResult, Raise, Value};
use crate::screen::{DEFAULT_PALETTE, Terminal};

/// The number of a colour in the palette; a combination of colours counts as its highest.
fn palette_index(colour: f64) -> Result<Option<u8>, Raise> {
    if colour.is_nan() || colour < 1.0 {
        return Ok(None);
    }
    let index = colour.log2().floor();
    if index > 15.0 {
        return Err(Raise::new(format!("bad argument #1 (invalid color {index})")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 15")]
    Ok(Some(index as u8))
}

fn colour_of(index: u8) -> Value {
    Value::from(1_u32 << index)
}

/// What a value is on a screen. The game writes any value, as `tostring` shows it.
fn written(call: &Call<'_>) -> Result<Vec<u8>, Raise> {
    match call.bytes(1) {
        Some(text) => Ok(text),
        None if call.is_strict() && call.boolean(1).is_some() => Ok(call.truthy(1).to_string().into_bytes()),
        None if call.is_strict() && call.is_nil(1) => Ok(b"nil".to_vec()),
        None => call.text(1),
    }
}

fn write(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let text = written(call)?;
    host.screen_write(&text);
    Ok(())
}

fn blit(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let (text, colours, backgrounds) = blit_arguments(call)?;
    host.screen_touched();
    host.terminal().blit(&text, &colours, &backgrounds);
    Ok(())
}

fn clear(host: &mut Host, _: &mut Call<'_>) -> NativeResult {
    host.screen_touched();
    host.terminal().clear();
    Ok(())
}

fn clear_line(host: &mut Host, _: &mut Call<'_>) -> NativeResult {
    host.screen_touched();
    host.terminal().clear_line();
    Ok(())
}

fn scroll(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let lines = call.integer(1)?;
    host.screen_touched();
    host.screen_scrolled();
    host.terminal().scroll(lines);
    Ok(())
}

fn set_cursor_pos(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let position = (call.integer(1)?, call.integer(2)?);
    host.screen_touched();
    host.screen_moved(position);
    host.terminal().cursor = position;
    Ok(())
}

fn get_cursor_pos(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    apply(&mut host.terminal(), "getCursorPos", call)
}

fn set_cursor_blink(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    apply(&mut host.terminal(), "setCursorBlink", call)
}

fn get_cursor_blink(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    apply(&mut host.terminal(), "getCursorBlink", call)
}

fn get_size(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    apply(&mut host.terminal(), "getSize", call)
}

fn set_text_colour(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    apply(&mut host.terminal(), "setTextColor", call)
}

fn get_text_colour(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    apply(&mut host.terminal(), "getTextColor", call)
}

fn set_background_colour(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    apply(&mut host.terminal(), "setBackgroundColor", call)
}

fn get_background_colour(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    apply(&mut host.terminal(), "getBackgroundColor", call)
}

fn is_colour(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    call.push(host.computer_config.is_color);
    Ok(())
}

fn set_palette_colour(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    apply(&mut host.terminal(), "setPaletteColor", call)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a colour is a word of 24 bits")]
fn channel_word(value: f64) -> u32 {
    value as u32 & 0xFF_FFFF
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped to a byte")]
fn to_byte(value: f64) -> u32 {
    (value.clamp(0.0, 1.0) * 255.0) as u32
}

fn push_colour(call: &mut Call<'_>, colour: u32) {
    for shift in [16, 8, 0] {
        call.push(f64::from(colour >> shift & 0xFF) / 255.0);
    }
}

fn get_palette_colour(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    apply(&mut host.terminal(), "getPaletteColor", call)
}

fn native_palette_colour(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let index = palette_index(call.float(1)?)?.unwrap_or(0);
    push_colour(call, DEFAULT_PALETTE[usize::from(index)]);
    Ok(())
}

fn get_graphics_mode(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    call.push(false);
    Ok(())
}

/// There is no window and no mouse: what only acts on them does nothing.
fn nothing(_: &mut Host, _: &mut Call<'_>) -> NativeResult {
    Ok(())
}

/// Calls a method of a terminal that is not the computer's own.
pub fn apply(terminal: &mut Terminal, method: &str, call: &mut Call<'_>) -> NativeResult {
    match method {
        "write" => terminal.write(&written(call)?),
        "blit" => {
            let (text, colours, backgrounds) = blit_arguments(call)?;
            terminal.blit(&text, &colours, &backgrounds);
        }
        "clear" => terminal.clear(),
        "clearLine" => terminal.clear_line(),
        "scroll" => terminal.scroll(call.integer(1)?),
        "setCursorPos" => terminal.cursor = (call.integer(1)?, call.integer(2)?),
        "getCursorPos" => {
            call.push(f64::from(terminal.cursor.0));
            call.push(f64::from(terminal.cursor.1));
        }
        "setCursorBlink" => terminal.blink = call.flag(1)?,
        "getCursorBlink" => call.push(terminal.blink),
        "getSize" => push_size(terminal, call),
        "setTextColor" | "setTextColour" => set_colour(&mut terminal.text, call)?,
        "getTextColor" | "getTextColour" => call.push(colour_of(terminal.text)),
        "setBackgroundColor" | "setBackgroundColour" => set_colour(&mut terminal.background, call)?,
        "getBackgroundColor" | "getBackgroundColour" => call.push(colour_of(terminal.background)),
        "setPaletteColor" | "setPaletteColour" => set_palette(terminal, call)?,
        "getPaletteColor" | "getPaletteColour" => {
            let index = palette_index(call.float(1)?)?.unwrap_or(0);
            push_colour(call, terminal.palette[usize::from(index)]);
        }
        _ => call.push(true),
    }
    Ok(())
}

type Blit = (Vec<u8>, Vec<u8>, Vec<u8>);

fn blit_arguments(call: &Call<'_>) -> Result<Blit, Raise> {
    let (text, colours, backgrounds) = (call.text(1)?, call.text(2)?, call.text(3)?);
    if text.len() != colours.len() || text.len() != backgrounds.len() {
        return Err(Raise::new("Arguments must be the same length"));
    }
    Ok((text, colours, backgrounds))
}

fn push_size(terminal: &Terminal, call: &mut Call<'_>) {
    let (width, height) = terminal.size();
    for side in [width, height] {
        call.push(u32::try_from(side).unwrap_or(u32::MAX));
    }
}

fn set_colour(slot: &mut u8, call: &Call<'_>) -> NativeResult {
    if let Some(index) = palette_index(call.float(1)?)? {
        *slot = index;
    }
    Ok(())
}

fn set_palette(terminal: &mut Terminal, call: &Call<'_>) -> NativeResult {
    let index = palette_index(call.float(1)?)?;
    let colour = if call.is_nil(3) && call.is_nil(4) {
        channel_word(call.float(2)?)
    } else {
        let channel = |index: usize| call.float(index).map(to_byte);
        channel(2)? << 16 | channel(3)? << 8 | channel(4)?
    };
    if let Some(index) = index {
        terminal.palette[usize::from(index)] = colour;
    }
    Ok(())
}

/// For `additions.lua`: a program writes text, which may take several calls.
fn begin_text(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let text = written(call)?;
    host.begin_text(text)
}

fn end_text(host: &mut Host, _: &mut Call<'_>) -> NativeResult {
    host.end_text();
    Ok(())
}

pub const NATIVES: &[Native] = &[
    Native { name: "begin_text", run: begin_text },
    Native { name: "end_text", run: end_text },
    Native { name: "blit", run: blit },
    Native { name: "clear", run: clear },
    Native { name: "clearLine", run: clear_line },
    Native { name: "drawPixels", run: nothing },
    Native { name: "getBackgroundColor", run: get_background_colour },
    Native { name: "getBackgroundColour", run: get_background_colour },
    Native { name: "getCursorBlink", run: get_cursor_blink },
    Native { name: "getCursorPos", run: get_cursor_pos },
    Native { name: "getFrozen", run: get_graphics_mode },
    Native { name: "getGraphicsMode", run: get_graphics_mode },
    Native { name: "getPaletteColor", run: get_palette_colour },
    Native { name: "getPaletteColour", run: get_palette_colour },
    Native { name: "getPixel", run: nothing },
    Native { name: "getPixels", run: nothing },
    Native { name: "getSize", run: get_size },
    Native { name: "getTextColor", run: get_text_colour },
    Native { name: "getTextColour", run: get_text_colour },
    Native { name: "isColor", run: is_colour },
    Native { name: "isColour", run: is_colour },
    Native { name: "nativePaletteColor", run: native_palette_colour },
    Native { name: "nativePaletteColour", run: native_palette_colour },
    Native { name: "relativeMouse", run: nothing },
    Native { name: "screenshot", run: nothing },
    Native { name: "scroll", run: scroll },
    Native { name: "setBackgroundColor", run: set_background_colour },
    Native { name: "setBackgroundColour", run: set_background_colour },
    Native { name: "setCursorBlink", run: set_cursor_blink },
    Native { name: "setCursorPos", run: set_cursor_pos },
    Native { name: "setFrozen", run: nothing },
    Native { name: "setGraphicsMode", run: nothing },
    Native { name: "setPaletteColor", run: set_palette_colour },
    Native { name: "setPaletteColour", run: set_palette_colour },
    Native { name: "setPixel", run: nothing },
    Native { name: "setTextColor", run: set_text_colour },
    Native { name: "setTextColour", run: set_text_colour },
    Native { name: "showMouse", run: nothing },
    Native { name: "write", run: write },
];
