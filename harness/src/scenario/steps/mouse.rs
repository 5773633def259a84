//! What the steps with a mouse share.

/// The buttons of a mouse: left, right and middle.
const BUTTONS: std::ops::RangeInclusive<u8> = 1..=3;

/// The left button.
pub fn left() -> u8 {
    1
}

/// Refuses a button that no mouse has.
pub fn check_button(button: u8) -> Result<(), String> {
    if BUTTONS.contains(&button) {
        return Ok(());
    }
    Err(format!("there is no button {button}: 1 is the left, 2 the right, 3 the middle one"))
}

/// Refuses a place that no screen has; how large a screen is, its computer knows.
pub fn check_place(x: u32, y: u32) -> Result<(), String> {
    if x == 0 || y == 0 {
        return Err("columns and lines of a screen count from 1".to_owned());
    }
    Ok(())
}

/// How a button is told where it is not the left one.
pub fn told(button: u8) -> String {
    if button == left() { String::new() } else { format!(" with button {button}") }
}
