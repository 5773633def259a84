//! `lua-fuzz`: see the library.

use std::process::ExitCode;

use clap::Parser as _;
use craftos_lua_fuzz::run::{Cli, run};

/// Could not run, as everywhere in this project.
const BROKEN: u8 = 2;

fn main() -> ExitCode {
    run(&Cli::parse()).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(BROKEN)
    })
}
