//! The screen of a computer: its buffer, and what can be made of it: text, JSON, a picture.

mod font;
mod picture;
mod report;
mod terminal;

pub use picture::to_png;
pub use report::{ScreenReport, to_text};
pub use terminal::{Cell, DEFAULT_PALETTE, Terminal};
