//! The part of the command line that is about MCP servers: `mcp …`, and which server `probe`, `exec` and `call` speak to.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use mcp_host::Protocol;

/// What is done with MCP servers.
#[derive(Debug, Args)]
pub struct McpArgs {
    #[command(subcommand)]
    pub command: McpCommand,

    #[command(flatten)]
    pub host: HostArgs,
}

#[derive(Debug, Subcommand)]
pub enum McpCommand {
    /// Start every server and show its state; exits with 1 if one is broken
    Servers,
    /// List the tools of every server, each as `<server>__<tool>`
    Tools {
        /// Only tools with this in their name
        filter: Option<String>,
    },
    /// Call a tool; exits with 1 if it reports an error
    Call {
        /// The tool, as `mcp tools` lists it: `<server>__<tool>`
        name: String,
        /// The arguments as a JSON object
        #[arg(default_value = "{}")]
        json: String,
        /// Folder for images and other files of a result; by default a new private folder
        #[arg(long, value_name = "DIR")]
        save: Option<PathBuf>,
    },
    /// Ask servers whether they answer; exits with 1 if one does not
    Ping {
        /// Only these servers; all by default
        servers: Vec<String>,
    },
}

/// Which servers there are, and how they are treated.
#[derive(Debug, Args)]
pub struct HostArgs {
    /// The configuration file; by default the first of `.dispatch/mcp.json`, `opencode.json`, `.mcp.json` and
    /// `.cursor/mcp.json` in this folder or above it in the same repository
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Use only the server at this address, under the name `server`
    #[arg(long, global = true, value_name = "URL", conflicts_with_all = ["config", "stdio"])]
    pub url: Option<String>,

    /// Use only the server that this command starts, under the name `server`
    #[arg(long, global = true, value_name = "CMD", conflicts_with = "config")]
    pub stdio: Option<String>,

    /// The version of MCP to speak; `auto` tries a handshake, and goes on without one if the server refuses it
    #[arg(long, global = true, value_name = "VERSION", default_value = "auto")]
    pub protocol: Protocol,

    /// How long a server may take to start, such as `30s`; overrides what its configuration says
    #[arg(long, global = true, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub start_timeout: Option<Duration>,

    /// How long a call may take without progress, such as `500ms`; overrides what its configuration says
    #[arg(long, global = true, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub call_timeout: Option<Duration>,

    /// Print everything as JSON
    #[arg(long = "json", global = true)]
    pub whole: bool,
}

/// Which server `probe`, `exec` and `call` speak to.
#[derive(Debug, Args)]
pub struct ServerArgs {
    /// The bridge's MCP address; by default that of the running `up` of this folder, or `http://127.0.0.1:3000/mcp`
    #[arg(long, env = "MCP_URL", value_name = "URL")]
    pub url: Option<String>,

    /// Start this command and speak to it over stdio instead, such as `mcp-bridge --stdio`
    #[arg(long, value_name = "CMD", conflicts_with = "server")]
    pub stdio: Option<String>,

    /// Speak to this server of the configuration instead
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,

    /// The configuration file that has `--server`; by default the one that `mcp servers` reads here
    #[arg(long, value_name = "FILE", requires = "server")]
    pub config: Option<PathBuf>,

    /// The bridge's MCP token
    #[arg(long, env = "MCP_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub mcp_token: Option<String>,

    /// The version of MCP to speak
    #[arg(long, value_name = "VERSION", default_value = crate::client::DEFAULT_VERSION)]
    pub protocol: Protocol,

    /// Print the whole result as JSON
    #[arg(long = "json")]
    pub whole: bool,
}
