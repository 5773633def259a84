//! The program `mutant-bridge`: a bridge that is wrong in one way, for the tests of verdicts. Windows has no signal that
//! asks a process to end, so that there is none there.

#[cfg(unix)]
mod bridge;

#[cfg(unix)]
#[tokio::main]
async fn main() -> anyhow::Result<std::process::ExitCode> {
    bridge::run().await
}

#[cfg(not(unix))]
fn main() {}
