//! MCP over HTTP: the endpoint `/mcp`, `/health`, and who may ask.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service as _;

use super::server::McpServer;
use super::sessions::Sessions;
use crate::config::Allowed;
use crate::limits::BODY_BYTES;
use crate::registry::Registry;
use crate::room::{Room, Seat};
use crate::secret::Secret;

/// How long a connection may take for the head of a request, or wait for the next one.
const HEAD: Duration = Duration::from_secs(60);

/// How long the body of a request may take.
const BODY: Duration = Duration::from_secs(30);

/// How long to hold off when the machine has no socket to give.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(50);

/// How long answers that are under way may take once the bridge is ending.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

const NOT_HERE: &str =
    "There is nothing here: the MCP endpoint is `/mcp`, and `/health` tells how many computers are linked.\n";

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
        listener: TcpListener,
        server: McpServer,
        connections: usize,
        shutdown: CancellationToken,
    ) {
        let sessions = Arc::new(Sessions::default());
        let streams = CancellationToken::new();
        let router = self.router(server, sessions.clone(), &streams);
        let tasks = TaskTracker::new();
        accept(&listener, &router, connections, &shutdown, &tasks).await;
        drop(listener);
        sessions.end_listeners();
        tasks.close();
        let _ = timeout(LAST_ANSWERS, tasks.wait()).await;
        streams.cancel();
    }

    fn router(self, server: McpServer, sessions: Arc<Sessions>, streams: &CancellationToken) -> Router {
        let registry = server.settings().registry.clone();
        let mut config = StreamableHttpServerConfig::default()
            .with_json_response(true)
            // An event without data, which clients before 2025-11-25 cannot read.
            .with_sse_retry(None)
            .with_max_request_body_bytes(BODY_BYTES)
            .with_cancellation_token(streams.clone());
        config = match self.hosts {
            Allowed::Any => config.disable_allowed_hosts(),
            Allowed::Only(hosts) => config.with_allowed_hosts(hosts),
        };
        config = match self.origins {
            Allowed::Any => config.disable_allowed_origins(),
            Allowed::Only(origins) => config.with_allowed_origins(origins).enforce_origin_validation(),
        };
        let mcp = StreamableHttpService::new(move || Ok(server.for_client()), sessions, config);
        let mut endpoint = Router::new().route("/mcp", any(endpoint)).with_state(Arc::new(mcp));
        if let Some(token) = self.token {
            endpoint = endpoint.layer(middleware::from_fn_with_state(Arc::new(token), check_token));
        }
        Router::new()
            .merge(endpoint)
            .route("/health", get(health).fallback(not_here))
            .fallback(not_here)
            .with_state(registry)
    }
}

async fn accept(
    listener: &TcpListener,
    router: &Router,
    connections: usize,
    shutdown: &CancellationToken,
    tasks: &TaskTracker,
) {
    let room = Room::new("MCP", connections);
    loop {
        let accepted = tokio::select! {
            biased;
            () = shutdown.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "failed to accept an MCP connection");
                tokio::time::sleep(OUT_OF_SOCKETS).await;
                continue;
            }
        };
        let Some(seat) = room.enter() else { continue };
        let (router, shutdown) = (router.clone(), shutdown.clone());
        tasks.spawn(async move { connection(stream, router, shutdown, seat).await });
    }
}

async fn connection(stream: TcpStream, router: Router, shutdown: CancellationToken, seat: Seat) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request: hyper::Request<Incoming>| serve(request, &router, &seat));
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .serve_connection(TokioIo::new(stream), service)
    );
    tokio::select! {
        _ = connection.as_mut() => return,
        () = seat.wanted() => return,
        () = shutdown.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Answers one request. While its body is on its way the connection counts as idle: whoever never sends the rest keeps
/// nobody out.
async fn serve(
    request: hyper::Request<Incoming>,
    router: &Router,
    seat: &Seat,
) -> Result<Response, Infallible> {
    let (head, body) = request.into_parts();
    let body = match timeout(BODY, Limited::new(body, BODY_BYTES).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let text = format!("The request has more than {BODY_BYTES} bytes.\n");
            return Ok((StatusCode::PAYLOAD_TOO_LARGE, text).into_response());
        }
        Ok(Err(_)) => return Ok((StatusCode::BAD_REQUEST, "The request is broken.\n").into_response()),
        Err(_) => return Ok((StatusCode::REQUEST_TIMEOUT, "The request took too long.\n").into_response()),
    };
    let in_use = seat.in_use();
    let response = router.clone().call(Request::from_parts(head, Body::from(body))).await?;
    // In use until the last of the body has gone out, or nobody wants it any more.
    Ok(response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _ = &in_use;
            frame
        }))
    }))
}

type Endpoint = StreamableHttpService<McpServer, Sessions>;

/// Hands a request to the SDK. Through an `Arc`, and not as a tower service, because the SDK would copy its lists of
/// hosts and origins for each request.
async fn endpoint(State(mcp): State<Arc<Endpoint>>, request: Request) -> Response {
    mcp.handle(request).await.map(Body::new)
}

async fn health(State(registry): State<Arc<Registry>>) -> Response {
    let body = format!("{{\"ok\":true,\"computers\":{}}}", registry.count());
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

async fn not_here() -> Response {
    (StatusCode::NOT_FOUND, NOT_HERE).into_response()
}

async fn check_token(State(token): State<Arc<Secret>>, mut request: Request, next: Next) -> Response {
    // Taken out: what comes after has no use for it, and must not log it.
    let given = request.headers_mut().remove(header::AUTHORIZATION);
    let given = given.as_ref().and_then(|header| header.to_str().ok());
    if given.is_some_and(|given| token.matches_bearer(given)) {
        return next.run(request).await;
    }
    let text = "This bridge wants a token: send `Authorization: Bearer <MCP_TOKEN>`.\n";
    let mut response = (StatusCode::UNAUTHORIZED, text).into_response();
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}
