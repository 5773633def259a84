//! The program of the tests: plays the roles that the harness plays for itself, and is the embedded emulator otherwise.

use std::process::ExitCode;

fn main() -> ExitCode {
    craftos_computers::emulators::act_in_role()
        .unwrap_or_else(|| embedded_craftos::run::run(std::env::args_os()))
}
