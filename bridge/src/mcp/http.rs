//! MCP over HTTP: the endpoint `/mcp`, `/health`, and the connections of both.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::body::{holding, streaming};
use super::door::{Door, ENDPOINT};
use super::server::McpServer;
use super::sessions::Sessions;
use super::tasks::subscribed;
use super::unread::Unread;
use crate::accept::{Accept, accept_each};
use crate::budget::{Budget, Share};
use crate::config::Allowed;
use crate::jobs::Keeper;
use crate::limits::{ANSWERS_BYTES, BODIES_BYTES, BODY_BYTES};
use crate::linger::Lingering;
use crate::registry::Registry;
use crate::room::{Room, Seat};
use crate::secret::Secret;

/// How long a connection may take for the head of a request, or wait for the next one.
const HEAD: Duration = Duration::from_secs(60);

/// How long the body of a request may take.
const BODY: Duration = Duration::from_secs(30);

/// How long answers that are under way may take once the bridge is ending.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// What one connection reads at once: enough for nearly every request, and little for thousands that send slowly.
const READ_BYTES: usize = 64 * 1024;

/// The type of a stream of events.
const EVENTS: &[u8] = b"text/event-stream";

/// Who may ask over HTTP.
#[derive(Debug)]
pub struct HttpServer {
    pub token: Option<Secret>,
    pub hosts: Allowed,
    pub origins: Allowed,
}

impl HttpServer {
    /// Serves until the shutdown token fires, at most so many connections at once. What is under way then may
    /// still be answered.
    pub async fn listen(
        self,
        listener: impl Accept,
        server: McpServer,
        sessions: Arc<Sessions>,
        connections: usize,
        shutdown: CancellationToken,
    ) {
        let streams = CancellationToken::new();
        let (registry, jobs) = (server.settings().registry.clone(), server.settings().jobs.clone());
        let mcp = endpoint(server, sessions.clone(), &streams);
        let door = Door::new(self.token, self.hosts, self.origins);
        let (bodies, answers) = (Budget::new(BODIES_BYTES), Budget::new(ANSWERS_BYTES));
        let port = Arc::new(Port { door, mcp, registry, jobs, bodies, answers, sessions: sessions.clone() });
        let tasks = TaskTracker::new();
        // Clients on one machine, or behind one proxy, are one address: it may have them all.
        let room = Room::new("MCP", connections, connections);
        accept_each(listener, "an MCP connection", &shutdown, |stream, peer| {
            let Ok(seat) = room.enter(peer.ip()) else { return };
            tasks.spawn(connection(stream, port.clone(), shutdown.clone(), seat));
        })
        .await;
        sessions.end_listeners();
        tasks.close();
        let _ = timeout(LAST_ANSWERS, tasks.wait()).await;
        streams.cancel();
    }
}

/// What every connection of the port shares.
struct Port {
    door: Door,
    mcp: Endpoint,
    registry: Arc<Registry>,
    jobs: Arc<Keeper>,
    bodies: Arc<Budget>,
    answers: Arc<Budget>,
    sessions: Arc<Sessions>,
}

type Endpoint = StreamableHttpService<McpServer, Sessions>;

fn endpoint(server: McpServer, sessions: Arc<Sessions>, streams: &CancellationToken) -> Endpoint {
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        // An event without data, which clients before 2025-11-25 cannot read.
        .with_sse_retry(None)
        // Streams show signs of life by themselves, on tokio's clock.
        .with_sse_keep_alive(None)
        .with_max_request_body_bytes(BODY_BYTES)
        .with_cancellation_token(streams.clone())
        // The door has judged both, before the body was read.
        .disable_allowed_hosts()
        .disable_allowed_origins();
    StreamableHttpService::new(move || Ok(server.for_client()), sessions, config)
}

