//! One computer: what it is made of, its folder, its process, what it is told and what it shows.
//!
//! In reading order: [`Spec`], [`Computer`] with its waits and commands, [`Exit`], and below them [`Folder`], [`Housing`]
//! and the Lua that boots a computer. [`Bare`] is a computer that has none of that.

mod bare;
mod boot;
mod control;
mod disturbed;
mod exit;
mod folder;
mod housing;
mod lua;
mod machine;
mod printed;
mod process;
mod screen;
mod source;
mod spec;
mod together;
mod waits;

pub use bare::Bare;
pub use boot::{TYPING, Tuning};
pub use child_processes::Status;
pub use control::{Closing, Command};
pub use exit::{Death, Exit};
pub use folder::{Folder, FolderError};
pub use housing::Housing;
pub use lua::{lua_bytes, lua_string, lua_table, lua_value};
pub use machine::{Computer, ComputerError};
pub use printed::{Mark, Printed};
pub use process::Process;
pub use screen::{Line, Screen};
pub use source::{copy_source, copy_whole, is_left_out};
pub use spec::{HARNESS, Limits, PROGRAM, Profile, Spec, SpecError, check_path};
