//! The program `embedded-craftos`.

use std::process::ExitCode;

fn main() -> ExitCode {
    embedded_craftos::run::run(std::env::args_os())
}