async fn connection<S>(stream: S, port: Arc<Port>, shutdown: CancellationToken, seat: Seat)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(|request: hyper::Request<Incoming>| serve(request, &port, &seat));
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_buf_size(READ_BYTES)
            .serve_connection(TokioIo::new(Lingering::new(stream)), service)
    );
    tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        () = seat.wanted() => return,
        () = shutdown.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Answers one request. While its body is on its way the connection counts as idle: whoever never sends the rest keeps
/// nobody out.
async fn serve(request: hyper::Request<Incoming>, port: &Port, seat: &Seat) -> Result<Response, Infallible> {
    let (mut head, body) = request.into_parts();
    if let Err(refusal) = port.door.admit(&mut head) {
        return Ok(refusal.into_response());
    }
    let mut listens = None;
    // Only a message has a body that means anything.
    let body = if head.method == Method::POST {
        match timeout(BODY, read_body(body, &port.bodies)).await {
            Ok(Ok((whole, share))) => {
                match subscribed::read(&mut head, &whole, &port.jobs) {
                    Ok(tasks) => listens = tasks,
                    Err(refusal) => return Ok(*refusal),
                }
                holding(Full::new(whole), share)
            }
            Ok(Err(refusal)) => return Ok(refusal),
            Err(_) => {
                return Ok((StatusCode::REQUEST_TIMEOUT, "The request took too long.\n").into_response());
            }
        }
    } else {
        Body::empty()
    };
    let unread = Unread::new(&port.answers, &port.sessions);
    head.extensions.insert(unread.clone());
    let kept = (seat.in_use(), unread);
    let is_mcp = head.uri.path() == ENDPOINT;
    let request = Request::from_parts(head, body);
    let response = if is_mcp {
        port.mcp.handle(request).await.map(|body| match listens {
            Some(tasks) => subscribed::acknowledging(body, tasks),
            None => Body::new(body),
        })
    } else {
        health(request.method(), &port.registry)
    };
    // In use until the last of the body has gone out, or nobody wants it any more.
    let content = response.headers().get(header::CONTENT_TYPE);
    let is_stream = content.is_some_and(|kind| kind.as_bytes().starts_with(EVENTS));
    Ok(response.map(|body| if is_stream { streaming(body, kept) } else { holding(body, kept) }))
}

/// Reads a body, byte by byte out of the budget that all share. Its pieces are put together as they come: one of a single
/// byte takes many.
async fn read_body(mut body: Incoming, budget: &Arc<Budget>) -> Result<(Bytes, Share), Response> {
    let too_large = || {
        let text = format!("The request has more than {BODY_BYTES} bytes.\n");
        (StatusCode::PAYLOAD_TOO_LARGE, text).into_response()
    };
    if body.size_hint().lower() > BODY_BYTES as u64 {
        return Err(too_large());
    }
    let (mut share, mut first, mut rest) = (budget.share(), Bytes::new(), Vec::new());
    while let Some(frame) = body.frame().await {
        let broken = |_| (StatusCode::BAD_REQUEST, "The request is broken.\n").into_response();
        let Ok(piece) = frame.map_err(broken)?.into_data() else { continue };
        if first.len() + rest.len() + piece.len() > BODY_BYTES {
            return Err(too_large());
        }
        if !share.take(piece.len()) {
            let text = "Too many large requests are on their way at once; try again.\n";
            let retry = [(header::RETRY_AFTER, "1")];
            return Err((StatusCode::SERVICE_UNAVAILABLE, retry, text).into_response());
        }
        // Nearly every body is one piece, which need not be copied.
        if first.is_empty() && rest.is_empty() {
            first = piece;
            continue;
        }
        rest.extend_from_slice(&std::mem::take(&mut first));
        rest.extend_from_slice(&piece);
    }
    Ok((if rest.is_empty() { first } else { rest.into() }, share))
}

/// How many computers are linked, for whoever watches over the bridge.
fn health(method: &Method, registry: &Registry) -> Response {
    if ![Method::GET, Method::HEAD].contains(method) {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET,HEAD")]).into_response();
    }
    let body = format!("{{\"ok\":true,\"computers\":{}}}", registry.count());
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}
