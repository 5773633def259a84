//! Servers that are addresses: rmcp's own server, the bridge, and sockets that misbehave.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::response::IntoResponse as _;
use mcp_host::{Protocol, ServerSpec, Settings, State};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use crate::support::{PATIENCE, SOON, host, host_with, message, server, settings, until};

/// A server on rmcp that grows a tool with each call of `grow`.
#[derive(Debug, Clone, Default)]
struct Growing {
    grown: Arc<AtomicUsize>,
}

impl ServerHandler for Growing {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("growing", "1"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let count = self.grown.load(Ordering::Acquire);
        let schema = Arc::new(json!({ "type": "object" }).as_object().expect("it is one").clone());
        let tool = |name: String| Tool::new(name, "grows", schema.clone());
        let names =
            std::iter::once("grow".to_owned()).chain((1..=count).map(|number| format!("grown-{number}")));
        Ok(ListToolsResult::with_all_items(names.map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<rmcp::model::CallToolResponse, ErrorData> {
        if request.name == "grow" {
            self.grown.fetch_add(1, Ordering::AcqRel);
            let _ = context.peer.notify_tool_list_changed().await;
        }
        Ok(CallToolResult::success(vec![ContentBlock::text(request.name.into_owned())]).into())
    }
}

/// What listens until it is dropped.
struct Listening {
    url: String,
    address: SocketAddr,
    _task: AbortOnDropHandle<()>,
}

/// Serves MCP with rmcp, behind a token where there is one.
async fn growing(address: &str, token: Option<&'static str>) -> Listening {
    let growing = Growing::default();
    let service = StreamableHttpService::new(
        move || Ok(growing.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let guard = move |request: axum::extract::Request, next: axum::middleware::Next| async move {
        let given = request.headers().get("authorization").and_then(|value| value.to_str().ok());
        match token {
            Some(token) if given != Some(token) => http::StatusCode::UNAUTHORIZED.into_response(),
            _ => next.run(request).await,
        }
    };
    let router = axum::Router::new().fallback_service(service).layer(axum::middleware::from_fn(guard));
    let listener = TcpListener::bind(address).await.expect("it is free");
    let address = listener.local_addr().expect("it is bound");
    let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
    Listening { url: format!("http://{address}/mcp"), address, _task: AbortOnDropHandle::new(task) }
}

/// What a socket does with each connection, once it has read something.
#[derive(Clone, Copy)]
enum Socket {
    Silent,
    Text(&'static str),
    Flood(&'static str),
}

async fn socket(behaviour: Socket) -> Listening {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let task = tokio::spawn(async move {
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            connections.spawn(async move {
                let mut buffer = [0; 4096];
                let _ = stream.read(&mut buffer).await;
                match behaviour {
                    Socket::Silent => std::future::pending().await,
                    Socket::Text(text) => drop(stream.write_all(text.as_bytes()).await),
                    Socket::Flood(head) => {
                        let _ = stream.write_all(head.as_bytes()).await;
                        let chunk = vec![b' '; 64 * 1024];
                        while stream.write_all(&chunk).await.is_ok() {}
                    }
                }
            });
        }
    });
    Listening { url: format!("http://{address}/mcp"), address, _task: AbortOnDropHandle::new(task) }
}

#[rstest]
#[case::handshake("2025-11-25", "handshake 2025-11-25")]
#[case::older("2025-03-26", "handshake 2025-03-26")]
#[case::stateless("2026-07-28", "stateless 2026-07-28")]
#[case::auto("auto", "handshake 2025-11-25")]
#[tokio::test]
async fn changed_tools_are_followed_in_each_era(#[case] protocol: &str, #[case] era: &str) {
    let listening = growing("127.0.0.1:0", None).await;
    let protocol: Protocol = protocol.parse().expect("it is known");
    let host = host_with([ServerSpec::remote("far", &listening.url)], Settings { protocol, ..settings() });
    assert_eq!(host.call("far__grow", json!({})).await.expect("it answers").text(), "grow");
    assert_eq!(host.statuses()[0].era.as_ref().map(ToString::to_string).as_deref(), Some(era));
    let followed = tokio::time::timeout(PATIENCE, async {
        while host.call("far__grown-1", json!({})).await.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    followed.await.expect("the new tool is seen");
    host.ping("far").await.expect("it lives");
    host.shutdown().await;
}

#[tokio::test]
async fn headers_are_sent_and_without_them_the_refusal_is_told() {
    let listening = growing("127.0.0.1:0", Some("Bearer s3cret")).await;
    let with = ServerSpec::remote("with", &listening.url).with_header("Authorization", "Bearer s3cret");
    let host = host([with, ServerSpec::remote("without", &listening.url)]);
    host.call("with__grow", json!({})).await.expect("it answers");
    let error = message(host.call("without__grow", json!({})).await);
    assert!(error.contains("it refused the handshake") && error.contains("401"), "{error}");
    host.shutdown().await;
}

#[tokio::test]
async fn an_address_where_nobody_listens_is_told_and_disturbs_no_other() {
    let host = host([ServerSpec::remote("none", "http://127.0.0.1:9/mcp"), server("good", "good")]);
    let listing = host.tools().await;
    assert_eq!(listing.tools.len(), 13);
    let (id, error) = &listing.failures[0];
    let error = mcp_host::text::chain(error);
    assert_eq!(id, "none");
    assert!(error.contains("failed to reach `http://127.0.0.1:9/mcp`"), "{error}");
    host.shutdown().await;
}

#[tokio::test]
async fn a_socket_that_never_answers_times_out() {
    let listening = socket(Socket::Silent).await;
    let settings = Settings { start_timeout: Some(SOON), ..settings() };
    let host = host_with([ServerSpec::remote("silent", &listening.url)], settings);
    let error = message(host.call("silent__x", json!({})).await);
    assert!(error.contains("the handshake within 300 ms (the start timeout)"), "{error}");
    host.shutdown().await;
}

#[rstest]
#[case::no_http("nonsense\r\n\r\n")]
#[case::a_page("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>")]
#[case::an_error("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n")]
#[case::not_found("HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n")]
#[case::no_json("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")]
#[case::elsewhere("HTTP/1.1 302 Go\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n")]
#[tokio::test]
async fn a_socket_that_is_no_server_is_told(#[case] text: &'static str) {
    let listening = socket(Socket::Text(text)).await;
    let host = host([ServerSpec::remote("odd", &listening.url)]);
    host.start().await;
    let State::Broken(why) = &host.statuses()[0].state else { panic!("it is no server") };
    assert!(why.contains("failed to start `odd`"), "{why}");
    host.shutdown().await;
}

#[rstest]
#[case::json("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", "the answer has more than 16 MiB")]
#[case::events("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ", "connection closed")]
#[case::an_error("HTTP/1.1 400 No\r\ncontent-type: text/plain\r\n\r\n", "HTTP 400")]
#[tokio::test]
async fn a_socket_that_floods_is_ended(#[case] head: &'static str, #[case] told: &str) {
    let listening = socket(Socket::Flood(head)).await;
    let host = host([ServerSpec::remote("flood", &listening.url)]);
    host.start().await;
    let State::Broken(why) = &host.statuses()[0].state else { panic!("it is no server") };
    assert!(why.contains(told), "{why}");
    host.shutdown().await;
}

#[tokio::test]
async fn a_server_that_goes_away_and_comes_back_is_used_again() {
    let listening = growing("127.0.0.1:0", None).await;
    let address = listening.address;
    let host =
        host_with([ServerSpec::remote("far", &listening.url)], Settings { deaths: 1000, ..settings() });
    host.call("far__grow", json!({})).await.expect("it answers");
    drop(listening);
    until("it is gone", || std::net::TcpStream::connect(address).is_err()).await;
    let error = message(host.call("far__grow", json!({})).await);
    assert!(error.contains("far"), "{error}");
    let _back = growing(&address.to_string(), None).await;
    let called = tokio::time::timeout(PATIENCE, async {
        loop {
            if let Ok(called) = host.call("far__grow", json!({})).await {
                break called;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert_eq!(called.await.expect("it is back").text(), "grow");
    host.shutdown().await;
}

/// Answers the handshake and the list of tools, and breaks off every call in one of two ways.
async fn breaking(midway: bool) -> Listening {
    let handler = move |body: String| async move {
        let message: Value = serde_json::from_str(&body).expect("it is JSON");
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": message["params"]["protocolVersion"], "capabilities": { "tools": {} },
                "serverInfo": { "name": "breaking", "version": "1" },
            }),
            Some("tools/list") => json!({ "tools": [{ "name": "x", "inputSchema": { "type": "object" } }] }),
            Some("tools/call") => {
                let broken = midway.then(|| Err(std::io::Error::other("broken off")));
                let first = Ok::<_, std::io::Error>(": a comment\n\n".to_owned());
                let stream = futures_util::stream::iter(std::iter::once(first).chain(broken));
                let head = [("content-type", "text/event-stream")];
                return (head, axum::body::Body::from_stream(stream)).into_response();
            }
            _ => return http::StatusCode::ACCEPTED.into_response(),
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        ([("content-type", "application/json")], answer.to_string()).into_response()
    };
    let router = axum::Router::new().route("/mcp", axum::routing::post(handler));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
    Listening { url: format!("http://{address}/mcp"), address, _task: AbortOnDropHandle::new(task) }
}

#[rstest]
#[case::ended(false)]
#[case::broken_off(true)]
#[tokio::test]
async fn an_answer_that_breaks_off_is_told_at_once(#[case] midway: bool) {
    let listening = breaking(midway).await;
    let host = host([ServerSpec::remote("far", &listening.url)]);
    let error = message(host.call("far__x", json!({})).await);
    assert!(error.contains("far") && !error.contains("timeout"), "{error}");
    host.shutdown().await;
}
