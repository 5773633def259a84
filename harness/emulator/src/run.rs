//! The program: boots what was asked for, waits, answers signals, reports how it ended.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use clap::Parser;
#[cfg(unix)]
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1, SIGXFSZ};

use crate::cli::{Cli, Plan};
use crate::confine::{Places, confine};
use crate::emulator::Emulator;
use crate::machine::Exit;
use crate::net::settle;
use crate::schedule::Standstill;
use crate::screen::to_png;

/// The code for what could not run at all.
const COULD_NOT_RUN: u8 = 2;
/// What Ctrl-C means to a shell.
const INTERRUPTED: u8 = 130;
/// How long sockets have to say that they close; on one machine it takes less than a millisecond.
const SOCKET_GRACE: Duration = Duration::from_millis(250);
/// How often the parent is looked at; orphans end within that time.
#[cfg(unix)]
const PARENT_CHECK: Duration = Duration::from_millis(250);
/// Computers are left to the end of the process if none turns off for that time after a signal.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// How long a reader of stdout has for what computers printed that did not stop.
const OUTPUT_GRACE: Duration = Duration::from_millis(500);

/// Runs the program; the first argument is its name, as in `std::env::args_os`.
pub fn run<A>(arguments: impl IntoIterator<Item = A>) -> ExitCode
where
    A: Into<OsString> + Clone,
{
    crate::allocator::return_large_blocks();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { COULD_NOT_RUN.into() } else { ExitCode::SUCCESS };
        }
    };
    match cli.into_plan().and_then(|plan| execute(&plan)) {
        Ok(code) => code,
        Err(error) => {
            report(&error);
            COULD_NOT_RUN.into()
        }
    }
}

/// Prints an error with its causes, and its hints at the end.
fn report(error: &anyhow::Error) {
    let mut hints = String::new();
    for (depth, cause) in error.chain().enumerate() {
        let text = cause.to_string();
        let (message, hint) = text.split_once("\nhint: ").unwrap_or((&text, ""));
        eprintln!("{}: {message}", if depth == 0 { "error" } else { "caused by" });
        if !hint.is_empty() {
            hints.push_str("hint: ");
            hints.push_str(hint);
            hints.push('\n');
        }
    }
    eprint!("{hints}");
}

fn execute(plan: &Plan) -> anyhow::Result<ExitCode> {
    let emulator = Emulator::new(plan.options.clone())?;
    if let Some(folder) = &plan.screen_dump {
        fs::create_dir_all(folder)
            .with_context(|| format!("failed to make the folder `{}`", folder.display()))?;
    }
    if plan.confine {
        confine_to(plan)?;
    }
    // None is lost from here on. The thread that answers them comes after the computers, which run as soon as they can.
    let signals = catch_signals().context("failed to watch signals")?;
    if plan.die_with_parent {
        watch_parent(&emulator)?;
    }
    emulator.boot_all(plan.ids.iter())?;
    let interrupted = Arc::new(AtomicBool::new(false));
    watch_signals(signals, &emulator, plan.screen_dump.clone(), interrupted.clone())?;
    if plan.options.simulate {
        simulate(&emulator, plan.until);
    }
    let exits = emulator.wait();
    settle(SOCKET_GRACE);
    if let Some(folder) = &plan.screen_dump {
        dump_screens(&emulator, folder);
    }
    if let (Some(mut file), Some(plan)) = (plan.fault_plan.as_ref(), emulator.fault_plan()) {
        let text = toml::to_string(&plan).context("failed to write the faults as TOML")?;
        file.write_all(text.as_bytes()).context("failed to write the faults")?;
    }
    let code = summarize(&exits);
    Ok(if interrupted.load(Ordering::Acquire) { INTERRUPTED.into() } else { code })
}

/// Runs a simulation to its end, and turns off what is still on then: nothing more would happen to it.
fn simulate(emulator: &Emulator, until: Option<Duration>) {
    let reason = match emulator.simulate(until) {
        Standstill::Done => return,
        Standstill::Forever => "nothing more happens",
        Standstill::TimeOver => "the time is over",
    };
    let on = emulator.computers().iter().filter(|computer| computer.is_on()).count();
    eprintln!("{reason}: {on} computers are on after {:.3} s of virtual time", emulator.time().as_secs_f64());
    emulator.shut_down();
}

/// Gives up what no computer needs, while this thread is the only one: what is read once has been read by now.
fn confine_to(plan: &Plan) -> anyhow::Result<()> {
    let places = Places::new(&plan.options, plan.ids.iter(), plan.screen_dump.clone());
    // A folder that is made later is allowed by the one above it, which has to be there.
    for folder in &places.writable {
        fs::create_dir_all(folder)
            .with_context(|| format!("failed to make the folder `{}`", folder.display()))?;
    }
    confine(&places);
    Ok(())
}

