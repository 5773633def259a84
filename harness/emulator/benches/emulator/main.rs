//! The figures of the embedded emulator on this machine, beside CraftOS-PC in the same run: `just bench`.
//!
//! Words after `--` choose among `start`, `memory`, `linked`, `calls` and `speed`; `--quick` takes fewer rounds. Both
//! emulators take turns, so that what else the machine does meets both. Times are CPU times wherever the system tells
//! them, except those of `calls`, which are what a user waits for.

mod calls;
mod emulators;
mod linked;
mod memory;
mod process;
mod session;
mod speed;
mod start;
mod table;

use std::process::ExitCode;

use emulators::Emulators;
use table::Table;

/// What the arguments ask for. Other benches of the workspace get the same ones, so that unknown words are not errors.
struct Wanted {
    words: Vec<String>,
    quick: bool,
}

impl Wanted {
    fn from_arguments() -> Self {
        let (flags, words): (Vec<_>, Vec<_>) =
            std::env::args().skip(1).partition(|argument| argument.starts_with('-'));
        Self { words, quick: flags.iter().any(|flag| flag == "--quick") }
    }

    fn has(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| word == name)
    }
}

/// As the program `mcp-bridge` has it: one of the figures is that of a bridge.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == calls::AS_BRIDGE) {
        return Ok(mcp_bridge::run::run(["mcp-bridge".into()].into_iter().chain(arguments)));
    }
    // `cargo test --benches` only asks whether it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(ExitCode::SUCCESS);
    }
    let wanted = Wanted::from_arguments();
    let emulators = Emulators::find();
    let mut table = Table::default();
    if wanted.has("start") {
        start::measure(&emulators, if wanted.quick { 7 } else { 31 }, &mut table)?;
    }
    if wanted.has("memory") {
        memory::measure(&emulators, &mut table)?;
    }
    if wanted.has("linked") {
        linked::measure(&emulators, if wanted.quick { 1 } else { 3 }, &mut table)?;
    }
    if wanted.has("calls") {
        calls::measure(&emulators, if wanted.quick { 5 } else { 15 }, &mut table)?;
    }
    if wanted.has("speed") {
        speed::measure(&emulators, if wanted.quick { 2 } else { 5 }, &mut table)?;
    }
    table.print();
    Ok(ExitCode::SUCCESS)
}
