//! From a configuration to a connection: the process or the address, the handshake of either era, the first list of
//! tools; all of it within the start timeout.

use std::sync::Arc;
use std::time::Duration;

use child_processes::{Child, Status};
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, QuitReason, RunningService, serve_client_with_lifecycle_and_ct};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::transport::{DynamicTransportError, Transport};
use rmcp::{RoleClient, model::SubscriptionFilter};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::connection::{Channel, Connection};
use super::era::{Era, lifecycle};
use super::error::{Ending, LastWords, StartError};
use super::handler::{Handler, Told};
use super::heard::Heard;
use crate::http::bounded::BodyError;
use crate::settings::Settings;
use crate::spec::{ServerSpec, TransportSpec};
use crate::stdio::transport::PipeEnd;
use crate::stdio::{self, Pipe, StdioTransport};
use crate::text::chain;

/// How long the last words of a process that has ended may still be on their way.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What rmcp may take to let go of a connection, after what a server may take.
const CLOSE: Duration = Duration::from_secs(5);

const HANDSHAKE: &str = "the handshake";
const TOOLS: &str = "its list of tools";

/// A connection and what it stands on. Whoever holds it keeps the server up.
#[derive(Debug)]
pub struct Opened {
    pub connection: Arc<Connection>,
    process: Option<Running>,
    stop: CancellationToken,
    service: AbortOnDropHandle<Result<QuitReason, tokio::task::JoinError>>,
    /// Who listens for changes in the stateless era.
    _listener: Option<AbortOnDropHandle<()>>,
    grace: Duration,
}

/// A process, with who reads its stderr.
#[derive(Debug)]
struct Running {
    process: Child,
    pipe: Arc<Pipe>,
    stderr: AbortOnDropHandle<()>,
}

/// Opens a connection in the first era that the server does not refuse, and asks for the tools.
pub async fn open(spec: &ServerSpec, settings: &Settings) -> Result<Opened, StartError> {
    greet(spec, settings, true).await
}

/// The same without asking for anything: after the handshake nothing is sent but what is asked on the connection.
pub async fn connect(spec: &ServerSpec, settings: &Settings) -> Result<Opened, StartError> {
    greet(spec, settings, false).await
}

async fn greet(spec: &ServerSpec, settings: &Settings, asks: bool) -> Result<Opened, StartError> {
    let limit = settings.start(spec.timeouts.start);
    let deadline = Instant::now() + limit;
    let mut refused = None;
    for version in settings.protocol.attempts() {
        let attempt = Attempt { spec, settings, version, limit, deadline, asks };
        match attempt.run().await {
            Err(error @ StartError::Refused { .. }) => refused = refused.or(Some(error)),
            // What the first era said is nearer to the cause than how the second failed.
            Err(error) => return Err(refused.unwrap_or(error)),
            opened => return opened,
        }
    }
    Err(refused.expect("there is an era to try, and only a refusal goes on"))
}

struct Attempt<'a> {
    spec: &'a ServerSpec,
    settings: &'a Settings,
    version: ProtocolVersion,
    limit: Duration,
    deadline: Instant,
    /// Whether it asks for the tools, and to be told of their changes.
    asks: bool,
}

