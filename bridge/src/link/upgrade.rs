//! From a TCP socket to a WebSocket: who may link, and what everyone else is told. hyper reads the request and writes the
//! answer; tungstenite knows what an upgrade is.

use std::convert::Infallible;
use std::future::ready;

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::installer;
use crate::limits::FRAME_BYTES;
use crate::linger::Lingering;
use crate::secret::{Secret, bearer};

/// More than any client's upgrade request with cookies and tokens; less than a flood.
const HEAD_BYTES: usize = 16 * 1024;

/// What each link holds ready for reading. Small, because thousands are idle most of the time.
const READ_BUFFER: usize = 2048;

/// What may wait in a link's socket. One frame goes out at a time; what a peer can add to it are the answers to its
/// pings, of which one that reads nothing gets no more than this.
const WRITE_BUFFER: usize = 2 * FRAME_BYTES;

const WELCOME: &str = "This is the link port of mcp-bridge: ComputerCraft computers connect here by WebSocket.\n\
     On a computer, run `mcp-computer ws://HOST:PORT` with this host and port; `wget run http://HOST:PORT/install.lua`\n\
     brings the program there.\n\
     MCP clients belong to the other port, at `/mcp` (`MCP_PORT`, 3000 unless it was set).\n";

const WEB_PAGE: &str = "Web pages cannot link: a computer's upgrade has no `Origin`.\n";

/// Why a socket did not become a WebSocket. The peer has been told where that is possible.
#[derive(Debug, Error)]
pub enum UpgradeError {
    #[error("the connection ended before a whole request was there")]
    Ended,
    #[error("refused with {0}")]
    Refused(StatusCode),
}

/// Who may link.
#[derive(Debug, Clone, Copy)]
pub enum Gate<'a> {
    /// Everyone who has this token, or may still say it in the hello; everyone, where there is none.
    Open(Option<&'a Secret>),
    /// Nobody: there is no room, and this says why.
    Full(&'a str),
}

/// What is answered instead of an upgrade.
type Refusal = (StatusCode, String);

/// A WebSocket, and whether the upgrade carried the right token.
#[derive(Debug)]
pub struct Upgraded<S> {
    pub socket: WebSocketStream<Lingering<S>>,
    pub admitted: bool,
}

/// Reads the request and upgrades, or answers with what is wrong.
pub async fn upgrade<S>(stream: S, gate: Gate<'_>) -> Result<Upgraded<S>, UpgradeError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let decided = Mutex::new(None);
    let service = service_fn(|mut request: Request<Incoming>| {
        let (decision, response) = match judge(&request, gate) {
            Ok((admitted, response)) => (Ok((admitted, hyper::upgrade::on(&mut request))), response),
            Err((status, text)) => (Err(UpgradeError::Refused(status)), plain(status, text)),
        };
        *decided.lock() = Some(decision);
        ready(Ok::<_, Infallible>(response))
    });
    let connection = http1::Builder::new()
        .max_buf_size(HEAD_BYTES)
        .title_case_headers(true)
        .serve_connection(TokioIo::new(Lingering::new(stream)), service)
        .with_upgrades();
    let _ = connection.await;
    let decided = decided.into_inner();
    let (admitted, upgraded) = decided.ok_or(UpgradeError::Ended)??;
    let parts = upgraded.await.map_err(|_| UpgradeError::Ended)?;
    let parts = parts.downcast::<TokioIo<Lingering<S>>>().expect("hyper was given this stream");
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(FRAME_BYTES))
        .max_frame_size(Some(FRAME_BYTES));
    let (stream, rest) = (parts.io.into_inner(), parts.read_buf.to_vec());
    let socket = WebSocketStream::from_partially_read(stream, rest, Role::Server, Some(config)).await;
    Ok(Upgraded { socket, admitted })
}

/// Decides on a request by its head: the answer that upgrades it, and whether it carried the right token.
fn judge<B>(request: &Request<B>, gate: Gate<'_>) -> Result<(bool, Response<Full<Bytes>>), Refusal> {
    let token = match gate {
        Gate::Full(why) => return Err((StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n"))),
        Gate::Open(token) => token,
    };
    let Ok(response) = create_response_with_body(request, Full::default) else {
        return Err(fetched(request));
    };
    if request.headers().contains_key(header::ORIGIN) {
        return Err((StatusCode::FORBIDDEN, WEB_PAGE.to_owned()));
    }
    let admitted = match (token, given_token(request)) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(secret), Some(given)) if secret.matches(&given) => true,
        (Some(_), Some(_)) => return Err((StatusCode::FORBIDDEN, "The link token is wrong.\n".to_owned())),
    };
    Ok((admitted, response))
}

