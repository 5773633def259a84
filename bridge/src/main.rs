//! The program `mcp-bridge`: parses the command line, runs the bridge, maps the outcome to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_bridge::run::run(std::env::args_os())
}
