//! What each command of the program does.

mod bench;
mod desk;
mod doctor;
mod exec;
mod init;
mod kill_everywhere;
mod least;
mod lua;
mod mcp;
mod merge;
mod out;
mod paste;
mod run;
mod running;
mod simulate;
mod test;
mod up;
mod values;
pub mod words;

pub use bench::bench;
pub use desk::call;
pub use doctor::doctor;
pub use exec::{Chunk, exec};
pub use init::init;
pub use kill_everywhere::{KillConfig, kill_everywhere};
pub use lua::lua;
pub use mcp::mcp;
pub use merge::merge;
pub use run::{list, run};
pub use simulate::simulate;
pub use test::test;
pub use up::up;
