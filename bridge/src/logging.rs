//! Log lines: always on stderr, because stdout may be MCP's, and never in the way: a stderr that nobody reads costs
//! lines, not the bridge.

use std::io::IsTerminal as _;

use tracing::Level;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

use crate::cli::LogFormat;

/// What is logged when `RUST_LOG` says nothing: the bridge's own news, and only the SDK's troubles.
const DEFAULT_FILTER: &str = "info,rmcp=error,rmcp::service=off";

/// Whose news `RUST_LOG` decides on. Other crates log whole messages, heads and URLs, in which tokens stand: of them only
/// warnings and errors are ever logged.
const OWN: &str = "mcp_bridge";

/// Lines that wait for a slow stderr. The next ones are lost, and counted by nobody.
const WAITING_LINES: usize = 4096;

/// Installs the logger; lines that wait are written when the guard is dropped. A second call, from a test, changes
/// nothing.
pub fn init(format: LogFormat) -> WorkerGuard {
    let wanted = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    let harmless = filter_fn(|metadata| {
        *metadata.level() <= Level::WARN || metadata.target().split("::").next() == Some(OWN)
    });
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(WAITING_LINES)
        .finish(std::io::stderr());
    let lines = fmt::layer().with_writer(writer).with_target(false);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let _ = tracing_subscriber::registry().with(lines.with_filter(harmless)).with(wanted).try_init();
    guard
}