impl Attempt<'_> {
    async fn run(&self) -> Result<Opened, StartError> {
        match &self.spec.transport {
            TransportSpec::Local(local) => {
                let (process, pipes) = stdio::start(local, self.settings)?;
                let pipe = Arc::new(Pipe::default());
                let stderr = tokio::spawn(pipe.stderr.clone().drain(pipes.stderr));
                let transport = StdioTransport::new(pipes.stdin, pipes.stdout, pipe.clone());
                let running = Running { process, pipe, stderr: AbortOnDropHandle::new(stderr) };
                self.connect(transport, Some(running)).await
            }
            TransportSpec::Remote(remote) => {
                let transport = crate::http::transport(remote, self.settings.dialer.as_ref())?;
                self.connect(transport, None).await
            }
        }
    }

    async fn connect<T>(&self, transport: T, mut running: Option<Running>) -> Result<Opened, StartError>
    where
        T: Transport<RoleClient> + 'static,
    {
        let begun = Instant::now();
        let told = Arc::new(Told::new(self.settings));
        let handler = Handler {
            name: self.settings.client_name.clone(),
            version: self.settings.client_version.clone(),
            protocol: self.version.clone(),
            told: told.clone(),
        };
        let (recorder, meddler) = (self.settings.recorder.clone(), self.settings.meddler.clone());
        let transport = Heard::new(transport, told.clone(), recorder, meddler);
        let stop = CancellationToken::new();
        let lifecycle = lifecycle(&self.version);
        let serving = serve_client_with_lifecycle_and_ct(handler, transport, lifecycle, stop.clone());
        let served = tokio::select! {
            biased;
            served = timeout_at(self.deadline, serving) => served,
            ending = exited(&mut running) => return Err(ended(HANDSHAKE, ending, running).await),
        };
        let service = match served {
            Ok(Ok(service)) => service,
            Ok(Err(error)) => return Err(self.refusal(&error, running).await),
            Err(_) => return Err(self.late(HANDSHAKE, running.as_ref())),
        };
        let opened = self.opened(service, stop, told, running);
        if self.asks { self.list(opened, begun).await } else { Ok(opened) }
    }

    fn opened(
        &self,
        service: RunningService<RoleClient, Handler>,
        stop: CancellationToken,
        told: Arc<Told>,
        process: Option<Running>,
    ) -> Opened {
        let peer = service.peer().clone();
        let info = peer.peer_info();
        let version = info.as_ref().map_or(self.version.clone(), |info| info.protocol_version.clone());
        let tools = info.as_ref().and_then(|info| info.capabilities.tools.clone());
        let era = Era::of(version);
        let follows = self.asks
            && matches!(era, Era::Stateless(_))
            && tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true));
        let listener =
            follows.then(|| AbortOnDropHandle::new(tokio::spawn(listen(peer.clone(), told.clone()))));
        let connection = Connection::new(Channel {
            id: self.spec.id.clone(),
            peer,
            era,
            told,
            pipe: process.as_ref().map(|running| running.pipe.clone()),
            has_tools: tools.is_some(),
            request: self.limit.max(self.settings.call(self.spec.timeouts.call)),
            call: self.settings.call(self.spec.timeouts.call),
            call_in_all: self.settings.call_in_all,
        });
        Opened {
            connection: Arc::new(connection),
            process,
            stop,
            service: AbortOnDropHandle::new(tokio::spawn(service.waiting())),
            _listener: listener,
            grace: self.settings.grace,
        }
    }

    /// Asks for the tools: a server that cannot say what it has is not up.
    async fn list(&self, mut opened: Opened, begun: Instant) -> Result<Opened, StartError> {
        let connection = opened.connection.clone();
        let listed = tokio::select! {
            biased;
            listed = timeout_at(self.deadline, connection.refresh()) => listed,
            ending = opened.lost() => return Err(ended(TOOLS, ending, opened.process.take()).await),
        };
        match listed {
            Ok(Ok(())) => {
                connection.set_start_time(begun.elapsed());
                Ok(opened)
            }
            Ok(Err(error)) => {
                let words = LastWords::of(connection.pipe());
                Err(StartError::Tools { reason: crate::text::line(&chain(&error)), words })
            }
            Err(_) => Err(self.late(TOOLS, opened.process.as_ref())),
        }
    }

    fn late(&self, step: &'static str, running: Option<&Running>) -> StartError {
        let words = LastWords::of(running.map(|running| &*running.pipe));
        StartError::Timeout { step, after: self.limit, words }
    }

    async fn refusal(&self, error: &ClientInitializeError, mut running: Option<Running>) -> StartError {
        use ClientInitializeError::{ConnectionClosed, JsonRpcError, TransportError};
        let (closed, unreachable, reason) = match error {
            ConnectionClosed(_) => (true, false, error.to_string()),
            TransportError { error, .. } => (true, is_unreachable(error), chain(error.error.as_ref())),
            JsonRpcError(error) => (false, false, format!("{} ({})", error.message, error.code.0)),
            other => (false, false, chain(other)),
        };
        let reason = crate::text::line(&reason);
        match (&self.spec.transport, closed) {
            (TransportSpec::Local(_), true) => {
                let ending = match &mut running {
                    Some(running) => running.how(running.pipe.how_ended()).await,
                    None => Ending::ClosedStdout,
                };
                ended(HANDSHAKE, ending, running).await
            }
            (TransportSpec::Remote(remote), _) if unreachable => {
                StartError::Unreachable { url: remote.url.clone(), reason }
            }
            _ => {
                let words = LastWords::of(running.as_ref().map(|it| &*it.pipe));
                StartError::Refused { reason, speaks: self.spoken_otherwise(error), words }
            }
        }
    }
}

