//! What each command of the program does.

mod desk;
mod doctor;
mod junit;
mod lua;
mod mcp;
mod run;
mod up;
mod words;

pub use desk::call;
pub use doctor::doctor;
pub use lua::lua;
pub use mcp::mcp;
pub use run::{list, run};
pub use up::up;
