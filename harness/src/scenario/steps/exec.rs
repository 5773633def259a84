//! `exec`: runs Lua on a computer, by calling `exec-lua`.

use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::act::{Act, Done, Scene};
use super::call::call_bridge;
use crate::scenario::marks::Carried;
use crate::scenario::shown::shorten;
use crate::stage::StageError;

/// The chunk.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exec {
    computer: String,
    #[serde(default)]
    code: String,
    /// A file beside the scenario that has the code.
    code_file: Option<String>,
    timeout_ms: Option<u64>,
    /// Cancels the call once the computer's link has carried this since the call began.
    cancel_after: Option<Carried>,
    /// Whether the transcript shows what came as progress.
    #[serde(default)]
    progress: bool,
}

impl Act for Exec {
    fn title(&self) -> String {
        let limit = self.timeout_ms.map_or_else(String::new, |limit| format!(" within {limit} ms"));
        format!("exec on {}{limit}: {}", self.computer, shorten(self.code.trim()))
    }

    fn resolve(&mut self, folder: &Path) -> Result<(), String> {
        let Some(file) = &self.code_file else { return Ok(()) };
        if !self.code.is_empty() {
            return Err("give `code` or `code_file`, not both".to_owned());
        }
        let path = folder.join(file);
        self.code = std::fs::read_to_string(&path)
            .map_err(|error| format!("failed to read `code_file` `{}`: {error}", path.display()))?;
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        if self.code.trim().is_empty() {
            return Err("there is no code to run\nhint: give `code` or `code_file`".to_owned());
        }
        self.cancel_after.as_ref().map_or(Ok(()), Carried::check)
    }

    fn computers(&self) -> Vec<&str> {
        let after = self.cancel_after.as_ref().and_then(|after| after.computer.as_deref());
        std::iter::once(self.computer.as_str()).chain(after).collect()
    }

    fn awaited_output(&self) -> Option<&str> {
        self.cancel_after.as_ref()?.output.as_deref()
    }

    fn expects(&self) -> &'static [&'static str] {
        // A call that is cancelled has no answer.
        if self.cancel_after.is_some() { &["screen"] } else { &["text", "error", "screen"] }
    }

    fn needs_bridge(&self) -> bool {
        true
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async move {
            let id = scene.stage.id_of(&self.computer)?;
            let mut arguments = json!({ "computerId": id, "code": self.code });
            if let Some(limit) = self.timeout_ms {
                arguments["timeoutMs"] = limit.into();
            }
            let after = self.cancel_after.as_ref();
            let after = after.map(|after| (after, after.computer.as_deref().unwrap_or(&self.computer)));
            call_bridge(scene, "exec-lua", arguments, after, self.progress).await
        }
        .boxed()
    }
}
