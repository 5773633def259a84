//! The steps of a scenario: one file each, with its name, its check, how it is played and how it is told. A new step is a
//! new file here and a line in `list.rs`.

mod act;
mod boot;
mod bridge;
mod call;
mod cut;
mod event;
mod exec;
mod expect;
mod frame;
mod kill;
mod list;
mod mute;
mod put;
mod read;
mod reboot;
mod say;
mod stop;
mod timer;
mod together;
mod wait;
mod within;

pub use act::{Act, Done, Scene};
pub use expect::Expect;
pub use list::Step;
