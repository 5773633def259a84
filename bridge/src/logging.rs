//! Log lines: always on stderr, because stdout may be MCP's, and never in the way: a stderr that nobody reads costs
//! lines, not the bridge.

use std::io::IsTerminal as _;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use crate::cli::LogFormat;

/// What is logged when `RUST_LOG` says nothing: the bridge's own news, and only the SDK's troubles.
const DEFAULT_FILTER: &str = "info,rmcp=error,rmcp::service=off";

/// What `RUST_LOG` cannot switch on: these log whole messages, and a hello may hold a token.
const NEVER: [&str; 2] = ["tungstenite=error", "tokio_tungstenite=error"];

/// Lines that wait for a slow stderr. The next ones are lost, and counted by nobody.
const WAITING_LINES: usize = 4096;

/// Installs the logger; lines that wait are written when the guard is dropped. A second call, from a test, changes
/// nothing.
pub fn init(format: LogFormat) -> WorkerGuard {
    let mut filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    for directive in NEVER {
        filter = filter.add_directive(directive.parse().expect("a directive"));
    }
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(WAITING_LINES)
        .finish(std::io::stderr());
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_target(false);
    let _ = match format {
        LogFormat::Text => builder.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    guard
}
