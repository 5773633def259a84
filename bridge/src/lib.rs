//! The MCP bridge: an MCP server on one side, the link listener for ComputerCraft computers on the other.
//!
//! A map, in reading order; start with [`computer`], which both sides share.
//!
//! - [`limits`] and [`text`]: the figures that are promised, and how a stranger's text is shown.
//! - [`computer`], [`printed`] and [`registry`]: one linked computer with the requests that wait at it, what they print,
//!   and all of them.
//! - [`room`], [`budget`] and [`linger`]: how many sockets a port holds, how many bytes, and how a socket ends.
//! - [`link`]: the computers' side, from the TCP socket to the frames.
//! - [`tools`]: the tools that are declared in Lua: read, checked, watched.
//! - [`jobs`]: chunks that outlive their client, and their store.
//! - [`mcp`]: the clients' side: tools, resources, progress, HTTP and stdio.
//! - [`bridge`]: both sides started, and ended, together.
//! - [`check_link`]: a conformance kit for the link protocol, which knows nothing of the rest.
//! - [`cli`], [`config`], [`secret`], [`logging`], [`memory`], [`ready`] and [`run`]: the program around it.
//!
//! It knows nothing of emulators or of scenarios: that is the harness.

pub mod bridge;
pub mod budget;
pub mod check_link;
pub mod cli;
pub mod computer;
pub mod config;
pub mod jobs;
pub mod limits;
pub mod linger;
pub mod link;
pub mod logging;
pub mod mcp;
pub mod memory;
pub mod printed;
pub mod ready;
pub mod registry;
pub mod room;
pub mod run;
pub mod secret;
pub mod text;
pub mod tools;

pub use bridge::{Bridge, StartError};
pub use config::Config;
