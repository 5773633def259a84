//! A call to a computer, whichever tool makes it: the request, its deadline, and how it ends other than by an answer.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::service::RequestContext;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use super::server::Settings;
use crate::computer::{Computer, SendError, named};
use crate::limits::MAX_TIMEOUT_MS;
use crate::link::frame::{Answer, text_of};
use crate::link::hello::Identity;
use crate::request::{Disconnected, Request};
use crate::text::Stranger;

/// A request on its way to a computer. Dropping it cancels it.
#[derive(Debug)]
pub struct Call {
    pub computer: Arc<Computer>,
    /// Who it was when it was called: a chunk may change its label.
    pub identity: Arc<Identity>,
    pub request: Request,
    pub deadline: Instant,
    timeout: Duration,
}

/// How a call ended, other than by an answer.
#[derive(Debug, PartialEq, Eq)]
pub enum CallEnd {
    Timeout,
    Disconnected,
    /// The client changed its mind.
    Cancelled,
    /// The computer, or the bridge on its behalf, says what went wrong.
    Failed(String),
}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub struct CallError {
    identity: Arc<Identity>,
    end: CallEnd,
    /// How long it was waited for, where the caller can choose that.
    waited: Option<Duration>,
    printed: Option<Stranger>,
}

impl Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = named(&self.identity);
        match (&self.end, self.waited) {
            (CallEnd::Timeout, Some(waited)) => {
                write!(f, "timeout from {who} after {} ms", waited.as_millis())
            }
            (CallEnd::Timeout, None) => write!(f, "timeout from {who}"),
            (CallEnd::Disconnected, _) => write!(f, "disconnected from {who}"),
            (CallEnd::Cancelled, _) => write!(f, "cancelled on {who}"),
            (CallEnd::Failed(problem), _) => write!(f, "error from {who}: {problem}"),
        }
    }
}

impl CallError {
    /// An error of a computer that was not even asked.
    pub fn before(computer: &Computer, end: CallEnd) -> Self {
        Self { identity: computer.identity(), end, waited: None, printed: None }
    }

    /// The error as a tool's result: first the line, then how to wait longer, and what was printed until then.
    /// `longer` names what sets the time.
    pub fn into_result(self, longer: &str) -> CallToolResult {
        let line = self.to_string();
        let mut more = Vec::new();
        if self.end == CallEnd::Timeout {
            more.push(format!("hint: {longer} waits longer, up to {MAX_TIMEOUT_MS} ms"));
        }
        if let Some(printed) = &self.printed {
            more.push(format!("printed until then:\n{}", printed.printed()));
        }
        let mut content = vec![ContentBlock::text(line.clone())];
        if !more.is_empty() {
            content.push(ContentBlock::text(more.join("\n")));
        }
        let mut result = CallToolResult::error(content);
        if let Some(printed) = &self.printed {
            let Identity { id, label, .. } = &*self.identity;
            result.structured_content = Some(json!({
                "computerId": id, "label": label, "ok": false, "error": line, "output": printed,
            }));
        }
        result
    }
}

impl Call {
    /// A call whose request was just sent, or why it was not.
    pub fn begin(
        computer: Arc<Computer>,
        timeout: Duration,
        sent: Result<Request, SendError>,
    ) -> Result<Self, CallError> {
        let deadline = Instant::now() + timeout;
        match sent {
            Ok(request) => Ok(Self { identity: computer.identity(), computer, request, deadline, timeout }),
            Err(error) => Err(CallError::before(&computer, error.into())),
        }
    }

    /// Waits for the answer, or for what comes instead.
    pub async fn answer(&mut self) -> Result<Answer, CallEnd> {
        match timeout_at(self.deadline, self.request.answer()).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Disconnected)) => Err(CallEnd::Disconnected),
            Err(_) => Err(CallEnd::Timeout),
        }
    }

    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The error that the end of this call is.
    pub fn error(&self, end: CallEnd) -> CallError {
        let (identity, printed) = (self.identity.clone(), self.request.printed());
        CallError { identity, end, waited: Some(self.timeout), printed }
    }
}

impl From<SendError> for CallEnd {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Disconnected => Self::Disconnected,
            other => Self::Failed(other.to_string()),
        }
    }
}

/// What a computer returned, or the error that it gave instead.
pub fn returned(answer: Answer) -> Result<Option<Box<RawValue>>, CallEnd> {
    match answer {
        Answer::Done { result } => Ok(result),
        Answer::Failed { error, .. } => Err(CallEnd::Failed(error_text(error.as_deref()).to_string())),
        Answer::Broken(problem) => Err(CallEnd::Failed(problem)),
    }
}

/// Waits, unless the client changes its mind or the bridge ends.
pub async fn unless_stopped<T>(
    settings: &Settings,
    context: &RequestContext<RoleServer>,
    waiting: impl Future<Output = Result<T, CallEnd>>,
) -> Result<T, CallEnd> {
    tokio::select! {
        biased;
        outcome = waiting => outcome,
        () = context.ct.cancelled() => Err(CallEnd::Cancelled),
        () = settings.shutdown.cancelled() => Err(CallEnd::Disconnected),
    }
}

/// A computer's error as text, whatever it is.
pub fn error_text(error: Option<&RawValue>) -> Stranger {
    match error {
        Some(raw) => Stranger::new(&text_of(raw).unwrap_or_else(|| raw.get().into())),
        None => Stranger::new("no reason given"),
    }
}
