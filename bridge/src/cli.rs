//! The command line, as it is typed. [`crate::config`] checks it and decides what it means.

use std::ffi::OsString;
use std::path::PathBuf;

use check_link::command::CheckLink;
use clap::builder::OsStringValueParser;
use clap::{Parser, Subcommand, ValueEnum};

/// Lets MCP clients call tools that are backed by live ComputerCraft computers.
///
/// Computers connect to the link port with `mcp-computer ws://HOST:3001`; MCP clients connect to
/// <http://127.0.0.1:3000/mcp>, or start the bridge with `--stdio`.
#[derive(Debug, Parser)]
#[command(name = "mcp-bridge", version, max_term_width = 100)]
pub struct Cli {
    /// Address of the MCP listener
    #[arg(long, env = "MCP_HOST", value_name = "HOST", default_value = "127.0.0.1")]
    pub mcp_host: String,

    /// Port of the MCP listener; 0 for any free port
    #[arg(long, env = "MCP_PORT", value_name = "PORT", default_value_t = 3000)]
    pub mcp_port: u16,

    /// Address of the link listener, to which computers connect
    #[arg(long, env = "CC_LINK_HOST", value_name = "HOST", default_value = "0.0.0.0")]
    pub cc_link_host: String,

    /// Port of the link listener; 0 for any free port
    #[arg(long, env = "CC_LINK_PORT", value_name = "PORT", default_value_t = 3001)]
    pub cc_link_port: u16,

    /// How long `probe-computers` waits for each computer
    #[arg(long, env = "CC_PROBE_TIMEOUT_MS", value_name = "MS", default_value_t = 2000)]
    pub cc_probe_timeout_ms: u64,

    /// How long `exec-lua` waits unless the call says otherwise
    #[arg(long, env = "CC_EXEC_TIMEOUT_MS", value_name = "MS", default_value_t = 30_000)]
    pub cc_exec_timeout_ms: u64,

    /// Token that computers must send: in the hello, as `?token=` or as bearer header
    #[arg(long, env = "CC_LINK_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub cc_link_token: Option<String>,

    /// Token that MCP clients must send as `Authorization: Bearer`
    #[arg(long, env = "MCP_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub mcp_token: Option<String>,

    /// More `Host` headers to accept than those of loopback, separated by commas; `*` for all
    #[arg(long, env = "MCP_ALLOWED_HOSTS", value_name = "HOSTS", value_delimiter = ',')]
    pub mcp_allowed_hosts: Vec<String>,

    /// More `Origin` headers to accept than those of loopback, separated by commas; `*` for all
    #[arg(long, env = "MCP_ALLOWED_ORIGINS", value_name = "ORIGINS", value_delimiter = ',')]
    pub mcp_allowed_origins: Vec<String>,

    /// Folder with `_index.yaml` files that declare tools in Lua; use commas or repeat it for several
    #[arg(long, env = "CC_TOOLS", value_name = "DIR", value_delimiter = ',', value_parser = OsStringValueParser::new())]
    pub tools: Vec<OsString>,

    /// Folder that keeps jobs, so that they outlive the bridge; without it jobs end with the bridge
    #[arg(long, env = "MCP_STATE", value_name = "DIR")]
    pub state: Option<PathBuf>,

    /// Serve MCP on stdin and stdout instead of HTTP; logs go to stderr
    #[arg(long)]
    pub stdio: bool,

    /// Write the bound addresses to this file as JSON once everything listens
    #[arg(long, value_name = "FILE")]
    pub ready_file: Option<PathBuf>,

    /// Format of log lines; `RUST_LOG` decides what is logged
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,

    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What the program does instead of serving.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Work with tools that are declared in Lua
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// Check whether your own bridge or computer follows the link protocol: exit code 0 for yes, 1 for no, 2 for could not
    /// run
    CheckLink(CheckLink),
}

#[derive(Debug, Subcommand)]
pub enum ToolsCommand {
    /// Say what is wrong with the tools of some folders: exit code 0 for nothing, 1 for findings, 2 for could not run
    Check {
        /// Folders with `_index.yaml` files that declare tools
        #[arg(value_name = "DIR", required = true)]
        folders: Vec<PathBuf>,
    },
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}
