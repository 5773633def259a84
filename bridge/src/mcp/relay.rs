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
use super::declared::ask::{self, Question};
use super::server::{Client, Settings, severity};
use super::sessions::RelatedTo;
use crate::computer::{Computer, named};
use crate::link::frame::RequestId;
use crate::link::note::{Asked, Log, Note, Progress};

/// How long the result waits for the last note to be taken. A client that does not read does not hold up its own
/// result for longer.
const LAST_NOTE: Duration = Duration::from_secs(1);

/// Questions that wait to be given to the client: as many as a tool can ask without yielding.
const QUESTIONS: usize = 32;

/// What a sign of life adds to a tool's own figures, unless they are so large that it takes more: MCP wants them to grow,
/// and those of a tool come in steps far larger.
const SIGN: f64 = 1e-6;

/// Passes on what is said during one call to the client that made it.
#[derive(Debug, Clone)]
pub struct Relay {
    context: RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    who: String,
    /// Where the call is one of a declared tool: its name, and the session that has a level for its log.
    tool: Option<(String, Arc<Client>)>,
    /// The last figure that the client has heard.
    progress: Option<f64>,
}

impl Relay {
    /// For a chunk: what it prints is its progress.
    pub fn for_chunk(context: &RequestContext<RoleServer>, call: &Call) -> Self {
        let (token, who) = (context.meta.get_progress_token(), named(&call.identity).to_string());
        Self { context: context.clone(), token, who, tool: None, progress: None }
    }

    /// For a tool: it has progress and a log of its own, and what it prints goes to the log.
    pub fn for_tool(
        context: &RequestContext<RoleServer>,
        call: &Call,
        name: &str,
        client: Arc<Client>,
    ) -> Self {
        Self { tool: Some((name.to_owned(), client)), ..Self::for_chunk(context, call) }
    }

    /// Passes notes on from a task of its own, so that a client that does not read delays no deadline.
    pub fn start(&self, call: &mut Call, settings: &Settings) -> Passing {
        // A client that did not take the last of them has cost the rest.
        let notes = call.request.take_notes().unwrap_or_else(|| mpsc::channel(1).1);
        let (computer, request, every) =
            (call.computer.clone(), call.request.id(), settings.timings.heartbeat);
        let (stop, stopped) = oneshot::channel();
        let (sender, questions) = mpsc::channel(QUESTIONS);
        let task = tokio::spawn(self.clone().pass(notes, computer, request, every, sender, stopped));
        Passing { task, stop: Some(stop), questions }
    }

    async fn pass(
        mut self,
        mut notes: mpsc::Receiver<Note>,
        computer: Arc<Computer>,
        request: RequestId,
        every: Duration,
        questions: mpsc::Sender<Question>,
        mut stopped: oneshot::Receiver<()>,
    ) -> mpsc::Receiver<Note> {
        let started = Instant::now();
        let mut sign = started + every;
        // Ended with this task: nobody waits for an answer after the tool's own.
        let mut asked = JoinSet::new();
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
                Note::Ask(asked) if is_stateless(&self.context) => {
                    let ask = asked.ask;
                    let passed = Question::new(asked).and_then(|question| {
                        questions.try_send(question).map_err(|_| "too much is being asked at once".to_owned())
                    });
                    if let Err(problem) = passed {
                        computer.answer_ask(request, ask, Err(&problem));
                    }
                }
                Note::Ask(Asked { ask, method, params, .. }) => {
                    let (context, computer) = (self.context.clone(), computer.clone());
                    asked.spawn(async move {
                        let said = ask::ask(&context, &method, params).await;
                        computer.answer_ask(request, ask, said.as_ref().map_err(String::as_str));
                    });
                }
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
        let Some((tool, client)) = &self.tool else { return };
        if !self.wants(level, client) {
            return;
        }
        let params = LoggingMessageNotificationParam::new(level, data).with_logger(tool.clone());
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
    /// Lets what has come so far go out: nothing may follow the result. Gives back where the rest will come from.
    pub async fn finish(mut self) -> Option<mpsc::Receiver<Note>> {
        drop(self.stop.take());
        timeout(LAST_NOTE, &mut self.task).await.ok()?.ok()
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        self.task.abort();
    }
}
