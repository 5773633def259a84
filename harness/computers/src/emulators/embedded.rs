//! The roles that the program plays for itself: the embedded emulator, the keeper of a foreign one or of a server,
//! and the janitor.
//!
//! A role is asked for by an environment variable and not by a subcommand, so that the arguments are those of
//! CraftOS-PC and the same for every emulator.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use crate::scratch::{JANITOR, clean_up};

/// The variable that asks for a role: `embedded-craftos`, `keeper` or `janitor`.
pub const ROLE_VARIABLE: &str = "CRAFTOS_HARNESS_ROLE";

/// The role of the keeper.
pub const KEEPER: &str = "keeper";

/// The variable with the id of the harness that started a role.
pub const PARENT_VARIABLE: &str = "CRAFTOS_HARNESS_PARENT";

/// The code for what could not run at all.
const COULD_NOT_RUN: u8 = 2;

/// Plays the role that this process was started for; nothing, where it was started for none.
pub fn act_in_role() -> Option<ExitCode> {
    match std::env::var(ROLE_VARIABLE).ok()?.as_str() {
        "embedded-craftos" => {
            die_with_parent();
            Some(embedded_craftos::run::run(std::env::args_os()))
        }
        KEEPER => Some(keep()),
        JANITOR => Some(clean_up()),
        other => {
            eprintln!("error: `{ROLE_VARIABLE}` names no role: `{other}`");
            Some(ExitCode::from(COULD_NOT_RUN))
        }
    }
}

/// Becomes the program in the arguments, after asking the kernel to kill it when its parent dies: CraftOS-PC ignores
/// closed pipes, and so may a server: nothing else would end it after a harness that was killed.
#[cfg(unix)]
fn keep() -> ExitCode {
    use std::os::unix::process::CommandExt as _;
    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else {
        eprintln!("error: the keeper was given no program");
        return ExitCode::from(COULD_NOT_RUN);
    };
    die_with_parent();
    let error = std::process::Command::new(&program)
        .args(arguments)
        .env_remove(ROLE_VARIABLE)
        .env_remove(PARENT_VARIABLE)
        .exec();
    eprintln!("error: failed to start `{}`: {error}", program.display());
    ExitCode::from(COULD_NOT_RUN)
}

#[cfg(not(unix))]
fn keep() -> ExitCode {
    eprintln!("error: there is no keeper on this system");
    ExitCode::from(COULD_NOT_RUN)
}

/// Ends this process if the harness is gone, and on Linux whenever it goes.
#[cfg(unix)]
fn die_with_parent() {
    use rustix::process::getppid;
    #[cfg(target_os = "linux")]
    let asked = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).is_ok();
    #[cfg(not(target_os = "linux"))]
    let asked = true;
    // A parent that died before the request is not noticed by the kernel, and may have died before this process began.
    let parent = std::env::var(PARENT_VARIABLE).ok().and_then(|id| id.parse().ok());
    if !asked || getppid().map(|id| id.as_raw_nonzero().get()) != parent {
        std::process::exit(i32::from(COULD_NOT_RUN));
    }
}

#[cfg(not(unix))]
fn die_with_parent() {}

/// The program that plays the roles, where it is known: itself, or the one that a test was given by Cargo.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Names the program that plays the roles: one whose `main` calls [`act_in_role`] first.
pub fn use_program(path: impl Into<PathBuf>) {
    let _ = PROGRAM.set(path.into());
}

/// Finds a program that plays the roles: the one that was named, this one, or what Cargo built beside a test.
pub fn self_as_program() -> Option<PathBuf> {
    if let Some(program) = PROGRAM.get() {
        return Some(program.clone());
    }
    let name = format!("craftos-harness{}", std::env::consts::EXE_SUFFIX);
    let current = std::env::current_exe().ok()?;
    if current.file_name().is_some_and(|file| file == name.as_str()) {
        return Some(current);
    }
    let beside = current.ancestors().skip(1).take(3).map(|folder| folder.join(&name));
    // A documentation test runs in a temporary folder, far from what Cargo built.
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    let built = ["debug", "release"].map(|profile| target.join(profile).join(&name));
    beside.chain(built).find(|path| path.is_file())
}
