//! The MCP bridge: an MCP server on one side, the link listener for ComputerCraft computers on the other.
//!
//! A map, in reading order; start with [`computer`], which both sides share.
//!
//! - [`limits`] and [`text`]: the figures that are promised, and how a stranger's text is shown.
//! - [`computer`], [`request`], [`printed`] and [`registry`]: one linked computer, the requests that wait at it, what they
//!   print, and all of them.
//! - [`accept`], [`room`], [`budget`], [`questions`] and [`linger`]: where connections come from, how many of them a port
//!   holds, how many bytes, how much tools may ask, and how a socket ends.
//! - [`sources`]: the time of day and the randomness that a bridge is given.
//! - [`link`]: the computers' side, from the TCP socket to the frames.
//! - [`tools`]: the tools that are declared in Lua: read, checked, watched.
//! - [`jobs`]: chunks that outlive their client, and their store.
//! - [`mcp`]: the clients' side: tools, resources, progress, HTTP and stdio.
//! - [`bridge`]: both sides started, and ended, together; [`view`]: what a program around it sees of it.
//! - [`check_link`]: a conformance kit for the link protocol, a crate of its own that knows nothing of the rest.
//! - [`cli`], [`config`], [`secret`], [`logging`], [`memory`], [`ready`] and [`run`]: the program around it.
//!
//! It knows nothing of emulators or of scenarios: that is the harness.

pub mod accept;
pub mod bridge;
pub mod budget;
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
pub mod questions;
pub mod ready;
pub mod registry;
pub mod request;
pub mod room;
pub mod run;
pub mod secret;
pub mod sources;
pub mod text;
pub mod tools;
pub mod view;

pub use bridge::{Bridge, StartError};
pub use check_link;
pub use config::Config;
pub use view::{Held, View};
