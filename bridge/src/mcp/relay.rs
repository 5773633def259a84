//! What a client hears while Lua runs: its output, its progress, its log, what it asks, and a sign of life when it is
//! silent.
#![expect(deprecated, reason = "logging is deprecated from 2026-07-28 on, and part of the handshake era")]

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    GetExtensions as _, LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, ServerNotification,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};

use super::call::Call;
use super::declared::ask::{Asking, Question};
use super::declared::call::ToolCall;
use super::server::{Client, Settings, severity};
use super::sessions::RelatedTo;
use crate::computer::named;
use crate::limits::QUESTIONS;
use crate::link::note::{Log, Note, Progress};
use crate::questions::Questions;

/// How long the result waits for the last note to be taken. A client that does not read does not hold up its own
/// result for longer.
const LAST_NOTE: Duration = Duration::from_secs(1);

/// What a sign of life adds to a tool's own figures, unless they are so large that it takes more: MCP wants them to grow,
/// and those of a tool come in steps far larger.
const SIGN: f64 = 1e-6;

/// Passes on what is said during one call to the client that made it.
#[derive(Debug, Clone)]
pub struct Relay {
    context: RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    who: String,
    /// Where the call is one of a declared tool.
    tool: Option<Tool>,
    /// The last figure that the client has heard.
    progress: Option<f64>,
}

/// What a tool has, and a chunk has not.
#[derive(Debug, Clone)]
struct Tool {
    name: String,
    /// The session that has a level for its log.
    client: Arc<Client>,
    questions: Questions,
}

impl Relay {
    /// For a chunk: what it prints is its progress.
    pub fn for_chunk(context: &RequestContext<RoleServer>, call: &Call) -> Self {
        let (token, who) = (context.meta.get_progress_token(), named(&call.identity).to_string());
        Self { context: context.clone(), token, who, tool: None, progress: None }
    }

    /// For a tool: it has progress and a log of its own, and what it prints goes to the log.
    pub fn for_tool(context: &RequestContext<RoleServer>, call: &ToolCall, client: Arc<Client>) -> Self {
        let (name, questions) = (call.tool.listed.name.to_string(), call.questions.clone());
        Self { tool: Some(Tool { name, client, questions }), ..Self::for_chunk(context, &call.call) }
    }

    /// Passes notes on from a task of its own, so that a client that does not read delays no deadline.
    pub fn start(&self, call: &mut Call, settings: &Settings) -> Passing {
        // A client that did not take the last of them has cost the rest.
        let notes = call.request.take_notes().unwrap_or_else(|| mpsc::channel(1).1);
        let (stop, stopped) = oneshot::channel();
        let (put_aside, questions) = mpsc::channel(QUESTIONS);
        let asking = Asking {
            computer: call.computer.clone(),
            request: call.request.id(),
            questions: self.tool.as_ref().map(|tool| tool.questions.clone()),
            put_aside,
            under_way: JoinSet::new(),
        };
        let task = tokio::spawn(self.clone().pass(notes, asking, settings.timings.heartbeat, stopped));
        Passing { task, stop: Some(stop), questions }
    }

    async fn pass(
        mut self,
        mut notes: mpsc::Receiver<Note>,
        mut asking: Asking,
        every: Duration,
        mut stopped: oneshot::Receiver<()>,
    ) -> mpsc::Receiver<Note> {
        let started = Instant::now();
        let mut sign = started + every;
        loop {
            let note = tokio::select! {
                biased;
                Some(note) = notes.recv() => note,
                _ = &mut stopped => return notes,
                () = sleep_until(sign) => {
                    let message = format!("still running on {} after {} s", self.who, started.elapsed().as_secs());
                    self.progress(self.next_progress(), None, Some(message)).await;
                    sign = Instant::now() + every;
                    continue;
                }
            };
            sign = Instant::now() + every;
            match note {
                Note::Progress(Progress { progress, total, message }) => {
                    self.progress(progress, total, message.map(|message| message.to_string())).await;
                }
                Note::Log(Log { level, data }) => self.log(read_level(&level), data).await,
                Note::Output(text) if self.tool.is_none() => {
                    self.progress(self.next_progress(), None, Some(text.printed())).await;
                }
                Note::Output(text) => self.log(LoggingLevel::Debug, json!(text.printed())).await,
                Note::Ask { asked, bytes } => asking.take(&self.context, asked, bytes),
            }
        }
    }

    /// A figure that is larger than the last one: for a chunk the next number, for a tool as little as can be.
    fn next_progress(&self) -> f64 {
        let (last, step) = (self.progress.unwrap_or(0.0), if self.tool.is_some() { SIGN } else { 1.0 });
        (last + step).max(last.next_up())
    }

    async fn progress(&mut self, progress: f64, total: Option<f64>, message: Option<String>) {
        let Some(token) = &self.token else { return };
        // MCP wants it to grow with each notification.
        if !progress.is_finite() || self.progress.is_some_and(|last| progress <= last) {
            return;
        }
        self.progress = Some(progress);
        let mut note = ProgressNotificationParam::new(token.clone(), progress);
        note.total = total;
        note.message = message;
        let _ = self.context.peer.notify_progress(note).await;
    }

    async fn log(&self, level: LoggingLevel, data: Value) {
        let Some(tool) = &self.tool else { return };
        if !self.wants(level, &tool.client) {
            return;
        }
        let params = LoggingMessageNotificationParam::new(level, data).with_logger(tool.name.clone());
        let mut note =
            ServerNotification::LoggingMessageNotification(LoggingMessageNotification::new(params));
        note.extensions_mut().insert(RelatedTo(self.context.id.clone()));
        let _ = self.context.peer.send_notification(note).await;
    }

    /// Tells whether the client wants to read this: in the stateless era the request says so, before it the session.
    fn wants(&self, level: LoggingLevel, client: &Client) -> bool {
        if is_stateless(&self.context) {
            return self.context.meta.log_level().is_some_and(|wanted| severity(level) >= severity(wanted));
        }
        client.wants(level)
    }
}

pub fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// A level as a tool names it; what is no level is `info`.
fn read_level(level: &str) -> LoggingLevel {
    serde_json::from_value(json!(level)).unwrap_or(LoggingLevel::Info)
}

/// Notes on their way.
#[derive(Debug)]
#[must_use]
pub struct Passing {
    task: JoinHandle<mpsc::Receiver<Note>>,
    stop: Option<oneshot::Sender<()>>,
    /// What the tool asks, where the client is one of the stateless era.
    pub questions: mpsc::Receiver<Question>,
}

impl Passing {
    /// Lets what has come so far go out: nothing may follow the result. Gives back where the rest will come from, and the
    /// questions that nobody has taken yet.
    pub async fn finish(mut self) -> (Option<mpsc::Receiver<Note>>, Vec<Question>) {
        drop(self.stop.take());
        let notes = timeout(LAST_NOTE, &mut self.task).await.ok().and_then(Result::ok);
        let questions = std::iter::from_fn(|| self.questions.try_recv().ok()).collect();
        (notes, questions)
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        self.task.abort();
    }
}
