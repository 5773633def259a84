//! A host for MCP servers: what an agent has between its configuration and the tools that it sees.
//!
//! A map, in reading order; start with [`host`], which everything else serves.
//!
//! - [`config`]: which servers there are, read from the files of opencode, Claude Code, Cursor and others.
//! - [`spec`] and [`settings`]: one server as it was configured, and how all of them are treated.
//! - [`stdio`] and [`http`]: the two ways to reach a server.
//! - [`client`]: one connection, from the handshake to its end, in either era.
//! - [`server`]: a server that is started when it is needed and restarted when it dies.
//! - [`host`]: many of them, their tools under one roof.
//! - [`flatten`] and [`text`]: results for a terminal.
//!
//! It prints nothing, reads the environment only where [`config::Surroundings::here`] does, and knows nothing of
//! computers.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use mcp_host::Host;
//! use serde_json::json;
//!
//! // The servers that the current folder's configuration names; none is started yet.
//! let host = Host::from_config(None)?;
//! // Starts the server `computercraft`, and no other.
//! let called = host.call("computercraft__probe-computers", json!({})).await?;
//! assert!(!called.is_error());
//! println!("{}", called.text());
//! host.shutdown().await;
//! # Ok(())
//! # }
//! ```

pub mod client;
pub mod config;
pub mod flatten;
pub mod host;
pub mod http;
pub mod server;
pub mod settings;
pub mod spec;
pub mod stdio;
pub mod text;

pub use client::{CallError, Called, Era, Protocol, StartError};
pub use config::{Configuration, Surroundings};
pub use host::{Host, HostError, HostTool};
pub use server::{State, Status};
pub use settings::{GroupWatcher, Settings, Starter};
pub use spec::{ServerSpec, TransportSpec};