/// Reports the computers that failed. The code is that of the first one, by id, whose code is not 0.
fn summarize(exits: &[(u32, Exit)]) -> ExitCode {
    for (id, exit) in exits {
        if let Some(error) = &exit.error {
            eprintln!("computer {id}: {error}");
        }
    }
    let code = exits.iter().map(|(_, exit)| exit.code & 0xFF).find(|code| *code != 0).unwrap_or(0);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Writes every screen as text, JSON and PNG.
fn dump_screens(emulator: &Emulator, folder: &Path) {
    for computer in emulator.computers() {
        let path = |extension: &str| folder.join(format!("{}.{extension}", computer.id()));
        let json = serde_json::to_vec_pretty(&computer.screen_report()).unwrap_or_default();
        let written = fs::write(path("txt"), computer.screen_text())
            .and_then(|()| fs::write(path("json"), json))
            .and_then(|()| fs::write(path("png"), to_png(&computer.screen()).unwrap_or_default()));
        if let Err(error) = written {
            eprintln!(
                "failed to write the screen of computer {} to `{}`: {error}",
                computer.id(),
                folder.display()
            );
        }
    }
}

#[cfg(unix)]
type Signals = signal_hook::iterator::Signals;

#[cfg(windows)]
type Signals =
    (tokio::signal::windows::CtrlC, tokio::signal::windows::CtrlBreak, tokio::signal::windows::CtrlClose);

#[cfg(unix)]
fn catch_signals() -> io::Result<Signals> {
    // A file that grows past the limit of the process is an error to the program that writes it, and not the end of all.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    Signals::new([SIGINT, SIGTERM, SIGUSR1])
}

#[cfg(windows)]
fn catch_signals() -> io::Result<Signals> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
    Ok((ctrl_c()?, ctrl_break()?, ctrl_close()?))
}

/// SIGTERM and SIGINT turn all computers off, so that files and screens are written; SIGUSR1 writes screens.
#[cfg(unix)]
fn watch_signals(
    mut signals: Signals,
    emulator: &Emulator,
    folder: Option<PathBuf>,
    interrupted: Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let emulator = emulator.clone();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            match (signal, &folder) {
                (SIGUSR1, Some(folder)) => dump_screens(&emulator, folder),
                (SIGUSR1, None) => {
                    for computer in emulator.computers() {
                        eprintln!("computer {}:\n{}", computer.id(), computer.screen_text());
                    }
                }
                _ => {
                    interrupted.store(signal == SIGINT, Ordering::Release);
                    emulator.shut_down();
                    // The main thread ends the process once all are off; this one, if some do not stop.
                    wait_while_some_stop(&emulator);
                    finish_output(&emulator);
                    std::process::exit(128 + signal);
                }
            }
        }
    })?;
    Ok(())
}

/// Ctrl-C, Ctrl-Break and the end of the console turn all computers off, so that files and screens are written.
#[cfg(windows)]
fn watch_signals(
    (mut interrupt, mut stop, mut close): Signals,
    emulator: &Emulator,
    _: Option<PathBuf>,
    interrupted: Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().build().context("failed to watch for Ctrl-C")?;
    let emulator = emulator.clone();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let by_key = runtime.block_on(async {
            tokio::select! {
                _ = interrupt.recv() => true,
                _ = stop.recv() => false,
                _ = close.recv() => false,
            }
        });
        interrupted.store(by_key, Ordering::Release);
        emulator.shut_down();
        // The main thread ends the process once all are off; this one, if some do not stop.
        wait_while_some_stop(&emulator);
        finish_output(&emulator);
        std::process::exit(i32::from(INTERRUPTED));
    })?;
    Ok(())
}

/// Returns when no computer has turned off for a while. A thousand on a busy machine take their time, and are not cut short.
fn wait_while_some_stop(emulator: &Emulator) {
    let count_on = || emulator.computers().iter().filter(|computer| computer.is_on()).count();
    wait_while_fewer(count_on, || thread::sleep(STOP_GRACE));
}

/// Rests until a count is the same after a rest as before it.
fn wait_while_fewer(count: impl Fn() -> usize, rest: impl Fn()) {
    let mut before = count();
    loop {
        rest();
        let after = count();
        if after == before {
            return;
        }
        before = after;
    }
}

/// Sends what computers have printed that do not stop. Nobody may read it any more: then it is left.
fn finish_output(emulator: &Emulator) {
    let emulator = emulator.clone();
    let (done, finished) = std::sync::mpsc::channel();
    thread::spawn(move || {
        emulator.finish_output();
        let _ = done.send(());
    });
    let _ = finished.recv_timeout(OUTPUT_GRACE);
}

/// Ends the process when another process has become its parent.
#[cfg(unix)]
fn watch_parent(emulator: &Emulator) -> anyhow::Result<()> {
    let (emulator, parent) = (emulator.clone(), rustix::process::getppid());
    thread::Builder::new().name("parent".to_owned()).spawn(move || {
        while rustix::process::getppid() == parent {
            thread::sleep(PARENT_CHECK);
        }
        end_as_orphan(&emulator);
    })?;
    Ok(())
}

/// Ends the process when its parent has ended.
#[cfg(windows)]
fn watch_parent(emulator: &Emulator) -> anyhow::Result<()> {
    let parent = crate::windows::parent().context("failed to watch the parent process")?;
    let emulator = emulator.clone();
    thread::Builder::new().name("parent".to_owned()).spawn(move || {
        if let Some(parent) = parent {
            crate::windows::wait(&parent);
        }
        end_as_orphan(&emulator);
    })?;
    Ok(())
}

fn end_as_orphan(emulator: &Emulator) -> ! {
    finish_output(emulator);
    // The parent may have held the other end of stderr: a line that nobody reads must not keep this alive.
    let _ = writeln!(io::stderr(), "the parent process ended: so does this one");
    std::process::exit(i32::from(COULD_NOT_RUN));
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::wait_while_fewer;

    #[test]
    fn computers_that_turn_off_one_after_the_other_are_waited_for() {
        let (on, rests) = (Cell::new(5_usize), Cell::new(0));
        wait_while_fewer(
            || on.get(),
            || {
                rests.set(rests.get() + 1);
                // Two do not stop.
                on.set(on.get().saturating_sub(1).max(2));
            },
        );
        assert_eq!((on.get(), rests.get()), (2, 4), "it rests once more, and then gives up");
    }
}
