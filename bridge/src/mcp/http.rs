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
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
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
        let _ = tokio::time::timeout(LAST_ANSWERS, tasks.wait()).await;
        streams.cancel();
    }

    fn router(self, server: McpServer, sessions: Arc<Sessions>, streams: &CancellationToken) -> Router {
        let registry = server.settings().registry.clone();
        let mut config = StreamableHttpServerConfig::default()
            .with_json_response(true)
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
        Router::new().merge(endpoint).route("/health", get(health)).fallback(not_here).with_state(registry)
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
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let (in_use, mut router) = (seat.in_use(), router.clone());
        async move {
            let response = router.call(request.map(Body::new)).await?;
            // In use until the last of the body has gone out, or nobody wants it any more.
            Ok::<_, Infallible>(response.map(|body| {
                body.map_frame(move |frame| {
                    let _ = &in_use;
                    frame
                })
            }))
        }
    });
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

async fn check_token(State(token): State<Arc<Secret>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|header| header.to_str().ok());
    if given.is_some_and(|given| token.matches_bearer(given)) {
        return next.run(request).await;
    }
    let text = "This bridge wants a token: send `Authorization: Bearer <MCP_TOKEN>`.\n";
    let mut response = (StatusCode::UNAUTHORIZED, text).into_response();
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}
