//! Specs in Lua, and probes: the tests of a `ComputerCraft` project, run on emulated computers.
//!
//! A map, in reading order; start with [`project`].
//!
//! - [`project`]: `craftos.toml`, which says what goes onto a computer and where the specs are.
//! - [`init`]: writes the first files of such a project.
//! - [`files`]: finds the spec files.
//! - [`told`]: what the runner on the computer tells, line by line.
//! - [`play`]: one spec file on one emulator, whatever its tests do to their computer.
//! - [`results`]: how each test ended; [`show`]: the same for people.
//! - [`suite`]: many files on many emulators, at once; [`watch`]: again after an edit.
//! - [`coverage`]: which lines of the project ran.
//! - [`probes`]: programs that show what an emulator does, on bare computers.
//! - [`others`]: other computers that a test starts.
//! - [`world`]: what computers of scenarios meet, with the Lua of specs.
//! - [`annotations`]: failures as GitHub shows them beside the line.
//!
//! It knows nothing of MCP, of bridges or of scenarios.

pub mod annotations;
pub mod coverage;
pub mod files;
pub mod init;
pub mod others;
pub mod play;
pub mod probes;
pub mod project;
pub mod results;
pub mod show;
pub mod suite;
pub mod told;
pub mod watch;
pub mod world;
