//! What is asked on a connection: the tools, a call, a sign of life. Every answer is awaited for a bounded time.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientRequest,
    DiscoverRequest, DiscoverRequestParams, ListToolsRequest, PaginatedRequestParams, PingRequest,
    ProgressToken, ServerResult, Tool,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::{Peer, RoleClient};
use serde_json::{Map, Value};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::era::Era;
use super::error::{CallError, Ending, LastWords};
use super::handler::Told;
use super::open::is_unreachable;
use crate::stdio::Pipe;
use crate::text::chain;

/// Past this a list is no use to an agent, and pages without an end are an error of the server.
const MOST_TOOLS: usize = 10_000;

/// A page that is empty counts too.
const MOST_PAGES: usize = 1_000;

/// How long the reason for the end of a connection may take to be known after the end itself.
const REASON: Duration = Duration::from_secs(3);

/// What a connection is made of.
#[derive(Debug)]
pub(super) struct Channel {
    pub id: String,
    pub peer: Peer<RoleClient>,
    pub era: Era,
    pub told: Arc<Told>,
    pub pipe: Option<Arc<Pipe>>,
    pub has_tools: bool,
    /// How long a request may take that is no call.
    pub request: Duration,
    pub call: Duration,
    pub call_in_all: Duration,
}

/// An open connection.
#[derive(Debug)]
pub struct Connection {
    channel: Channel,
    tools: Mutex<Arc<Vec<Tool>>>,
    start_time: OnceLock<Duration>,
    ending: OnceLock<Ending>,
    gone: CancellationToken,
    given_up: CancellationToken,
    /// One list at a time: those who come meanwhile get the same.
    listing: tokio::sync::Mutex<()>,
}

/// What a tool answered.
#[derive(Debug, Clone)]
pub struct Called {
    pub server: String,
    pub tool: String,
    pub result: CallToolResult,
    /// What came as progress, one after the other.
    pub progress: Vec<String>,
    pub took: Duration,
}

impl Called {
    /// Tells whether the tool reports an error.
    pub fn is_error(&self) -> bool {
        self.result.is_error.unwrap_or(false)
    }

    /// The result as text; what is no text is named, and not saved.
    pub fn text(&self) -> String {
        crate::flatten::flatten(&self.result, &mut crate::flatten::Named)
    }
}

impl Connection {
    pub(super) fn new(channel: Channel) -> Self {
        Self {
            channel,
            tools: Mutex::default(),
            start_time: OnceLock::new(),
            ending: OnceLock::new(),
            gone: CancellationToken::new(),
            given_up: CancellationToken::new(),
            listing: tokio::sync::Mutex::new(()),
        }
    }

    pub fn era(&self) -> &Era {
        &self.channel.era
    }

    /// From the start of the process, or the first request, to the first list of tools.
    pub fn start_time(&self) -> Duration {
        self.start_time.get().copied().unwrap_or_default()
    }

    pub fn pipe(&self) -> Option<&Pipe> {
        self.channel.pipe.as_deref()
    }

    pub fn is_gone(&self) -> bool {
        self.gone.is_cancelled() || self.given_up.is_cancelled()
    }

    pub(super) fn set_start_time(&self, time: Duration) {
        let _ = self.start_time.set(time);
    }

    /// Tells everybody who waits here that the server is gone.
    pub(super) fn lose(&self, ending: Ending) {
        let _ = self.ending.set(ending);
        self.gone.cancel();
    }

    /// Waits until somebody could not reach the server.
    pub(super) async fn given_up(&self) -> Ending {
        self.given_up.cancelled().await;
        self.ending.get().cloned().unwrap_or_else(|| Ending::Unreachable("no answer".to_owned()))
    }

    /// The tools that were listed last.
    pub fn listed(&self) -> Arc<Vec<Tool>> {
        self.tools.lock().expect("the lock is never poisoned: no code panics while holding it").clone()
    }

    /// The tools; asks for them again when the server has said that they changed.
    pub async fn tools(&self) -> Result<Arc<Vec<Tool>>, CallError> {
        let early = self.pipe().is_some_and(|pipe| pipe.changed.load(Ordering::Acquire));
        if early || self.channel.told.has_changed() {
            self.refresh().await?;
        }
        Ok(self.listed())
    }

