//! The command line: CraftOS-PC's flags, validated into [`Options`].

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use clap::Parser;

use crate::config::Profile;
use crate::emulator::Emulator;
use crate::options::Options;

/// A headless `ComputerCraft` emulator with the command line and data layout of CraftOS-PC.
#[derive(Debug, Parser)]
#[command(name = "embedded-craftos", version, disable_version_flag = true)]
pub struct Cli {
    /// Data folder, with `config/` and `computer/` in it.
    #[arg(short, long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Computers to boot: an id, a range such as `0-999`, or a list such as `1,5,7-9`.
    #[arg(short, long, default_value = "0", value_name = "IDS")]
    id: String,
    #[arg(long)]
    exec: Option<String>,
    #[arg(long)]
    rom: Option<PathBuf>,
    #[arg(long)]
    headless: bool,
    #[arg(long, value_enum, default_value_t)]
    profile: Profile,
    #[arg(long)]
    seed: Option<u64>,
}

pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let mut options = Options::new(cli.directory.unwrap_or_else(|| ".".into()));
    options.rom = cli.rom;
    options.script = cli.exec.map(String::into_bytes);
    options.profile = cli.profile;
    options.seed = cli.seed;
    options.output = Some(Arc::new(Mutex::new(io::stdout())));
    let emulator = Emulator::new(options).unwrap();
    emulator.boot(cli.id.parse().unwrap()).unwrap();
    let mut code = 0;
    for (id, exit) in emulator.wait() {
        if let Some(error) = exit.error {
            eprintln!("computer {id}: {error}");
        }
        code = exit.code;
    }
    ExitCode::from(u8::try_from(code & 0xFF).unwrap_or(0))
}
