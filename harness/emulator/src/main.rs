//! The program `embedded-craftos`.

use std::process::ExitCode;

#[cfg(not(target_family = "wasm"))]
fn main() -> ExitCode {
    embedded_craftos::run::run(std::env::args_os())
}

/// WebAssembly has no processes: the library is for it.
#[cfg(target_family = "wasm")]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
