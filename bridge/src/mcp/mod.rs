//! The clients' side: an MCP server on `rmcp`, over HTTP or stdio.
//!
//! - [`server`]: what a client may ask; [`tools`]: how the tools are described.
//! - [`probe`], [`exec`], [`list`]: the tools; [`arguments`]: what they were given.
//! - [`declared`]: the tools that are declared in Lua.
//! - [`resources`]: a resource for each computer; [`changes`]: who hears that they changed.
//! - [`prompts`]: a prompt for people, and completions of ids.
//! - [`progress`]: what a client hears while a chunk of Lua runs.
//! - [`door`], [`http`], [`sessions`] and [`stdio`]: the transports, and who is let in.

pub mod arguments;
pub mod changes;
pub mod declared;
pub mod door;
pub mod exec;
pub mod http;
pub mod list;
pub mod probe;
pub mod progress;
pub mod prompts;
pub mod resources;
pub mod server;
pub mod sessions;
pub mod stdio;
pub mod tools;
