//! The program `mcp-bridge`, built for the tests of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_bridge::run::run(std::env::args_os())
}
