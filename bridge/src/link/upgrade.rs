//! From a TCP socket to a WebSocket: reads the HTTP request, refuses what is none of ours, and upgrades.
//!
//! The head is read here and not by tungstenite, because a plain HTTP request must get a readable answer.

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::{create_response, write_response};
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::limits::FRAME_BYTES;
use crate::secret::Secret;

/// More than any client's upgrade request with cookies and tokens; less than a flood.
const HEAD_BYTES: usize = 16 * 1024;

/// Headers in an upgrade request: browsers send some twenty.
const HEADERS: usize = 64;

/// What each link holds ready for reading. Small, because five thousand are idle most of the time.
const READ_BUFFER: usize = 2048;

/// How long a refused peer may go on sending what nobody wants.
const DRAIN: std::time::Duration = std::time::Duration::from_secs(1);

const WELCOME: &str = "This is the link port of mcp-bridge: ComputerCraft computers connect here by WebSocket.\n\
     On a computer, run `mcp-computer ws://HOST:PORT` with this host and port.\n\
     MCP clients belong to the other port, at `/mcp` (`MCP_PORT`, 3000 unless it was set).\n";

/// Why a socket did not become a WebSocket. The peer has been told where that is possible.
#[derive(Debug, Error)]
pub enum UpgradeError {
    #[error("the connection ended before a whole request was there")]
    Ended,
    #[error("refused with {0}")]
    Refused(StatusCode),
    #[error("failed to speak to the peer")]
    Io(#[from] std::io::Error),
}

/// A WebSocket, and whether the upgrade carried the right token.
#[derive(Debug)]
pub struct Upgraded<S> {
    pub socket: WebSocketStream<S>,
    pub admitted: bool,
}

/// Reads the request and upgrades, or answers with what is wrong.
pub async fn upgrade<S>(mut stream: S, token: Option<&Secret>) -> Result<Upgraded<S>, UpgradeError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut buffer = Vec::with_capacity(1024);
    let (length, request) = loop {
        match parse(&buffer) {
            Ok(Some(parsed)) => break parsed,
            Ok(None) if buffer.len() < HEAD_BYTES => {}
            Ok(None) => {
                let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
                return refuse(&mut stream, status, "The request's head is too large.\n").await;
            }
            Err(()) => return refuse(&mut stream, StatusCode::BAD_REQUEST, WELCOME).await,
        }
        if stream.read_buf(&mut buffer).await? == 0 {
            return Err(UpgradeError::Ended);
        }
    };
    let Ok(response) = create_response(&request) else {
        return refuse(&mut stream, StatusCode::UPGRADE_REQUIRED, WELCOME).await;
    };
    let admitted = match (token, given_token(&request)) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(secret), Some(given)) if secret.matches(&given) => true,
        (Some(_), Some(_)) => {
            return refuse(&mut stream, StatusCode::FORBIDDEN, "The link token is wrong.\n").await;
        }
    };
    let mut text = Vec::new();
    write_response(&mut text, &response).map_err(std::io::Error::other)?;
    stream.write_all(&text).await?;
    stream.flush().await?;
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .max_message_size(Some(FRAME_BYTES))
        .max_frame_size(Some(FRAME_BYTES));
    let rest = buffer.split_off(length);
    let socket = WebSocketStream::from_partially_read(stream, rest, Role::Server, Some(config)).await;
    Ok(Upgraded { socket, admitted })
}

/// Reads an HTTP request's head; nothing while it is incomplete.
fn parse(buffer: &[u8]) -> Result<Option<(usize, Request<()>)>, ()> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut raw = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(length) = raw.parse(buffer).map_err(drop)? else {
        return Ok(None);
    };
    let mut request = Request::new(());
    *request.method_mut() = raw.method.and_then(|method| method.parse::<Method>().ok()).ok_or(())?;
    *request.uri_mut() = raw.path.and_then(|path| path.parse().ok()).ok_or(())?;
    *request.version_mut() =
        if raw.version == Some(1) { http::Version::HTTP_11 } else { http::Version::HTTP_10 };
    let mut map = HeaderMap::with_capacity(raw.headers.len());
    for header in raw.headers.iter() {
        let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(drop)?;
        map.append(name, HeaderValue::from_bytes(header.value).map_err(drop)?);
    }
    *request.headers_mut() = map;
    Ok(Some((length, request)))
}

/// The token of the upgrade, from `?token=` or from the bearer header.
fn given_token(request: &Request<()>) -> Option<String> {
    let query = request.uri().query().unwrap_or_default();
    if let Some((_, token)) = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "token") {
        return Some(token.into_owned());
    }
    let header = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}

async fn refuse<S, T>(stream: &mut S, status: StatusCode, text: &str) -> Result<T, UpgradeError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let upgrade = if status == StatusCode::UPGRADE_REQUIRED { "Upgrade: websocket\r\n" } else { "" };
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n{upgrade}Connection: close\r\n\r\n{text}",
        text.len()
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    // What is still on its way must be read, or the answer is lost to a reset.
    let mut rest = vec![0; 4096];
    let _ = tokio::time::timeout(DRAIN, async {
        while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
    })
    .await;
    Err(UpgradeError::Refused(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answer_to(request: &str, token: Option<&str>) -> (String, Option<bool>) {
        let (mut client, server) = tokio::io::duplex(64 * 1024);
        client.write_all(request.as_bytes()).await.expect("room for a request");
        let secret = token.and_then(Secret::new);
        let upgraded = upgrade(server, secret.as_ref()).await.ok().map(|upgraded| upgraded.admitted);
        let mut text = vec![0; 4096];
        let length = client.read(&mut text).await.expect("an answer");
        (String::from_utf8_lossy(&text[..length]).into_owned(), upgraded)
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
        for request in
            ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"]
        {
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
}