    /// Asks for the tools.
    pub(super) async fn refresh(&self) -> Result<(), CallError> {
        let _one = self.listing.lock().await;
        // Before the request, so that a change while it is under way is not lost.
        self.channel.told.take_change();
        if let Some(pipe) = self.pipe() {
            pipe.changed.store(false, Ordering::Release);
        }
        if !self.channel.has_tools {
            return Ok(());
        }
        let mut tools = Vec::new();
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let answer = self.ask("`tools/list`", self.channel.request, request, |_| {}).await;
            let listed = match answer {
                Ok(ServerResult::ListToolsResult(listed)) => listed,
                Ok(_) => return Err(self.odd("`tools/list`")),
                Err(error) => {
                    // Whoever comes next asks again.
                    self.channel.told.change();
                    return Err(error);
                }
            };
            tools.extend(listed.tools);
            if tools.len() > MOST_TOOLS {
                break;
            }
            cursor = listed.next_cursor;
            if cursor.is_none() {
                *self.tools.lock().expect("the lock is never poisoned: no code panics while holding it") =
                    Arc::new(tools);
                return Ok(());
            }
        }
        Err(CallError::TooManyTools { server: self.channel.id.clone(), most: MOST_TOOLS })
    }

    /// Calls a tool and waits for its answer.
    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<Called, CallError> {
        let called = self.call_unless(tool, arguments, std::future::pending()).await?;
        Ok(called.expect("only a call that can be cancelled has no answer"))
    }

    /// Calls a tool and waits for its answer, or tells the server that it is no longer wanted; why is what `cancel` gives.
    pub async fn call_unless(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        cancel: impl Future<Output = String>,
    ) -> Result<Option<Called>, CallError> {
        let begun = Instant::now();
        let what = format!("the call of `{}`", crate::text::headline(tool, 100));
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments = Some(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let told = &self.channel.told;
        let mut token: Option<ProgressToken> = None;
        let sent = |given: &ProgressToken| {
            told.follow(given.clone());
            token = Some(given.clone());
        };
        let answer = self.ask_unless(&what, self.channel.call, request, sent, cancel).await;
        let progress = token.map(|token| told.take_progress(&token)).unwrap_or_default();
        let Some(answer) = answer? else { return Ok(None) };
        match answer {
            ServerResult::CallToolResult(result) => Ok(Some(Called {
                server: self.channel.id.clone(),
                tool: tool.to_owned(),
                result,
                progress,
                took: begun.elapsed(),
            })),
            ServerResult::InputRequiredResult(_) => {
                Err(CallError::AsksForInput { server: self.channel.id.clone(), what })
            }
            _ => Err(self.odd(&what)),
        }
    }

    /// Asks for a sign of life, and says how long it took. The stateless era has no ping: there the server is asked
    /// what it is.
    pub async fn ping(&self) -> Result<Duration, CallError> {
        let begun = Instant::now();
        let request = match self.channel.era {
            Era::Handshake(_) => ClientRequest::PingRequest(PingRequest::default()),
            Era::Stateless(_) => {
                ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams::default()))
            }
        };
        self.ask("a ping", self.channel.request, request, |_| {}).await?;
        Ok(begun.elapsed())
    }

    async fn ask(
        &self,
        what: &str,
        limit: Duration,
        request: ClientRequest,
        sent: impl FnOnce(&ProgressToken),
    ) -> Result<ServerResult, CallError> {
        let answer = self.ask_unless(what, limit, request, sent, std::future::pending()).await?;
        Ok(answer.expect("only what can be cancelled has no answer"))
    }

    async fn ask_unless(
        &self,
        what: &str,
        limit: Duration,
        request: ClientRequest,
        sent: impl FnOnce(&ProgressToken),
        cancel: impl Future<Output = String>,
    ) -> Result<Option<ServerResult>, CallError> {
        let options = PeerRequestOptions::with_timeout(limit)
            .reset_timeout_on_progress()
            .with_max_total_timeout(self.channel.call_in_all.max(limit));
        let handle = match self.channel.peer.send_cancellable_request(request, options).await {
            Ok(handle) => handle,
            Err(error) => return Err(self.failed(what, error).await),
        };
        sent(&handle.progress_token);
        let request = handle.id.clone();
        let answer = tokio::select! {
            biased;
            answer = handle.await_response() => answer,
            () = self.gone.cancelled() => Err(ServiceError::TransportClosed),
            reason = cancel => {
                let cancelled = CancelledNotificationParam::new(Some(request), Some(reason));
                match self.channel.peer.notify_cancelled(cancelled).await {
                    Ok(()) => return Ok(None),
                    Err(error) => Err(error),
                }
            }
        };
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(error) => Err(self.failed(what, error).await),
        }
    }

    async fn failed(&self, what: &str, error: ServiceError) -> CallError {
        let (server, what) = (self.channel.id.clone(), what.to_owned());
        match error {
            ServiceError::McpError(error) => {
                let (code, message, data) =
                    (error.code.0, error.message.into_owned(), error.data.map(Box::new));
                CallError::Refused { server, what, code, message, data }
            }
            ServiceError::Timeout { timeout } => {
                CallError::Timeout { server, what, after: timeout, words: LastWords::of(self.pipe()) }
            }
            ServiceError::TransportClosed => self.lost(server, what).await,
            ServiceError::TransportSend(error) if self.pipe().is_some() => {
                let _ = error;
                self.lost(server, what).await
            }
            ServiceError::TransportSend(error) => {
                let reason = chain(error.error.as_ref());
                if is_unreachable(&error) {
                    let _ = self.ending.set(Ending::Unreachable(reason));
                    self.given_up.cancel();
                    return self.lost(server, what).await;
                }
                CallError::Failed { server, what, reason: crate::text::headline(&reason, 1000) }
            }
            ServiceError::UnexpectedResponse => CallError::Odd { server, what },
            other => CallError::Failed { server, what, reason: crate::text::headline(&chain(&other), 1000) },
        }
    }

    async fn lost(&self, server: String, what: String) -> CallError {
        if self.ending.get().is_none() {
            let _ = tokio::time::timeout(REASON, self.gone.cancelled()).await;
        }
        let how = self.ending.get().map_or("the connection was closed".to_owned(), ToString::to_string);
        CallError::Lost { server, what, how, words: LastWords::of(self.pipe()) }
    }

    fn odd(&self, what: &str) -> CallError {
        CallError::Odd { server: self.channel.id.clone(), what: what.to_owned() }
    }
}
