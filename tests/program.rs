//! The program `craftos-harness`, built for the tests of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    craftos_harness::run::run(std::env::args_os())
}
