//! What each command of the program does.

mod desk;
mod doctor;
mod junit;
mod lua;
mod run;
mod up;

pub use desk::call;
pub use doctor::doctor;
pub use lua::lua;
pub use run::{list, run};
pub use up::up;