/// The answer to a request that is no upgrade: a file of the installer, or what this port is for.
fn fetched<B>(request: &Request<B>) -> Refusal {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    match installer::text_at(request.uri().path(), host) {
        Some(text) if request.method() == Method::GET => (StatusCode::OK, text),
        _ => (StatusCode::UPGRADE_REQUIRED, WELCOME.to_owned()),
    }
}

/// The token of the upgrade, from `?token=` or from the bearer header.
fn given_token<B>(request: &Request<B>) -> Option<String> {
    let query = request.uri().query().unwrap_or_default();
    if let Some((_, token)) = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "token") {
        return Some(token.into_owned());
    }
    let header = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    bearer(header).map(str::to_owned)
}

fn plain(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    if status == StatusCode::UPGRADE_REQUIRED {
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    async fn answer_to(request: &str, token: Option<&str>) -> (String, Option<bool>) {
        let (mut client, server) = tokio::io::duplex(64 * 1024);
        client.write_all(request.as_bytes()).await.expect("room for a request");
        let secret = token.and_then(Secret::new);
        let read = async {
            let mut text = vec![0; 4096];
            let length = client.read(&mut text).await.expect("an answer");
            drop(client);
            String::from_utf8_lossy(&text[..length]).into_owned()
        };
        let (upgraded, text) = tokio::join!(upgrade(server, Gate::Open(secret.as_ref())), read);
        (text, upgraded.ok().map(|upgraded| upgraded.admitted))
    }

    fn websocket(path: &str, extra: &str) -> String {
        format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{extra}\r\n"
        )
    }

    #[tokio::test]
    async fn any_path_is_upgraded() {
        for path in ["/", "/link", "/a/b?c=d"] {
            let (answer, admitted) = answer_to(&websocket(path, ""), None).await;
            assert!(answer.starts_with("HTTP/1.1 101 "), "{answer}");
            assert!(answer.to_lowercase().contains("s3pplmbitxaq9kygzzhzrbk+xoo="), "{answer}");
            assert_eq!(admitted, Some(true));
        }
    }

    #[tokio::test]
    async fn a_plain_request_gets_a_readable_426() {
        for request in [
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
        ] {
            let (answer, admitted) = answer_to(request, None).await;
            assert!(answer.starts_with("HTTP/1.1 426 Upgrade Required\r\n"), "{answer}");
            assert!(answer.contains("\r\nUpgrade: websocket\r\n") && answer.ends_with(WELCOME), "{answer}");
            assert_eq!(admitted, None);
        }
    }

    #[tokio::test]
    async fn what_is_no_http_gets_400_and_an_endless_head_431() {
        let (answer, _) = answer_to("\u{16}\u{3}\u{1} hello\r\n\r\n", None).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        let (answer, _) = answer_to(&format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(HEAD_BYTES)), None).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }

    #[tokio::test]
    async fn the_token_is_taken_from_the_query_or_the_header() {
        let right = [
            websocket("/?token=s%263cret", ""),
            websocket("/?a=b&token=s%263cret", ""),
            websocket("/", "Authorization: Bearer s&3cret\r\n"),
        ];
        for request in right {
            assert_eq!(answer_to(&request, Some("s&3cret")).await.1, Some(true), "{request}");
        }
        for request in [websocket("/?token=no", ""), websocket("/", "Authorization: Bearer no\r\n")] {
            let (answer, admitted) = answer_to(&request, Some("s&3cret")).await;
            assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
            assert_eq!(admitted, None);
        }
        // It may still come in the hello.
        assert_eq!(answer_to(&websocket("/", ""), Some("s&3cret")).await.1, Some(false));
    }

    #[tokio::test]
    async fn an_upgrade_of_a_web_page_is_refused() {
        for origin in ["http://localhost:3001", "https://evil.example", "null", ""] {
            let (answer, admitted) = answer_to(&websocket("/", &format!("Origin: {origin}\r\n")), None).await;
            assert!(answer.starts_with("HTTP/1.1 403 ") && answer.ends_with(WEB_PAGE), "{answer}");
            assert_eq!(admitted, None);
        }
    }
}
