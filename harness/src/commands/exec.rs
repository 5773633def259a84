//! `exec`: runs Lua on a computer of a running bridge, and prints for people what it prints as it comes, what it returns as
//! Lua writes it, and its error in red.

use std::process::ExitCode;
use std::time::Duration;

use mcp_host::Called;
use mcp_host::text::block;
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

use super::desk::Desk;
use super::mcp::tell;
use super::out::{out, outln};
use super::values::value;
use crate::cli_mcp::ServerArgs;
use crate::report::results::Verdict;
use crate::report::summary::Colours;

/// The code for Lua that failed.
const FAILED: u8 = 1;

/// What to run, and where.
#[derive(Debug)]
pub struct Chunk {
    pub computer: u64,
    pub code: String,
    pub timeout: Option<Duration>,
}

impl Chunk {
    fn arguments(&self) -> Value {
        let mut arguments = json!({ "computerId": self.computer, "code": self.code });
        if let Some(timeout) = self.timeout {
            arguments["timeoutMs"] = json!(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
        }
        arguments
    }
}

/// Runs the chunk and prints what becomes of it.
pub async fn exec(server: &ServerArgs, chunk: &Chunk) -> anyhow::Result<ExitCode> {
    let (progress, mut pieces) = unbounded_channel();
    let desk = Desk::open(server, Some(progress), chunk.timeout).await?;
    let mut printed = Printed::default();
    let called = {
        let mut call = std::pin::pin!(desk.call("exec-lua", chunk.arguments()));
        loop {
            tokio::select! {
                biased;
                Some(piece) = pieces.recv(), if !server.whole => printed.piece(&piece)?,
                called = &mut call => break called,
            }
        }
    };
    desk.close().await;
    let called = called?;
    if server.whole {
        return tell(&Called { progress: Vec::new(), ..called }, true, None);
    }
    // What came with the answer was said before it.
    while let Ok(piece) = pieces.try_recv() {
        printed.piece(&piece)?;
    }
    finish(printed, called)
}

/// Prints what is left to say once the answer is there.
fn finish(mut printed: Printed, called: Called) -> anyhow::Result<ExitCode> {
    let Some(outcome) = called.result.structured_content.clone() else {
        printed.end_line()?;
        if !called.is_error() {
            return tell(&Called { progress: Vec::new(), ..called }, false, None);
        }
        red(&called.text());
        return Ok(ExitCode::from(FAILED));
    };
    printed.rest(outcome["output"].as_str().unwrap_or_default())?;
    printed.end_line()?;
    if let Some(error) = outcome["error"].as_str() {
        red(error);
        return Ok(ExitCode::from(FAILED));
    }
    for returned in outcome["returns"].as_array().into_iter().flatten() {
        outln!("{}", shown(&value(returned)));
    }
    Ok(if called.is_error() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// What has been printed of a chunk's output.
#[derive(Debug, Default)]
struct Printed {
    text: String,
}

impl Printed {
    /// Prints a piece as it comes; the bridge's signs of life go to stderr.
    fn piece(&mut self, piece: &str) -> anyhow::Result<()> {
        if is_sign_of_life(piece) {
            self.end_line()?;
            eprintln!("{}", block(piece));
            return Ok(());
        }
        out!("{}", shown(piece));
        self.text.push_str(piece);
        Ok(())
    }

    /// Prints what did not come as pieces.
    fn rest(&mut self, all: &str) -> anyhow::Result<()> {
        let rest = all.strip_prefix(self.text.as_str()).unwrap_or(all);
        out!("{}", shown(rest));
        self.text.push_str(rest);
        Ok(())
    }

    /// Whatever follows begins on a line of its own.
    fn end_line(&self) -> anyhow::Result<()> {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            out!("\n");
        }
        Ok(())
    }
}

/// What a bridge reports where a chunk prints nothing for a while.
fn is_sign_of_life(piece: &str) -> bool {
    piece.starts_with("still running on ") && piece.ends_with(" s") && !piece.contains('\n')
}

/// On a terminal what would move the cursor is shown, not done; elsewhere the text is data.
fn shown(text: &str) -> String {
    if console::user_attended() { block(text) } else { text.to_owned() }
}

fn red(error: &str) {
    let words = format!("error: {}", block(error.trim_end()));
    eprintln!("{}", Colours::of_stderr().paint(Verdict::Failed, &words));
}
