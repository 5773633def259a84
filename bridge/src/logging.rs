//! Log lines: always on stderr, because stdout may be MCP's.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::cli::LogFormat;

/// What is logged when `RUST_LOG` says nothing: the bridge's own news, and only the SDK's troubles.
const DEFAULT_FILTER: &str = "info,rmcp=error,rmcp::service=off,tungstenite=error";

/// Installs the logger. A second call, from a test, changes nothing.
pub fn init(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    let _ = match format {
        LogFormat::Text => builder.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
