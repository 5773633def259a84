//! `probe`, `exec` and `call`: speak to a bridge that runs, or to any other MCP server.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use mcp_host::server::ServerError;
use mcp_host::{Configuration, Host, HostError, ServerSpec, Settings, StartError};
use serde_json::Value;

use super::mcp::{configuration, settings, tell};
use super::words::split;
use crate::cli_mcp::ServerArgs;

/// The bridge has its own timeout for a chunk, which may be long and says more.
const CALL: Duration = Duration::from_secs(3600);

/// The name of a server that has none.
const BRIDGE: &str = "bridge";

/// Calls a tool and prints the text of its answer.
pub async fn call(server: &ServerArgs, tool: &str, arguments: &Value) -> anyhow::Result<ExitCode> {
    let (configuration, name) = match (&server.server, &server.stdio) {
        (Some(name), _) => (configuration(server.config.as_deref())?, name.as_str()),
        (None, Some(command)) => (Configuration::of([ServerSpec::local(BRIDGE, split(command)?)]), BRIDGE),
        (None, None) => (Configuration::of([remote(server)]), BRIDGE),
    };
    let is_default = server.server.is_none() && server.stdio.is_none();
    let settings = Settings {
        protocol: server.protocol.clone(),
        call_timeout: server.server.is_none().then_some(CALL),
        call_in_all: CALL,
        ..settings()
    };
    let host = Host::new(configuration, settings);
    let outcome = match host.call_on(name, tool, arguments.clone()).await {
        Ok(called) => tell(&called, server.whole, None),
        Err(error) if is_default && is_unreachable(&error) => Err(error).with_context(|| {
            let url = &server.url;
            format!("failed to reach the MCP server at `{url}`\nhint: is the bridge running? `--url` names its MCP address")
        }),
        Err(error) => Err(error.into()),
    };
    host.shutdown().await;
    outcome
}

fn remote(server: &ServerArgs) -> ServerSpec {
    let spec = ServerSpec::remote(BRIDGE, &server.url);
    match &server.mcp_token {
        Some(token) => spec.with_header("Authorization", format!("Bearer {token}")),
        None => spec,
    }
}

fn is_unreachable(error: &HostError) -> bool {
    let HostError::Server(error) = error else { return false };
    matches!(&**error, ServerError::Start { source: StartError::Unreachable { .. }, .. })
}
