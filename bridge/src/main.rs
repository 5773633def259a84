//! The program `mcp-bridge`: parses the command line, runs the bridge, maps the outcome to an exit code.

use std::process::ExitCode;

/// Much of a call's time is allocation inside the SDK: docs/ARCHITECTURE.md has the figures.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mcp_bridge::run::run(std::env::args_os())
}
