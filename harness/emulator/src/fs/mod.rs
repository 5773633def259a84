//! The file system of a computer: mounts, paths, handles.
//!
//! Nothing here knows of Lua: the natives are in [`crate::host`].

mod disk;
mod error;
mod handle;
mod held;
mod mounts;
mod path;
mod rom;
mod times;
mod wildcard;

pub use disk::Disk;
pub use error::FsError;
pub use handle::{FileHandle, Mode, Whence};
pub use mounts::{Attributes, Backend, FileSystem, Mount};
pub use path::{combine, directory, name, sanitize};
pub use rom::{LuaFile, Rom, embedded_bios};
pub use times::VirtualTimes;
