//! The program: from arguments to an exit code. 0 passed, 1 a scenario failed, 2 it could not run.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cli::Cli;
use crate::commands;
use crate::config::{Config, Task};
use crate::emulators::{act_in_role, use_program};
use crate::suite::chain;

const COULD_NOT_RUN: u8 = 2;

/// More than two processors: a scenario that works long between two waits, or reads a thousand files, holds one up.
const WORKERS: usize = 4;

/// What scenarios that are stopped may take to end their computers.
const END: Duration = Duration::from_secs(10);

/// What tasks that were dropped may take to notice.
const ABANDON: Duration = Duration::from_millis(200);

/// Runs the program, or plays the role that this process was started for.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    if let Some(code) = act_in_role() {
        return code;
    }
    // Whatever this program is called, it can play the roles itself.
    if let Ok(program) = std::env::current_exe() {
        use_program(program);
    }
    let cli = match Cli::read(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(COULD_NOT_RUN) } else { ExitCode::SUCCESS };
        }
    };
    let outcome = Config::try_from(cli).map_err(anyhow::Error::from).and_then(|config| {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let reports = matches!(config.task, Task::Run(_) | Task::Simulate(_));
        let config = Arc::new(config);
        let work = perform(&config, &tasks, &stop);
        let outcome = runtime.block_on(until_signal(work, &tasks, reports.then_some(&stop)));
        runtime.shutdown_timeout(ABANDON);
        outcome
    });
    outcome.unwrap_or_else(|error| {
        eprint!("error: {}", chain(error.as_ref()));
        ExitCode::from(COULD_NOT_RUN)
    })
}

async fn perform(
    config: &Arc<Config>,
    tasks: &TaskTracker,
    stop: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    match &config.task {
        Task::Run(run) => commands::run(config, run, tasks, stop).await,
        // Its threads have clocks of their own; a signal is heard meanwhile.
        Task::Simulate(_) => {
            let (config, stop) = (config.clone(), stop.clone());
            tokio::task::spawn_blocking(move || commands::simulate(&config, &stop)).await?
        }
        Task::Merge { files, outputs } => commands::merge(files, outputs),
        Task::List(filters) => commands::list(config, filters),
        Task::Up(args) => commands::up(config, args).await,
        Task::Call { server, tool, arguments } => commands::call(server, tool, arguments).await,
        Task::Mcp { args, arguments } => commands::mcp(args, arguments.as_ref()).await,
        Task::Test(test) => commands::test(config, test).await,
        Task::KillEverywhere(kill) => commands::kill_everywhere(kill).await,
        Task::Init => commands::init(),
        Task::Exec { server, chunk } => commands::exec(server, chunk).await,
        Task::Lua { given, timeout } => commands::lua(config, given, *timeout).await,
        Task::Doctor => commands::doctor(config).await,
        Task::Bench(args) => commands::bench(config, args).await,
    }
}

/// Drops the work when a signal comes: what it had started ends with it. Work that has something to report is asked to
/// stop, and has a moment for that.
async fn until_signal(
    work: impl Future<Output = anyhow::Result<ExitCode>>,
    tasks: &TaskTracker,
    stop: Option<&CancellationToken>,
) -> anyhow::Result<ExitCode> {
    let mut work = Box::pin(work);
    tokio::select! {
        outcome = &mut work => outcome,
        name = signalled() => {
            if let Some(stop) = stop {
                stop.cancel();
                if let Ok(Err(error)) = tokio::time::timeout(END, &mut work).await {
                    eprint!("error: {}", chain(error.as_ref()));
                }
            }
            // Before anything is said: what moves on the terminal is removed by it, and what is said is true.
            drop(work);
            tasks.close();
            let _ = tokio::time::timeout(END, tasks.wait()).await;
            eprintln!("{name}: everything that was started has been ended");
            Ok(ExitCode::from(COULD_NOT_RUN))
        }
    }
}

#[cfg(unix)]
async fn signalled() -> &'static str {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => "SIGINT",
        _ = terminate.recv() => "SIGTERM",
    }
}

#[cfg(windows)]
async fn signalled() -> &'static str {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
    let (Ok(mut interrupt), Ok(mut stop), Ok(mut close)) = (ctrl_c(), ctrl_break(), ctrl_close()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => "Ctrl-C",
        _ = stop.recv() => "Ctrl-Break",
        _ = close.recv() => "the console was closed",
    }
}