impl Attempt<'_> {
    /// What a server speaks, where it refuses the version that it was asked for.
    fn spoken_otherwise(&self, error: &ClientInitializeError) -> Option<String> {
        match error {
            ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
                let versions: Vec<&str> = server_supported.iter().map(ProtocolVersion::as_str).collect();
                Some(versions.join(", "))
            }
            // A server of an era with a handshake does not know the question of the one without.
            ClientInitializeError::JsonRpcError(error) if !self.version.has_initialize() => Some(format!(
                "versions with a handshake: `server/discover` has the answer {}: {}",
                error.code.0, error.message
            )),
            _ => None,
        }
    }
}

impl Opened {
    /// Waits until the server is gone, and says how it went.
    pub async fn lost(&mut self) -> Ending {
        let connection = self.connection.clone();
        let ending = if let Some(running) = &mut self.process {
            tokio::select! {
                biased;
                status = running.process.ended() => {
                    // What it wrote before it ended is read to the end, unless a child of it holds the pipe.
                    match timeout(LAST_WORDS, running.pipe.ended()).await {
                        Ok(end @ (PipeEnd::Flood | PipeEnd::Deaf)) => end.into(),
                        _ => exit_of(status),
                    }
                }
                end = running.pipe.ended() => running.how(end).await,
            }
        } else {
            tokio::select! {
                biased;
                ending = connection.given_up() => ending,
                _ = &mut self.service => Ending::Unreachable("the connection was closed".to_owned()),
            }
        };
        if let Some(running) = &mut self.process {
            running.drained().await;
        }
        connection.lose(ending.clone());
        ending
    }

    /// Closes the connection, and ends the process in order: stdin, a wait, TERM, a wait, a kill of the group.
    pub async fn close(mut self) {
        self.stop.cancel();
        if !self.service.is_finished() {
            let _ = timeout(CLOSE, &mut self.service).await;
        }
        if let Some(running) = &mut self.process {
            running.process.end(self.grace).await;
        }
    }
}

impl Running {
    /// How it went, once there are no more messages: a stdout that is closed usually means a process that ends.
    async fn how(&mut self, end: PipeEnd) -> Ending {
        if end != PipeEnd::Closed {
            return end.into();
        }
        timeout(LAST_WORDS, self.process.ended()).await.map_or(end.into(), exit_of)
    }

    /// Waits until all that it wrote to stderr was read; not for a child of it that holds the pipe.
    async fn drained(&mut self) {
        if !self.stderr.is_finished() {
            let _ = timeout(LAST_WORDS, &mut self.stderr).await;
        }
    }
}

/// Waits for the end of the process; for ever where there is none.
async fn exited(running: &mut Option<Running>) -> Ending {
    match running {
        Some(running) => exit_of(running.process.ended().await),
        None => std::future::pending().await,
    }
}

fn exit_of(status: Status) -> Ending {
    Ending::Exited(match status {
        Status::Code(code) => format!("exit code {code}"),
        other => other.to_string(),
    })
}

async fn ended(step: &'static str, how: Ending, running: Option<Running>) -> StartError {
    let words = match running {
        Some(mut running) => {
            running.drained().await;
            LastWords::of(Some(&running.pipe))
        }
        None => LastWords::default(),
    };
    StartError::Ended { how, step, words }
}

/// In the stateless era changes come on a stream that has to be asked for.
async fn listen(peer: rmcp::Peer<RoleClient>, told: Arc<Told>) {
    let wanted = SubscriptionFilter::builder().tools_list_changed().build();
    let Ok(mut subscription) = peer.listen(wanted).await else { return };
    while let Ok(Some(_)) = subscription.next().await {
        told.change();
    }
}

/// Tells whether nobody answered, rather than somebody who refused.
pub(super) fn is_unreachable(error: &DynamicTransportError) -> bool {
    let http = error.error.downcast_ref::<StreamableHttpError<BodyError>>();
    matches!(http, Some(StreamableHttpError::Client(error)) if error.is_unreachable())
}
