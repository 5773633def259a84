//! The steps of a scenario: one file each, with its name, its check, how it is played and how it is told. A new step is a
//! new file here and a line in `list.rs`.

mod act;
mod attach;
mod boot;
mod bridge;
mod call;
mod click;
mod cut;
mod detach;
mod drag;
mod event;
mod exec;
mod expect;
mod frame;
mod input;
mod key;
mod keyboard;
mod kill;
mod list;
mod mouse;
mod mute;
mod paste;
mod peripheral;
mod put;
mod read;
mod reboot;
mod say;
mod screen;
mod scroll;
mod stop;
mod timer;
mod together;
mod type_text;
mod wait;
mod within;

pub use act::{Act, Done, Scene};
pub use expect::Expect;
pub use list::Step;
