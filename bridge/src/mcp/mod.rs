//! The clients' side: an MCP server on `rmcp`, over HTTP or stdio.
//!
//! - [`server`]: what a client may ask; [`built_in`]: how the bridge's own tools are described.
//! - [`call`]: a request to a computer, its deadline and its end; [`relay`]: what the client hears meanwhile.
//! - [`probe`], [`exec`], [`list`], [`jobs`]: the tools; [`arguments`]: what they were given.
//! - [`tasks`]: long calls of clients that know tasks, as jobs.
//! - [`declared`]: the tools that are declared in Lua; [`away`]: calls whose client went away with questions.
//! - [`resources`]: a resource for each computer; [`changes`]: who hears that they changed.
//! - [`prompts`]: a prompt for people, and completions of ids.
//! - [`door`], [`http`], [`body`], [`unread`], [`sessions`] and [`stdio`]: the transports, who is let in, and what answers
//!   may take.
//! - [`desk`]: where a second agent is let in; [`second`]: how it speaks for its client, and takes the first one's place.

pub mod arguments;
pub mod away;
pub mod body;
pub mod built_in;
pub mod call;
pub mod changes;
pub mod declared;
pub mod desk;
pub mod door;
pub mod exec;
pub mod http;
pub mod jobs;
pub mod list;
pub mod probe;
pub mod prompts;
pub mod relay;
pub mod resources;
pub mod second;
pub mod server;
pub mod sessions;
pub mod stdio;
pub mod tasks;
pub mod unread;
