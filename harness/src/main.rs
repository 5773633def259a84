//! The program `craftos-harness`: parses the command line, runs it, maps the outcome to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    craftos_harness::run::run(std::env::args_os())
}
