//! The program: from arguments to an exit code. 0 ended as asked, 1 what was checked has findings, 2 could not run.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use check_link::command::check_link;
use clap::Parser as _;

use crate::bridge::{Bridge, StartError};
use crate::cli::{Cli, Command, ToolsCommand};
use crate::config::{Config, McpTransport};
use crate::logging;
use crate::mcp::desk;
use crate::mcp::second::speak;
use crate::memory;
use crate::tools::check::check;

/// What a blocking read of stdin may still hold up at the end: nothing, it is abandoned.
const ABANDON: Duration = Duration::from_millis(50);

const FINDINGS: u8 = 1;
const COULD_NOT_RUN: u8 = 2;

/// Runs the bridge until a signal, or until stdin ends with `--stdio`.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(COULD_NOT_RUN) } else { ExitCode::SUCCESS };
        }
    };
    if let Some(command) = &cli.command {
        return match judge(command) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(FINDINGS),
            Err(error) => could_not_run(&error),
        };
    }
    let logs = logging::init(cli.log_format);
    let outcome = Config::try_from(cli).map_err(anyhow::Error::from).and_then(|config| {
        // One thread: a call is passed from task to task, and waking another processor for each costs more than it gains
        // (docs/ARCHITECTURE.md has the figures). No task here computes for longer than it takes to read 8 MiB.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let outcome = runtime.block_on(serve(config));
        runtime.shutdown_timeout(ABANDON);
        outcome
    });
    drop(logs);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => could_not_run(&error),
    }
}

/// Checks what it was given instead of serving; tells whether everything is fine.
fn judge(command: &Command) -> anyhow::Result<bool> {
    match command {
        Command::Tools(ToolsCommand::Check { folders }) => check(folders, &mut std::io::stdout().lock()),
        Command::CheckLink(asked) => {
            tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(check_link(asked))
        }
    }
}

fn could_not_run(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::from(COULD_NOT_RUN)
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let signal = shutdown_signal()?;
    let second = matches!(config.mcp, McpTransport::Stdio).then(|| config.desk.clone()).flatten();
    tokio::spawn(memory::give_back());
    let bridge = match (Bridge::start(config.clone()).await, second) {
        (Err(error @ StartError::PortInUse { .. }), Some(folder)) => {
            let Some(first) = desk::join(&folder, config.link.port, &config.sources).await else {
                return Err(error.into());
            };
            tokio::select! {
                _ = signal => {}
                outcome = speak(first, config) => outcome?,
            }
            return Ok(());
        }
        (started, _) => started?,
    };
    tokio::select! {
        name = signal => tracing::info!("{name}: closing links"),
        () = bridge.stdio_ended() => tracing::info!("stdin ended: closing links"),
    }
    bridge.shutdown().await;
    Ok(())
}

/// Listens for the signals that end the program, from now on.
#[cfg(unix)]
fn shutdown_signal() -> std::io::Result<impl Future<Output = &'static str>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => "SIGINT",
            _ = terminate.recv() => "SIGTERM",
        }
    })
}

/// Listens for what ends the program, from now on: keys, and the end of the console.
#[cfg(windows)]
fn shutdown_signal() -> std::io::Result<impl Future<Output = &'static str>> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
    let (mut interrupt, mut stop, mut close) = (ctrl_c()?, ctrl_break()?, ctrl_close()?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => "Ctrl-C",
            _ = stop.recv() => "Ctrl-Break",
            _ = close.recv() => "the console was closed",
        }
    })
}
